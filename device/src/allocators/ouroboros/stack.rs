//! A stack of chunks in each class, linked through their metadata, for chunks
//! with free pages that no queue has room for. It needs no memory, so that
//! nothing that is freed is ever dropped.
//!
//! The head fuses the top chunk with a count of changes, so that an exchange
//! fails if the top was taken and put back since it was read. A link that is
//! read late is one of an earlier time, of the same table, and the exchange that
//! would use it fails.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::arena::{Arena, Line, NONE, Word};
use super::parameters::Parameters;
use crate::warp::{Warp, leader};

/// The head with another top.
#[inline(always)]
fn changed(head: u64, top: u32) -> u64 {
    let count = (head >> 32) as u32;
    u64::from(count.wrapping_add(1)) << 32 | u64::from(top)
}

impl<P: Parameters> Arena<P> {
    /// Puts a chunk on the stack of a class.
    #[inline(always)]
    pub fn push(&self, class: u32, chunk: u32) {
        self.push_run(class, chunk, chunk);
    }

    /// Puts chunks that are linked from `first` to `last` on the stack of a class.
    #[inline(always)]
    fn push_run(&self, class: u32, first: u32, last: u32) {
        let head = self.head64(class, Line::Stack, 0);
        loop {
            let seen = head.load(Relaxed);
            // Release: as for all links, see `queue::chunked::prepare`.
            self.meta(last, Word::Next).store(seen as u32, Release);
            // Release: what was done to the chunks comes before their next holders.
            // An exchange that fails was another thread's success.
            if head.compare_exchange(seen, changed(seen, first), Release) == seen {
                return;
            }
        }
    }

    /// Puts a chunk of each of the lanes, which call this together, on the stack of a
    /// class by one exchange: at exhaustion, whatever is freed comes here.
    #[inline(always)]
    pub fn push_together<W: Warp>(&self, warp: W, class: u32, chunk: u32, lanes: u32) {
        let above = lanes & !(u32::MAX >> (31 - warp.lane()));
        let mut below = warp.lane();
        if above != 0 {
            below = above.trailing_zeros();
        }
        let next = warp.shuffle(lanes, chunk, below);
        // No two lanes have the same chunk: the last has its own here.
        if next != chunk {
            // Release: as in `push`.
            self.meta(chunk, Word::Next).store(next, Release);
        }
        let last = warp.shuffle(lanes, chunk, 31 - lanes.leading_zeros());
        // All links are there, and all lanes are done with their chunks, before one
        // releases them.
        warp.sync(lanes);
        if warp.lane() == leader(lanes) {
            self.push_run(class, chunk, last);
        }
    }

    /// Takes the top chunk; [`NONE`] if there is none.
    #[inline(always)]
    pub fn pop(&self, class: u32) -> u32 {
        let head = self.head64(class, Line::Stack, 0);
        loop {
            // Acquire: the chunk's link, and the chunk.
            let seen = head.load(Acquire);
            let top = seen as u32;
            if top == NONE {
                return NONE;
            }
            let next = self.meta(top, Word::Next).load(Relaxed);
            // As above. Acquire: the top may have been put there again since.
            if head.compare_exchange(seen, changed(seen, next), Acquire) == seen {
                return top;
            }
        }
    }
}
