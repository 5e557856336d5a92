//! A sort of few keys: sorted tiles, and the rank of each key among all of them.
//!
//! Two launches, for which the distribution of keys does not matter, in place of eight that find out
//! about it. The searches of the second one grow with the square of the keys.
//!
//! A thread that is alone sorts all keys in the first launch.

use super::buckets::solo;
use super::{Bucket, SortArguments};
use crate::kernel::PlainKernel;
use crate::simt::{Block, BlockShape, Warp};

/// Keys of a tile: one for each thread of a block.
const TILE: u32 = 1024;
/// Tiles, at the most.
const TILES: u32 = 32;
/// Keys that are sorted in this way, at the most.
pub const FEW_KEYS: u32 = TILE * TILES;
/// Warps of a block.
const WARPS: u32 = TILE / 32;

/// Blocks of the two launches for so many keys.
pub const fn merge_blocks(keys: u32) -> (u32, u32) {
    (keys.div_ceil(TILE), keys.div_ceil(32))
}

/// Sorts tiles of keys.
pub struct SortTiles;

impl PlainKernel for SortTiles {
    type Arguments = SortArguments;
    // Two tiles, one to read and one to write; a thread that is alone has its counters there.
    const BLOCK: BlockShape = BlockShape::sharing(WARPS, 16 * TILE as usize);

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, sort: SortArguments) {
        let block = Block::of(warp);
        let keys = sort.form().keys();
        let is_first = block.index() == 0;
        if is_first {
            let mut word = block.thread();
            while word < sort.header_words {
                // SAFETY: the header has so many words, which one block clears.
                unsafe { sort.header.add(word as usize).write(0) };
                word += block.threads();
            }
        }
        if W::IS_SOLO {
            if is_first {
                // SAFETY: the arguments' contract; no other block accesses the keys.
                unsafe { sort_alone(&sort, keys, block.shared().cast()) };
            }
            return;
        }
        let mut first = block.index() * block.threads();
        while first < keys {
            // SAFETY: the arguments' contract; there is such a key, no other block takes the tile,
            // and the shared memory has two words for each thread. All threads make the call.
            unsafe { sort_tile(warp, &sort, first, block.shared().cast()) };
            first += block.blocks() * block.threads();
        }
    }
}

/// Sorts all keys.
///
/// # Safety
///
/// The arguments' contract holds, no other thread accesses the keys, and `counts` are words for
/// [`solo::sort`].
#[inline(always)]
unsafe fn sort_alone(sort: &SortArguments, keys: u32, counts: *mut u32) {
    let (form, whole) = (sort.form(), sort.buffer::<u64>(0));
    // SAFETY: a word of each buffer for each key.
    unsafe {
        for index in 0..keys {
            let key = form.key_at(sort.input, index);
            whole.add(index as usize).write(key);
        }
        let all = Bucket {
            first: 0,
            count: keys,
            bin: 0,
            buffer: 0,
        };
        solo::sort::<u64>(sort, all, counts);
    }
}

/// Sorts the tile of keys from `first` on.
///
/// # Safety
///
/// The arguments' contract holds, there is a key `first`, `shared` has two words for each thread,
/// and all threads of the block make the call.
#[inline(always)]
unsafe fn sort_tile<W: Warp>(warp: W, sort: &SortArguments, first: u32, shared: *mut u64) {
    let block = Block::of(warp);
    let (thread, threads) = (block.thread(), block.threads());
    let form = sort.form();
    let count = form.keys() - first;
    // SAFETY: each thread writes words of its own, between barriers.
    unsafe {
        // Greater than every key, so that they stay behind all.
        let mut key = u64::MAX;
        if thread < count {
            key = form.key_at(sort.input, first + thread);
        }
        key = sort_warp(warp, key);
        let (mut from, mut to) = (shared, shared.add(threads as usize));
        from.add(thread as usize).write(key);
        block.sync();
        // Each round makes sorted parts of twice as many keys.
        let mut part = W::LANES;
        while part < threads {
            let begin = thread & !(part - 1);
            let other = begin ^ part;
            let end = (other + part).min(threads);
            // Of equal keys those of the first part come first.
            let before = keys_before(from, other.min(end), end, key, other < begin);
            // Parts of two that follow each other begin at the first of them.
            let place = thread - (begin & part) + before - other.min(end);
            to.add(place as usize).write(key);
            block.sync();
            key = *to.add(thread as usize);
            core::mem::swap(&mut from, &mut to);
            part *= 2;
        }
        if thread < count {
            let output = sort.buffer::<u64>(0).add((first + thread) as usize);
            output.write(key);
        }
        // The next tile takes the memory.
        block.sync();
    }
}

/// The keys of a warp in order, one for each lane: a bitonic sort. All lanes call this.
#[inline(always)]
fn sort_warp<W: Warp>(warp: W, mut key: u64) -> u64 {
    let lane = warp.lane();
    let mut size = 2;
    while size <= W::LANES {
        let mut step = size / 2;
        while step > 0 {
            let other = warp.shuffle64(W::FULL, key, lane ^ step);
            let wants_less = (lane & step == 0) == (lane & size == 0);
            if wants_less == (other < key) {
                key = other;
            }
            step /= 2;
        }
        size *= 2;
    }
    key
}

/// The first position from `from` up to `end` whose key does not come before `key`: less keys do,
/// and `equal` ones if those come first; `end` if there is none.
///
/// # Safety
///
/// `keys` are sorted words from `from` up to `end`.
#[inline(always)]
unsafe fn keys_before(keys: *const u64, from: u32, end: u32, key: u64, equal: bool) -> u32 {
    let (mut low, mut high) = (from, end);
    while low < high {
        let middle = low.midpoint(high);
        // SAFETY: below the end.
        let other = unsafe { *keys.add(middle as usize) };
        if other < key || (equal && other == key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Merges the sorted tiles.
///
/// A block takes as many keys of the batch as a warp has lanes, and each of its warps searches for
/// all of them in tiles of its own.
pub struct MergeTiles;

impl PlainKernel for MergeTiles {
    type Arguments = SortArguments;
    const BLOCK: BlockShape = BlockShape::sharing(WARPS, 4 * TILE as usize);

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, sort: SortArguments) {
        if W::IS_SOLO {
            return;
        }
        let block = Block::of(warp);
        let (keys, sorted) = (sort.form().keys(), sort.buffer::<u64>(0));
        let ranks: *mut u32 = block.shared().cast();
        let (own, warps) = (warp.warp_in_block(), warp.warps_in_block());
        // Those of the launch before, whose blocks have the same shape.
        let tile = block.threads();
        let mut first = block.index() * W::LANES;
        while first < keys {
            let index = first + warp.lane();
            // SAFETY: the launch before has sorted the tiles. Each thread writes a word of its own
            // in shared memory, and reads others behind a barrier. Keys have different ranks, so
            // that each place is written once.
            unsafe {
                // A key that is there in place of one that is not.
                let key = *sorted.add(index.min(keys - 1) as usize);
                let mut before = 0;
                let mut begin = own * tile;
                while begin < keys {
                    // In its own tile a key has its place; else equal ones come by their tiles.
                    before += if index.wrapping_sub(begin) < tile {
                        index - begin
                    } else {
                        let end = (begin + tile).min(keys);
                        keys_before(sorted, begin, end, key, begin < index) - begin
                    };
                    begin += warps * tile;
                }
                ranks.add(block.thread() as usize).write(before);
                block.sync();
                if own == 0 && index < keys {
                    let mut rank = 0;
                    let mut other = 0;
                    while other < warps {
                        rank += *ranks.add((other * W::LANES + warp.lane()) as usize);
                        other += 1;
                    }
                    sort.output.add(rank as usize).write(key);
                }
                // The next keys take the memory.
                block.sync();
            }
            first += block.blocks() * W::LANES;
        }
    }
}
