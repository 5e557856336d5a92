//! Fragmentation, as Winter et al. measure it (Ouroboros 2020, section 6.1.3): which
//! addresses blocks cover, and growth by half of what is allocated.
//!
//! Blocks that stay are kept in a list a thread, whose links are in the blocks: there may be
//! more of them than the host has handles for, and not every heap can be made empty.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::threads::{ThreadsArguments, for_each_thread};
use crate::allocator::Handle;
use crate::arguments;
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Words that `Cover` adds to.
pub const COVER_WORDS: usize = 3;

/// The range that blocks cover, over all launches since the words were 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// Blocks.
    pub blocks: u64,
    /// Bytes from the lowest address of a block to the highest end of one; 0 without blocks.
    pub range_bytes: u64,
}

impl Covered {
    /// From the words that `Cover` added to.
    pub fn from_words(words: &[u64; COVER_WORDS]) -> Self {
        let [blocks, below, end] = *words;
        Self {
            blocks,
            range_bytes: match blocks {
                0 => 0,
                _ => end - !below,
            },
        }
    }
}

arguments! {
    /// The blocks that `Cover` looks at.
    pub struct CoverArguments {
        pointers {
            /// As in `ThreadsArguments`; nothing is read from the blocks.
            blocks: u8,
            /// `COVER_WORDS` words, 0 at first: blocks, the highest complement of an
            /// address (that of the lowest address), the highest end.
            words: u64,
        }
        integers {
            /// As in `ThreadsArguments`.
            threads: u32,
            /// Bytes of each block.
            bytes: u64,
        }
    }
}

/// Counts the blocks that are not null, and finds the addresses that they cover.
pub struct Cover;

impl Kernel for Cover {
    type Arguments = CoverArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: CoverArguments,
    ) {
        let blocks = arguments.blocks.cast::<A::Handle>();
        let (mut count, mut below, mut end) = (0, 0, 0);
        for_each_thread(warp, arguments.threads, |thread| {
            // SAFETY: `blocks` has a handle for each thread.
            let block = unsafe { blocks.add(thread as usize).read() };
            if !block.is_null() {
                let address = heap.address(block) as u64;
                count += 1;
                below = u64::max(below, !address);
                end = u64::max(end, address + arguments.bytes);
            }
        });
        if count == 0 {
            return;
        }
        // SAFETY: the arguments' contract: `COVER_WORDS` aligned words.
        let word = |index: usize| unsafe { &*arguments.words.add(index).cast::<AtomicU64>() };
        // Relaxed: the host reads the words after the launch.
        word(0).fetch_add(count, Relaxed);
        word(1).fetch_max(below, Relaxed);
        word(2).fetch_max(end, Relaxed);
    }
}

/// Frees the blocks of every second thread.
pub struct FreeHalf;

impl Kernel for FreeHalf {
    type Arguments = ThreadsArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: ThreadsArguments,
    ) {
        let blocks = arguments.blocks.cast::<A::Handle>();
        for_each_thread(warp, arguments.threads, |thread| {
            if thread % 2 == 1 {
                // SAFETY: the launch before this one stored the thread's block there,
                // live or null.
                unsafe { heap.free(warp, blocks.add(thread as usize).read()) };
            }
        });
    }
}

arguments! {
    /// Blocks of threads, and those that they keep.
    pub struct KeepArguments {
        pointers {
            /// As in `ThreadsArguments`.
            blocks: u8,
            /// The last block that each thread keeps, one handle a thread; null at first.
            kept: u8,
        }
        integers {
            /// As in `ThreadsArguments`.
            threads: u32,
            /// Whether only every second thread keeps its block: those that `FreeHalf`
            /// has left.
            half: bool,
        }
    }
}

/// Links blocks into the lists of their threads.
pub struct Keep;

impl Kernel for Keep {
    type Arguments = KeepArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, arguments: KeepArguments) {
        let blocks = arguments.blocks.cast::<A::Handle>();
        let kept = arguments.kept.cast::<A::Handle>();
        for_each_thread(warp, arguments.threads, |thread| {
            if arguments.half && thread % 2 == 1 {
                return;
            }
            // SAFETY: both have a handle for each thread. The block is the thread's own, live
            // or null; a live one has at least 16 aligned bytes.
            unsafe {
                let block = blocks.add(thread as usize).read();
                if !block.is_null() {
                    let last = kept.add(thread as usize);
                    let link = heap.address(block).cast::<u64>();
                    link.write(last.read().to_bits());
                    last.write(block);
                }
            }
        });
    }
}

/// Frees the blocks in the lists.
pub struct FreeKept;

impl Kernel for FreeKept {
    type Arguments = KeepArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, arguments: KeepArguments) {
        let kept = arguments.kept.cast::<A::Handle>();
        for_each_thread(warp, arguments.threads, |thread| {
            // SAFETY: `kept` has a handle for each thread; what it names and what is linked
            // from there are the thread's own, live blocks, as `Keep` left them.
            unsafe {
                let last = kept.add(thread as usize);
                let mut block = last.read();
                while !block.is_null() {
                    let next = heap.address(block).cast::<u64>().read();
                    heap.free(warp, block);
                    block = A::Handle::from_bits(next);
                }
                last.write(A::Handle::NULL);
            }
        });
    }
}
