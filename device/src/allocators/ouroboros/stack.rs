//! Stacks of chunks of a class with free pages that no queue has room for, linked through
//! the chunks' metadata. They need no memory, so that nothing that is freed is ever
//! dropped.
//!
//! A class has several, because each push or pop makes all others fail that try at the same
//! time. When a heap is full virtualized queues have no room, so that each grant takes two
//! exchanges: with one stack 10^8 requests and frees took up to 30 s, with eight 12
//! (docs/results). A warp begins at the stack that its number gives, and goes on to the next
//! from one that is empty, or where another was faster.
//!
//! A head fuses the top chunk with a count of changes, so that an exchange
//! fails if the top was taken and put back since it was read. A link that is
//! read late is one of an earlier time, of the same table, and the exchange that
//! would use it fails.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU64;

use super::arena::{Arena, Chunk, Class, LINE_WORDS, NONE, Word};
use super::geometry::Line;
use super::parameters::Parameters;
use crate::simt::{Warp, leader};

/// Stacks of a class.
pub const STACKS: u32 = 8;

/// The head with another top.
#[inline(always)]
fn changed(head: u64, top: u32) -> u64 {
    let count = (head >> 32) as u32;
    u64::from(count.wrapping_add(1)) << 32 | u64::from(top)
}

impl<P: Parameters> Arena<P> {
    /// The head of a stack of a class. Numbers wrap.
    #[inline(always)]
    pub(super) fn stack(&self, class: Class, number: u32) -> &AtomicU64 {
        const { assert!(2 * STACKS <= LINE_WORDS) };
        // SAFETY: behind the other words of the line there are as many.
        unsafe { self.word_of(class, Line::Stack, STACKS + number % STACKS) }
    }

    /// Whether one of the stacks of a class was not empty when it was read.
    #[inline(always)]
    pub fn has_stacked(&self, class: Class) -> bool {
        let mut any = false;
        for number in 0..STACKS {
            any |= self.stack(class, number).load(Relaxed) as u32 != NONE;
        }
        any
    }

    /// Pushes a chunk on a stack of a class.
    ///
    /// # Safety
    ///
    /// The caller holds `chunk`, and gives it up.
    #[inline(always)]
    pub unsafe fn push<W: Warp>(&self, warp: W, class: Class, chunk: Chunk) {
        // SAFETY: a run of one.
        unsafe {
            self.push_run(warp, class, chunk, chunk);
        }
    }

    /// Pushes chunks one by one, from `first` on: each is linked to the next, the last to none.
    ///
    /// # Safety
    ///
    /// As for `push`, of each; `first` may be [`NONE`].
    #[inline(always)]
    pub unsafe fn push_linked<W: Warp>(&self, warp: W, class: Class, first: u32) {
        let mut kept = first;
        while kept != NONE {
            // SAFETY: a chunk that the caller holds, linked to the next.
            unsafe {
                let chunk = Chunk::new(kept);
                kept = self.meta(chunk, Word::Next).load(Relaxed);
                self.push(warp, class, chunk);
            }
        }
    }

    /// Pushes chunks that are linked from `first` to `last` on a stack of a class.
    ///
    /// # Safety
    ///
    /// As for `push`, of each chunk of the run.
    #[inline(always)]
    unsafe fn push_run<W: Warp>(&self, warp: W, class: Class, first: Chunk, last: Chunk) {
        let mut number = warp.warp();
        loop {
            let head = self.stack(class, number);
            let seen = head.load(Relaxed);
            // Release: as for all links, see `queue::chunked::prepare`.
            self.meta(last, Word::Next).store(seen as u32, Release);
            // Release: what was done to the chunks comes before their next holders.
            // An exchange that fails was another thread's success.
            if head.compare_exchange(seen, changed(seen, first.number()), Release) == seen {
                return;
            }
            number = number.wrapping_add(1);
        }
    }

    /// Pushes a chunk of each of the lanes, which call this together, on a stack of a
    /// class by one exchange: at exhaustion, whatever is freed comes here.
    ///
    /// # Safety
    ///
    /// As for `push`, for each of the lanes; no two have the same chunk.
    #[inline(always)]
    pub unsafe fn push_together<W: Warp>(&self, warp: W, class: Class, chunk: Chunk, lanes: u32) {
        let above = lanes & !(u32::MAX >> (31 - warp.lane()));
        let mut below = warp.lane();
        if above != 0 {
            below = above.trailing_zeros();
        }
        let next = warp.shuffle(lanes, chunk.number(), below);
        // No two lanes have the same chunk: the last has its own here.
        if next != chunk.number() {
            // Release: as in `push`.
            self.meta(chunk, Word::Next).store(next, Release);
        }
        let last = warp.shuffle(lanes, chunk.number(), 31 - lanes.leading_zeros());
        // All links are there, and all lanes are done with their chunks, before one
        // releases them.
        warp.sync(lanes);
        if warp.lane() == leader(lanes) {
            // SAFETY: the lanes' chunks are linked from the first to the last.
            unsafe { self.push_run(warp, class, chunk, Chunk::new(last)) };
        }
    }

    /// Pops the top chunk of a stack of a class; [`NONE`] if all were empty when they were
    /// read, one after the other.
    #[inline(always)]
    pub fn pop<W: Warp>(&self, warp: W, class: Class) -> u32 {
        let mut number = warp.warp();
        let mut empty = 0;
        while empty < STACKS {
            let head = self.stack(class, number);
            // Acquire: the chunk's link, and the chunk.
            let seen = head.load(Acquire);
            let top = seen as u32;
            if top == NONE {
                empty += 1;
            } else {
                // SAFETY: only chunks are pushed.
                let chunk = unsafe { Chunk::new(top) };
                let next = self.meta(chunk, Word::Next).load(Relaxed);
                // As above. Acquire: the top may have been pushed again since.
                if head.compare_exchange(seen, changed(seen, next), Acquire) == seen {
                    return top;
                }
                empty = 0;
            }
            number = number.wrapping_add(1);
        }
        NONE
    }
}
