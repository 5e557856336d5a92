//! The kernels as functions for the CPU backend.
//!
//! They are instantiated here, in the crate that is optimised in every profile, each of them
//! once: a kernel over an allocator calls that through [`AnyHeap`].

use std::marker::PhantomData;

use crate::allocator::{Allocator, Handle, Heap, Properties, Request, SetupError};
use crate::allocators::with_allocators;
use crate::description::{Described, Description, is_entry_of};
use crate::device_heap::AnyHeap;
use crate::kernel::{Args, Kernel, PlainKernel};
use crate::launch::KernelId;
use crate::simt::Solo;
use crate::table::{with_kernels, with_plain_kernels};

/// A kernel over an allocator of whatever type with handles `H`, for one warp.
type HostKernel<H> = unsafe fn(Solo, &AnyHeap<'_, Solo, H>, &Args);

/// A kernel as a function of the table.
///
/// A method and no function: rustc compiles the instances of a method in the module of
/// the type that has it, so that the kernels are compiled side by side.
trait Hosted: Kernel {
    /// Runs the kernel for one warp.
    ///
    /// # Safety
    ///
    /// As for [`Kernel::run`].
    unsafe fn run_hosted<H: Handle>(warp: Solo, heap: &AnyHeap<'_, Solo, H>, args: &Args) {
        // SAFETY: the caller's promise.
        unsafe { Self::run(warp, heap, Self::Arguments::from(*args)) }
    }
}

impl<K: Kernel> Hosted for K {}

/// The kernels over allocators with handles `H`.
struct Kernels<H>(PhantomData<H>);

macro_rules! functions {
    ($($family:literal $name:literal $id:ident $kernel:ty;)*) => {
        &[$(<$kernel as Hosted>::run_hosted::<H>,)*]
    };
}

impl<H: Handle> Kernels<H> {
    /// All of them, in the order of their ids.
    const ALL: &'static [HostKernel<H>] = with_kernels!(functions,);
}

/// Runs a kernel over the allocator `A` of a heap, for one warp.
///
/// # Safety
///
/// As for [`HostAllocator::run`].
unsafe fn run_over<A: Allocator>(kernel: KernelId, warp: Solo, heap: &Heap, args: &Args) {
    let run = Kernels::<A::Handle>::ALL.get(kernel as usize);
    let run = run.expect("a kernel over an allocator");
    // SAFETY: the caller's promise covers the allocator and the kernel.
    unsafe { run(warp, &A::new(*heap), args) }
}

/// An allocator as the host sees it.
pub struct HostAllocator {
    /// Its name in the table; one that observes calls ends in `_observed`.
    pub name: &'static str,
    /// Its description, or that of the allocator whose calls it observes.
    pub description: Description,
    /// Whether it observes calls.
    pub observed: bool,
    /// [`Allocator::setup`].
    pub setup: fn(&Request) -> Result<Heap, SetupError>,
    /// [`Allocator::max_block`].
    pub max_block: fn(&Heap) -> u64,
    /// [`Allocator::elsewhere`].
    pub elsewhere: fn(&Heap) -> u64,
    /// Its declarations.
    pub properties: Properties,
    /// Bytes of a handle.
    pub handle_bytes: usize,
    /// [`run_over`] this allocator.
    run: unsafe fn(KernelId, Solo, &Heap, &Args),
}

/// An allocator of the table.
///
/// The table implements it for each; another type has no entry in any PTX module.
pub trait Named {
    /// [`HostAllocator::name`].
    const NAME: &'static str;
}

macro_rules! host_allocators {
    ($(($name:literal, $type:ty),)*) => {
        $(
            impl Named for $type {
                const NAME: &'static str = $name;
            }

            const _: () = assert!(
                is_entry_of(
                    $name,
                    <$type as Described>::DESCRIPTION.name,
                    <$type as Described>::OBSERVED,
                ),
                concat!("the table calls another allocator ", $name),
            );
        )*

        /// Every allocator, the observed ones behind the others.
        pub static ALLOCATORS: &[HostAllocator] = &[$(HostAllocator {
            name: <$type as Named>::NAME,
            description: <$type as Described>::DESCRIPTION,
            observed: <$type as Described>::OBSERVED,
            setup: <$type as Allocator>::setup,
            max_block: <$type as Allocator>::max_block,
            elsewhere: <$type as Allocator>::elsewhere,
            properties: Properties::of::<$type>(),
            handle_bytes: size_of::<<$type as Allocator>::Handle>(),
            run: run_over::<$type>,
        },)*];
    };
}

with_allocators!(host_allocators);

/// A kernel that needs no allocator, for one warp.
///
/// Safe to call under the contract of the kernel's arguments.
pub type PlainHostKernel = unsafe fn(Solo, Args);

macro_rules! plain_functions {
    ($run:ident $($family:literal $name:literal $id:ident $kernel:ty;)*) => {
        &[$($run::<$kernel>,)*]
    };
}

/// Every kernel that needs no allocator, in the order of their ids.
static PLAIN_KERNELS: &[PlainHostKernel] = with_plain_kernels!(plain_functions, run_plain);

/// The same with the instructions of [`run_plain_avx2`].
#[cfg(target_arch = "x86_64")]
static PLAIN_KERNELS_AVX2: &[PlainHostKernel] =
    with_plain_kernels!(plain_functions, run_plain_avx2);

/// A kernel that needs no allocator, as a function of the table.
///
/// # Safety
///
/// As for [`PlainKernel::run`].
unsafe fn run_plain<K: PlainKernel>(warp: Solo, args: Args) {
    // SAFETY: the caller's promise is the kernel's contract.
    unsafe { K::run(warp, K::Arguments::from(args)) }
}

/// The same with instructions that processors since 2013 have, and with the same results: three
/// operands save moves, which makes primary rays 3 to 5 % faster.
///
/// # Safety
///
/// As for [`PlainKernel::run`], on a processor that has these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
unsafe fn run_plain_avx2<K: PlainKernel>(warp: Solo, args: Args) {
    // SAFETY: the caller's promise is the kernel's contract.
    unsafe { K::run(warp, K::Arguments::from(args)) }
}

/// The functions of all kernels that need no allocator, for this processor.
fn plain_kernels() -> &'static [PlainHostKernel] {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2")
        && std::is_x86_feature_detected!("bmi1")
        && std::is_x86_feature_detected!("bmi2")
    {
        return PLAIN_KERNELS_AVX2;
    }
    PLAIN_KERNELS
}

/// The allocator of this name.
pub fn allocator(name: &str) -> Option<&'static HostAllocator> {
    ALLOCATORS.iter().find(|allocator| allocator.name == name)
}

/// The function of a kernel that needs no allocator; none if it is one over an allocator.
pub fn plain_kernel(kernel: KernelId) -> Option<PlainHostKernel> {
    let index = (kernel as usize).checked_sub(KernelId::OVER_HEAP.len())?;
    Some(plain_kernels()[index])
}

impl HostAllocator {
    /// The same allocator, whose `free` is known to do nothing: one in functions of
    /// the user's ([`Allocator::EXTERNAL`]), which the table knows nothing about.
    pub fn without_free(&self) -> Self {
        Self {
            properties: Properties {
                frees: false,
                ..self.properties
            },
            ..*self
        }
    }

    /// Runs a kernel over a heap of this allocator, for one warp.
    ///
    /// # Safety
    ///
    /// As for [`Kernel::run`] and [`Allocator::new`].
    ///
    /// # Panics
    ///
    /// If the kernel needs no allocator.
    #[inline]
    pub unsafe fn run(&self, kernel: KernelId, warp: Solo, heap: &Heap, args: &Args) {
        // SAFETY: the caller's promise.
        unsafe { (self.run)(kernel, warp, heap, args) }
    }
}
