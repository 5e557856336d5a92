//! Buckets, each sorted in shared memory.
//!
//! A block counts the rests of a bucket by their highest bits that differ, as the partition does,
//! and puts them in the order of these counts. A count is a few keys then, and a key finds its place
//! among them by comparing. Where counts are large, the block sorts digit by digit instead, which
//! costs the same for every distribution.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::SharedU32;

use super::histogram::{count_in, in_shared};
use super::rest::Rest;
use super::{Bucket, ITEMS, KEY_BYTES, SortArguments};
use crate::kernel::PlainKernel;
use crate::simt::{Block, BlockShape, MAX_SHARED_BYTES, Warp};

mod radix;
pub(super) mod solo;

/// The buckets of rests of up to 32 bits.
pub type NarrowBuckets = Buckets<u32>;
/// The buckets of wider rests.
pub type WideBuckets = Buckets<u64>;

/// Sorts all buckets.
pub struct Buckets<R>(PhantomData<R>);

/// Bits of the digit by which the keys of a bucket are counted, at the most.
const COUNT_BITS: u32 = 12;
/// Keys with which one is compared, on average and at the most.
const MAX_COMPARED: u32 = 96;

/// The shared memory of a block.
#[derive(Clone, Copy)]
struct Shared<R> {
    /// The rests of a bucket.
    rests: *mut R,
    /// A word for each value of a digit.
    counts: *mut u32,
    /// A word for each warp: a part of the rests' memory, before these are there.
    words: *mut u32,
}

impl<R: Rest> PlainKernel for Buckets<R> {
    type Arguments = SortArguments;
    const REGISTERS: u32 = 64;
    const BLOCK: BlockShape = BlockShape::sharing(R::WARPS, MAX_SHARED_BYTES);

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, sort: SortArguments) {
        let block = Block::of(warp);
        let base = block.shared();
        let shared = Shared::<R> {
            rests: base.cast(),
            counts: base.wrapping_add(KEY_BYTES).cast(),
            words: base.cast(),
        };
        // SAFETY: the launches before have listed so many.
        let listed = unsafe { *sort.progress } as u32;
        let mut index = block.index();
        while index < listed {
            // SAFETY: the bucket is listed: its rests are there, no other block takes it, and a block
            // holds it. All threads make the same calls, for the bucket is the same.
            unsafe {
                let bucket = *sort.buckets.add(index as usize);
                if W::IS_SOLO {
                    solo::sort::<R>(&sort, bucket, shared.counts);
                } else {
                    sort_in_shared(warp, &sort, shared, bucket);
                }
            }
            index += block.blocks();
        }
    }
}

/// The key of a rest in a bucket.
#[inline(always)]
fn key<R: Rest>(sort: &SortArguments, bucket: Bucket, rest: R) -> u64 {
    let mask = (1 << sort.shift) - 1;
    u64::from(bucket.bin) << sort.shift | (rest.bits() & mask)
}

/// The items of a thread, by their numbers. Not a loop, so that they stay in registers.
#[inline(always)]
fn items<T>(mut of: impl FnMut(usize) -> T) -> [T; ITEMS] {
    [
        of(0),
        of(1),
        of(2),
        of(3),
        of(4),
        of(5),
        of(6),
        of(7),
        of(8),
        of(9),
        of(10),
        of(11),
    ]
}

/// Sorts a bucket that shared memory holds.
///
/// # Safety
///
/// The arguments' contract holds, the bucket is listed and has up to `ITEMS` keys for each thread,
/// and all threads of the block make the call.
#[inline(always)]
unsafe fn sort_in_shared<W: Warp, R: Rest>(
    warp: W,
    sort: &SortArguments,
    shared: Shared<R>,
    bucket: Bucket,
) {
    let block = Block::of(warp);
    let (thread, threads, count) = (block.thread(), block.threads(), bucket.count);
    let index = |item: usize| item as u32 * threads + thread;
    // SAFETY: words of shared memory are written by one thread or by atomic
    // operations between two barriers: a value of the digit has a counter, each rest a position of
    // its own by its digit and rank.
    unsafe {
        let rests = sort.buffer::<R>(bucket.buffer).add(bucket.first as usize);
        // A rest that is there in place of one that is not: no branch, so that the loads overlap.
        let mine = items(|item| *rests.add(index(item).min(count - 1) as usize));
        let (low, bits) = digit(warp, shared, count, mine, *rests);
        if bits == 0 {
            // The keys are equal.
            items(|item| {
                if index(item) < count {
                    let output = sort.output.add((bucket.first + index(item)) as usize);
                    output.write(key(sort, bucket, mine[item]));
                }
            });
            return;
        }
        let values = 1 << bits;
        let digit = |rest: R| (rest.bits() >> low) as u32 & (values - 1);
        let add = in_shared(shared.counts);
        let ranks = items(|item| count_in(warp, add, digit(mine[item]), index(item) < count));
        block.sync();
        let squares = scan(warp, shared, values);
        let begin = |value: u32| match value < values {
            true => *shared.counts.add(value as usize),
            false => count,
        };
        items(|item| {
            if index(item) < count {
                let position = begin(digit(mine[item])) + ranks[item];
                shared.rests.add(position as usize).write(mine[item]);
            }
        });
        block.sync();
        // A digit of all bits that differ leaves nothing to compare.
        let mut is_sorted = low == 0;
        if !is_sorted && squares > MAX_COMPARED * ITEMS as u32 * threads {
            radix::sort(warp, shared.rests, shared.counts.cast(), count, low + bits);
            is_sorted = true;
        }
        let mut position = thread;
        while position < count {
            let rest = *shared.rests.add(position as usize);
            let mut target = position;
            if !is_sorted {
                // The keys of the same digit that are less, and those that are equal and stand before.
                let value = digit(rest);
                let (mut other, end) = (begin(value), begin(value + 1));
                target = other;
                while other < end {
                    let found = *shared.rests.add(other as usize);
                    target += u32::from(found < rest || (found == rest && other < position));
                    other += 1;
                }
            }
            let output = sort.output.add((bucket.first + target) as usize);
            output.write(key(sort, bucket, rest));
            position += threads;
        }
        // The next bucket takes the memory.
        block.sync();
    }
}

/// The digit that divides the `count` rests of a block: its lowest bit and its bits, from the highest
/// bit that differs on. They have about as many values as there are rests, and up to `COUNT_BITS`.
/// The counters are cleared.
///
/// # Safety
///
/// All threads of the block make the call with the same `first` of the rests.
#[inline(always)]
unsafe fn digit<W: Warp, R: Rest>(
    warp: W,
    shared: Shared<R>,
    count: u32,
    mine: [R; ITEMS],
    first: R,
) -> (u32, u32) {
    let block = Block::of(warp);
    let most_bits = (32 - count.leading_zeros()).min(COUNT_BITS);
    let mut differing = 0;
    items(|item| differing |= mine[item].bits() ^ first.bits());
    let mut step = W::LANES / 2;
    while step > 0 {
        let low = warp.all_shuffle_xor(differing as u32, step);
        let high = warp.all_shuffle_xor((differing >> 32) as u32, step);
        differing |= u64::from(high) << 32 | u64::from(low);
        step /= 2;
    }
    // SAFETY: words of shared memory, cleared by one thread and changed by atomic operations
    // between barriers.
    unsafe {
        if block.thread() == 0 {
            shared.words.write(0);
            shared.words.add(1).write(0);
        }
        let mut value = block.thread();
        while value < 1 << most_bits {
            shared.counts.add(value as usize).write(0);
            value += block.threads();
        }
        block.sync();
        if warp.lane() == 0 {
            let word = |half: usize| &*shared.words.add(half).cast::<SharedU32>();
            // Relaxed: the barrier orders them before the readers.
            word(0).fetch_or(differing as u32, Relaxed);
            word(1).fetch_or((differing >> 32) as u32, Relaxed);
        }
        block.sync();
        let differing = u64::from(*shared.words.add(1)) << 32 | u64::from(*shared.words);
        // The words are a part of the memory of the rests.
        block.sync();
        let open = 64 - differing.leading_zeros();
        let low = open.saturating_sub(most_bits);
        (low, open - low)
    }
}

/// Turns counts into their sums before each value; returns the sum of their squares.
///
/// # Safety
///
/// The counts of `values` values stand in shared memory behind a barrier, and all threads of the
/// block make the call.
#[inline(always)]
unsafe fn scan<W: Warp, R>(warp: W, shared: Shared<R>, values: u32) -> u32 {
    let block = Block::of(warp);
    let (from, to) = block.range(values);
    // SAFETY: a thread accesses the counts of its range only; the words are free.
    unsafe {
        let (mut sum, mut squares) = (0_u32, 0_u32);
        let mut value = from;
        while value < to {
            let count = *shared.counts.add(value as usize);
            sum += count;
            squares += count * count;
            value += 1;
        }
        let (mut before, _) = block.all_exclusive_sum(sum, shared.words);
        let (_, squares) = block.all_exclusive_sum(squares, shared.words);
        let mut value = from;
        while value < to {
            let count = *shared.counts.add(value as usize);
            shared.counts.add(value as usize).write(before);
            before += count;
            value += 1;
        }
        // The sums are complete, and the words free.
        block.sync();
        squares
    }
}
