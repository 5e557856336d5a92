//! Giving chunks of a class that hold no block to the pool.
//!
//! Who frees the last page in use of a chunk that is listed retires the chunk: if the
//! semaphore has permits for all of its pages, nobody is promised one of them. Otherwise
//! the chunk stays, and is counted as idle; so does one that is on its way from one place
//! to another. A request that finds nothing looks at the states of all chunks while some
//! are idle: the slots of a queue are no place to look for them ([`super::front`]).
//!
//! A queued chunk leaves its entry behind, which whoever brings it to the front drops.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::super::arena::{Arena, NONE, Task, Word};
use super::super::chunks::listed::idle;
use super::super::geometry::Line;
use super::super::instance::Reclaimed;
use super::super::parameters::{Parameters, pages};
use super::super::queue::{Queue, close_at};
use super::super::waiting::{room, supply};
use super::front::{Bring, bring_first};
use super::state::{UNLISTED, count, is_idle, is_in_front, number, queued, relist};
use crate::simt::Warp;

/// Gives the chunk that is the number back to the pool, if the class lists it with all of
/// its pages free and none of them is promised. Whether it did.
pub struct Retire<Q>(PhantomData<Q>);

impl<Q: Queue> Task for Retire<Q> {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        chunk: u32,
        _lanes: u32,
    ) -> u32 {
        let pages = pages::<P>(class);
        let state = arena.shared_state(chunk);
        let mut seen = state.load(Relaxed);
        loop {
            if !is_idle::<P>(seen, class) || !supply(arena, class).take_together(pages) {
                return 0;
            }
            // Acquire: what was done to the pages comes before who gets the chunk from
            // the pool; and the front, if this is it.
            let before = state.compare_exchange(seen, UNLISTED, Acquire);
            if before == seen {
                break;
            }
            supply(arena, class).signal(pages);
            seen = before;
        }
        idle(arena, class).fetch_add(u32::MAX, Relaxed);
        if is_in_front(seen) {
            arena.call::<W, Bring<Q>>(warp, class, number(seen).wrapping_add(1));
        }
        give(warp, arena, class, chunk);
        1
    }
}

#[inline(always)]
fn give<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, chunk: u32) {
    arena.divided(class).fetch_add(u32::MAX, Relaxed);
    arena.give_chunk(warp, chunk);
}

/// Returns what a class has of the pool: idle chunks and, of a virtualized queue that is
/// empty, the last chunk.
#[inline(always)]
pub fn reclaim<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
) -> Reclaimed {
    let mut again = Q::VIRTUAL && Q::settle(warp, arena, class);
    again |= retire_stack(warp, arena, class);
    let mut chunk = 0;
    while chunk < arena.chunks && has_idle(arena, class) {
        if is_idle::<P>(arena.shared_state(chunk).load(Relaxed), class) {
            again |= arena.call::<W, Retire<Q>>(warp, class, chunk) != 0;
        }
        chunk += 1;
    }
    // Of entries that were left behind nothing else comes.
    again |= bring_first::<W, P, Q>(warp, arena, class);
    let entries = arena.head(class, Line::Entries, 0).load(Relaxed) as i32;
    if Q::VIRTUAL && entries <= 0 && room(arena, class).left() > 0 {
        again |= close_at::<W, P, Q>(warp, arena, class, |chunk, position| {
            // Its entry is still counted: a void is left to be taken instead. Without
            // the chunk, if that is not queued there any more.
            if relist(arena, chunk, queued(class, position), UNLISTED) {
                arena.push(warp, class, chunk);
            }
        });
    }
    Reclaimed { again, moves: 0 }
}

#[inline(always)]
fn has_idle<P: Parameters>(arena: &Arena<P>, class: u32) -> bool {
    idle(arena, class).load(Relaxed) as i32 > 0
}

/// Retires what it can of the chunks on the stacks, while there are idle ones.
#[inline(always)]
fn retire_stack<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) -> bool {
    let pages = pages::<P>(class);
    let (mut any, mut kept) = (false, NONE);
    let mut looks = 0;
    // Others may put chunks there all the time.
    while looks < arena.chunks && has_idle(arena, class) {
        looks += 1;
        let chunk = arena.pop(warp, class);
        if chunk == NONE {
            break;
        }
        let state = arena.shared_state(chunk);
        // Acquire: as in `Retire`. Nobody has one of its pages or can take one.
        if count(state.load(Acquire)) == pages && supply(arena, class).take_together(pages) {
            state.store(UNLISTED, Relaxed);
            idle(arena, class).fetch_add(u32::MAX, Relaxed);
            give(warp, arena, class, chunk);
            any = true;
        } else {
            // Ours alone: nobody else uses the link. Release: as for all links, see
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
