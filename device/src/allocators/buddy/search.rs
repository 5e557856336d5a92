//! How a request finds a block: on its own level, or above it, by splitting.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{self, AtomicU32};

use super::BuddyAlloc;
use super::groups::lowest;
use super::layout::{GROUP_BLOCKS, LEVELS, NONE, table};
use crate::simt::{Backoff, Warp};

/// How often a request looks at all levels in vain, though something is counted free, before it
/// is refused. On a GPU that is a millisecond, as pauses grow to 4 microseconds.
pub const MOST_LOOKS: u32 = 256;

/// Blocks of a level that a request has taken: they are in one group.
#[derive(Clone, Copy)]
pub struct Taken {
    /// The group.
    pub group: u32,
    /// A bit for each block; 0 if there is none.
    pub bits: u32,
}

impl Taken {
    /// None.
    pub const NOTHING: Self = Self { group: 0, bits: 0 };

    /// The blocks in a word, for a shuffle.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        u64::from(self.group) << 32 | u64::from(self.bits)
    }

    /// The blocks of these bits.
    #[inline(always)]
    pub fn from_bits(bits: u64) -> Self {
        Self {
            group: (bits >> 32) as u32,
            bits: bits as u32,
        }
    }
}

/// A bit for each word of a row for which `is_set` holds.
#[inline(always)]
fn bits_of(row: [[u32; 4]; 4], is_set: impl Fn(u32) -> bool) -> u32 {
    let [a, b, c, d] = row;
    let four = |words: [u32; 4]| {
        u32::from(is_set(words[0]))
            | u32::from(is_set(words[1])) << 1
            | u32::from(is_set(words[2])) << 2
            | u32::from(is_set(words[3])) << 3
    };
    four(a) | four(b) << 4 | four(c) << 8 | four(d) << 12
}

impl BuddyAlloc {
    /// A bit for each level of whose word in a table of counts `is_set` holds.
    ///
    /// # Safety
    ///
    /// `table` is one of counts, one a level.
    #[inline(always)]
    unsafe fn levels(&self, table: usize, is_set: impl Fn(u32) -> bool) -> u32 {
        // SAFETY: such a table has two rows of 16 words, at multiples of 64 bytes.
        unsafe {
            let rows = self.tables.add(table).cast::<[AtomicU32; 16]>();
            let low = atomic::load_row(&*rows);
            let high = atomic::load_row(&*rows.add(1));
            bits_of(low, &is_set) | bits_of(high, &is_set) << (LEVELS / 2)
        }
    }

    /// Blocks of `level`, up to `wanted` of them, from 1 to 32; none if the request is refused.
    ///
    /// They are taken off their own level, or else are part of the smallest block above it
    /// that is found. One thread calls this for itself and others.
    ///
    /// # Safety
    ///
    /// `level` is one of the heap.
    #[inline(always)]
    pub(super) unsafe fn find<W: Warp>(&self, warp: W, level: u32, wanted: u32) -> Taken {
        let mut backoff = Backoff::new();
        let (mut looks, mut floor) = (0, level);
        loop {
            // SAFETY: tables of counts.
            // Relaxed: a count is never too low for what comes before this call.
            let [free, listed] = unsafe {
                [
                    self.levels(table::FREE, |count| count != 0),
                    self.levels(table::LISTED, |count| (count as i32) > 0),
                ]
            };
            let free = free >> level << level;
            if free == 0 {
                return Taken::NOTHING;
            }
            let from = (free & listed) >> floor << floor;
            if from == 0 {
                looks += 1;
                if looks == MOST_LOOKS {
                    return Taken::NOTHING;
                }
                floor = level;
                backoff.pause(warp);
                continue;
            }
            let source = from.trailing_zeros();
            // SAFETY: only levels of the heap, which are fewer than `LEVELS`, have counts other
            // than 0; a group that is got is held.
            unsafe {
                let group = self.get(warp, source);
                if group == NONE {
                    // Others were faster. They may be many more than groups, so that this
                    // request goes on above.
                    floor = source + 1;
                    continue;
                }
                let bits = self.take(source, group);
                if bits != 0 {
                    return self.split(warp, source, Taken { group, bits }, level, wanted);
                }
                // The blocks of this group were merged: captured. It is off the queue for that,
                // so that this level can be tried again.
            }
        }
    }

    /// Takes up to `wanted` blocks of level `level` out of those of level `source`: some of them
    /// if the levels are the same, or else parts of one. Everything else is given back.
    ///
    /// # Safety
    ///
    /// The caller owns the blocks, one at least, and `source` is not below `level`.
    #[inline(always)]
    unsafe fn split<W: Warp>(
        &self,
        warp: W,
        source: u32,
        taken: Taken,
        level: u32,
        wanted: u32,
    ) -> Taken {
        let mut is_last = source == level;
        let most = if is_last { wanted } else { 1 };
        let mut made = Taken {
            group: taken.group,
            bits: lowest(taken.bits, most),
        };
        // The least power of two of blocks that are as many as wanted, or what there is.
        let enough = 32 - (wanted - 1).leading_zeros();
        let last = if enough < source - level {
            level + enough
        } else {
            source
        };
        let mut block = made.group * GROUP_BLOCKS + made.bits.trailing_zeros();
        let (mut at, mut group, mut bits) = (source, taken.group, taken.bits & !made.bits);
        loop {
            // SAFETY: the caller's blocks of the level `at`, or parts of one.
            unsafe { self.give(warp, at, group, bits) };
            if is_last {
                break;
            }
            if at == last {
                let first = block << (last - level);
                let all = u32::MAX >> (GROUP_BLOCKS - (1 << (last - level)));
                let all = all << (first % GROUP_BLOCKS);
                group = first / GROUP_BLOCKS;
                made = Taken {
                    group,
                    bits: lowest(all, wanted),
                };
                bits = all & !made.bits;
                at = level;
                is_last = true;
            } else {
                // A pair: the second buddy is given to its level.
                at -= 1;
                block *= 2;
                group = block / GROUP_BLOCKS;
                bits = 2 << (block % GROUP_BLOCKS);
            }
        }
        // Relaxed: after the swap that took the blocks, before which they were counted, and
        // after what is given back of them is counted on its level.
        // SAFETY: a level of the heap.
        unsafe {
            self.free_count(source)
                .fetch_add(taken.bits.count_ones().wrapping_neg(), Relaxed);
        }
        made
    }
}
