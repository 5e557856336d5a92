//! The pool of chunks: single ones for pages and for queues (section 3.1).
//!
//! A map has a bit for each chunk, which decides: the thread that clears it owns the
//! chunk, for any use. Everything else is a hint where a set bit may be found:
//!
//! - the *reuse queue* of chunks that were given back, as the paper has it; an
//!   entry whose chunk is gone (into a run) is dropped. A second map records which
//!   chunks are enqueued, so that each is at most once in the queue, which
//!   therefore never overflows with room for every chunk;
//! - a counter of chunks that were never used, from the bottom of the memory up;
//! - at last the map itself, from the word where a free chunk was last found.
//!
//! Runs of chunks are taken from the top ([`super::runs`]). A count of free chunks shows
//! at once that there is none: a chunk is counted before its bit is set, and counted off
//! after it was cleared.
//!
//! Orders: setting a bit releases the chunk, clearing it acquires: what the
//! former owner did comes before what the next one does. Other bits of the word
//! change by read-modify-writes only, which pass the release on. Counters and
//! hints are relaxed.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU32;

use super::arena::{Arena, Chunk, EMPTY, Given, NONE, Owner, Task};
use super::geometry::Line;
use super::group::Group;
use super::parameters::Parameters;
use crate::simt::{Warp, leader, rank};

/// Takes one from a counter, unless it is 0.
#[inline(always)]
pub fn take_count(counter: &AtomicU32) -> bool {
    take_counts(counter, counter.load(Relaxed), 1) == 1
}

/// Takes up to `n` from a counter, which was read as `seen`; returns how many.
///
/// It is read first: a subtraction that fails would make others fail for a moment.
#[inline(always)]
fn take_counts(counter: &AtomicU32, seen: u32, n: u32) -> u32 {
    if (seen as i32) <= 0 {
        return 0;
    }
    let before = counter.fetch_add(n.wrapping_neg(), Relaxed) as i32;
    let there = if before > 0 { before as u32 } else { 0 };
    if there >= n {
        return n;
    }
    counter.fetch_add(n - there, Relaxed);
    there
}

/// The source of chunks: none, for there is no chunk; the reuse queue; the chunks never
/// used; the whole map.
const NOWHERE: u32 = 0;
const ENQUEUED: u32 = 1;
const UNUSED: u32 = 2;
const ANYWHERE: u32 = 3;

/// Words of the map that are looked at together.
const SEARCHED: u32 = 4;

/// [`Arena::take_chunks`].
struct TakeChunks;

impl Task for TakeChunks {
    type Of = ();
    type Argument = ();

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        _of: (),
        _argument: (),
        lanes: u32,
    ) -> u32 {
        arena.take_chunks_inline(warp, lanes)
    }
}

/// [`Arena::give_chunks`] of a chunk of the heap, the argument, which the caller owns.
struct GiveChunks;

impl Task for GiveChunks {
    type Of = ();
    type Argument = Given;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        _of: (),
        chunk: Given,
        lanes: u32,
    ) -> u32 {
        // SAFETY: a chunk that the caller owns.
        unsafe { arena.give_chunks_inline(warp, Chunk::new(chunk.number()), lanes) };
        0
    }
}

impl<P: Parameters> Arena<P> {
    /// Takes a free chunk; [`NONE`] if there is none.
    #[inline(always)]
    pub fn take_chunk<W: Warp>(&self, warp: W) -> u32 {
        self.take_chunks(warp, 1 << warp.lane())
    }

    /// Takes a free chunk for each of the lanes, which call this together and meet at
    /// the counters as one; [`NONE`] for those for which there is none.
    #[inline(always)]
    pub fn take_chunks<W: Warp>(&self, warp: W, lanes: u32) -> u32 {
        self.call_together::<W, TakeChunks>(warp, (), (), lanes)
    }

    /// An upper bound of the free chunks: one is counted before it is free, and counted
    /// off after it was taken.
    #[inline(always)]
    pub fn chunks_left(&self) -> u32 {
        self.pool(Line::Supply).load(Relaxed)
    }

    /// Whether there is no free chunk at this moment.
    #[inline(always)]
    pub fn is_used_up(&self) -> bool {
        self.chunks_left() == 0
    }

    /// Gives a chunk back, whatever it was used for.
    ///
    /// # Safety
    ///
    /// The caller owns `chunk`, and gives it up.
    #[inline(always)]
    pub unsafe fn give_chunk<W: Warp>(&self, warp: W, chunk: Chunk) {
        // SAFETY: one lane, with a chunk of its own.
        unsafe { self.give_chunks(warp, chunk, 1 << warp.lane()) };
    }

    /// Gives back a chunk of each of the lanes, which call this together: they meet at
    /// the counters as one.
    ///
    /// # Safety
    ///
    /// Each of the lanes owns its `chunk`, and gives it up.
    #[inline(always)]
    pub unsafe fn give_chunks<W: Warp>(&self, warp: W, chunk: Chunk, lanes: u32) {
        // SAFETY: the lane owns it.
        let chunk = unsafe { Given::new(chunk.number()) };
        self.call_together::<W, GiveChunks>(warp, (), chunk, lanes);
    }

    #[inline(always)]
    fn take_chunks_inline<W: Warp>(&self, warp: W, lanes: u32) -> u32 {
        let mut own = NONE;
        // The lanes that have none yet, which all take part in each turn.
        let mut rest = lanes;
        // Each turn but the last uses up hints, as many as other threads
        // have left.
        while rest & 1 << warp.lane() != 0 {
            let group = Group::of_lanes(warp, rest);
            let (mut source, mut first, mut n) = (NOWHERE, 0, group.size);
            if group.leads() {
                (source, first, n) = self.find(group.size);
            }
            source = warp.shuffle(rest, source, group.leader);
            if source == NOWHERE {
                break;
            }
            first = warp.shuffle(rest, first, group.leader);
            n = warp.shuffle(rest, n, group.leader);
            let position = first.wrapping_add(group.rank);
            let mut chunk = NONE;
            if source == ANYWHERE {
                chunk = self.search(warp);
            } else if group.rank < n {
                chunk = position;
                if source == ENQUEUED {
                    chunk = self.dequeue_reused(warp, position);
                }
                // SAFETY: `claim` gets a word of the map, as the chunk is below their number.
                if chunk >= self.chunks || unsafe { self.claim(chunk >> 5, 1 << (chunk & 31)) } == 0
                {
                    chunk = NONE;
                }
            }
            let took = warp.ballot(rest, chunk != NONE);
            if group.leads() && took != 0 {
                let n = took.count_ones().wrapping_neg();
                self.pool(Line::Supply).fetch_add(n, Relaxed);
            }
            own = chunk;
            rest &= !took;
            if source == ANYWHERE {
                break;
            }
        }
        own
    }

    /// Where `n` chunks may be found: the source, and for some of the sources the first
    /// position and how many there are from there on.
    #[inline(always)]
    fn find(&self, n: u32) -> (u32, u32, u32) {
        // All read at once, so that they come at the same time.
        let is_used_up = self.is_used_up();
        let enqueued = self.pool(Line::Entries);
        let enqueued_seen = enqueued.load(Relaxed);
        let used = self.pool(Line::Stack).load(Relaxed);
        if is_used_up {
            return (NOWHERE, 0, 0);
        }
        let there = take_counts(enqueued, enqueued_seen, n);
        if there > 0 {
            let first = self.pool(Line::Front).fetch_add(there, Relaxed);
            return (ENQUEUED, first, there);
        }
        if used < self.chunks {
            // Cannot wrap: only threads add to it that have read less than the
            // number of chunks.
            return (UNUSED, self.pool(Line::Stack).fetch_add(n, Relaxed), n);
        }
        (ANYWHERE, 0, 0)
    }

    /// [`Self::give_chunks`], in line.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    unsafe fn give_chunks_inline<W: Warp>(&self, warp: W, chunk: Chunk, lanes: u32) {
        let group = Group::of_lanes(warp, lanes);
        let bit = 1 << (chunk.number() & 31);
        self.set_owner(chunk, Owner::NO_CLASS);
        // Chunks that were taken together are often neighbours, whose bits one lane sets.
        let mates = Group::by_key(warp, lanes, chunk.number() >> 5);
        let bits = mates.union(warp, lanes, bit);
        if group.leads() {
            // Counted before others can take them and count them off: the count is
            // never too low, so that 0 is evidence.
            self.pool(Line::Supply).fetch_add(group.size, Relaxed);
        }
        // All lanes are done with their chunks before one releases them.
        warp.sync(lanes);
        if mates.leads() {
            self.free_word(chunk).fetch_or(bits, Release);
        }
        // All bits are set before the chunks are enqueued.
        warp.sync(lanes);
        let mut enqueued = 0;
        // Another expression than above for the same lane: rustc would thread the same
        // test through the collectives in between, and duplicate each. Below, too.
        if mates.rank == 0 {
            enqueued = self.enqueued_word(chunk).fetch_or(bits, Relaxed);
        }
        let is_enqueued = warp.shuffle(lanes, enqueued, mates.leader) & bit != 0;
        let new = warp.ballot(lanes, !is_enqueued);
        let mut first = 0;
        if group.rank == 0 {
            first = self.pool(Line::Back).fetch_add(new.count_ones(), Relaxed);
        }
        first = warp.shuffle(lanes, first, group.leader);
        if !is_enqueued {
            let position = first.wrapping_add(rank(new, warp.lane()));
            let entry = self.reuse(position);
            // The entry may still hold a chunk from a turn of the queue ago. The thread
            // that has that position swaps it out next, and waits for no thread.
            while entry.compare_exchange(EMPTY, chunk.number(), Relaxed) != EMPTY {
                warp.back_off();
            }
        }
        // All entries are there before they are counted.
        warp.sync(lanes);
        if warp.lane() == leader(lanes) {
            self.pool(Line::Entries)
                .fetch_add(new.count_ones(), Relaxed);
        }
    }

    /// The entry of the reuse queue at a position that the caller has, which took one
    /// off the count.
    #[inline(always)]
    fn dequeue_reused<W: Warp>(&self, warp: W, position: u32) -> u32 {
        let entry = self.reuse(position);
        loop {
            // Relaxed: an entry is a hint, the bit decides.
            let chunk = entry.swap(EMPTY, Relaxed);
            if chunk != EMPTY {
                let bit = 1u32 << (chunk & 31);
                // SAFETY: only chunks are enqueued.
                let word = self.enqueued_word(unsafe { Chunk::new(chunk) });
                word.fetch_and(!bit, Relaxed);
                return chunk;
            }
            // Another thread has this position and is about to fill it: between
            // taking the position and that, it waits at most for an entry to be
            // swapped out.
            warp.back_off();
        }
    }

    /// Clears those bits of a word of the map that are set; returns which.
    ///
    /// # Safety
    ///
    /// `word` is below `map_words()`.
    #[inline(always)]
    pub(super) unsafe fn claim(&self, word: u32, bits: u32) -> u32 {
        // SAFETY: a word of the map.
        unsafe { self.free_map(word) }.fetch_and(!bits, Acquire) & bits
    }

    /// A free chunk from anywhere, after one pass over the whole map.
    #[inline(always)]
    fn search<W: Warp>(&self, warp: W) -> u32 {
        let words = self.map_words();
        let mut word = self.pool(Line::New).load(Relaxed) & !(SEARCHED - 1);
        let lane = warp.lane();
        let mut looked = 0;
        while looked < words + SEARCHED {
            let mut step = 1;
            if word & (SEARCHED - 1) == 0 {
                // Several at once, so that they come at the same time.
                let mut any = 0;
                for index in 0..SEARCHED {
                    // SAFETY: at most the last word.
                    let map = unsafe { self.free_map((word + index).min(words - 1)) };
                    any |= map.load(Relaxed);
                }
                if any == 0 {
                    step = SEARCHED;
                }
            }
            if step == 1 {
                // SAFETY: below `words`: what the pool's head has was found here, and is
                // rounded down, and each turn ends with such a word.
                let chunk = unsafe { self.claim_any(word, lane) };
                if chunk != NONE {
                    self.pool(Line::New).store(word, Relaxed);
                    return chunk;
                }
            }
            looked += step;
            word += step;
            if word >= words {
                word = 0;
            }
        }
        NONE
    }

    /// Claims a free chunk of a word; [`NONE`] if there is none.
    ///
    /// # Safety
    ///
    /// `word` is below `map_words()`.
    #[inline(always)]
    unsafe fn claim_any(&self, word: u32, lane: u32) -> u32 {
        // SAFETY: a word of the map.
        let mut free = unsafe { self.free_map(word) }.load(Relaxed);
        while free != 0 {
            // Lanes start at different bits.
            let index = (free.rotate_right(lane).trailing_zeros() + lane) & 31;
            // SAFETY: the same word.
            if unsafe { self.claim(word, 1 << index) } != 0 {
                return word * 32 + index;
            }
            free &= !(1 << index);
        }
        NONE
    }
}
