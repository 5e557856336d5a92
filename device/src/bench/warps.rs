//! Workloads in which one lane of each warp makes requests, with `malloc` and
//! `free` in one kernel: `alloc-dealloc` (W3, the paper's AD) and
//! `alloc-cycle-dealloc` (W4, ACD; Vinkler and Havran 2014, section 6).

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use crate::allocator::{Allocator, Handle};
use crate::arguments;
use crate::kernel::Kernel;
use crate::warp::Warp;

/// The most blocks that a lane of `AllocCycleDealloc` keeps.
pub const KEPT_MOST: u32 = 128;

arguments! {
    /// What each warp's first lane requests.
    pub struct WarpsArguments {
        pointers {
            /// Counter of requests that gave null.
            nulls: u32,
        }
        integers {
            /// Bytes of each block.
            bytes: u64,
            /// Blocks that a lane allocates before it frees them, up to
            /// `KEPT_MOST` (`AllocCycleDealloc`).
            kept: u32,
        }
    }
}

/// Requests a block and writes its first word; counts a null.
#[inline(always)]
unsafe fn request<W: Warp, A: Allocator>(
    warp: W,
    heap: A,
    arguments: &WarpsArguments,
) -> A::Handle {
    let block = heap.malloc(warp, arguments.bytes);
    // SAFETY: a live block has at least 16 bytes; `nulls` is a counter.
    unsafe {
        if block.is_null() {
            (*arguments.nulls.cast::<AtomicU32>()).fetch_add(1, Relaxed);
        } else {
            heap.address(block).cast::<u32>().write_volatile(1);
        }
    }
    block
}

/// One block a warp: allocated, written and freed.
pub struct AllocDealloc;

impl Kernel for AllocDealloc {
    type Arguments = WarpsArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: Allocator>(warp: W, heap: A, arguments: WarpsArguments) {
        if warp.lane() == 0 {
            // SAFETY: the block is the lane's own.
            unsafe {
                let block = request(warp, heap, &arguments);
                heap.free(warp, block);
            }
        }
    }
}

/// Several blocks a warp: all allocated and written, then all freed.
pub struct AllocCycleDealloc;

impl Kernel for AllocCycleDealloc {
    type Arguments = WarpsArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: Allocator>(warp: W, heap: A, arguments: WarpsArguments) {
        let kept = if arguments.kept < KEPT_MOST {
            arguments.kept
        } else {
            KEPT_MOST
        };
        if warp.lane() == 0 {
            let mut blocks = [A::Handle::NULL; KEPT_MOST as usize];
            let first = blocks.as_mut_ptr();
            for index in 0..kept {
                // SAFETY: `index` is below `KEPT_MOST`.
                unsafe {
                    first
                        .add(index as usize)
                        .write(request(warp, heap, &arguments))
                };
            }
            for index in 0..kept {
                // SAFETY: as above; the blocks are the lane's own.
                unsafe { heap.free(warp, first.add(index as usize).read()) };
            }
        }
    }
}
