//! PTX entries: every kernel over every allocator.

use crate::allocator::{Allocator, Heap};
use crate::allocators::with_allocators;
use crate::description::Described;
use crate::kernel::{Args, INTEGERS, Kernel, POINTERS, PlainKernel};
use crate::registers::limit;
use crate::simt::Simt;
use crate::table::{with_kernels, with_plain_kernels};

/// Rebuilds the allocator and runs a kernel.
///
/// # Safety
///
/// As for [`Kernel::run`] and [`Allocator::new`].
#[inline(always)]
unsafe fn run<K: Kernel, A: Allocator>(heap: Heap, args: Args) {
    // SAFETY: the caller's promise.
    unsafe { K::run(Simt, &A::new(heap), K::Arguments::from(args)) }
}

macro_rules! entries {
    ($allocator:literal $type:ty; $($family:literal $name:literal $id:ident $kernel:ty;)*) => {
        $(
            const _: () = {
                /// Registers that the entry may use, or 0: read from the bitcode, in no module.
                #[unsafe(export_name = concat!("registers__", $family, "__", $name, "__", $allocator))]
                static REGISTERS: u32 =
                    limit(<$kernel as Kernel>::REGISTERS, <$type as Described>::REGISTERS);

                /// # Safety
                ///
                /// The host launches it with the arguments that the kernel asks for, over a heap
                /// that it keeps for the whole launch.
                #[unsafe(export_name = concat!($family, "__", $name, "__", $allocator))]
                unsafe extern "ptx-kernel" fn entry(
                    h0: *mut u8, h1: *mut u8, h2: *mut u8, h3: *mut u8,
                    h4: u64, h5: u64, h6: u64, h7: u64, h8: u64, h9: u64, h10: u64,
                    p0: *mut u8, p1: *mut u8, p2: *mut u8, p3: *mut u8, p4: *mut u8, p5: *mut u8,
                    p6: *mut u8, p7: *mut u8, p8: *mut u8, p9: *mut u8, p10: *mut u8, p11: *mut u8,
                    p12: *mut u8, p13: *mut u8, p14: *mut u8, p15: *mut u8,
                    i0: u64, i1: u64, i2: u64, i3: u64, i4: u64, i5: u64,
                    i6: u64, i7: u64, i8: u64, i9: u64, i10: u64, i11: u64,
                ) {
                    let heap = Heap { pointers: [h0, h1, h2, h3], integers: [h4, h5, h6, h7, h8, h9, h10] };
                    let pointers: [*mut u8; POINTERS] =
                        [p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15];
                    let integers: [u64; INTEGERS] = [i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11];
                    // SAFETY: the caller's promise.
                    unsafe { run::<$kernel, $type>(heap, Args { pointers, integers }) }
                }
            };
        )*
    };
}

macro_rules! for_allocators {
    ($(($name:literal, $type:ty),)*) => {
        $(with_kernels!(entries, $name $type;);)*
    };
}

with_allocators!(for_allocators);

macro_rules! plain_entries {
    ($($family:literal $name:literal $id:ident $kernel:ty;)*) => {
        $(
            const _: () = {
                /// Registers that the entry may use, or 0: read from the bitcode, in no module.
                #[unsafe(export_name = concat!("registers__", $family, "__", $name))]
                static REGISTERS: u32 = <$kernel as PlainKernel>::REGISTERS;
                /// Threads of the entry's blocks: read in the same way.
                #[unsafe(export_name = concat!("threads__", $family, "__", $name))]
                static THREADS: u32 = 32 * <$kernel as PlainKernel>::BLOCK.warps;

                /// # Safety
                ///
                /// The host launches it with the arguments that the kernel asks for.
                #[unsafe(export_name = concat!($family, "__", $name))]
                unsafe extern "ptx-kernel" fn entry(
                    p0: *mut u8, p1: *mut u8, p2: *mut u8, p3: *mut u8, p4: *mut u8, p5: *mut u8,
                    p6: *mut u8, p7: *mut u8, p8: *mut u8, p9: *mut u8, p10: *mut u8, p11: *mut u8,
                    p12: *mut u8, p13: *mut u8, p14: *mut u8, p15: *mut u8,
                    i0: u64, i1: u64, i2: u64, i3: u64, i4: u64, i5: u64,
                    i6: u64, i7: u64, i8: u64, i9: u64, i10: u64, i11: u64,
                ) {
                    let pointers: [*mut u8; POINTERS] =
                        [p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15];
                    let integers: [u64; INTEGERS] = [i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11];
                    let arguments = <$kernel as PlainKernel>::Arguments::from(Args { pointers, integers });
                    // SAFETY: the caller's promise.
                    unsafe { <$kernel as PlainKernel>::run(Simt, arguments) }
                }
            };
        )*
    };
}

with_plain_kernels!(plain_entries,);
