//! Memory on its way: chunks and pages that are in no block, and that one thread holds
//! where no other finds them.
//!
//! A request may be refused on evidence only: nothing was free all the time. A thread
//! that moves free memory from one structure to another, or hides it for a moment, does so
//! between [`Arena::begin_move`] and [`Arena::end_move`]: a chunk whose class gets the
//! pages that the thread does not want; a chunk that is taken out of a class to be given
//! back; a part of a run that proves too short. A request that is about to be refused takes
//! an [epoch](Arena::epoch), looks everywhere, and takes another. An epoch is given while
//! nothing is on its way. If the two are the same, nothing was in between, and what was
//! free lay where the request looked.
//!
//! A thread that waits for an epoch waits for threads that have begun a move. They end it:
//! between the two a thread waits for slots and room of queues only. The threads that
//! provide room and empty slots have a page, or began a move themselves, and none of them is
//! about to be refused.
//!
//! The words are in one line, and a thread changes that of its warp. No thread does when a
//! page or a chunk that is wanted as a whole changes hands.
//!
//! Orders: a fence releases the begin of a move before anything is moved. A thread that reads
//! from a word that something is gone, by a read-modify-write that came after that fence,
//! and has a fence before it takes the second epoch, sees the move there. The end of a move
//! releases where things lie now, and the first epoch acquires it.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use cuda_std::atomic::{AtomicU64, fence};

use super::arena::{Arena, LINE_WORDS};
use super::geometry::Line;
use super::parameters::Parameters;
use crate::simt::{Backoff, Warp};

/// Words that moves are spread over.
pub const STRIPES: u32 = 4;
/// The end of a move that has moved something: one less on its way, and another epoch.
const MOVED: u64 = (1 << u32::BITS) - 1;
/// Bits of an epoch: the other values of a word that holds one are free for other uses.
const EPOCH_BITS: u32 = 30;

impl<P: Parameters> Arena<P> {
    /// A word that counts what is on its way. Numbers wrap.
    #[inline(always)]
    pub(super) fn transit(&self, number: u32) -> &AtomicU64 {
        const { assert!(STRIPES <= LINE_WORDS) };
        // SAFETY: the line has as many words.
        unsafe { self.pool64(Line::Room, number % STRIPES) }
    }

    /// Records that the caller is about to move memory that no thread owns.
    #[inline(always)]
    pub fn begin_move<W: Warp>(&self, warp: W) {
        self.transit(warp.warp()).fetch_add(1, Relaxed);
        fence(Release);
    }

    /// Records that all of it is where others find it. `has_moved` is false if nothing was
    /// gone.
    #[inline(always)]
    pub fn end_move<W: Warp>(&self, warp: W, has_moved: bool) {
        let change = if has_moved { MOVED } else { u64::MAX };
        self.transit(warp.warp()).fetch_add(change, Release);
    }

    /// A number that changes whenever memory has moved. Waits until none is on its way.
    #[inline(always)]
    pub fn epoch<W: Warp>(&self, warp: W) -> u32 {
        let mut backoff = Backoff::new();
        loop {
            // The caller's reads come before; see the module.
            fence(AcqRel);
            let mut sum = 0u64;
            for stripe in 0..STRIPES {
                // The parts only grow or are 0, so that the sum has the same meaning.
                sum = sum.wrapping_add(self.transit(stripe).load(Acquire));
            }
            if sum as u32 == 0 {
                return later((sum >> u32::BITS) as u32, 0);
            }
            backoff.pause(warp);
        }
    }
}

/// An epoch that is `moves` later than another.
#[inline(always)]
pub fn later(epoch: u32, moves: u32) -> u32 {
    epoch.wrapping_add(moves) & ((1 << EPOCH_BITS) - 1)
}
