//! Blocks of more than a chunk: runs of chunks, each an instance with a multiple
//! of the chunk size that has one page a chunk (section 3.2: "larger instances
//! use multiples of this chunk size").
//!
//! A run has exactly as many chunks as the request needs, up to all of them, and
//! goes back to the pool when it is freed, in all variants: queues of freed runs
//! would keep from each size what another one needs. So runs and pages share the
//! pool by need.
//!
//! Each request starts at another chunk: a counter goes round the part of the memory
//! that single chunks have never used, from the top down. From there the request searches
//! the map of free chunks for a gap and claims it, a word at a time; if another claims part
//! of it first, the request gives back what it claimed and goes on. Without success it
//! searches the whole map once, from the top.
//!
//! Orders are those of the pool. No call waits for another. A part claimed in vain is
//! on its way until it is given back ([`super::transit`]).

use core::sync::atomic::Ordering::{Relaxed, Release};

use super::arena::{Arena, Chunk, Given, NONE, Owner, Task, Word};
use super::geometry::Line;
use super::parameters::Parameters;
use crate::simt::Warp;

/// The bits of word `word` that stand for the chunks from `first` to `end`.
#[inline(always)]
fn mask(word: u32, first: u32, end: u32) -> u32 {
    let base = word * 32;
    let low = if first > base {
        u32::MAX << (first - base)
    } else {
        u32::MAX
    };
    let high = if end < base + 32 {
        (1 << (end - base)) - 1
    } else {
        u32::MAX
    };
    low & high
}

/// [`Arena::take_run`] of a length, the argument, which is not 0.
struct TakeRun;

impl Task for TakeRun {
    type Of = ();
    type Argument = Given;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        _of: (),
        length: Given,
        _lanes: u32,
    ) -> u32 {
        // SAFETY: the argument is not 0.
        unsafe { arena.take_run_inline(warp, length.number()) }
    }
}

impl<P: Parameters> Arena<P> {
    /// Chunks that hold `bytes`.
    #[inline(always)]
    pub fn chunks_for(&self, bytes: u64) -> u32 {
        let chunks = (bytes - 1) >> P::CHUNK_BITS;
        if chunks < u64::from(self.chunks) {
            chunks as u32 + 1
        } else {
            NONE
        }
    }

    /// Takes `length` chunks in a row; the first of them, or [`NONE`].
    ///
    /// # Safety
    ///
    /// `length` is not 0.
    #[inline(always)]
    pub unsafe fn take_run<W: Warp>(&self, warp: W, length: u32) -> u32 {
        // SAFETY: the length is not 0.
        self.call::<W, TakeRun>(warp, (), unsafe { Given::new(length) })
    }

    /// [`Self::take_run`], in line.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    unsafe fn take_run_inline<W: Warp>(&self, warp: W, length: u32) -> u32 {
        if length > self.pool(Line::Supply).load(Relaxed) {
            return NONE;
        }
        let used = self.pool(Line::Stack).load(Relaxed);
        let mut floor = if used < self.chunks { used } else { 0 };
        let turn = self.pool(Line::Old).fetch_add(length, Relaxed);
        let mut from = self.chunks - turn.checked_rem(self.chunks - floor).unwrap_or(0);
        loop {
            // SAFETY: `from` is at most the number of chunks, and the length is not 0.
            let (first, passed) = unsafe { self.take_run_below(warp, from, floor, length) };
            if first != NONE {
                if from < self.chunks {
                    // The next requests need not pass the same chunks.
                    self.pool(Line::Old).fetch_add(passed, Relaxed);
                }
                self.pool(Line::Supply)
                    .fetch_add(length.wrapping_neg(), Relaxed);
                // SAFETY: it begins with a chunk of the heap, which is the caller's.
                let chunk = unsafe { Chunk::new(first) };
                self.meta(chunk, Word::Length).store(length, Relaxed);
                self.set_owner(chunk, Owner::RUN);
                return first;
            }
            if from == self.chunks && floor == 0 {
                return NONE;
            }
            from = self.chunks;
            floor = 0;
        }
    }

    /// Gives a run back.
    ///
    /// # Safety
    ///
    /// `first` is the first chunk of a run that the caller owns, and gives up.
    #[inline(always)]
    pub unsafe fn give_run(&self, first: Chunk) {
        let length = self.meta(first, Word::Length).load(Relaxed);
        self.set_owner(first, Owner::NO_CLASS);
        // Counted first: see `Arena::give_chunks`.
        self.pool(Line::Supply).fetch_add(length, Relaxed);
        let first = first.number();
        // SAFETY: the run's chunks, as many as its length.
        unsafe { self.free_chunks(first, first + length) };
    }

    /// Sets the bits of the chunks from `first` to `end`.
    ///
    /// # Safety
    ///
    /// The caller owns these chunks, and gives them up.
    #[inline(always)]
    unsafe fn free_chunks(&self, first: u32, end: u32) {
        let mut word = first >> 5;
        while word * 32 < end {
            // SAFETY: the chunks are of the heap, so that their words are of the map.
            let map = unsafe { self.free_map(word) };
            map.fetch_or(mask(word, first, end), Release);
            word += 1;
        }
    }

    /// Takes a run between `floor` and `from`; its first chunk or [`NONE`], and
    /// how many chunks above it were passed.
    ///
    /// # Safety
    ///
    /// `from` is at most `chunks`, and `length` is not 0.
    #[inline(always)]
    unsafe fn take_run_below<W: Warp>(
        &self,
        warp: W,
        from: u32,
        floor: u32,
        length: u32,
    ) -> (u32, u32) {
        // SAFETY: all chunks between `start` and `end` are below `from`, and so of the heap.
        unsafe {
            // All chunks from `start` to `end` were free when they were read.
            let (mut start, mut end) = (from, from);
            // Each word is read once, however many gaps it has, but after a claim that failed.
            let (mut read, mut map) = (NONE, 0);
            while start >= floor + (length - (end - start)) && start > floor {
                let word = (start - 1) >> 5;
                if word != read {
                    (read, map) = (word, self.free_map(word).load(Relaxed));
                }
                let above = 31 - ((start - 1) & 31);
                let seen = map << above;
                let free = (!seen).leading_zeros();
                let free = if free < 32 - above { free } else { 32 - above };
                start -= free;
                if end - start >= length {
                    let refused = self.claim_run(warp, end - length, end);
                    if refused == NONE {
                        return (end - length, from - end);
                    }
                    start = refused;
                    end = refused;
                    read = NONE;
                } else if free < 32 - above {
                    let taken = (seen << free).leading_zeros();
                    let rest = 32 - above - free;
                    start -= if taken < rest { taken } else { rest };
                    end = start;
                }
            }
            (NONE, 0)
        }
    }

    /// Claims the chunks from `first` to `end`; returns [`NONE`], or a chunk that
    /// another has claimed.
    ///
    /// # Safety
    ///
    /// `first` is below `end`, which is at most `chunks`.
    #[inline(always)]
    unsafe fn claim_run<W: Warp>(&self, warp: W, first: u32, end: u32) -> u32 {
        // A part claimed in vain is in no block, and hidden for a moment.
        self.begin_move(warp);
        let mut word = first >> 5;
        let mut refused = NONE;
        while refused == NONE && word * 32 < end {
            let wanted = mask(word, first, end);
            // SAFETY: the chunks are of the heap, so that their words are of the map.
            let (got, map) = unsafe { (self.claim(word, wanted), self.free_map(word)) };
            if got != wanted {
                map.fetch_or(got, Release);
                let start = word * 32;
                if start > first {
                    // SAFETY: this part was claimed here.
                    unsafe { self.free_chunks(first, start) };
                }
                refused = start + (wanted & !got).trailing_zeros();
            }
            word += 1;
        }
        self.end_move(warp, refused != NONE);
        refused
    }
}
