//! How a request finds a block: on its own level, or above it, by splitting, or below it, by
//! merging.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{self, AtomicU32};

use super::BuddyAlloc;
use super::groups::lowest;
use super::layout::{GROUP_BLOCKS, LEVELS, Level, NONE, table};
use crate::allocators::common::bits_of;
use crate::simt::{Backoff, Warp};

/// How often a request looks at all levels in vain, though something is counted free, before it
/// is refused.
pub const MAX_LOOKS: u32 = 1024;

/// The logarithm of a group's blocks.
const GROUP_SHIFT: u32 = GROUP_BLOCKS.trailing_zeros();

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
    #[inline(always)]
    pub(super) fn find<W: Warp>(&self, warp: W, level: Level, wanted: u32) -> Taken {
        let taken = self.take_of(warp, level, wanted);
        if taken.bits != 0 {
            let count = taken.bits.count_ones();
            // Relaxed: after the exchange that took the blocks, before which they were counted.
            self.free_count(level)
                .fetch_add(count.wrapping_neg(), Relaxed);
            return taken;
        }
        let layout = self.layout.to_bits();
        // SAFETY: the parts of this heap.
        Taken::from_bits(unsafe { outlined(warp, self.tables, self.names, layout, level, wanted) })
    }

    /// Blocks of a group in a level's queue, up to `wanted` of them; none if all groups are
    /// others'.
    #[inline(always)]
    fn take_of<W: Warp>(&self, warp: W, level: Level, wanted: u32) -> Taken {
        loop {
            let group = self.get(warp, level);
            if group == NONE {
                return Taken::NOTHING;
            }
            // SAFETY: a group that is got is held.
            let bits = unsafe { self.take(warp, level, group, wanted) };
            if bits != 0 {
                return Taken { group, bits };
            }
            // The blocks of this group were merged: captured. It is off the queue for that,
            // so that this level can be tried again.
        }
    }

    /// [`Self::find`] where the level's own queue has nothing.
    #[inline(always)]
    fn search<W: Warp>(&self, warp: W, request: Level, wanted: u32) -> Taken {
        let level = request.number();
        let mut backoff = Backoff::new();
        for _ in 0..MAX_LOOKS {
            // SAFETY: tables of counts.
            // Relaxed: a count is never too low for what comes before this call.
            let [free, listed] = unsafe {
                [
                    self.levels(table::FREE, |count| count != 0) >> level << level,
                    self.levels(table::LISTED, |count| (count as i32) > 0),
                ]
            };
            let mut from = free & listed;
            while from != 0 {
                let source = from.trailing_zeros();
                from &= from - 1;
                let most = if source == level { wanted } else { 1 };
                // SAFETY: only levels of the heap, which are fewer than `LEVELS`, have counts
                // other than 0.
                unsafe {
                    let of_source = Level::new(source);
                    let taken = self.take_of(warp, of_source, most);
                    if taken.bits != 0 {
                        let count = taken.bits.count_ones();
                        let made = self.split(warp, source, taken, level, wanted);
                        // Relaxed: after the exchange that took the blocks, before which they
                        // were counted, and after what is given back of them is counted on
                        // its level.
                        self.free_count(of_source)
                            .fetch_add(count.wrapping_neg(), Relaxed);
                        return made;
                    }
                }
                // Others were faster. They may be many more than groups, so that this request
                // goes on above.
            }
            if free == 0 {
                // SAFETY: a table of counts.
                // Relaxed, as above.
                let named = unsafe { self.levels(table::NAMED, |count| count != 0) };
                if named & ((1 << level) - 1) == 0 {
                    return Taken::NOTHING;
                }
                self.sweep(warp, request);
            }
            backoff.pause(warp);
        }
        Taken::NOTHING
    }

    /// Up to `wanted` blocks of level `level` out of those of level `source`: these themselves if
    /// the levels are the same, or else parts of the one. The other parts are given back.
    ///
    /// The block is cut into 32 parts, and one of these is cut again, until the parts of one are
    /// as many as are wanted. So what is given back is one group for each five levels.
    ///
    /// # Safety
    ///
    /// The caller owns the blocks: one if `source` is above `level`.
    #[inline(always)]
    unsafe fn split<W: Warp>(
        &self,
        warp: W,
        source: u32,
        taken: Taken,
        level: u32,
        wanted: u32,
    ) -> Taken {
        let mut made = taken;
        let mut at = source;
        // The least power of two of blocks that are as many as wanted.
        let enough = 32 - (wanted - 1).leading_zeros();
        while at > level {
            // Down to where a block has as many parts as are wanted, and then to these.
            let mut step = at - level;
            if step > enough {
                step -= enough;
            }
            if step > GROUP_SHIFT {
                step = GROUP_SHIFT;
            }
            at -= step;
            let block = (made.group * GROUP_BLOCKS + made.bits.trailing_zeros()) << step;
            let parts = u32::MAX >> (GROUP_BLOCKS - (1 << step)) << (block % GROUP_BLOCKS);
            let kept = if at == level { wanted } else { 1 };
            made = Taken {
                group: block / GROUP_BLOCKS,
                bits: lowest(parts, kept),
            };
            // SAFETY: parts of the caller's block.
            unsafe { self.give(warp, Level::new(at), made.group, parts & !made.bits) };
        }
        made
    }
}

/// [`BuddyAlloc::search`], out of line: it is rare, and longer than the rest of `malloc`.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap.
#[inline(never)]
unsafe fn outlined<W: Warp>(
    warp: W,
    tables: *mut u8,
    names: *mut u8,
    layout: u64,
    level: Level,
    wanted: u32,
) -> u64 {
    // SAFETY: the parts of a heap.
    let heap = unsafe { BuddyAlloc::without_blocks(tables, names, layout) };
    heap.search(warp, level, wanted).to_bits()
}
