//! The parts of a bin that is divided: buckets, and large bins for the next split.
//!
//! One block lists the parts of a bin while others move its keys. Neighbouring parts are one bucket
//! up to half of what a block holds.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::parent::{Parent, Shared, tile_size, tiles_of};
use super::{Bucket, LargeBin, SortArguments};
use crate::graph::store::lower_bound;
use crate::simt::{Block, Warp};

/// Claims in a list of large bins, as one word so that they are made at once: tiles, bins, and slots
/// of the next level, 21 bits each. 2^31 keys make fewer.
#[derive(Clone, Copy)]
pub(super) struct Claim(pub u64);

impl Claim {
    const BITS: u32 = 21;

    #[inline(always)]
    fn new(tiles: u32, bins: u32, slots: u32) -> Self {
        let (tiles, bins, slots) = (u64::from(tiles), u64::from(bins), u64::from(slots));
        Self(slots << (2 * Self::BITS) | bins << Self::BITS | tiles)
    }

    #[inline(always)]
    fn part(self, part: u32) -> u32 {
        (self.0 >> (part * Self::BITS)) as u32 & ((1 << Self::BITS) - 1)
    }

    #[inline(always)]
    pub fn tiles(self) -> u32 {
        self.part(0)
    }

    #[inline(always)]
    pub fn bins(self) -> u32 {
        self.part(1)
    }

    #[inline(always)]
    fn slots(self) -> u32 {
        self.part(2)
    }
}

/// Words of shared memory for sums and for what one thread tells the others.
const SUM_WORDS: usize = 64;

/// Lists the parts of a bin: buckets, and large bins for the next split.
///
/// # Safety
///
/// The arguments' contract holds, the parent's totals are complete, and all threads of the block
/// make the call.
#[inline(always)]
pub(super) unsafe fn list<W: Warp>(warp: W, sort: &SortArguments, parent: &Parent, shared: Shared) {
    let block = Block::of(warp);
    let sums: *mut u32 = shared.rests.cast();
    // SAFETY: words of shared memory that nothing else uses.
    unsafe {
        let values = write_groups(warp, parent, shared, sums);
        let groups = sums.add(SUM_WORDS);
        let group = |index: u32| {
            let first = *shared.counts.add(*groups.add(index as usize) as usize);
            let end = match index + 1 < values {
                true => *shared.counts.add(*groups.add(index as usize + 1) as usize),
                false => parent.keys.count,
            };
            (first, end - first)
        };
        let (room, size) = (parent.room, tile_size(block));
        let (from, to) = block.range(values);
        let (mut buckets, mut large, mut tiles, mut slots) = (0, 0, 0, 0);
        let mut index = from;
        while index < to {
            let (_, count) = group(index);
            if parent.is_large(count) {
                large += 1;
                tiles += tiles_of(size, count);
                slots += count / room;
            } else {
                buckets += count.div_ceil(room);
            }
            index += 1;
        }
        let (mut bucket, all_buckets) = block.all_exclusive_sum(buckets, sums);
        let (ordinal, all_large) = block.all_exclusive_sum(large, sums);
        let (mut tile, all_tiles) = block.all_exclusive_sum(tiles, sums);
        let (mut slot, all_slots) = block.all_exclusive_sum(slots, sums);
        let first_bucket = sums.add(SUM_WORDS - 1);
        let first_large: *mut u64 = sums.add(SUM_WORDS - 4).cast();
        if block.thread() == 0 {
            let counter = |index: usize| &*sort.progress.add(index).cast::<AtomicU64>();
            // Relaxed: claims, whose entries are read after the launch.
            let claimed = counter(0).fetch_add(all_buckets.into(), Relaxed);
            first_bucket.write(claimed as u32);
            if all_large > 0 {
                let claim = Claim::new(all_tiles, all_large, all_slots).0;
                let claimed = counter(sort.level as usize + 1).fetch_add(claim, Relaxed);
                first_large.write(claimed);
            }
        }
        block.sync();
        bucket += *first_bucket;
        let claimed = match all_large > 0 {
            true => Claim(*first_large),
            false => Claim(0),
        };
        let mut entry = claimed.bins() + ordinal;
        let mut own = parent.slots + ordinal;
        tile += claimed.tiles();
        slot += claimed.slots();
        let mut index = from;
        while index < to {
            let (first, count) = group(index);
            let keys = Bucket {
                first: parent.keys.first + first,
                count,
                bin: match sort.level {
                    0 => *groups.add(index as usize),
                    _ => parent.keys.bin,
                },
                buffer: sort.level % 2,
            };
            if parent.is_large(count) {
                let list = sort.large_bins(sort.level + 1);
                list.add(entry as usize).write(LargeBin {
                    keys,
                    slot: own,
                    tile,
                    slots: slot,
                });
                entry += 1;
                own += 1;
                tile += tiles_of(size, count);
                slot += count / room;
            } else {
                // More keys than a block holds are equal here, so that any part of them is sorted.
                let mut done = 0;
                while done < count {
                    sort.buckets.add(bucket as usize).write(Bucket {
                        first: keys.first + done,
                        count: room.min(count - done),
                        ..keys
                    });
                    bucket += 1;
                    done += room.min(count - done);
                }
            }
            index += 1;
        }
        // The next bin takes the memory.
        block.sync();
    }
}

/// Turns the totals into where the keys of each part begin, in `counts`, and writes the first part of
/// each group behind the words for sums. Returns the groups.
///
/// # Safety
///
/// As for [`list`].
#[inline(always)]
unsafe fn write_groups<W: Warp>(warp: W, parent: &Parent, shared: Shared, sums: *mut u32) -> u32 {
    let block = Block::of(warp);
    let values = parent.digit.values;
    let (from, to) = block.range(values);
    // SAFETY: a word for each part, and one for each group; a thread writes those of its range between
    // two barriers.
    unsafe {
        let mut keys = 0;
        let mut part = from;
        while part < to {
            keys += *parent.totals.add(part as usize);
            part += 1;
        }
        let (mut first, _) = block.all_exclusive_sum(keys, sums);
        let mut part = from;
        while part < to {
            shared.counts.add(part as usize).write(first);
            first += *parent.totals.add(part as usize);
            part += 1;
        }
        block.sync();
        let begin = |part: u32| match part < values {
            true => *shared.counts.add(part as usize),
            false => parent.keys.count,
        };
        // Whether a group begins with this part: the parts with keys that begin in the same window of
        // `group` keys are one, and a part with more keys is one by itself.
        let leads = |part: u32| {
            let (here, end) = (begin(part), begin(part + 1));
            if here == end || here == 0 {
                return here < end;
            }
            // The sums ascend; the last part that begins before has keys.
            let before = begin(lower_bound(shared.counts, 0, part, here) - 1);
            let window = parent.group;
            here / window != before / window || end - here > window || here - before > window
        };
        let mut groups = 0;
        let mut part = from;
        while part < to {
            groups += u32::from(leads(part));
            part += 1;
        }
        let (mut group, all) = block.all_exclusive_sum(groups, sums);
        let mut part = from;
        while part < to {
            if leads(part) {
                sums.add(SUM_WORDS + group as usize).write(part);
                group += 1;
            }
            part += 1;
        }
        block.sync();
        all
    }
}
