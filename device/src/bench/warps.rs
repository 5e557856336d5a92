//! Workloads in which one lane of each warp makes requests, with `malloc` and
//! `free` in one kernel: `alloc-dealloc` (W3, the paper's AD) and
//! `alloc-cycle-dealloc` (W4, ACD; Vinkler and Havran 2014, section 6).
//!
//! On request they count which refusals overlap a free: a request that is refused
//! while no thread frees says that memory did not suffice; one that overlaps a free may
//! have come a moment too early. For that every free adds to two words that all
//! threads share, at its begin and at its end, which takes longer than many an
//! allocator: rounds that are timed do not count.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use cuda_std::atomic::{AtomicU32, fence};

use crate::allocator::Handle;
use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::registers::RegisterUse;
use crate::simt::Warp;

/// The most blocks that a lane of `AllocCycleDealloc` keeps.
pub const MAX_KEPT_BLOCKS: u32 = 128;

/// Counters of these kernels.
pub const WARPS_WORDS: usize = 5;

/// Counter of requests that were refused.
const REFUSED: usize = 0;
/// Counter of those that overlapped a free.
const OVERLAPPING: usize = 1;
/// Frees that have begun.
const BEGUN: usize = 2;
/// Frees that have ended.
const ENDED: usize = 3;
/// Requests.
const REQUESTED: usize = 4;

arguments! {
    /// The request of each warp's first lane.
    pub struct WarpsArguments {
        pointers {
            /// `WARPS_WORDS` counters, 0 before the launch: requests that were
            /// refused, those among them that overlapped a free, frees that have
            /// begun and ended, and all requests (all but the first only if frees
            /// are counted).
            counters: u32,
        }
        integers {
            /// Bytes of each block.
            bytes: u64,
            /// Blocks that a lane allocates before it frees them, up to
            /// `MAX_KEPT_BLOCKS` (`AllocCycleDealloc`).
            kept: u32,
            /// Whether frees are counted, and the refusals that overlap them.
            counts_frees: bool,
        }
    }
}

impl WarpsArguments {
    /// # Safety
    ///
    /// The arguments' contract holds, and `index` is below `WARPS_WORDS`.
    #[inline(always)]
    unsafe fn counter(&self, index: usize) -> &AtomicU32 {
        // SAFETY: there are as many words, accessed as atomic ones.
        unsafe { &*self.counters.cast::<AtomicU32>().add(index) }
    }
}

/// Requests a block and writes its first word; counts a refusal.
///
/// # Safety
///
/// The arguments' contract holds, and the heap is initialised.
#[inline(always)]
pub(super) unsafe fn request<W: Warp, A: DeviceHeap<W> + ?Sized>(
    warp: W,
    heap: &A,
    arguments: &WarpsArguments,
) -> A::Handle {
    let counts = arguments.counts_frees;
    // SAFETY: a live block has at least 16 bytes; the counters are there.
    unsafe {
        let mut ended = 0;
        if counts {
            // Relaxed: the host reads the sum after the launch.
            arguments.counter(REQUESTED).fetch_add(1, Relaxed);
            // Acquire: nothing of the request comes before it, so that a free that
            // has not been counted here had not ended when the request began.
            ended = arguments.counter(ENDED).load(Acquire);
        }
        let block = heap.malloc(warp, arguments.bytes);
        if !block.is_null() {
            heap.address(block).cast::<u32>().write_volatile(1);
            return block;
        }
        arguments.counter(REFUSED).fetch_add(1, Relaxed);
        if counts {
            // The frees are counted after the request: those that have begun by now
            // and had not ended at the start overlap it.
            fence(AcqRel);
            if arguments.counter(BEGUN).load(Relaxed) != ended {
                arguments.counter(OVERLAPPING).fetch_add(1, Relaxed);
            }
        }
        block
    }
}

/// Frees a block, which may be null.
///
/// # Safety
///
/// As for `DeviceHeap::free`; the arguments' contract holds.
#[inline(always)]
pub(super) unsafe fn release<W: Warp, A: DeviceHeap<W> + ?Sized>(
    warp: W,
    heap: &A,
    arguments: &WarpsArguments,
    block: A::Handle,
) {
    let counts = arguments.counts_frees && !block.is_null();
    // SAFETY: the counters are there, and the block is the caller's.
    unsafe {
        if counts {
            // Acquire: the free comes after it.
            arguments.counter(BEGUN).fetch_add(1, AcqRel);
        }
        heap.free(warp, block);
        if counts {
            // Release: the free comes before it.
            arguments.counter(ENDED).fetch_add(1, Release);
        }
    }
}

/// One block a warp: allocated, written and freed.
pub struct AllocDealloc;

impl Kernel for AllocDealloc {
    type Arguments = WarpsArguments;
    const REGISTERS: RegisterUse = RegisterUse::Malloc;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: WarpsArguments,
    ) {
        if warp.lane() == 0 {
            // SAFETY: the kernel's contract; the block is the lane's own.
            unsafe {
                let block = request(warp, heap, &arguments);
                release(warp, heap, &arguments, block);
            }
        }
    }
}

/// Several blocks a warp: all allocated and written, then all freed.
pub struct AllocCycleDealloc;

impl Kernel for AllocCycleDealloc {
    type Arguments = WarpsArguments;
    const REGISTERS: RegisterUse = RegisterUse::Malloc;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: WarpsArguments,
    ) {
        let kept = if arguments.kept < MAX_KEPT_BLOCKS {
            arguments.kept
        } else {
            MAX_KEPT_BLOCKS
        };
        if warp.lane() == 0 {
            let mut blocks = [A::Handle::NULL; MAX_KEPT_BLOCKS as usize];
            let first = blocks.as_mut_ptr();
            for index in 0..kept {
                // SAFETY: the kernel's contract; `index` is below `MAX_KEPT_BLOCKS`.
                unsafe {
                    first
                        .add(index as usize)
                        .write(request(warp, heap, &arguments))
                };
            }
            for index in 0..kept {
                // SAFETY: as above; the blocks are the lane's own.
                unsafe {
                    let block = first.add(index as usize).read();
                    release(warp, heap, &arguments, block);
                }
            }
        }
    }
}
