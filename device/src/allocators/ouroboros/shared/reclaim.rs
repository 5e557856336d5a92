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

use super::super::arena::{Arena, Chunk, Class, Given, NONE, Task, Word};
use super::super::geometry::Line;
use super::super::instance::Reclaimed;
use super::super::parameters::{Parameters, pages};
use super::super::queue::{Queue, close_at};
use super::front::{Promote, promote_first};
use super::state::{UNAVAILABLE, count, is_idle, is_in_front, number, queued, transition};
use crate::simt::Warp;

/// Gives a chunk of the heap, the argument, back to the pool, if it is queued or in front with
/// all of its pages free and none of them is promised. Whether it did.
pub struct ReclaimChunk<Q>(PhantomData<Q>);

impl<Q: Queue> Task for ReclaimChunk<Q> {
    type Of = Class;
    type Argument = Chunk;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        chunk: Chunk,
        _lanes: u32,
    ) -> u32 {
        let pages = pages::<P>(class);
        let state = arena.shared_state(chunk);
        let mut seen = state.load(Relaxed);
        loop {
            if !is_idle::<P>(seen, class) || !arena.supply(class).take_together(pages) {
                return 0;
            }
            // Acquire: what was done to the pages comes before what the thread does that
            // gets the chunk from the pool; and the front, if this is it.
            let before = state.compare_exchange(seen, UNAVAILABLE, Acquire);
            if before == seen {
                break;
            }
            arena.supply(class).signal(pages);
            seen = before;
        }
        arena.idle(class).fetch_add(u32::MAX, Relaxed);
        if is_in_front(seen) {
            // SAFETY: this was the front, until the exchange.
            let next = unsafe { Given::new(number(seen).wrapping_add(1)) };
            arena.call::<W, Promote<Q>>(warp, class, next);
        }
        // SAFETY: the chunk is this thread's since the exchange, with permits for all of its pages.
        unsafe { give(warp, arena, class, chunk) };
        1
    }
}

/// Gives a chunk of a class back to the pool.
///
/// # Safety
///
/// The caller owns `chunk`, and gives it up.
#[inline(always)]
unsafe fn give<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class, chunk: Chunk) {
    arena.divided(class).fetch_add(u32::MAX, Relaxed);
    // SAFETY: the caller's own.
    unsafe { arena.give_chunk(warp, chunk) };
}

/// Returns chunks of a class to the pool: idle ones and, of a virtualized queue that is
/// empty, the last chunk.
#[inline(always)]
pub fn reclaim<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
) -> Reclaimed {
    let mut again = Q::VIRTUAL && Q::settle(warp, arena, class);
    again |= reclaim_stacked(warp, arena, class);
    let mut number = 0;
    while number < arena.chunks && arena.has_idle(class) {
        // SAFETY: below their number.
        let chunk = unsafe { Chunk::new(number) };
        if is_idle::<P>(arena.shared_state(chunk).load(Relaxed), class) {
            again |= arena.call::<W, ReclaimChunk<Q>>(warp, class, chunk) != 0;
        }
        number += 1;
    }
    // Only this drops entries that were left behind.
    again |= promote_first::<W, P, Q>(warp, arena, class);
    let entries = arena.head(class, Line::Entries).load(Relaxed) as i32;
    if Q::VIRTUAL && entries <= 0 && arena.room(class).left() > 0 {
        again |= close_at::<W, P, Q>(warp, arena, class, |chunk, position| {
            // Its entry is still counted: a void is left to be dequeued instead. Without
            // the chunk, if that is not queued there any more.
            // SAFETY: an entry of the class is a chunk, and this thread's if it was queued.
            unsafe {
                let chunk = Chunk::new(chunk);
                if transition(arena, chunk, queued(class, position), UNAVAILABLE) {
                    arena.push(warp, class, chunk);
                }
            }
        });
    }
    Reclaimed { again, moves: 0 }
}

/// Reclaims what it can of the chunks on the stacks, while there are idle ones.
#[inline(always)]
fn reclaim_stacked<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) -> bool {
    let pages = pages::<P>(class);
    let (mut any, mut kept) = (false, NONE);
    let mut looks = 0;
    // Others may push chunks all the time.
    while looks < arena.chunks && arena.has_idle(class) {
        looks += 1;
        let chunk = arena.pop(warp, class);
        if chunk == NONE {
            break;
        }
        // SAFETY: a chunk that was popped is this thread's.
        let chunk = unsafe { Chunk::new(chunk) };
        let state = arena.shared_state(chunk);
        // Acquire: as in `ReclaimChunk`. No block is one of its pages, and no thread can take
        // one.
        if count(state.load(Acquire)) == pages && arena.supply(class).take_together(pages) {
            state.store(UNAVAILABLE, Relaxed);
            arena.idle(class).fetch_add(u32::MAX, Relaxed);
            // SAFETY: all of its pages are, too.
            unsafe { give(warp, arena, class, chunk) };
            any = true;
        } else {
            // Ours alone: no other thread uses the link. Release: as for all links, see
            // `queue::chunked::prepare`.
            arena.meta(chunk, Word::Next).store(kept, Release);
            kept = chunk.number();
        }
    }
    // SAFETY: those that were kept are linked to each other.
    unsafe { arena.push_linked(warp, class, kept) };
    any
}
