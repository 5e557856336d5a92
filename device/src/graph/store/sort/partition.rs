//! Keys to their bins, and rests of large bins to smaller ones.
//!
//! A block takes a tile of keys, sorts it by bin in shared memory, and writes the rests of each bin
//! to a range that it has claimed of it. Neighbouring threads then write neighbouring words, and all
//! blocks append to the same places, whose sectors the L2 cache completes.
//!
//! Which range a tile gets depends on the order of the blocks, so the order within a bin does too:
//! the buckets are sorted by all bits after that.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use super::histogram::{count_in, in_shared};
use super::list::{Claim, list};
use super::next::{Claimed, count_next, is_heavy, write_places};
use super::parent::{Digit, ITEMS, Parent, Shared, tile_size, tiles_of};
use super::rest::Rest;
use super::{Bucket, KEY_BYTES, LargeBin, MAX_BINS, SLOT_WORDS, SPLIT_BITS, SortArguments};
use crate::kernel::PlainKernel;
use crate::simt::{Block, BlockShape, MAX_SHARED_BYTES, Warp};

/// The partition of keys whose rests have up to 32 bits.
pub type NarrowPartition = Partition<u32, 2>;
/// The partition of keys whose rests have more.
pub type WidePartition = Partition<u64, 4>;
/// The split of large bins whose rests have up to 32 bits.
pub type NarrowSplit = Split<u32, 2>;
/// The split of large bins whose rests have more.
pub type WideSplit = Split<u64, 4>;

/// The items of a thread, by their numbers. Not a loop, so that they stay in registers.
#[inline(always)]
fn items<T>(mut of: impl FnMut(usize) -> T) -> [T; ITEMS] {
    [of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)]
}

/// Moves keys to their bins; a thread has `PER` of these.
pub struct Partition<R, const PER: usize>(PhantomData<R>);

impl<R: Rest, const PER: usize> PlainKernel for Partition<R, PER> {
    type Arguments = SortArguments;
    const REGISTERS: u32 = 64;
    const BLOCK: BlockShape = BlockShape::sharing(R::WARPS, MAX_SHARED_BYTES);

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, sort: SortArguments) {
        let block = Block::of(warp);
        let form = sort.form();
        let parent = Parent {
            keys: Bucket {
                first: 0,
                count: form.keys(),
                bin: 0,
                buffer: 0,
            },
            slots: 0,
            totals: sort.bin_counts,
            moved: sort.bin_counts.wrapping_add(MAX_BINS as usize),
            digit: Digit {
                low: sort.shift,
                values: sort.bins,
                mask: u32::MAX,
            },
            room: sort.room_of::<W>(),
            group: 1,
        };
        // SAFETY: the arguments' contract; tiles have the indices of keys.
        let key = |index: u32| unsafe { form.key_at(sort.input, index) };
        // A thread that is alone has a tile that fits its cache.
        let size = match W::IS_SOLO {
            true => (KEY_BYTES / 8) as u32,
            false => tile_size(block),
        };
        let mut tile = block.index();
        while tile < tiles_of(size, parent.keys.count) {
            // SAFETY: the histogram is complete; a tile of the keys; all threads make the call.
            unsafe {
                if tile == 0 {
                    list(warp, &sort, &parent, Shared::of(block));
                } else if W::IS_SOLO {
                    solo::<R>(Shared::of(block), &sort, parent, key, (tile - 1) * size);
                } else {
                    divide::<W, R, PER>(warp, &sort, parent, key, (tile - 1) * size);
                }
            }
            tile += block.blocks();
        }
    }
}

/// Moves the rests of large bins to smaller ones.
pub struct Split<R, const PER: usize>(PhantomData<R>);

impl<R: Rest, const PER: usize> PlainKernel for Split<R, PER> {
    type Arguments = SortArguments;
    const REGISTERS: u32 = 64;
    const BLOCK: BlockShape = BlockShape::sharing(R::WARPS, MAX_SHARED_BYTES);

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, sort: SortArguments) {
        let block = Block::of(warp);
        // SAFETY: the launch before has written the claims and the list.
        let listed = Claim(unsafe { *sort.progress.add(sort.level as usize) });
        let large = sort.large_bins(sort.level);
        let mut tile = block.index();
        while tile < listed.tiles() {
            // The last bin whose first tile is not behind this one.
            let (mut entry, mut end) = (0, listed.bins());
            while end - entry > 1 {
                let middle = entry.midpoint(end);
                // SAFETY: below the number of bins.
                if unsafe { (*large.add(middle as usize)).tile } <= tile {
                    entry = middle;
                } else {
                    end = middle;
                }
            }
            // SAFETY: a bin of the list, with its slot; rests of the bin; all threads make the call.
            unsafe {
                let bin: LargeBin = *large.add(entry as usize);
                let totals = sort
                    .level_counts(sort.level)
                    .add((bin.slot * SLOT_WORDS) as usize);
                let parent = Parent {
                    keys: bin.keys,
                    slots: bin.slots,
                    totals,
                    moved: totals.add(1 << SPLIT_BITS),
                    digit: Digit::below(sort.shift - SPLIT_BITS * (sort.level - 1)),
                    room: sort.room_of::<W>(),
                    group: (sort.room / 2).max(1),
                };
                let from = sort
                    .buffer::<R>(sort.level - 1)
                    .add(bin.keys.first as usize);
                let rest = |index: u32| (*from.add(index as usize)).bits();
                if tile == bin.tile {
                    list(warp, &sort, &parent, Shared::of(block));
                } else {
                    let first = (tile - bin.tile - 1) * tile_size(block);
                    divide::<W, R, PER>(warp, &sort, parent, rest, first);
                }
            }
            tile += block.blocks();
        }
    }
}

/// Claims a range of each part for the keys of this tile, whose `counts` stand in shared memory:
/// `counts` become where these begin in the tile, `targets` where they go. `totals` are the keys of
/// the parts of this thread.
///
/// # Safety
///
/// The parent's totals are complete, a tile has less than 2^16 keys, and all threads of the block
/// make the call.
#[inline(always)]
unsafe fn claim<W: Warp, const PER: usize>(
    warp: W,
    parent: &Parent,
    shared: Shared,
    totals: [u32; PER],
) -> Claimed<PER> {
    let block = Block::of(warp);
    let part = |own: usize| (block.thread() as usize * PER + own) as u32;
    let is_part = |own: usize| part(own) < parent.digit.values;
    // SAFETY: a word for each part; a thread accesses those of its range only, between barriers. The
    // rests are not there yet, so that their memory serves for the sums.
    unsafe {
        let counts: [u32; PER] = core::array::from_fn(|own| match is_part(own) {
            true => *shared.counts.add(part(own) as usize),
            false => 0,
        });
        // Relaxed: a claim, whose words no thread reads before the launch ends.
        let moved: [u32; PER] = core::array::from_fn(|own| match counts[own] {
            0 => 0,
            count => {
                let word = parent.moved.add(part(own) as usize).cast::<AtomicU32>();
                (*word).fetch_add(count, Relaxed)
            }
        });
        // Sums of three numbers in one word: keys of the tile, large parts, heavy ones among them.
        const { assert!(MAX_BINS < 1 << 12) };
        let (mut sums, mut all) = (0_u32, 0_u32);
        let _: [(); PER] = core::array::from_fn(|own| {
            let is_large = parent.is_large(totals[own]);
            let is_heavy = is_large && is_heavy(counts[own], tile_size(block));
            sums += u32::from(is_heavy) << 28 | u32::from(is_large) << 16 | counts[own];
            all += totals[own];
        });
        let partials = shared.rests.cast();
        let (before, total) = block.all_exclusive_sum(sums, partials);
        let mut start = before & 0xffff;
        let (mut first, _) = block.all_exclusive_sum(all, partials);
        first += parent.keys.first;
        let _: [(); PER] = core::array::from_fn(|own| {
            if is_part(own) {
                let target = first.wrapping_add(moved[own]).wrapping_sub(start);
                shared.counts.add(part(own) as usize).write(start);
                shared.targets.add(part(own) as usize).write(target);
            }
            start += counts[own];
            first += totals[own];
        });
        block.sync();
        Claimed {
            counts,
            large: before >> 16 & 0xfff,
            heavy: before >> 28,
            has_large: total >> 16 > 0,
        }
    }
}

/// Divides a tile of a parent, whose words are `word` of their index in it.
///
/// # Safety
///
/// The arguments' contract holds, the parent's totals are complete, `first` is the first of a tile
/// of up to `ITEMS` keys for each thread, and all threads of the block make the call.
#[inline(always)]
unsafe fn divide<W: Warp, R: Rest, const PER: usize>(
    warp: W,
    sort: &SortArguments,
    parent: Parent,
    word: impl Fn(u32) -> u64,
    first: u32,
) {
    let block = Block::of(warp);
    let shared = Shared::of(block);
    let (thread, threads) = (block.thread(), block.threads());
    let digit = parent.digit;
    let count = tile_size(block).min(parent.keys.count - first);
    let index = |item: usize| item as u32 * threads + thread;
    let tile_rests: *mut R = shared.rests.cast();
    // SAFETY: words of shared memory are written by one thread or by atomic
    // operations between two barriers: a part has a counter, each key of the tile a position of its
    // own by its part and rank, and each position a target of its own among the rests.
    unsafe {
        let tile_parts: *mut u16 = tile_rests.add(ITEMS * threads as usize).cast();
        let mut part = thread;
        while part < digit.values {
            shared.counts.add(part as usize).write(0);
            part += threads;
        }
        // A key that is there in place of one that is not: no branch, so that the loads overlap.
        let words = items(|item| word(first + index(item).min(count - 1)));
        let part = |own: usize| (thread as usize * PER + own) as u32;
        let totals: [u32; PER] = core::array::from_fn(|own| match part(own) < digit.values {
            true => *parent.totals.add(part(own) as usize),
            false => 0,
        });
        block.sync();
        let add = in_shared(shared.counts);
        let ranks = items(|item| count_in(warp, add, digit.of(words[item]), index(item) < count));
        block.sync();
        let claimed = claim(warp, &parent, shared, totals);
        items(|item| {
            if index(item) < count {
                let part = digit.of(words[item]);
                let position = (*shared.counts.add(part as usize) + ranks[item]) as usize;
                tile_rests.add(position).write(R::of(words[item]));
                tile_parts.add(position).write(part as u16);
            }
        });
        block.sync();
        if claimed.has_large {
            write_places(warp, &parent, shared, totals, claimed);
        }
        let rests = sort.buffer::<R>(sort.level);
        let mut position = thread;
        while position < count {
            let part = *tile_parts.add(position as usize) as usize;
            let target = (*shared.targets.add(part)).wrapping_add(position);
            rests
                .add(target as usize)
                .write(*tile_rests.add(position as usize));
            position += threads;
        }
        // The next tile takes the memory.
        block.sync();
        if claimed.has_large {
            count_next::<W, R>(warp, sort, &parent, shared, count);
        }
    }
}

/// Divides a tile by one thread, from its cache.
///
/// # Safety
///
/// As for [`divide`]; the tile has up to `KEY_BYTES / 8` keys.
#[inline(always)]
unsafe fn solo<R: Rest>(
    shared: Shared,
    sort: &SortArguments,
    parent: Parent,
    word: impl Fn(u32) -> u64,
    first: u32,
) {
    let digit = parent.digit;
    let count = parent.keys.count.min(first + (KEY_BYTES / 8) as u32);
    // SAFETY: the memory is this thread's. Each part gets a range of the rests
    // that is as long as it has keys in the tile.
    unsafe {
        shared.counts.write_bytes(0, digit.values as usize);
        for index in first..count {
            *shared.counts.add(digit.of(word(index)) as usize) += 1;
        }
        let mut begin = 0;
        for part in 0..digit.values as usize {
            let count = *shared.counts.add(part);
            // Relaxed: as in `claim`.
            let moved = &*parent.moved.add(part).cast::<AtomicU32>();
            let target = begin + moved.fetch_add(count, Relaxed);
            shared.targets.add(part).write(target);
            begin += *parent.totals.add(part);
        }
        let rests = sort.buffer::<R>(0);
        for index in first..count {
            let word = word(index);
            let target = shared.targets.add(digit.of(word) as usize);
            rests.add(*target as usize).write(R::of(word));
            *target += 1;
        }
    }
}
