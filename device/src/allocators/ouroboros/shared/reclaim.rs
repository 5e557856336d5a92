//! Reclaiming chunks of a class that hold no block, for the pool.
//!
//! The thread that frees the last page in use of a chunk that is queued or in front reclaims
//! the chunk: if the semaphore has permits for all of its pages, no thread is promised one of
//! them. Otherwise the chunk stays, and is counted as idle; so does one that is on its way
//! from the queue or a stack to the front. A request that finds nothing reads the states of
//! all chunks while some are idle: it must not read the slots of a queue ([`super::front`]).
//!
//! A queued chunk leaves its entry behind, which the thread that would promote it drops.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::super::arena::{Arena, NONE, Task, Word};
use super::super::chunks::available::idle;
use super::super::geometry::Line;
use super::super::instance::Reclaimed;
use super::super::parameters::{Parameters, pages};
use super::super::queue::{Queue, close_at};
use super::super::waiting::{room, supply};
use super::front::{Promote, promote_first};
use super::state::{UNAVAILABLE, count, is_idle, is_in_front, number, queued, transition};
use crate::simt::Warp;

/// Gives a chunk of the heap, the argument, back to the pool, if it is queued or in front with
/// all of its pages free and none of them is promised. Whether it did.
pub struct ReclaimChunk<Q>(PhantomData<Q>);

impl<Q: Queue> Task for ReclaimChunk<Q> {
    #[inline(always)]
    unsafe fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        chunk: u32,
        _lanes: u32,
    ) -> u32 {
        // SAFETY: the class and the chunk are the caller's promise. The chunk is this thread's
        // once its state was exchanged for `UNAVAILABLE`, with permits for all of its pages.
        unsafe {
            let pages = pages::<P>(class);
            let state = arena.shared_state(chunk);
            let mut seen = state.load(Relaxed);
            loop {
                if !is_idle::<P>(seen, class) || !supply(arena, class).take_together(pages) {
                    return 0;
                }
                // Acquire: what was done to the pages comes before what the thread does that
                // gets the chunk from the pool; and the front, if this is it.
                let before = state.compare_exchange(seen, UNAVAILABLE, Acquire);
                if before == seen {
                    break;
                }
                supply(arena, class).signal(pages);
                seen = before;
            }
            idle(arena, class).fetch_add(u32::MAX, Relaxed);
            if is_in_front(seen) {
                arena.call::<W, Promote<Q>>(warp, class, number(seen).wrapping_add(1));
            }
            give(warp, arena, class, chunk);
            1
        }
    }
}

/// Gives a chunk of a class back to the pool.
///
/// # Safety
///
/// `class` is below `P::CLASSES`. `chunk` is a chunk of the heap that the caller owns, and gives
/// up.
#[inline(always)]
unsafe fn give<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, chunk: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        arena.divided(class).fetch_add(u32::MAX, Relaxed);
        arena.give_chunk(warp, chunk);
    }
}

/// Returns chunks of a class to the pool: idle ones and, of a virtualized queue that is
/// empty, the last chunk.
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
pub unsafe fn reclaim<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
) -> Reclaimed {
    // SAFETY: the class is the caller's promise. Chunks are below their number, or entries, which
    // are chunks of the heap, and are pushed by the thread that has exchanged their state.
    unsafe {
        let mut again = Q::VIRTUAL && Q::settle(warp, arena, class);
        again |= reclaim_stacked(warp, arena, class);
        let mut chunk = 0;
        while chunk < arena.chunks && has_idle(arena, class) {
            if is_idle::<P>(arena.shared_state(chunk).load(Relaxed), class) {
                again |= arena.call::<W, ReclaimChunk<Q>>(warp, class, chunk) != 0;
            }
            chunk += 1;
        }
        // Only this drops entries that were left behind.
        again |= promote_first::<W, P, Q>(warp, arena, class);
        let entries = arena.head(class, Line::Entries, 0).load(Relaxed) as i32;
        if Q::VIRTUAL && entries <= 0 && room(arena, class).left() > 0 {
            again |= close_at::<W, P, Q>(warp, arena, class, |chunk, position| {
                // Its entry is still counted: a void is left to be dequeued instead. Without
                // the chunk, if that is not queued there any more.
                if transition(arena, chunk, queued(class, position), UNAVAILABLE) {
                    arena.push(warp, class, chunk);
                }
            });
        }
        Reclaimed { again, moves: 0 }
    }
}

/// Whether some chunks of the class are idle.
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
unsafe fn has_idle<P: Parameters>(arena: &Arena<P>, class: u32) -> bool {
    // SAFETY: the caller's promise.
    unsafe { idle(arena, class).load(Relaxed) as i32 > 0 }
}

/// Reclaims what it can of the chunks on the stacks, while there are idle ones.
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
unsafe fn reclaim_stacked<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) -> bool {
    // SAFETY: the class is the caller's promise. Chunks that are popped are this thread's, linked
    // to each other, and pushed if the pool does not get them.
    unsafe {
        let pages = pages::<P>(class);
        let (mut any, mut kept) = (false, NONE);
        let mut looks = 0;
        // Others may push chunks all the time.
        while looks < arena.chunks && has_idle(arena, class) {
            looks += 1;
            let chunk = arena.pop(warp, class);
            if chunk == NONE {
                break;
            }
            let state = arena.shared_state(chunk);
            // Acquire: as in `ReclaimChunk`. No block is one of its pages, and no thread can take
            // one.
            if count(state.load(Acquire)) == pages && supply(arena, class).take_together(pages) {
                state.store(UNAVAILABLE, Relaxed);
                idle(arena, class).fetch_add(u32::MAX, Relaxed);
                give(warp, arena, class, chunk);
                any = true;
            } else {
                // Ours alone: no other thread uses the link. Release: as for all links, see
                // `queue::chunked::prepare`.
                arena.meta(chunk, Word::Next).store(kept, Release);
                kept = chunk;
            }
        }
        while kept != NONE {
            let next = arena.meta(kept, Word::Next).load(Relaxed);
            arena.push(warp, class, kept);
            kept = next;
        }
        any
    }
}
