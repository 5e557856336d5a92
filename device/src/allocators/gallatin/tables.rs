//! The words of the tables: buffers, and the records of segments.

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::Gallatin;

/// The class of what has none: a block at rest, the count of one that is closed.
pub const NO_CLASS: u32 = 31;
/// The class of a run of segments.
pub const RUN: u32 = 30;

/// A block: the number of its segment, and in the lowest bits its own in it.
#[derive(Clone, Copy)]
pub struct Block {
    /// The segment.
    pub segment: u32,
    /// The number in it.
    pub number: u32,
}

impl Gallatin {
    /// The block with this number.
    #[inline(always)]
    pub(super) fn block(&self, id: u32) -> Block {
        let bits = self.layout.blocks_bits();
        Block {
            segment: id >> bits,
            number: id & ((1 << bits) - 1),
        }
    }

    /// The number of a block.
    #[inline(always)]
    pub(super) fn id(&self, block: Block) -> u32 {
        block.segment << self.layout.blocks_bits() | block.number
    }

    /// The first unit of a block.
    #[inline(always)]
    pub(super) fn first_unit(&self, block: Block) -> u32 {
        (block.segment << self.layout.segment_bits) + (block.number << self.layout.block_bits())
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
    /// `segment` is below `layout.segments`, and the part is within the record.
    #[inline(always)]
    unsafe fn record(&self, segment: u32, at: u32) -> *mut u8 {
        let offset = u64::from(segment) * u64::from(self.layout.record_bytes()) + u64::from(at);
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
    /// `block` is one of the heap, and `word` one of its words.
    #[inline(always)]
    pub(super) unsafe fn bits(&self, block: Block, word: u32) -> *const AtomicU32 {
        let at = (block.number << (self.layout.block_bits() - 3)) + 4 * word;
        // SAFETY: a record begins with the bits of its blocks, one for each unit.
        unsafe { self.record(block.segment, at).cast() }
    }

    /// The state of a block: [`super::blocks`].
    ///
    /// # Safety
    ///
    /// The block's segment is below `layout.segments`, and its number is one of the record's.
    #[inline(always)]
    pub(super) unsafe fn state(&self, block: Block) -> &AtomicU64 {
        let at = self.layout.bits_bytes() + 8 * block.number;
        // SAFETY: the caller's promise; an aligned word that is always atomic, as all of these.
        unsafe { &*self.record(block.segment, at).cast() }
    }

    /// The count of a block's claimed slices: [`super::blocks`].
    ///
    /// # Safety
    ///
    /// As for [`Self::state`].
    #[inline(always)]
    pub(super) unsafe fn count(&self, block: Block) -> &AtomicU32 {
        let at = self.behind_states() + 16 + 4 * block.number;
        // SAFETY: as for `state`.
        unsafe { &*self.record(block.segment, at).cast() }
    }

    /// The word of a segment: [`super::segments`].
    ///
    /// # Safety
    ///
    /// `segment` is below `layout.segments`.
    #[inline(always)]
    pub(super) unsafe fn segment(&self, segment: u32) -> &AtomicU32 {
        // SAFETY: as for `state`.
        unsafe { &*self.record(segment, self.behind_states()).cast() }
    }

    /// A bit for each block of a segment that is said to have free slices.
    ///
    /// # Safety
    ///
    /// As for [`Self::segment`].
    #[inline(always)]
    pub(super) unsafe fn hinted(&self, segment: u32) -> &AtomicU32 {
        // SAFETY: as for `state`.
        unsafe { &*self.record(segment, self.behind_states() + 4).cast() }
    }

    /// The segments of the run that begins with this one.
    ///
    /// # Safety
    ///
    /// As for [`Self::segment`].
    #[inline(always)]
    pub(super) unsafe fn run_length(&self, segment: u32) -> &AtomicU32 {
        // SAFETY: as for `state`.
        unsafe { &*self.record(segment, self.behind_states() + 8).cast() }
    }
}
