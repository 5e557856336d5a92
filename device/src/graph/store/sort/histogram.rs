//! Keys by bin, counted.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, SharedU32};

use super::{MAX_BINS, PROGRESS_WORDS, SortArguments};
use crate::kernel::PlainKernel;
use crate::simt::{Block, BlockShape, Warp, leader, rank};

/// Keys of a thread that are requested together, so that their latencies overlap.
const ROWS: usize = 4;

/// Clears the counters of a sort and the words of the header.
pub struct SortClear;

impl PlainKernel for SortClear {
    type Arguments = SortArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, sort: SortArguments) {
        let slot_words = sort.slot_words();
        let mut word = warp.thread() as usize;
        while word < slot_words.max(2 * MAX_BINS as usize) {
            // SAFETY: each below the number of words that the arguments' contract gives.
            unsafe {
                if word < slot_words {
                    sort.slot_counts.add(word).write(0);
                }
                if word < 2 * MAX_BINS as usize {
                    sort.bin_counts.add(word).write(0);
                }
                if word < PROGRESS_WORDS as usize {
                    sort.progress.add(word).write(0);
                }
                if word < sort.header_words as usize {
                    sort.header.add(word).write(0);
                }
            }
            word += warp.threads() as usize;
        }
    }
}

/// Adds one to counter `index` for the lanes that `take` part; returns its value before, as if they
/// came one after the other. `add` adds to a counter and returns its value before. All lanes of the
/// warp call this.
///
/// Edges often come sorted, so that a warp has one bin. All its lanes add as one then: the memory
/// would serve atomic operations on one word one by one.
#[inline(always)]
pub(super) fn count_in<W: Warp>(
    warp: W,
    add: impl Fn(u32, u32) -> u32,
    index: u32,
    take: bool,
) -> u32 {
    if !W::IS_SOLO {
        let first = warp.shuffle(W::FULL, index, 0);
        let same = warp.ballot(W::FULL, take && index == first);
        // Uniform: the vote is the same in all lanes.
        if same == W::FULL {
            let mut before = 0;
            if warp.lane() == leader(same) {
                before = add(index, W::LANES);
            }
            return warp.shuffle(W::FULL, before, leader(same)) + rank(same, warp.lane());
        }
    }
    if take { add(index, 1) } else { 0 }
}

/// Adds to a counter in the memory of a block.
///
/// # Safety
///
/// `counters` are words of shared memory that all threads access in this way between two barriers,
/// and the index that the function gets is one of theirs.
#[inline(always)]
pub(super) unsafe fn in_shared(counters: *mut u32) -> impl Fn(u32, u32) -> u32 + Copy {
    move |index, amount| {
        // SAFETY: the contract of this function. Relaxed: the barriers order the counts.
        unsafe { (*counters.add(index as usize).cast::<SharedU32>()).fetch_add(amount, Relaxed) }
    }
}

/// Counts the keys of each bin.
pub struct SortHistogram;

impl PlainKernel for SortHistogram {
    type Arguments = SortArguments;
    const BLOCK: BlockShape = BlockShape::sharing(16, 4 * MAX_BINS as usize);

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, sort: SortArguments) {
        let block = Block::of(warp);
        let counters: *mut u32 = block.shared().cast();
        let mut bin = block.thread();
        while bin < sort.bins {
            // SAFETY: shared memory has `MAX_BINS` words.
            unsafe { counters.add(bin as usize).write(0) };
            bin += block.threads();
        }
        block.sync();
        let form = sort.form();
        let keys = u64::from(form.keys());
        // In 64 bits, for the last step goes past the end.
        let mut first = u64::from(block.index()) * u64::from(block.threads()) * ROWS as u64;
        while first < keys {
            let index =
                |row: usize| first + u64::from(row as u32 * block.threads() + block.thread());
            // A key that is there in place of one that is not: no branch, so that the loads overlap.
            // SAFETY: the arguments' contract; the index is below the number of keys.
            let found: [u64; ROWS] = core::array::from_fn(|row| unsafe {
                form.key_at(sort.input, index(row).min(keys - 1) as u32)
            });
            let _: [u32; ROWS] = core::array::from_fn(|row| {
                // SAFETY: the bin of a key is below `bins`; barriers stand before and behind the loop.
                let add = unsafe { in_shared(counters) };
                count_in(warp, add, sort.bin(found[row]), index(row) < keys)
            });
            first += u64::from(block.blocks()) * u64::from(block.threads()) * ROWS as u64;
        }
        block.sync();
        let mut bin = block.thread();
        while bin < sort.bins {
            // SAFETY: a word for each bin, which blocks access by atomic operations.
            unsafe {
                let count = *counters.add(bin as usize);
                if count > 0 {
                    let total = &*sort.bin_counts.add(bin as usize).cast::<AtomicU32>();
                    // Relaxed: the launch's end orders the sums before their readers.
                    total.fetch_add(count, Relaxed);
                }
            }
            bin += block.threads();
        }
    }
}
