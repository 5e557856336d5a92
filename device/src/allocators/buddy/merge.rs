//! When buddies are merged: not at once, but before a request is refused.
//!
//! A level whose blocks are freed will be asked for such blocks again. If every pair of free
//! buddies were merged, and so on up to the root, each request would split a block on all
//! levels again. So a pair stays as it is, and its group is *named*: written to a slot
//! of a table of its level, of at most 4096 names, that follows from the group's number. If
//! another group is named there, that one's pairs are merged now, and what becomes of them on
//! the level above is dealt with alike. Thus
//!
//! - *a group with a pair is named, or a thread is about to name it or to merge its pairs*;
//! - no level has more unmerged pairs than those of 4096 groups;
//! - a request that finds no block that is large enough on any level merges all of the levels
//!   below ([`BuddyAlloc::sweep`]), from the lowest on, and looks again. With no other call in
//!   progress all free buddies of these levels are merged then, as in the paper.
//!
//! This is a lazy buddy system (Barkley and Lee, A Lazy Buddy System Bounded by Two
//! Coalescing Delays, 1989) with a bound for many threads. A name may be of a group that
//! has lost its pair: it is looked at in vain.
//!
//! | operation | order | why |
//! |---|---|---|
//! | swap in `name` | release | who gets the name finds the pair in the group's word |
//! | | acquire | the pair of the group that was named there is found |
//! | swap in `sweep` | acquire | the same |
//! | counts of names | relaxed | a hint while others are in progress |
//!
//! To name a group that is named already is a swap, too, not a load: a thread that takes
//! the name after the swap finds the new pair, and one that took it before leaves 0.
//!
//! *How long it takes*: a free merges the pairs of one group a level at most. A sweep is of 4096
//! names a level at most.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use cuda_std::atomic::{self, AtomicU32};

use super::BuddyAlloc;
use super::groups::{halved, pairs};
use super::layout::{GROUP_BLOCKS, LEVELS, Level, NONE, ROW_NAMES, table};
use crate::allocators::common::bits_of;
use crate::simt::Warp;

/// Names that are loaded together.
type Row = [AtomicU32; ROW_NAMES as usize];

/// A name of a row.
///
/// # Safety
///
/// `index` is below [`ROW_NAMES`].
#[inline(always)]
unsafe fn name_of(row: &Row, index: u32) -> &AtomicU32 {
    // SAFETY: a row has so many names.
    unsafe { &*row.as_ptr().add(index as usize) }
}

impl BuddyAlloc {
    /// The count of a level's names.
    #[inline(always)]
    fn named(&self, level: Level) -> &AtomicU32 {
        // SAFETY: the table has a word for each level.
        unsafe {
            let table = self.tables.add(table::NAMED).cast::<AtomicU32>();
            &*table.add(level.number() as usize)
        }
    }

    /// A row of names.
    ///
    /// # Safety
    ///
    /// `row` is below `layout.all_rows()`.
    #[inline(always)]
    unsafe fn names(&self, row: u32) -> &Row {
        // SAFETY: so many rows lie there, at multiples of 64 bytes.
        unsafe { &*self.names.cast::<Row>().add(row as usize) }
    }

    /// Names a group that has a pair: the group that was named in its slot, whose pairs are the
    /// caller's to merge, or [`NONE`].
    ///
    /// # Safety
    ///
    /// `group` is one of level `level`.
    #[inline(always)]
    unsafe fn name(&self, level: Level, group: u32) -> u32 {
        let number = level.number();
        let index = group & (ROW_NAMES * self.layout.name_rows(number) - 1);
        // SAFETY: the level has so many names.
        unsafe {
            let row = self.names(self.layout.first_row(number) + index / ROW_NAMES);
            let name = name_of(row, index % ROW_NAMES);
            // Acquire and release: see the module.
            let before = name.swap(group + 1, AcqRel);
            if before == 0 {
                // Relaxed: see the module.
                self.named(level).fetch_add(1, Relaxed);
            }
            if before == group + 1 {
                return NONE;
            }
            before.wrapping_sub(1)
        }
    }

    /// Gives blocks of a group back. A free buddy of one stays as it is unless another
    /// group's pairs are unmerged in its stead.
    ///
    /// # Safety
    ///
    /// The caller owns the blocks, which are of a group of level `level`, and gives them up.
    #[inline(always)]
    pub(super) unsafe fn give<W: Warp>(&self, warp: W, level: Level, group: u32, bits: u32) {
        if bits == 0 {
            return;
        }
        // SAFETY: the blocks of the group are ours, and named ones are groups.
        unsafe {
            // Relaxed: what sets the bits releases it to who takes the blocks and counts them
            // off.
            self.free_count(level).fetch_add(bits.count_ones(), Relaxed);
            if self.put_blocks(warp, level, group, bits) {
                let other = self.name(level, group);
                if other != NONE {
                    self.merge(warp, level, other);
                }
            }
        }
    }

    /// Merges the pairs of a group.
    ///
    /// # Safety
    ///
    /// `group` is one of level `level`, and its name was the caller's to take.
    #[inline(always)]
    unsafe fn merge<W: Warp>(&self, warp: W, level: Level, group: u32) {
        let layout = self.layout.to_bits();
        // SAFETY: the parts of this heap, and a group of the level.
        unsafe { outlined(warp, self.tables, self.names, layout, level, group) }
    }

    /// The same, for the group that is then named in place of another, and so on.
    ///
    /// # Safety
    ///
    /// As for [`Self::merge`].
    #[inline(always)]
    unsafe fn merge_all<W: Warp>(&self, warp: W, level: Level, mut group: u32) {
        let mut level = level.number();
        loop {
            // SAFETY: a group of the level, as named ones are.
            let first = unsafe { self.unpair(warp, Level::new(level), group) };
            if first == 0 {
                return;
            }
            let (from, taken) = (level, 2 * first.count_ones());
            let mut up = first;
            let mut bits;
            // As long as all are buddies of each other they are not seen on the levels between.
            loop {
                bits = halved(up) << (GROUP_BLOCKS / 2 * (group & 1));
                group /= 2;
                level += 1;
                up = pairs(bits);
                if up | up << 1 != bits {
                    break;
                }
            }
            // SAFETY: two buddies are in the pool, so that the block of both is, and has a
            // level and a group.
            unsafe {
                let (from, level) = (Level::new(from), Level::new(level));
                // Relaxed, both: after the exchange that took the blocks, before which they were
                // counted; and before what sets the bits of those that they become.
                self.free_count(level).fetch_add(bits.count_ones(), Relaxed);
                self.free_count(from)
                    .fetch_add(taken.wrapping_neg(), Relaxed);
                if !self.put_blocks(warp, level, group, bits) {
                    return;
                }
                group = self.name(level, group);
            }
            if group == NONE {
                return;
            }
        }
    }

    /// Merges all pairs of the levels below `end`, and of these what they become.
    #[inline(always)]
    pub(super) fn sweep<W: Warp>(&self, warp: W, end: Level) {
        for number in 0..end.number() {
            // SAFETY: a level, its rows, and a name of a row. The named item is a group.
            unsafe {
                let level = Level::new(number);
                // Relaxed: see the module.
                if self.named(level).load(Relaxed) == 0 {
                    continue;
                }
                let first = self.layout.first_row(number);
                for row in first..first + self.layout.name_rows(number) {
                    let names = self.names(row);
                    // Relaxed: a hint; the swap decides.
                    let mut bits = bits_of(atomic::load_row(names), |name| name != 0);
                    while bits != 0 {
                        let name = name_of(names, bits.trailing_zeros());
                        bits &= bits - 1;
                        // Acquire: see the module.
                        let group = name.swap(0, Acquire);
                        if group != 0 {
                            self.merge(warp, level, group - 1);
                            // Relaxed: see the module. Behind the merge, so that others
                            // look again meanwhile.
                            self.named(level).fetch_add(u32::MAX, Relaxed);
                        }
                    }
                }
            }
        }
    }

    /// This thread's part of leaving no names.
    ///
    /// # Safety
    ///
    /// As for [`Allocator::init`](crate::allocator::Allocator::init).
    pub(super) unsafe fn init_names<W: Warp>(&self, warp: W) {
        let mut row = warp.thread();
        while row < self.layout.all_rows() {
            // SAFETY: a row of the table; nothing else uses the heap.
            let names = unsafe { self.names(row) };
            for name in names {
                // Relaxed, here and below: later launches use it.
                name.store(0, Relaxed);
            }
            row += warp.threads();
        }
        if warp.thread() == 0 {
            for level in 0..LEVELS {
                // SAFETY: a level of the table.
                self.named(unsafe { Level::new(level) }).store(0, Relaxed);
            }
        }
    }
}

/// [`BuddyAlloc::merge_all`], out of line: it is rare, and as long as the rest of `free`.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap; otherwise as for that.
#[inline(never)]
unsafe fn outlined<W: Warp>(
    warp: W,
    tables: *mut u8,
    names: *mut u8,
    layout: u64,
    level: Level,
    group: u32,
) {
    // SAFETY: the parts of a heap, and a group of the level.
    unsafe { BuddyAlloc::without_blocks(tables, names, layout).merge_all(warp, level, group) }
}
