//! The contents of chunks: blocks, and entries of queues.

use cuda_std::atomic::AtomicU32;
use cuda_std::mem;

use super::{Arena, Chunk, Class, EMPTY};
use crate::allocators::common::MIN_UNIT_SHIFT;
use crate::allocators::ouroboros::parameters::Parameters;

impl<P: Parameters> Arena<P> {
    /// Where a chunk lies behind the start of the blocks.
    #[inline(always)]
    fn chunk_offset(&self, chunk: Chunk) -> u64 {
        u64::from(chunk.number()) << (P::CHUNK_BITS + self.scale_bits)
    }

    /// Bytes of a request as if the heap were not scaled ([`super::geometry`]).
    #[inline(always)]
    pub(in super::super) fn scaled(&self, bytes: u64) -> u64 {
        (bytes.saturating_sub(1) >> self.scale_bits) + 1
    }

    /// An entry of a queue that is stored in `chunk`.
    ///
    /// # Safety
    ///
    /// `index` is below `1 << P::ENTRY_BITS`. As long as the reference is used, the chunk holds
    /// entries of a queue, or is the caller's own.
    #[inline(always)]
    pub(in super::super) unsafe fn entry(&self, chunk: Chunk, index: u32) -> &AtomicU32 {
        let offset = self.chunk_offset(chunk) + u64::from(index) * 4;
        // SAFETY: inside the chunk, which is the queue's.
        unsafe { &*self.blocks.add(offset as usize).cast() }
    }

    /// Makes the entries `4 * four` to `4 * four + 3` of a chunk empty slots, at once: the
    /// chunk is the caller's alone, and published after that.
    ///
    /// # Safety
    ///
    /// The chunk is the caller's alone, and `four` is below `1 << (P::ENTRY_BITS - 2)`.
    #[inline(always)]
    pub(in super::super) unsafe fn empty_entries(&self, chunk: Chunk, four: u32) {
        const { assert!(EMPTY == u32::MAX) };
        let offset = self.chunk_offset(chunk) + u64::from(four) * 16;
        // SAFETY: inside the chunk, aligned as the pool is, and no other thread has the chunk.
        unsafe {
            let entries: *mut u128 = self.blocks.add(offset as usize).cast();
            mem::write(entries, u128::MAX);
        }
    }

    /// The address of a block.
    #[inline(always)]
    pub fn address(&self, block: u32) -> *mut u8 {
        self.blocks
            .wrapping_add((block as usize) << (MIN_UNIT_SHIFT + self.scale_bits))
    }

    /// The block that page `page` of `chunk` is, for pages of `class`.
    #[inline(always)]
    pub fn block(&self, class: Class, chunk: u32, page: u32) -> u32 {
        (chunk << P::UNIT_BITS) + (page << (P::PAGE_BITS + class.number() - 4))
    }

    /// The chunk of a block.
    ///
    /// # Safety
    ///
    /// `block` is a block of the heap.
    #[inline(always)]
    pub unsafe fn chunk_of(&self, block: u32) -> Chunk {
        // SAFETY: blocks lie in chunks.
        unsafe { Chunk::new(block >> P::UNIT_BITS) }
    }

    /// Which page of its chunk a block of `class` is.
    #[inline(always)]
    pub fn page_of(&self, class: Class, block: u32) -> u32 {
        (block & ((1 << P::UNIT_BITS) - 1)) >> (P::PAGE_BITS + class.number() - 4)
    }
}
