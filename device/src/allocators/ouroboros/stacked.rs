//! Instances stacked for large pages, as published (section 3.2: "larger instances use
//! multiples of this chunk size"), `large=paper` and `sharing=paper`.
//!
//! Each instance has chunks twice as large as the one before, and one class of pages, as
//! large as its chunks: the instances before it serve what is smaller. So a class above
//! those of the first instance is an instance, and has its queue, semaphore and stack as
//! the others. Its chunks are as many of the first instance's in a row, whose
//! first stands for all, and come from the same pool.
//!
//! A chunk has one page, which the thread that allocates the chunk takes: no chunk of a
//! larger instance is on its way, and no thread waits for one. Where chunks keep their class,
//! what was freed serves pages of its size for ever, and a row that ends in a queue is lost
//! to all others; [runs](super::runs), which serve large requests by default, go back.

use super::arena::{Arena, Chunk, Class, NONE};
use super::parameters::Parameters;
use crate::simt::Warp;

impl<P: Parameters> Arena<P> {
    /// Classes that a chunk of the heap can have.
    #[inline(always)]
    pub fn classes(&self) -> u32 {
        if !P::IS_STACKED {
            return P::CLASSES;
        }
        // A chunk of the last has the largest power of two of the first instance's chunks
        // that the heap has.
        P::CLASSES.min(P::CHUNK_CLASS + u32::BITS - self.chunks.leading_zeros())
    }

    /// Takes a chunk of the class's instance for each of the lanes, which call this
    /// together for one class; [`NONE`] for those for which there is none.
    #[inline(always)]
    pub fn take_chunks_of<W: Warp>(&self, warp: W, class: Class, lanes: u32) -> u32 {
        if !P::IS_STACKED || class.number() <= P::CHUNK_CLASS {
            return self.take_chunks(warp, lanes);
        }
        let length = 1 << (class.number() - P::CHUNK_CLASS);
        if length > self.chunks {
            return NONE;
        }
        // SAFETY: a power of two is not 0.
        unsafe { self.take_run(warp, length) }
    }

    /// Gives back a chunk of each of the lanes, which call this together, each for its
    /// class.
    ///
    /// # Safety
    ///
    /// `chunk` is one of the chunks of the class's instance, which the caller owns and gives up.
    #[inline(always)]
    pub unsafe fn give_chunks_of<W: Warp>(&self, warp: W, class: Class, chunk: Chunk, lanes: u32) {
        // SAFETY: each lane gives up its own. A chunk of a larger instance was taken as a run.
        unsafe {
            if !P::IS_STACKED {
                return self.give_chunks(warp, chunk, lanes);
            }
            let is_single = class.number() <= P::CHUNK_CLASS;
            let single = warp.ballot(lanes, is_single);
            if is_single {
                self.give_chunks(warp, chunk, single);
            } else {
                self.give_run(chunk);
            }
        }
    }
}
