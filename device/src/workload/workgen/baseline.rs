//! One block for all threads' words, after a prefix sum of their numbers.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::WorkArguments;
use crate::arguments;
use crate::graph::store::scan::sum_before;
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::workload::tally::all_sum64;

arguments! {
    /// Work in one block. A tile is a segment of threads that one warp takes.
    pub struct BaselineArguments {
        nested {
            /// The work, of fewer than 2^32 words in all.
            work: WorkArguments,
        }
        pointers {
            /// The sum of a tile's words.
            sums: u32,
            /// The words before those of each thread.
            offsets: u32,
            /// All words.
            words: u32,
        }
        integers {
            /// Threads of a tile, a multiple of the lanes of a warp.
            tile: u32,
            /// Tiles.
            tiles: u32,
        }
    }
}

impl BaselineArguments {
    /// The words that a thread produces; 0 beyond the last.
    #[inline(always)]
    fn words_of(&self, thread: u32) -> u32 {
        if thread < self.work.threads {
            self.work.words(thread)
        } else {
            0
        }
    }
}

/// Adds up the words of each tile.
pub struct WorkSums;

/// Every thread produces its words behind those of the threads before.
pub struct WorkFill;

/// Every thread consumes the words of another one.
pub struct WorkRead;

impl PlainKernel for WorkSums {
    type Arguments = BaselineArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, baseline: BaselineArguments) {
        let mut tile = warp.warp();
        while tile < baseline.tiles {
            let mut sum = 0_u32;
            let mut row = 0;
            while row < baseline.tile {
                sum += baseline.words_of(tile * baseline.tile + row + warp.lane());
                row += W::LANES;
            }
            let sum = warp.all_sum(sum);
            if warp.lane() == 0 {
                // SAFETY: the kernel's contract: a word for each tile.
                unsafe { baseline.sums.add(tile as usize).write(sum) };
            }
            tile += warp.warps();
        }
    }
}

impl PlainKernel for WorkFill {
    type Arguments = BaselineArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, baseline: BaselineArguments) {
        let mut tile = warp.warp();
        while tile < baseline.tiles {
            // SAFETY: the launch before has written the sums.
            let mut before = unsafe { sum_before(warp, baseline.sums, tile) };
            let mut row = 0;
            while row < baseline.tile {
                let thread = tile * baseline.tile + row + warp.lane();
                let words = baseline.words_of(thread);
                let through = warp.all_inclusive_sum(words);
                if words > 0 {
                    let offset = before + through - words;
                    // SAFETY: the words of a thread, which begin behind those of the threads before.
                    unsafe {
                        baseline.offsets.add(thread as usize).write(offset);
                        baseline
                            .work
                            .write(thread, baseline.words.add(offset as usize));
                    }
                }
                before += warp.shuffle(W::FULL, through, W::LANES - 1);
                row += W::LANES;
            }
            tile += warp.warps();
        }
    }
}

impl PlainKernel for WorkRead {
    type Arguments = BaselineArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, baseline: BaselineArguments) {
        let work = baseline.work;
        let mut hash = 0_u64;
        let mut consumer = warp.thread();
        while consumer < work.threads {
            let producer = work.producer(consumer);
            // SAFETY: launches before have written the offset and the words of each thread.
            unsafe {
                let offset = baseline.offsets.add(producer as usize).read();
                let words = baseline.words.add(offset as usize);
                hash = hash.wrapping_add(work.hash_of(producer, words));
            }
            consumer += warp.threads();
        }
        let hash = all_sum64(warp, hash);
        if warp.lane() == 0 {
            // SAFETY: the kernel's contract. Relaxed: the host reads it after the launch.
            unsafe { (*work.hash.cast::<AtomicU64>()).fetch_add(hash, Relaxed) };
        }
    }
}
