//! The words of the tables: buffers, and the records of segments.

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::Gallatin;
use crate::allocators::number::numbers;

/// The class of what has none: a block at rest, the count of one that is closed.
pub const NO_CLASS: u32 = 31;
/// The class of a run of segments.
pub const RUN: u32 = 30;

numbers! {
    /// The number of a segment of the heap.
    Segment: "below `layout.segments`";
    /// A class whose slices are parts of a block: the logarithm of a slice's units.
    SliceClass: "below `layout.sliced()`";
}

/// A block of the heap: its segment, and its number in it.
#[derive(Clone, Copy)]
pub struct Block {
    segment: Segment,
    number: u32,
}

impl Block {
    /// Block `number` of a segment.
    ///
    /// # Safety
    ///
    /// The segment has a block of this number.
    #[inline(always)]
    pub unsafe fn new(segment: Segment, number: u32) -> Self {
        Self { segment, number }
    }

    /// The segment.
    #[inline(always)]
    pub fn segment(self) -> Segment {
        self.segment
    }

    /// The number in it.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.number
    }
}

impl Gallatin {
    /// The block with this number.
    ///
    /// # Safety
    ///
    /// The number is that of a block: its segment is below `layout.segments`.
    #[inline(always)]
    pub(super) unsafe fn block(&self, id: u32) -> Block {
        let bits = self.layout.blocks_bits();
        Block {
            segment: Segment(id >> bits),
            number: id & ((1 << bits) - 1),
        }
    }

    /// The number of a block.
    #[inline(always)]
    pub(super) fn id(&self, block: Block) -> u32 {
        block.segment.0 << self.layout.blocks_bits() | block.number
    }

    /// The first unit of a block.
    #[inline(always)]
    pub(super) fn first_unit(&self, block: Block) -> u32 {
        (block.segment.0 << self.layout.segment_bits) + (block.number << self.layout.block_bits())
    }

    /// A buffer.
    ///
    /// # Safety
    ///
    /// `index` is one that `layout.buffer` returned for a sliced class.
    #[inline(always)]
    pub(super) unsafe fn buffer(&self, index: u32) -> &AtomicU64 {
        // SAFETY: the tables begin with the buffers.
        unsafe { &*self.tables.cast::<AtomicU64>().add(index as usize) }
    }

    /// The count of blocks in buffers.
    #[inline(always)]
    pub(super) fn buffered(&self) -> &AtomicU32 {
        // SAFETY: `plan` placed it there.
        unsafe { &*self.tables.add(self.layout.count_at() as usize).cast() }
    }

    /// A part of a segment's record, `at` bytes behind its beginning.
    ///
    /// # Safety
    ///
    /// The part is within the record.
    #[inline(always)]
    unsafe fn record(&self, segment: Segment, at: u32) -> *mut u8 {
        let offset = u64::from(segment.0) * u64::from(self.layout.record_bytes()) + u64::from(at);
        // SAFETY: `plan` placed the records of all segments there.
        unsafe { self.records.add(offset as usize) }
    }

    /// Where the words behind the blocks' states begin in a record.
    #[inline(always)]
    fn behind_states(&self) -> u32 {
        self.layout.bits_bytes() + (8 << self.layout.blocks_bits())
    }

    /// The bits of a block's slices, from word `word` on.
    ///
    /// # Safety
    ///
    /// `word` is one of the block's words.
    #[inline(always)]
    pub(super) unsafe fn bits(&self, block: Block, word: u32) -> *const AtomicU32 {
        let at = (block.number << (self.layout.block_bits() - 3)) + 4 * word;
        // SAFETY: a record begins with the bits of its blocks, one for each unit.
        unsafe { self.record(block.segment, at).cast() }
    }

    /// The state of a block: [`super::blocks`].
    #[inline(always)]
    pub(super) fn state(&self, block: Block) -> &AtomicU64 {
        let at = self.layout.bits_bytes() + 8 * block.number;
        // SAFETY: a record has a state for each block: an aligned word that is always atomic, as
        // all of these.
        unsafe { &*self.record(block.segment, at).cast() }
    }

    /// The count of a block's claimed slices: [`super::blocks`].
    #[inline(always)]
    pub(super) fn count(&self, block: Block) -> &AtomicU32 {
        let at = self.behind_states() + 16 + 4 * block.number;
        // SAFETY: as for `state`.
        unsafe { &*self.record(block.segment, at).cast() }
    }

    /// The word of a segment: [`super::segments`].
    #[inline(always)]
    pub(super) fn segment(&self, segment: Segment) -> &AtomicU32 {
        // SAFETY: as for `state`.
        unsafe { &*self.record(segment, self.behind_states()).cast() }
    }

    /// A bit for each block of a segment that is said to have free slices.
    #[inline(always)]
    pub(super) fn hinted(&self, segment: Segment) -> &AtomicU32 {
        // SAFETY: as for `state`.
        unsafe { &*self.record(segment, self.behind_states() + 4).cast() }
    }

    /// The segments of the run that begins with this one.
    #[inline(always)]
    pub(super) fn run_length(&self, segment: Segment) -> &AtomicU32 {
        // SAFETY: as for `state`.
        unsafe { &*self.record(segment, self.behind_states() + 8).cast() }
    }
}
