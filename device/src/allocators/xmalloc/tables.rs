//! The words behind the superblocks.
//!
//! A superblock's word is [`UNUSED`] (in the map, or inside a run), [`RUN`] (the first of a run),
//! or its class and, in the low half, how many of its basic blocks are home.
//!
//! Each class has a line of words: head and tail of its bin, how far its superblock is cut, an
//! estimate of its home blocks, and head and tail of the queue of superblocks with home blocks.
//! The line behind those of the classes is the heap's.

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::XMalloc;
use super::fifo::Fifo;
use super::layout::LINE_BYTES;
use crate::allocators::number::numbers;

/// The word of a superblock that is not cut and begins no run.
pub const UNUSED: u32 = 0;
/// The word of the first superblock of a run.
pub const RUN: u32 = 1 << 31;
/// Bits of a word for the home blocks.
const HOME_MASK: u32 = 0xffff;
const CLASS_SHIFT: u32 = 16;
/// No superblock.
pub const NONE: u32 = u32::MAX;

numbers! {
    /// A class of the heap.
    Class: "below `layout.classes()`";
    /// The number of a superblock of the heap.
    Superblock: "below `layout.superblocks`";
}

/// The word of a superblock of this class with so many home blocks.
#[inline(always)]
pub fn word_of(class: Class, home: u32) -> u32 {
    (class.0 + 1) << CLASS_SHIFT | home
}

/// The class of a superblock with this word; more than any if it is not cut.
#[inline(always)]
pub fn class_in(word: u32) -> u32 {
    if word == RUN {
        return NONE;
    }
    (word >> CLASS_SHIFT).wrapping_sub(1)
}

/// Its home blocks, if it is cut.
#[inline(always)]
pub fn home_in(word: u32) -> u32 {
    word & HOME_MASK
}

/// Words of a class's line, in bytes from its start.
const HEAD: u64 = 0;
const TAIL: u64 = 32;
const CUT: u64 = 64;
const HOME_COUNT: u64 = 72;
const HOME_HEAD: u64 = 96;
const HOME_TAIL: u64 = 100;
/// Words of the heap's line; its head and tail are those of the queue of unused superblocks.
const FRONTIER: u64 = 64;
const UNUSED_COUNT: u64 = 68;
const PLACE: u64 = 96;
const RUN_PLACE: u64 = 100;

impl XMalloc {
    /// A word of a class's line, or of the heap's.
    ///
    /// # Safety
    ///
    /// `class` is at most `layout.classes()`, and `word` one of the words of the line.
    #[inline(always)]
    unsafe fn line<T>(&self, class: u32, word: u64) -> *const T {
        // SAFETY: `plan` placed the lines at the start of the queues.
        unsafe {
            self.queues
                .add((u64::from(class) * LINE_BYTES + word) as usize)
                .cast()
        }
    }

    /// The bin of a class.
    #[inline(always)]
    pub(super) fn bin(&self, class: Class) -> Fifo {
        // SAFETY: a class of the heap.
        unsafe { self.queue(class.0) }
    }

    /// The queue of a line.
    ///
    /// # Safety
    ///
    /// `class` is a class of the heap; or the number of classes, whose line is the heap's.
    #[inline(always)]
    unsafe fn queue(&self, class: u32) -> Fifo {
        let bits = self.layout.bin_bits;
        let offset = self.layout.bins_offset() + (u64::from(class) << (bits + 3));
        // SAFETY: `plan` placed the words of this line there, and `init` makes the queue ready.
        unsafe {
            let slots = self.queues.add(offset as usize).cast();
            Fifo::new(self.line(class, HEAD), self.line(class, TAIL), slots, bits)
        }
    }

    /// The queue of unused superblocks: hints, which the map confirms.
    #[inline(always)]
    pub(super) fn unused(&self) -> Fifo {
        // SAFETY: the number of classes.
        unsafe { self.queue(self.layout.classes()) }
    }

    /// The queue of superblocks of a class that have home blocks: hints.
    #[inline(always)]
    pub(super) fn homes(&self, class: Class) -> Fifo {
        let class = class.0;
        let bits = self.layout.home_bits();
        let offset = self.layout.homes_offset() + (u64::from(class) << (bits + 3));
        // SAFETY: as for `queue`.
        unsafe {
            let slots = self.queues.add(offset as usize).cast();
            let (head, tail) = (self.line(class, HOME_HEAD), self.line(class, HOME_TAIL));
            Fifo::new(head, tail, slots, bits)
        }
    }

    /// How far the superblock of a class is cut: `superblock << 32 | blocks`.
    #[inline(always)]
    pub(super) fn cut(&self, class: Class) -> &AtomicU64 {
        // SAFETY: a word of the class's line, which is aligned, and always atomic.
        unsafe { &*self.line(class.0, CUT) }
    }

    /// How many blocks of a class are home, roughly while they change.
    #[inline(always)]
    pub(super) fn home_count(&self, class: Class) -> &AtomicU32 {
        // SAFETY: as for `cut`.
        unsafe { &*self.line(class.0, HOME_COUNT) }
    }

    /// The first superblock that has never been taken off the front of the pool.
    #[inline(always)]
    pub(super) fn frontier(&self) -> &AtomicU32 {
        // SAFETY: a word of the heap's line.
        unsafe { &*self.line(self.layout.classes(), FRONTIER) }
    }

    /// How many superblocks are unused, roughly while they change.
    #[inline(always)]
    pub(super) fn unused_count(&self) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &*self.line(self.layout.classes(), UNUSED_COUNT) }
    }

    /// Where the next search for an unused superblock begins: a hint below their number.
    #[inline(always)]
    pub(super) fn place(&self) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &*self.line(self.layout.classes(), PLACE) }
    }

    /// Where the next search for a run begins, modulo the superblocks: a hint.
    #[inline(always)]
    pub(super) fn run_place(&self) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &*self.line(self.layout.classes(), RUN_PLACE) }
    }

    /// The word of a superblock.
    #[inline(always)]
    pub(super) fn word(&self, superblock: Superblock) -> &AtomicU32 {
        // SAFETY: a superblock of the heap.
        unsafe { self.word_at(superblock.0) }
    }

    /// A word of the rows of superblocks.
    ///
    /// # Safety
    ///
    /// `superblock` is below `layout.superblocks`, or of the last row.
    #[inline(always)]
    pub(super) unsafe fn word_at(&self, superblock: u32) -> &AtomicU32 {
        // SAFETY: rows are whole; an aligned word that is always atomic.
        unsafe { &*self.tables.cast::<AtomicU32>().add(superblock as usize) }
    }

    /// The words of 16 superblocks from `superblock` on, which is a multiple of 16.
    ///
    /// # Safety
    ///
    /// As for [`Self::word_at`].
    #[inline(always)]
    pub(super) unsafe fn word_row(&self, superblock: u32) -> &[AtomicU32; 16] {
        // SAFETY: as for `word_at`; rows are 64-byte aligned.
        unsafe { &*self.tables.add(4 * superblock as usize).cast() }
    }

    /// The word of the map with the bit of a superblock.
    ///
    /// # Safety
    ///
    /// `superblock` is below `layout.superblocks`, or of the last row of the map.
    #[inline(always)]
    pub(super) unsafe fn map(&self, superblock: u32) -> &AtomicU32 {
        let offset = self.layout.map_offset() + 4 * u64::from(superblock / 32);
        // SAFETY: as for `word_at`.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// The words of the map of 512 superblocks from `superblock` on, which is a multiple of that.
    ///
    /// # Safety
    ///
    /// As for [`Self::map`].
    #[inline(always)]
    pub(super) unsafe fn map_row(&self, superblock: u32) -> &[AtomicU32; 16] {
        let offset = self.layout.map_offset() + u64::from(superblock / 8);
        // SAFETY: as for `word_row`.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// The bits of 32 basic blocks of a superblock, from number `32 * group` on: set of those
    /// that are home, and of no others. Of a run's first superblock the first word is its length.
    ///
    /// # Safety
    ///
    /// `group` is below a 32nd of the units of a superblock.
    #[inline(always)]
    pub(super) unsafe fn bits(&self, superblock: Superblock, group: u32) -> &AtomicU32 {
        let bytes = u64::from(superblock.0) << self.layout.unit_bits() >> 3;
        let offset = self.layout.bits_offset() + bytes + 4 * u64::from(group);
        // SAFETY: a superblock has a bit for each unit; an aligned word that is always atomic.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }
}
