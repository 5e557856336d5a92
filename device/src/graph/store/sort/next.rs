//! The next digits of large bins, counted as their keys are moved.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use super::histogram::{count_in, in_shared};
use super::parent::{Digit, ITEMS, Parent, Shared};
use super::rest::Rest;
use super::{MAX_BINS, SLOT_WORDS, SPLIT_BITS, SortArguments};
use crate::simt::{Block, Warp};

/// No large bin.
const NO_SLOT: u32 = u32::MAX;

/// Counts the next digits of the keys of large parts in a tile, which lies in shared memory by part.
///
/// # Safety
///
/// The arguments' contract holds; a tile of `count` keys lies in shared memory, its `counts` are
/// slots, no thread reads the targets any more, and all threads of the block make the call.
#[inline(always)]
pub(super) unsafe fn count_next<W: Warp, R: Rest>(
    warp: W,
    sort: &SortArguments,
    parent: &Parent,
    shared: Shared,
    count: u32,
) {
    let block = Block::of(warp);
    let (thread, threads) = (block.thread(), block.threads());
    let tile_rests: *mut R = shared.rests.cast();
    let next = Digit::below(parent.digit.low);
    let global = sort.level_counts(sort.level + 1);
    // SAFETY: a large part has a slot, and a value a counter in it.
    unsafe {
        let tile_parts: *const u16 = tile_rests.add(ITEMS * threads as usize).cast();
        // Few large parts are what hubs leave: so many have counters in shared memory, which many
        // threads may add to at once.
        let first = parent.slots;
        let shared_slots = MAX_BINS >> SPLIT_BITS;
        let mut word = thread;
        while word < MAX_BINS {
            shared.targets.add(word as usize).write(0);
            word += threads;
        }
        block.sync();
        let add_here = in_shared(shared.targets);
        let add = |index: u32, amount: u32| {
            // Relaxed: the launch's end orders the sums before their readers.
            (*global.add(index as usize).cast::<AtomicU32>()).fetch_add(amount, Relaxed)
        };
        // Whole rows, for lanes count together.
        let mut row = 0;
        while row < count {
            let position = (row + thread).min(count - 1) as usize;
            let is_there = row + thread < count;
            let slot = *shared.counts.add(*tile_parts.add(position) as usize);
            let value = next.of((*tile_rests.add(position)).bits());
            let is_here = is_there && slot.wrapping_sub(first) < shared_slots;
            let index = if is_here {
                (slot - first) << SPLIT_BITS | value
            } else {
                0
            };
            count_in(warp, add_here, index, is_here);
            if is_there && !is_here && slot != NO_SLOT {
                add(slot * SLOT_WORDS + value, 1);
            }
            row += threads;
        }
        block.sync();
        let mut word = thread;
        while word < MAX_BINS {
            let sum = *shared.targets.add(word as usize);
            if sum > 0 {
                let (slot, value) = (word >> SPLIT_BITS, word & ((1 << SPLIT_BITS) - 1));
                add((first + slot) * SLOT_WORDS + value, sum);
            }
            word += threads;
        }
        // The next tile takes the memory.
        block.sync();
    }
}

/// Writes the slots of large parts over the `counts`. The parts before those of this thread have
/// `large` of them.
///
/// # Safety
///
/// `totals` are those of the `PER` parts of this thread, no thread reads the counts any more, and all
/// threads of the block make the call.
#[inline(always)]
pub(super) unsafe fn write_slots<W: Warp, const PER: usize>(
    warp: W,
    parent: &Parent,
    shared: Shared,
    totals: [u32; PER],
    large: u32,
) {
    let block = Block::of(warp);
    let mut slot = parent.slots + large;
    for (own, total) in totals.into_iter().enumerate() {
        let is_large = parent.is_large(total);
        let word = if is_large { slot } else { NO_SLOT };
        // SAFETY: threads have `PER` of `MAX_BINS` words each, and access no others.
        unsafe {
            let part = block.thread() as usize * PER + own;
            shared.counts.add(part).write(word);
        }
        slot += u32::from(is_large);
    }
    block.sync();
}
