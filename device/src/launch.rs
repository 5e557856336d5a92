//! Kernels by their types: what a launch runs, with which arguments, on which grid.
//!
//! Whoever launches names the kernel's type and passes that kernel's own arguments:
//! `Call::of::<RankStep>(arguments)`. From then on a call travels as an id and words,
//! which a backend looks up in the table of functions ([`crate::host`]) or among the
//! entries of a PTX module, or takes back to the type ([`KernelId::visit`]).

use crate::kernel::{Args, Kernel, PlainKernel};
use crate::simt::BlockShape;
use crate::table::{with_kernels, with_plain_kernels};

/// A kernel of the table.
///
/// The table implements it for each; another type has no entry in any PTX module.
pub trait Listed {
    /// Its arguments.
    type Arguments: Into<Args>;
    /// Its place in the table.
    const ID: KernelId;
}

/// A kernel and its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    kernel: KernelId,
    args: Args,
}

impl Call {
    /// The call of kernel `K`.
    pub fn of<K: Listed>(arguments: K::Arguments) -> Self {
        Self {
            kernel: K::ID,
            args: arguments.into(),
        }
    }

    /// Which kernel is called.
    pub fn kernel(&self) -> KernelId {
        self.kernel
    }

    /// The arguments as they travel.
    pub fn args(&self) -> Args {
        self.args
    }

    /// Whether it is kernel `K` that is called.
    pub fn runs<K: Listed>(&self) -> bool {
        self.kernel == K::ID
    }
}

/// How many threads a launch has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// At least so many threads: full blocks on the GPU, a warp each on the CPU.
    Threads(u32),
    /// As [`Grid::Threads`], for kernels that trace rays. Their blocks are smaller on a GPU: at 56
    /// to 72 registers a thread, a multiprocessor then holds more warps.
    Rays(u32),
    /// So many blocks of the kernel's shape: each a warp on the CPU.
    Blocks(u32),
    /// So many warps, whatever their lanes: rounded up to blocks on the GPU.
    Warps(u32),
    /// For kernels that stride over their work: about so many threads on the
    /// GPU, a warp for each worker on the CPU.
    Strided(u32),
    /// The same for kernels whose lanes take a range each where they are alone: on the CPU some
    /// warps for each worker, so that one that is held up leaves ranges to others.
    Ranges(u32),
    /// As many warps as the machine runs at a time.
    Persistent,
}

impl Grid {
    /// [`Grid::Strided`] of at least one thread; any number of warps is correct.
    pub fn strided(threads: u32) -> Self {
        Self::Strided(threads.max(1))
    }

    /// [`Grid::Ranges`] of at least one thread; any number of warps is correct.
    pub fn ranges(threads: u32) -> Self {
        Self::Ranges(threads.max(1))
    }
}

/// A launch of a plan: over the heap of whoever runs the plan, if its kernel needs one.
#[derive(Clone, Copy, Debug)]
pub struct PlannedLaunch {
    /// The kernel and its arguments.
    pub call: Call,
    /// Its threads.
    pub grid: Grid,
}

impl PlannedLaunch {
    /// A launch of kernel `K`.
    pub fn of<K: Listed>(grid: Grid, arguments: K::Arguments) -> Self {
        Self {
            call: Call::of::<K>(arguments),
            grid,
        }
    }
}

/// Something that is done with a kernel's type.
pub trait Visit {
    /// Its result.
    type Output;
    /// For a kernel over an allocator.
    fn over_heap<K: Kernel>(self) -> Self::Output;
    /// For a kernel that needs no allocator.
    fn plain<K: PlainKernel>(self) -> Self::Output;
}

macro_rules! ids {
    (
        [$($family:literal $name:literal $id:ident $kernel:ty;)*]
        $($plain_family:literal $plain_name:literal $plain_id:ident $plain_kernel:ty;)*
    ) => {
        /// Which kernel of the table: first those over an allocator, in its order, then
        /// the others.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum KernelId {
            $(#[doc = concat!("`", $name, "`, over an allocator.")] $id,)*
            $(#[doc = concat!("`", $plain_name, "`.")] $plain_id,)*
        }

        impl KernelId {
            /// Kernels over an allocator.
            pub const OVER_HEAP: &'static [Self] = &[$(Self::$id,)*];
            /// Kernels that need no allocator.
            pub const PLAIN: &'static [Self] = &[$(Self::$plain_id,)*];

            /// Its name in the table.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$id => $name,)*
                    $(Self::$plain_id => $plain_name,)*
                }
            }

            /// The family: which PTX module has it.
            pub const fn family(self) -> &'static str {
                match self {
                    $(Self::$id => $family,)*
                    $(Self::$plain_id => $plain_family,)*
                }
            }

            /// The blocks in which its warps work.
            pub const fn block(self) -> BlockShape {
                match self {
                    $(Self::$plain_id => <$plain_kernel as PlainKernel>::BLOCK,)*
                    _ => BlockShape::OF_WARPS,
                }
            }

            /// Has something done with the kernel's type.
            pub fn visit<V: Visit>(self, visit: V) -> V::Output {
                match self {
                    $(Self::$id => visit.over_heap::<$kernel>(),)*
                    $(Self::$plain_id => visit.plain::<$plain_kernel>(),)*
                }
            }
        }

        $(
            impl Listed for $kernel {
                type Arguments = <$kernel as Kernel>::Arguments;
                const ID: KernelId = KernelId::$id;
            }
        )*
        $(
            impl Listed for $plain_kernel {
                type Arguments = <$plain_kernel as PlainKernel>::Arguments;
                const ID: KernelId = KernelId::$plain_id;
            }
        )*
    };
}

macro_rules! with_plain_behind {
    ($($rows:tt)*) => {
        with_plain_kernels!(ids, [$($rows)*]);
    };
}

with_kernels!(with_plain_behind,);

impl KernelId {
    /// Whether it works over an allocator.
    pub const fn is_over_heap(self) -> bool {
        (self as usize) < Self::OVER_HEAP.len()
    }

    /// The name of its PTX entry; over an allocator, with the allocator's name in the
    /// table.
    pub fn entry(self, allocator: Option<&str>) -> String {
        let behind = allocator.map_or(String::new(), |name| format!("__{name}"));
        format!("{}__{}{behind}", self.family(), self.name())
    }
}
