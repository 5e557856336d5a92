//! The pool of chunks: single ones for pages and for queues (section 3.1).
//!
//! The truth is a bit for each chunk in a map: whoever clears it owns the chunk,
//! for any use. Everything else is a hint about where a set bit may be found:
//!
//! - the *reuse queue* of chunks that were given back, as the paper has it; an
//!   entry whose chunk is gone (into a run) is dropped. A second map says which
//!   chunks are listed, so that each is at most once in the queue, which
//!   therefore never overflows with room for every chunk;
//! - a counter of chunks that were never used, from the bottom of the memory up;
//! - at last the map itself, from where a free chunk was last seen.
//!
//! Runs of chunks are taken from the top ([`super::runs`]). A count of free
//! chunks tells at once that there are none.
//!
//! Orders: setting a bit releases the chunk, clearing it acquires: what the
//! former owner did comes before what the next one does. Other bits of the word
//! change by read-modify-writes only, which pass the release on. Counters and
//! hints are relaxed.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::arena::{Arena, Line, NONE, Task, Word, owner};
use super::parameters::Parameters;
use super::queue::EMPTY;
use crate::warp::Warp;

/// Takes one from a counter of things that are there, unless there is none.
///
/// Read first: a subtraction that fails would make others fail for a moment.
#[inline(always)]
pub fn take_count(counter: &cuda_std::atomic::AtomicU32) -> bool {
    if (counter.load(Relaxed) as i32) <= 0 {
        return false;
    }
    take_seen(counter)
}

/// Takes one from a counter that was seen above 0.
#[inline(always)]
fn take_seen(counter: &cuda_std::atomic::AtomicU32) -> bool {
    if counter.fetch_add(u32::MAX, Relaxed) as i32 > 0 {
        return true;
    }
    counter.fetch_add(1, Relaxed);
    false
}

/// [`Arena::take_chunk`].
struct TakeChunk;

impl Task for TakeChunk {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        _class: u32,
        _value: u32,
        _lanes: u32,
    ) -> u32 {
        arena.take_chunk_inline(warp)
    }
}

/// [`Arena::give_chunk`].
struct GiveChunk;

impl Task for GiveChunk {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        _class: u32,
        chunk: u32,
        _lanes: u32,
    ) -> u32 {
        arena.give_chunk_inline(warp, chunk);
        0
    }
}

impl<P: Parameters> Arena<P> {
    /// Takes a free chunk; [`NONE`] if there is none.
    #[inline(always)]
    pub fn take_chunk<W: Warp>(&self, warp: W) -> u32 {
        self.call::<W, TakeChunk>(warp, 0, 0)
    }

    /// Whether there is no free chunk at this moment.
    #[inline(always)]
    pub fn is_used_up(&self) -> bool {
        self.pool(Line::Supply).load(Relaxed) == 0
    }

    /// Gives a chunk back, whatever it was used for.
    #[inline(always)]
    pub fn give_chunk<W: Warp>(&self, warp: W, chunk: u32) {
        self.call::<W, GiveChunk>(warp, 0, chunk);
    }

    #[inline(always)]
    fn take_chunk_inline<W: Warp>(&self, warp: W) -> u32 {
        // Each turn but the last uses up a hint, of which there are as many as
        // others have left.
        loop {
            // All read at once, so that they come at the same time.
            let is_used_up = self.is_used_up();
            let listed = self.pool(Line::Entries).load(Relaxed) as i32;
            let used = self.pool(Line::Stack).load(Relaxed);
            if is_used_up {
                return NONE;
            }
            let chunk = if listed > 0 && take_seen(self.pool(Line::Entries)) {
                self.take_listed(warp)
            } else if used < self.chunks {
                // Cannot wrap: it is added to only by those who have read less
                // than the number of chunks.
                self.pool(Line::Stack).fetch_add(1, Relaxed)
            } else {
                return self.search(warp);
            };
            if chunk < self.chunks && self.claim(chunk >> 5, 1 << (chunk & 31)) != 0 {
                self.pool(Line::Supply).fetch_add(u32::MAX, Relaxed);
                return chunk;
            }
        }
    }

    #[inline(always)]
    fn give_chunk_inline<W: Warp>(&self, warp: W, chunk: u32) {
        let bit = 1 << (chunk & 31);
        self.meta(chunk, Word::Owner).store(owner::NOBODY, Relaxed);
        self.free_map(chunk >> 5).fetch_or(bit, Release);
        self.pool(Line::Supply).fetch_add(1, Relaxed);
        if self.listed_map(chunk >> 5).fetch_or(bit, Relaxed) & bit != 0 {
            return;
        }
        let entry = self.reuse(self.pool(Line::Back).fetch_add(1, Relaxed));
        // The entry may still hold a chunk from a turn of the queue ago. Whoever
        // has that position swaps it out next, and waits for nobody.
        while entry.compare_exchange(EMPTY, chunk, Relaxed) != EMPTY {
            warp.back_off();
        }
        self.pool(Line::Entries).fetch_add(1, Relaxed);
    }

    /// The next entry of the reuse queue, for a caller who took one off the
    /// count.
    #[inline(always)]
    fn take_listed<W: Warp>(&self, warp: W) -> u32 {
        let entry = self.reuse(self.pool(Line::Front).fetch_add(1, Relaxed));
        loop {
            // Relaxed: an entry is a hint, the bit decides.
            let chunk = entry.swap(EMPTY, Relaxed);
            if chunk != EMPTY {
                let bit = 1u32 << (chunk & 31);
                self.listed_map(chunk >> 5).fetch_and(!bit, Relaxed);
                return chunk;
            }
            // Somebody has this position and is about to fill it: between
            // taking the position and that, it waits at most for an entry to be
            // swapped out.
            warp.back_off();
        }
    }

    /// Clears those bits of a word of the map that are set; gives back which.
    #[inline(always)]
    pub(super) fn claim(&self, word: u32, bits: u32) -> u32 {
        self.free_map(word).fetch_and(!bits, Acquire) & bits
    }

    /// A free chunk from anywhere, after one look at the whole map.
    #[inline(always)]
    fn search<W: Warp>(&self, warp: W) -> u32 {
        let words = self.map_words();
        let mut word = self.pool(Line::New).load(Relaxed);
        let lane = warp.lane();
        for _ in 0..words {
            let mut free = self.free_map(word).load(Relaxed);
            while free != 0 {
                // Lanes start at different bits.
                let index = (free.rotate_right(lane).trailing_zeros() + lane) & 31;
                if self.claim(word, 1 << index) != 0 {
                    self.pool(Line::New).store(word, Relaxed);
                    self.pool(Line::Supply).fetch_add(u32::MAX, Relaxed);
                    return word * 32 + index;
                }
                free &= !(1 << index);
            }
            word += 1;
            if word == words {
                word = 0;
            }
        }
        NONE
    }
}
