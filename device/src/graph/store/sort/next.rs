//! The next digits of large bins, counted as their keys are moved.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use super::histogram::{count_in, in_shared};
use super::parent::{Digit, ITEMS, Parent, Shared, tile_size};
use super::rest::Rest;
use super::{MAX_BINS, SLOT_WORDS, SPLIT_BITS, SortArguments};
use crate::simt::{Block, Warp};

/// Parts with counters in shared memory, at the most. Hubs leave such parts, whose few counters many
/// threads would add to at once.
const HEAVY: u32 = (MAX_BINS >> SPLIT_BITS) - 1;
/// Counters of heavy parts. The words behind them are the slots of these parts.
const HEAVY_WORDS: u32 = HEAVY << SPLIT_BITS;

/// Whether a part with so many keys of a tile of `size` is heavy: no more than `HEAVY` are.
#[inline(always)]
pub(super) fn is_heavy(keys: u32, size: u32) -> bool {
    keys > size / (HEAVY + 1)
}

/// The claims of a thread for its `PER` parts.
#[derive(Clone, Copy)]
pub(super) struct Claimed<const PER: usize> {
    /// The keys of each part in the tile.
    pub counts: [u32; PER],
    /// The large parts of the parent before those of this thread.
    pub large: u32,
    /// The heavy parts of the tile before those of this thread.
    pub heavy: u32,
    /// Whether the parent has a large part.
    pub has_large: bool,
}

/// Where the next digits of a part are counted: its slot, and which heavy part it is, if any.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place(u32);

impl Place {
    /// Of a part that is not large.
    const NONE: Self = Self(u32::MAX);
    /// 2^31 keys have fewer slots.
    const SLOT_BITS: u32 = 24;

    /// Of a part with this slot; `heavy` is 0, or the number of the heavy part, from 1 on.
    #[inline(always)]
    fn new(slot: u32, heavy: u32) -> Self {
        Self(heavy << Self::SLOT_BITS | slot)
    }

    #[inline(always)]
    fn slot(self) -> u32 {
        self.0 & ((1 << Self::SLOT_BITS) - 1)
    }

    /// The number of the heavy part, from 0 on.
    #[inline(always)]
    fn heavy(self) -> Option<u32> {
        let number = self.0 >> Self::SLOT_BITS;
        (self != Self::NONE && number > 0).then(|| number - 1)
    }
}

/// Counts the next digits of the keys of large parts in a tile, which lies in shared memory by part.
///
/// # Safety
///
/// The arguments' contract holds; a tile of `count` keys lies in shared memory, its `counts` are
/// places, no thread reads the targets any more, and all threads of the block make the call.
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
        let mut word = thread;
        while word < HEAVY_WORDS {
            shared.targets.add(word as usize).write(0);
            word += threads;
        }
        let place_of = |part: u32| Place(*shared.counts.add(part as usize));
        let mut part = thread;
        while part < parent.digit.values {
            if let Some(heavy) = place_of(part).heavy() {
                let slot = shared.targets.add((HEAVY_WORDS + heavy) as usize);
                slot.write(place_of(part).slot());
            }
            part += threads;
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
            let place = place_of((*tile_parts.add(position)).into());
            let value = next.of((*tile_rests.add(position)).bits());
            let heavy = place.heavy().filter(|_| is_there);
            let index = heavy.map_or(0, |heavy| heavy << SPLIT_BITS | value);
            count_in(warp, add_here, index, heavy.is_some());
            if is_there && heavy.is_none() && place != Place::NONE {
                add(place.slot() * SLOT_WORDS + value, 1);
            }
            row += threads;
        }
        block.sync();
        let mut word = thread;
        while word < HEAVY_WORDS {
            let sum = *shared.targets.add(word as usize);
            if sum > 0 {
                let (heavy, value) = (word >> SPLIT_BITS, word & ((1 << SPLIT_BITS) - 1));
                let slot = *shared.targets.add((HEAVY_WORDS + heavy) as usize);
                add(slot * SLOT_WORDS + value, sum);
            }
            word += threads;
        }
        // The next tile takes the memory.
        block.sync();
    }
}

/// Writes the places of large parts over the `counts`.
///
/// # Safety
///
/// `totals` are those of the `PER` parts of this thread, `claimed` is what its claim returned, no
/// thread reads the counts any more, and all threads of the block make the call.
#[inline(always)]
pub(super) unsafe fn write_places<W: Warp, const PER: usize>(
    warp: W,
    parent: &Parent,
    shared: Shared,
    totals: [u32; PER],
    claimed: Claimed<PER>,
) {
    let block = Block::of(warp);
    let mut slot = parent.slots + claimed.large;
    let mut heavy = claimed.heavy;
    let _: [(); PER] = core::array::from_fn(|own| {
        let is_large = parent.is_large(totals[own]);
        let is_heavy = is_large && is_heavy(claimed.counts[own], tile_size(block));
        heavy += u32::from(is_heavy);
        let place = match is_large {
            true => Place::new(slot, if is_heavy { heavy } else { 0 }),
            false => Place::NONE,
        };
        // SAFETY: threads have `PER` of `MAX_BINS` words each, and access no others.
        unsafe {
            let part = block.thread() as usize * PER + own;
            shared.counts.add(part).write(place.0);
        }
        slot += u32::from(is_large);
    });
    block.sync();
}
