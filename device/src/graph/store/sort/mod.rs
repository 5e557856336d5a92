//! A sort of keys: a partition by the most significant bits, then each bucket in shared memory.
//!
//! The hybrid radix sort of Stehle and Jacobsen (SIGMOD 2017, "A memory bandwidth-efficient hybrid
//! radix sort on GPUs"), for keys whose order among equals does not matter, since equal keys are the
//! same edge:
//!
//! Few keys ([`Sorting::of`]) are sorted in tiles, which [`MergeTiles`] merges. More keys take:
//!
//! 1. [`SortClear`] clears the counters;
//! 2. [`SortHistogram`] counts the keys of each *bin*, which share the bits above `shift`;
//! 3. a partition ([`NarrowPartition`]) moves the keys to their bins, and keeps only the bits below
//!    `shift`, their *rests*;
//! 4. a split ([`NarrowSplit`]) moves the rests of each bin that shared memory does not hold to
//!    smaller ones, by their next `SPLIT_BITS` bits; so does the next split with what is left;
//! 5. [`NarrowBuckets`] sorts each *bucket*, a small bin or neighbouring parts of a large one, in
//!    shared memory, and writes whole keys.
//!
//! After `splits` launches no bits are left, so that all keys of a bin are equal: no distribution of
//! keys breaks the sort. The block that moves the keys of a large bin counts their next digits, so
//! that a split reads each rest once. One block never waits for another.
//!
//! An edge of 8 bytes is read twice. For each of its keys, a rest of 4 bytes is written and read once,
//! and the key written: 48 bytes for both directions. Wider rests take 64.

mod buckets;
mod histogram;
mod list;
mod merge;
mod next;
mod parent;
mod partition;
mod rest;

pub use buckets::{NarrowBuckets, WideBuckets};
pub use histogram::{SortClear, SortHistogram};
pub use merge::{MergeTiles, SortTiles, merge_blocks};
pub use partition::{NarrowPartition, NarrowSplit, WidePartition, WideSplit};

use crate::arguments;
use crate::graph::store::keys::{Form, id_bits};
use crate::simt::Warp;
use rest::Rest;

/// Keys of a bucket for each thread of a block.
const ITEMS: usize = 12;
/// Bytes of shared memory that hold keys; the rest holds counters.
const KEY_BYTES: usize = 48 << 10;
/// The most bins of a partition: their counters fit beside the keys.
pub const MAX_BINS: u32 = 2048;
/// Bits of the digit that splits a bin.
const SPLIT_BITS: u32 = 8;
/// Words of a large bin's counters: for each value of its digit the keys, and those moved.
const SLOT_WORDS: u32 = 2 << SPLIT_BITS;
/// Words of [`SortArguments::progress`]: one for the list of buckets, one for each list of large
/// bins, for splits of 62 bits.
pub const PROGRESS_WORDS: u32 = 9;

/// A range of rests that share the bits above `shift`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    /// Its first key.
    pub first: u32,
    /// Its keys.
    pub count: u32,
    /// The bits that they share.
    pub bin: u32,
    /// Which of the two buffers holds the rests.
    pub buffer: u32,
}

/// A bin that shared memory does not hold.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LargeBin {
    /// Its keys, and where they lie.
    pub keys: Bucket,
    /// The slot with its counters.
    pub slot: u32,
    /// Its first tile among those of the level: the one that lists its parts.
    pub tile: u32,
    /// The first slot of the next level for large bins that are parts of it.
    pub slots: u32,
}

arguments! {
    /// A sort.
    pub struct SortArguments {
        pointers {
            /// The edges of the batch: `count` words.
            input: u64,
            /// The sorted keys.
            output: u64,
            /// Two buffers for the bits below `shift` of the keys, 8 bytes for each: those of the
            /// partition and of every second split, and those of the other splits.
            rests: u8,
            /// See `rests`.
            other_rests: u8,
            /// Two words for each bin: its keys, and, `MAX_BINS` behind, those that have been moved.
            bin_counts: u32,
            /// The buckets listed, then the claims of each level's large bins (`list::Claim`).
            progress: u64,
            /// All buckets: as many as `list_bytes` has room for.
            buckets: Bucket,
            /// Two lists of `slots` large bins, of levels that follow each other.
            large: LargeBin,
            /// `SLOT_WORDS` words for each large bin, `slots` of them for each level.
            slot_counts: u32,
            /// Words that the first launch clears.
            header: u64,
        }
        integers {
            /// Edges of the batch.
            count: u32,
            /// Vertices of the graph.
            vertices: u32,
            /// How edges become keys: flags of `keys`.
            flags: u32,
            /// Bins: those of all keys are below.
            bins: u32,
            /// Bits of a rest.
            shift: u32,
            /// The split, from 1 on; 0 for the partition.
            level: u32,
            /// Keys of a bucket, at the most.
            room: u32,
            /// The most large bins of a level.
            slots: u32,
            /// Words of the header.
            header_words: u32,
        }
    }
}

impl SortArguments {
    #[inline(always)]
    fn form(&self) -> Form {
        Form {
            vertices: self.vertices,
            count: self.count,
            flags: self.flags,
        }
    }

    /// The bin of a key.
    #[inline(always)]
    fn bin(&self, key: u64) -> u32 {
        (key >> self.shift) as u32
    }

    /// Keys of a bucket, at the most, in this kind of warp.
    #[inline(always)]
    fn room_of<W: Warp>(&self) -> u32 {
        // A thread that is alone sorts from memory.
        if W::IS_SOLO {
            u32::MAX
        } else {
            self.room.max(1)
        }
    }

    /// The rests after the splits up to `level`.
    #[inline(always)]
    fn buffer<R>(&self, level: u32) -> *mut R {
        match level % 2 {
            0 => self.rests.cast(),
            _ => self.other_rests.cast(),
        }
    }

    /// The large bins that split `level` divides.
    #[inline(always)]
    fn large_bins(&self, level: u32) -> *mut LargeBin {
        self.large.wrapping_add((level % 2 * self.slots) as usize)
    }

    /// The counters of the large bins of split `level`.
    #[inline(always)]
    fn level_counts(&self, level: u32) -> *mut u32 {
        let slots = (level as usize - 1) * self.slots as usize;
        self.slot_counts.wrapping_add(slots * SLOT_WORDS as usize)
    }

    /// Words of all counters of large bins.
    #[inline(always)]
    fn slot_words(&self) -> usize {
        splits(self.shift) as usize * self.slots as usize * SLOT_WORDS as usize
    }
}

/// Keys that the blocks of a sort hold, by the bits of a rest.
const fn capacity(shift: u32) -> u32 {
    let warps = if shift <= 32 { u32::WARPS } else { u64::WARPS };
    ITEMS as u32 * 32 * warps
}

/// Large bins of few keys, at the most: few keys are to make enough buckets for a GPU, too.
const FEW_SLOTS: u32 = 64;
/// The least room of a bucket.
const MIN_ROOM: u32 = 1024;

/// Keys of a bucket, at the most, of so many keys.
pub fn room(keys: u32, shift: u32) -> u32 {
    (keys / FEW_SLOTS).clamp(MIN_ROOM, capacity(shift))
}

/// How keys are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sorting {
    /// In tiles, which are merged then.
    Tiles,
    /// By bins.
    Bins,
}

impl Sorting {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Tiles, Self::Bins];

    /// The fastest for so many keys.
    pub fn of(keys: u32) -> Self {
        match keys <= merge::FEW_KEYS {
            true => Self::Tiles,
            false => Self::Bins,
        }
    }
}

/// The greatest key that a graph may have: that of an edge that takes no part.
pub fn greatest_key(vertices: u32) -> u64 {
    let id_bits = id_bits(vertices);
    u64::from(vertices) << id_bits | ((1 << id_bits) - 1)
}

/// The bits of keys that a partition leaves, and the bins above them, for `keys` keys of a graph.
pub fn plan(vertices: u32, keys: u32) -> (u32, u32) {
    let greatest = greatest_key(vertices);
    let bits = 64 - greatest.leading_zeros();
    let mut shift = bits;
    while shift > 0 {
        let next = shift - 1;
        let bins = (greatest >> next) + 1;
        if bins > u64::from(MAX_BINS) {
            break;
        }
        // A bucket is to fill three quarters of its room; few keys make about as many buckets as a
        // GPU has multiprocessors. Narrow rests are worth more bins.
        let has_room = keys / (capacity(shift) * 3 / 4) < (greatest >> shift) as u32;
        if (greatest >> shift) + 1 >= 64 && has_room && shift <= 32 {
            break;
        }
        shift = next;
    }
    (shift, (greatest >> shift) as u32 + 1)
}

/// Blocks of a partition of so many keys: one for each tile, and one that lists.
pub fn tiles(keys: u32, shift: u32) -> u32 {
    keys.div_ceil(parent::tile_of(shift)) + 1
}

/// Splits of bins whose rests have so many bits.
pub fn splits(shift: u32) -> u32 {
    shift.div_ceil(SPLIT_BITS)
}

/// Large bins of a level, at the most.
pub fn max_slots(keys: u32, shift: u32) -> u32 {
    keys / room(keys, shift)
}

/// Bytes for buckets, lists of large bins, and the counters of these, for up to `keys` keys. A plan
/// for fewer keys has rests of at least as many bits, so that the widest ones count.
pub fn list_bytes(vertices: u32, keys: u32) -> [usize; 3] {
    let (shift, _) = plan(vertices, 0);
    let slots = max_slots(keys, shift).max(FEW_SLOTS) as usize;
    // The bins of the partition, and four for each half bucket of keys that a split moves.
    let halves = (2 * (keys / capacity(shift))).max(2 * FEW_SLOTS) as usize + 1;
    let buckets = MAX_BINS as usize + 4 * splits(shift) as usize * halves;
    [
        buckets * size_of::<Bucket>(),
        2 * slots * size_of::<LargeBin>(),
        splits(shift) as usize * slots * 4 * SLOT_WORDS as usize,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_bin_and_splits_end() {
        for vertices in [1, 2, 3, 1000, 1 << 20, 1_100_000, 3_500_000, u32::MAX >> 1] {
            for keys in [1, 1000, 200_000, 20_000_000, 1 << 31] {
                let (shift, bins) = plan(vertices, keys);
                assert_eq!(bins, (greatest_key(vertices) >> shift) as u32 + 1);
                assert!(bins <= MAX_BINS, "{vertices} {keys}");
                let slots = max_slots(keys, shift) as usize;
                let [_, large, _] = list_bytes(vertices, keys.max(1 << 20));
                assert!(2 * slots * size_of::<LargeBin>() <= large || keys > 1 << 20);
                // The claims of one list follow its number of buckets.
                let lists = splits(shift) + 1;
                assert!(lists < PROGRESS_WORDS, "{vertices} {keys} {shift}");
            }
        }
    }
}
