//! Workloads in which every thread makes one request: `threads` (W1), `mixed`
//! (W2) and `scaling` (W5), with `malloc` and `free` in kernels of their own.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use crate::allocator::Handle;
use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::registers::RegisterUse;
use crate::simt::Warp;

arguments! {
    /// One block a thread.
    pub struct ThreadsArguments {
        pointers {
            /// The blocks, one handle (of 4 or 8 bytes) a thread.
            blocks: u8,
        }
        integers {
            /// Threads that take part; the launch has at least as many.
            threads: u32,
            /// Bytes of each block, or 0 for the mixed sizes of `size_of_thread`.
            bytes: u64,
        }
    }
}

/// The bytes that thread `thread` asks for: `bytes`, or, if that is 0, a size
/// from 16 to 8192 that is a hash of the thread's number (the same for all
/// allocators and runs).
#[inline(always)]
pub fn size_of_thread(thread: u32, bytes: u64) -> u64 {
    if bytes != 0 {
        return bytes;
    }
    let mut hash = thread.wrapping_mul(2_654_435_761);
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 13;
    u64::from((16 + hash % 8177) & !3)
}

/// Runs `body` for each thread of the workload; a launch of at least
/// `threads` threads makes one turn.
#[inline(always)]
pub(super) fn for_each_thread<W: Warp>(warp: W, threads: u32, mut body: impl FnMut(u32)) {
    let mut thread = warp.thread();
    while thread < threads {
        body(thread);
        thread += warp.threads();
    }
}

macro_rules! threads_kernels {
    ($malloc:ident, $free:ident, $pair:ident, $malloc_fn:ident, $free_fn:ident, $how:literal) => {
        #[doc = concat!("One `malloc` a thread", $how, ".")]
        pub struct $malloc;

        impl Kernel for $malloc {
            type Arguments = ThreadsArguments;
            const REGISTERS: RegisterUse = RegisterUse::Malloc;

            #[inline(always)]
            unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, arguments: ThreadsArguments) {
                let blocks = arguments.blocks.cast::<A::Handle>();
                for_each_thread(warp, arguments.threads, |thread| {
                    let block = heap.$malloc_fn(warp, size_of_thread(thread, arguments.bytes));
                    // SAFETY: `blocks` has a handle for each thread.
                    unsafe { blocks.add(thread as usize).write(block) };
                });
            }
        }

        #[doc = concat!("One `free` a thread", $how, ".")]
        pub struct $free;

        impl Kernel for $free {
            type Arguments = ThreadsArguments;

            #[inline(always)]
            unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, arguments: ThreadsArguments) {
                let blocks = arguments.blocks.cast::<A::Handle>();
                for_each_thread(warp, arguments.threads, |thread| {
                    // SAFETY: the launch before this one stored the thread's
                    // block there, live or null.
                    unsafe { heap.$free_fn(warp, blocks.add(thread as usize).read()) };
                });
            }
        }

        #[doc = concat!("One `malloc` and one `free` a thread", $how, ": the kernel whose registers are counted (Table 1).")]
        pub struct $pair;

        impl Kernel for $pair {
            type Arguments = ThreadsArguments;
            const REGISTERS: RegisterUse = RegisterUse::Pair;

            #[inline(always)]
            unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, arguments: ThreadsArguments) {
                let blocks = arguments.blocks.cast::<A::Handle>();
                let block = heap.$malloc_fn(warp, arguments.bytes);
                // Not before the request, over which it would be kept.
                let thread = warp.thread();
                // SAFETY: `blocks` has a handle for each thread of the launch,
                // and the block is the thread's own.
                unsafe {
                    blocks.add(thread as usize).write(block);
                    heap.$free_fn(warp, block);
                }
            }
        }
    };
}

threads_kernels!(ThreadsMalloc, ThreadsFree, Pair, malloc, free, "");
threads_kernels!(
    ThreadsMallocCoalesced,
    ThreadsFreeCoalesced,
    PairCoalesced,
    malloc_coalesced,
    free_coalesced,
    ", coalesced within the warp"
);

arguments! {
    /// The blocks to fill or verify.
    pub struct VerifyArguments {
        pointers {
            /// As in `ThreadsArguments`.
            blocks: u8,
            /// Two counters: null blocks, and blocks with wrong contents.
            counters: u32,
        }
        integers {
            /// As in `ThreadsArguments`.
            threads: u32,
            /// As in `ThreadsArguments`.
            bytes: u64,
        }
    }
}

/// Visits each whole word of a block with the value that it should hold.
#[inline(always)]
fn for_each_word(address: *mut u8, bytes: u64, thread: u32, mut body: impl FnMut(*mut u32, u32)) {
    for index in 0..(bytes / 4) as u32 {
        let value = (thread ^ 0x5bd1_e995)
            .wrapping_mul(0x9e37_79b9)
            .wrapping_add(index);
        body(address.cast::<u32>().wrapping_add(index as usize), value);
    }
}

/// Writes every word of every block with a pattern of the thread's own, and
/// counts nulls.
pub struct Fill;

impl Kernel for Fill {
    type Arguments = VerifyArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: VerifyArguments,
    ) {
        let blocks = arguments.blocks.cast::<A::Handle>();
        for_each_thread(warp, arguments.threads, |thread| {
            // SAFETY: `blocks` has a handle for each thread, live or null, and
            // `counters` two words.
            unsafe {
                let block = blocks.add(thread as usize).read();
                if block.is_null() {
                    (*arguments.counters.cast::<AtomicU32>()).fetch_add(1, Relaxed);
                    return;
                }
                let bytes = size_of_thread(thread, arguments.bytes);
                for_each_word(heap.address(block), bytes, thread, |word, value| {
                    word.write(value)
                });
            }
        });
    }
}

/// Counts the blocks whose contents are not what `Fill` wrote.
pub struct Verify;

impl Kernel for Verify {
    type Arguments = VerifyArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: VerifyArguments,
    ) {
        let blocks = arguments.blocks.cast::<A::Handle>();
        for_each_thread(warp, arguments.threads, |thread| {
            // SAFETY: as in `Fill`.
            unsafe {
                let block = blocks.add(thread as usize).read();
                if block.is_null() {
                    return;
                }
                let bytes = size_of_thread(thread, arguments.bytes);
                let mut intact = true;
                for_each_word(heap.address(block), bytes, thread, |word, value| {
                    intact &= word.read() == value;
                });
                if !intact {
                    (*arguments.counters.cast::<AtomicU32>().add(1)).fetch_add(1, Relaxed);
                }
            }
        });
    }
}
