//! The metadata of a chunk, 128 bytes in a table that no payload ever touches.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::{Arena, Chunk, Class};
use crate::allocators::ouroboros::parameters::{
    FIRST_BITS, MAX_PAGES_BITS, METADATA_BYTES, Parameters,
};

/// Words of a chunk's metadata; the bits of its pages follow.
#[derive(Clone, Copy)]
pub enum Word {
    /// The owner of the chunk: see [`Arena::owner`].
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

/// The owner of a chunk: the class of its pages, or another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Owner(u32);

impl Owner {
    /// The chunk is free, or inside a run, or holds a queue's entries.
    pub const NO_CLASS: Self = Self(u32::MAX);
    /// The chunk is the first of a run that is one block.
    pub const RUN: Self = Self(u32::MAX - 1);

    /// A class.
    #[inline(always)]
    pub fn new(class: Class) -> Self {
        Self(class.number())
    }

    /// The class.
    ///
    /// # Safety
    ///
    /// It is none of the others.
    #[inline(always)]
    pub unsafe fn class(self) -> Class {
        // SAFETY: made of a class, of the instance that divided the chunk.
        unsafe { Class::new(self.0) }
    }
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
    #[inline(always)]
    pub(in super::super) fn meta(&self, chunk: Chunk, word: Word) -> &AtomicU32 {
        let offset = u64::from(chunk.number()) * METADATA_BYTES + word as u64 * 4;
        // SAFETY: the table has this word for each chunk.
        unsafe { &*self.metadata.add(offset as usize).cast() }
    }

    /// The owner of a chunk.
    #[inline(always)]
    pub(in super::super) fn owner(&self, chunk: Chunk) -> Owner {
        // Relaxed: a thread that has a block of the chunk got it by synchronisation
        // with the thread that divided the chunk; for others this is a hint.
        Owner(self.meta(chunk, Word::Owner).load(Relaxed))
    }

    /// Records the owner of a chunk. Relaxed: others reach the chunk by its pages, or when it is
    /// available or free.
    #[inline(always)]
    pub(in super::super) fn set_owner(&self, chunk: Chunk, owner: Owner) {
        self.meta(chunk, Word::Owner).store(owner.0, Relaxed);
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
    #[inline(always)]
    pub(in super::super) fn shared_state(&self, chunk: Chunk) -> &AtomicU64 {
        let offset = u64::from(chunk.number()) * METADATA_BYTES + SHARED_STATE;
        // SAFETY: the table has this word for each chunk.
        unsafe { &*self.metadata.add(offset as usize).cast() }
    }

    /// 32 of the bits that a chunk has for its pages.
    ///
    /// # Safety
    ///
    /// `index` is below `1 << (MAX_PAGES_BITS - 5)`.
    #[inline(always)]
    pub(in super::super) unsafe fn bits(&self, chunk: Chunk, index: u32) -> &AtomicU32 {
        let offset = u64::from(chunk.number()) * METADATA_BYTES + u64::from(FIRST_BITS + index) * 4;
        // SAFETY: as above; the words that the most pages of a chunk need are behind the first.
        unsafe { &*self.metadata.add(offset as usize).cast() }
    }
}
