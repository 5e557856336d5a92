//! The metadata of a chunk, 128 bytes in a table that no payload ever touches.

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::Arena;
use crate::allocators::ouroboros::parameters::{
    FIRST_BITS, MAX_PAGES_BITS, METADATA_BYTES, Parameters,
};

/// Words of a chunk's metadata; the bits of its pages follow.
#[derive(Clone, Copy)]
pub enum Word {
    /// The owner of the chunk: see [`super::owner`].
    Owner = 0,
    /// Chunks of the run that starts here.
    Length = 1,
    /// Free pages that have bits ([`crate::allocators::ouroboros::bits`]).
    State = 2,
    /// The next chunk of a stack, or of a linked queue.
    Next = 3,
    /// The queue, and the number in it, of a chunk that holds entries
    /// ([`crate::allocators::ouroboros::queue`]).
    Tag = 4,
    /// Entries of a queue's chunk that were dequeued.
    Dequeued = 5,
}

/// The offset, in the metadata of a chunk, of a word of 64 bits that is not about this
/// chunk: see [`Arena::skip_pointer`]. It ends where the bits begin.
const SKIP_POINTER: u64 = FIRST_BITS as u64 * 4 - 8;

/// The offset, in the metadata of a chunk, of its state, if it is shared: behind the bits.
const SHARED_STATE: u64 = {
    let behind = FIRST_BITS as u64 * 4 + (1 << MAX_PAGES_BITS) / 8;
    assert!(behind.is_multiple_of(8) && behind + 8 <= METADATA_BYTES);
    behind
};

impl<P: Parameters> Arena<P> {
    /// A word of a chunk's metadata.
    ///
    /// # Safety
    ///
    /// `chunk` is below `chunks`.
    #[inline(always)]
    pub(in super::super) unsafe fn meta(&self, chunk: u32, word: Word) -> &AtomicU32 {
        let offset = u64::from(chunk) * METADATA_BYTES + word as u64 * 4;
        // SAFETY: the table has this word for each chunk, and the chunk is one of them.
        unsafe { &*self.metadata.add(offset as usize).cast() }
    }

    /// The skip pointer of a tag: a word of the table that maps the tags of linked queues'
    /// chunks to the chunks. Each chunk's metadata have room for one, so that the table is
    /// as large as a heap may need, and takes no memory.
    #[inline(always)]
    pub(in super::super) fn skip_pointer(&self, tag: u32) -> &AtomicU64 {
        // The largest power of two that is at most the number of chunks, less 1.
        let index = tag & (((1 << self.reuse_bits) - 1) >> 1);
        let offset = u64::from(index) * METADATA_BYTES + SKIP_POINTER;
        // SAFETY: the table has this word for each chunk, and the index is below their number.
        unsafe { &*self.metadata.add(offset as usize).cast() }
    }

    /// The state of a chunk that is shared (`shared`).
    ///
    /// # Safety
    ///
    /// `chunk` is below `chunks`.
    #[inline(always)]
    pub(in super::super) unsafe fn shared_state(&self, chunk: u32) -> &AtomicU64 {
        let offset = u64::from(chunk) * METADATA_BYTES + SHARED_STATE;
        // SAFETY: the table has this word for each chunk, and the chunk is one of them.
        unsafe { &*self.metadata.add(offset as usize).cast() }
    }

    /// 32 of the bits that a chunk has for its pages.
    ///
    /// # Safety
    ///
    /// `chunk` is below `chunks`, and `index` below `1 << (MAX_PAGES_BITS - 5)`.
    #[inline(always)]
    pub(in super::super) unsafe fn bits(&self, chunk: u32, index: u32) -> &AtomicU32 {
        let offset = u64::from(chunk) * METADATA_BYTES + u64::from(FIRST_BITS + index) * 4;
        // SAFETY: as above; the words that the most pages of a chunk need are behind the first.
        unsafe { &*self.metadata.add(offset as usize).cast() }
    }
}
