//! The pages of a chunk by bits: a free page has its bit set (Algorithm 5).
//!
//! A word of state counts the free pages that may be claimed. No thread looks for a chunk
//! with a count of 0. The thread that raises the count from 0 becomes the chunk's *holder*
//! and makes the chunk available, in its class's queue or on a stack; the thread that
//! takes it from there is the next holder. Only the holder lowers the count, by one
//! subtraction: if that leaves 0 it is no holder any more, and the next thread that frees
//! a page is. So every chunk with free pages is available once or has one holder, and no
//! thread changes its state late. A thread that has lowered the count by `n` may claim `n`
//! bits, and finds them: bits are set before they are counted.
//!
//! Orders: setting a bit releases the page, clearing it acquires. Raising the
//! count releases the bit to the thread that lowers it, which acquires; and lowering it
//! to 0 releases the chunk to the next holder. Otherwise what a holder did
//! travels with the chunk, through the slot or the head of a stack.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::arena::{Arena, Chunk, Class, Owner, Word};
use super::parameters::{Parameters, pages, pages_bits};
use crate::simt::Warp;

/// The outcome of freeing a page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Freed {
    /// Whether the caller is the chunk's holder now and must make it available.
    pub holds: bool,
    /// Whether all of the chunk's pages are free.
    pub is_last: bool,
}

impl<P: Parameters> Arena<P> {
    /// Makes a chunk that the caller owns one of `class`, with its first `used`
    /// pages in use. If others are left, the caller is its holder.
    ///
    /// # Safety
    ///
    /// The caller owns `chunk`, and `used` is at most its pages.
    #[inline(always)]
    pub unsafe fn divide(&self, class: Class, chunk: Chunk, used: u32) {
        let pages = pages::<P>(class);
        self.set_owner(chunk, Owner::new(class));
        let mut first = 0;
        while first < pages {
            let below = if used <= first {
                0
            } else if used >= first + 32 {
                u32::MAX
            } else {
                (1 << (used - first)) - 1
            };
            let all = if pages < 32 {
                (1 << pages) - 1
            } else {
                u32::MAX
            };
            // SAFETY: a chunk has words for the pages of any class.
            let word = unsafe { self.bits(chunk, first >> 5) };
            word.store(all & !below, Relaxed);
            first += 32;
        }
        self.meta(chunk, Word::State).store(pages - used, Relaxed);
    }

    /// The count of a chunk's free pages.
    #[inline(always)]
    pub fn free_pages(&self, chunk: Chunk) -> u32 {
        self.meta(chunk, Word::State).load(Relaxed)
    }

    /// Whether all pages of a chunk of a class that the caller holds are free. Acquire:
    /// the threads that freed them have released that with the count, and each passes on
    /// what those before it have released. The thread that gives the chunk to the pool
    /// releases it for all of them, not only for the one from which it got the chunk.
    #[inline(always)]
    pub fn are_all_free(&self, class: Class, chunk: Chunk) -> bool {
        self.meta(chunk, Word::State).load(Acquire) == pages::<P>(class)
    }

    /// Lowers the count of a chunk that the caller holds by up to `most`; returns by how
    /// much, and what is left. If nothing is left the caller is no holder any more.
    ///
    /// # Safety
    ///
    /// The caller holds `chunk`.
    #[inline(always)]
    pub unsafe fn reserve_pages(&self, chunk: Chunk, most: u32) -> (u32, u32) {
        let there = self.free_pages(chunk);
        let n = if most < there { most } else { there };
        // No other thread lowers it.
        let state = self.meta(chunk, Word::State);
        (n, state.fetch_add(n.wrapping_neg(), AcqRel) - n)
    }

    /// Claims a page of those that the caller has reserved, the first at or
    /// behind `start` if it can.
    ///
    /// # Safety
    ///
    /// The caller has reserved a page of `chunk`, which is of `class`.
    #[inline(always)]
    pub unsafe fn claim_page<W: Warp>(
        &self,
        warp: W,
        class: Class,
        chunk: Chunk,
        start: u32,
    ) -> u32 {
        let pages = pages::<P>(class);
        let words = if pages_bits::<P>(class) > 5 {
            pages >> 5
        } else {
            1
        };
        let mut word = (start >> 5) & (words - 1);
        let mut wanted = u32::MAX << (start & 31);
        let mut looks = 0;
        loop {
            // SAFETY: below `words`, and a class has no more than a chunk has words for.
            let map = unsafe { self.bits(chunk, word) };
            let mut free = map.load(Relaxed) & wanted;
            while free != 0 {
                let bit = free & free.wrapping_neg();
                let before = map.fetch_and(!bit, Acquire);
                if before & bit != 0 {
                    return word * 32 + bit.trailing_zeros();
                }
                free = before & wanted & !bit;
            }
            word = (word + 1) & (words - 1);
            wanted = u32::MAX;
            looks += 1;
            if looks > words {
                // As many bits are set as were reserved, but other threads claim
                // theirs at the same time and may have gone ahead of us in this
                // round. Each claims one, so that rounds come to an end.
                warp.back_off();
            }
        }
    }

    /// Marks a page as free.
    ///
    /// # Safety
    ///
    /// `chunk` is of `class`, and `page` is one of its pages, which the caller gives up.
    #[inline(always)]
    pub unsafe fn free_page(&self, class: Class, chunk: Chunk, page: u32) -> Freed {
        // SAFETY: such a page, whose bit is set here.
        unsafe {
            self.mark_free(chunk, page);
            self.count_free(class, chunk, 1)
        }
    }

    /// Sets the bit of a page, which is to be counted after that.
    ///
    /// # Safety
    ///
    /// `page` is one of the chunk's pages, which the caller gives up.
    #[inline(always)]
    pub unsafe fn mark_free(&self, chunk: Chunk, page: u32) {
        // SAFETY: a chunk has words for all of its pages.
        let word = unsafe { self.bits(chunk, page >> 5) };
        word.fetch_or(1 << (page & 31), Release);
    }

    /// Counts `n` pages whose bits were set.
    ///
    /// # Safety
    ///
    /// `chunk` is of `class`, and the caller has set the bits of `n` pages.
    #[inline(always)]
    pub unsafe fn count_free(&self, class: Class, chunk: Chunk, n: u32) -> Freed {
        let before = self.meta(chunk, Word::State).fetch_add(n, AcqRel);
        Freed {
            holds: before == 0,
            is_last: before + n == pages::<P>(class),
        }
    }

    /// Whether a handle may be a block.
    #[inline(always)]
    pub fn is_block(&self, block: u32) -> bool {
        if block >> P::UNIT_BITS >= self.chunks {
            return false;
        }
        // SAFETY: the chunk was compared with the number of chunks.
        let chunk = unsafe { self.chunk_of(block) };
        match self.owner(chunk) {
            Owner::NO_CLASS => false,
            Owner::RUN => block & ((1 << P::UNIT_BITS) - 1) == 0,
            owner => {
                // SAFETY: it is a class.
                let class = unsafe { owner.class() };
                self.block(class, chunk.number(), self.page_of(class, block)) == block
            }
        }
    }
}
