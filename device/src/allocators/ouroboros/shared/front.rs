//! The front of a class: the chunk of which all threads take pages.
//!
//! A word of the class's head says which chunk that is, and its number: each chunk that
//! gets there has the next one. Who takes pages exchanges the state of the chunk that has
//! this number, for one with fewer pages; nobody takes more than there are. With the
//! published subtraction, which may go below 0 and is undone, a thread that is late takes
//! pages of what has become a chunk of another class.
//!
//! The published walk reads the slots of the queue from the front on. Their positions
//! belong to none of those who walk, so that a slot may hold something else by then: in a
//! static queue an entry of a turn later, in a virtualized one a user's data. Here the
//! front is outside the queue: its slot was read once, by one thread that had taken this
//! position, as anyone takes an entry out. So all of the queues serve as they are.
//!
//! One thread at a time is to *bring* the next front: who has taken the last page of the
//! one before, or has retired it; of a class without a front, who has exchanged that for
//! [`BUSY`]. It takes the oldest chunk of the queue or, if there is none, one of the
//! stack, or leaves the class without. An entry whose chunk was retired meanwhile is
//! dropped: the state says that it is not queued there.
//!
//! Those who have permits wait for this thread. It waits for nobody but who has the same
//! position at the queue's other end, as whoever takes an entry out ([`super::super::queue`]).
//!
//! Orders: what counts is the state. The front is relaxed. Who is to bring it stores it,
//! and only then the chunk's state says that it is in front. The next to store it has
//! exchanged that state, and so acquired the store, or has exchanged the word itself: none
//! of the stores comes late.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::AtomicU64;

use super::super::arena::{Arena, NONE, Task};
use super::super::chunks::listed::idle;
use super::super::geometry::Line;
use super::super::parameters::{Parameters, pages};
use super::super::pool::take_count;
use super::super::queue::{End, Queue, TakeOut, VOID, positions, start};
use super::state::{UNLISTED, count, in_front, queued, relist};
use crate::simt::Warp;

/// Stands for the chunk while a thread looks for the first.
const BUSY: u32 = NONE - 1;

/// The number of the front, and its chunk; or the next number, and [`NONE`] or [`BUSY`].
#[inline(always)]
fn front<P: Parameters>(arena: &Arena<P>, class: u32) -> &AtomicU64 {
    arena.head64(class, Line::Front, 1)
}

#[inline(always)]
fn fuse(number: u32, chunk: u32) -> u64 {
    u64::from(number) << 32 | u64::from(chunk)
}

/// Leaves an empty class without a front. Numbers come to the end of their 32 bits soon,
/// as positions do.
#[inline(always)]
pub fn init<P: Parameters>(arena: &Arena<P>, class: u32) {
    front(arena, class).store(fuse(start::<P>(), NONE), Relaxed);
}

/// Takes up to `most` pages of the front: its chunk, how many, and where to look for
/// them; 0 pages if there is none at this moment.
#[inline(always)]
pub fn take_pages<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    most: u32,
) -> (u32, u32, u32) {
    let mut place = front(arena, class).load(Relaxed);
    if place as u32 == NONE && bring_first::<W, P, Q>(warp, arena, class) {
        place = front(arena, class).load(Relaxed);
    }
    let (number, chunk) = ((place >> 32) as u32, place as u32);
    if chunk >= BUSY {
        return (NONE, 0, 0);
    }
    let tag = in_front(class, number);
    let state = arena.shared_state(chunk);
    let mut seen = state.load(Relaxed);
    loop {
        let there = count(seen);
        if seen != tag | u64::from(there) {
            return (NONE, 0, 0);
        }
        let n = if most < there { most } else { there };
        let next = if n == there {
            UNLISTED
        } else {
            seen - u64::from(n)
        };
        let before = state.compare_exchange(seen, next, AcqRel);
        if before == seen {
            let all = pages::<P>(class);
            // First, for others wait for it.
            if next == UNLISTED {
                arena.call::<W, Bring<Q>>(warp, class, number.wrapping_add(1));
            }
            if there == all {
                idle(arena, class).fetch_add(u32::MAX, Relaxed);
            }
            return (chunk, n, all - there);
        }
        // An exchange that fails was another thread's success.
        seen = before;
    }
}

/// Brings a front to a class that has none, if there is any entry or any chunk on a
/// stack, and nobody else does. Whether it has looked.
#[inline(always)]
pub fn bring_first<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
) -> bool {
    let front = front(arena, class);
    let seen = front.load(Relaxed);
    if seen as u32 != NONE {
        return false;
    }
    let entries = arena.head(class, Line::Entries, 0).load(Relaxed) as i32;
    if entries <= 0 && !arena.has_stacked(class) {
        return false;
    }
    let number = (seen >> 32) as u32;
    let brings = front.compare_exchange(seen, fuse(number, BUSY), Relaxed) == seen;
    if brings {
        arena.call::<W, Bring<Q>>(warp, class, number);
    }
    brings
}

/// Brings the front of the number, by the one who is to.
pub struct Bring<Q>(PhantomData<Q>);

impl<Q: Queue> Task for Bring<Q> {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        number: u32,
        _lanes: u32,
    ) -> u32 {
        let front = front(arena, class);
        loop {
            let (chunk, listed);
            if take_count(arena.head(class, Line::Entries, 0)) {
                let position = positions(arena, class, End::Front, 1);
                chunk = arena.call::<W, TakeOut<Q>>(warp, class | 1 << P::CLASS_BITS, position);
                listed = queued(class, position);
            } else {
                chunk = arena.pop(warp, class);
                listed = UNLISTED;
            }
            if chunk == VOID {
                // What was counted is on a stack.
                continue;
            }
            // Before the state lets others take the pages, and bring the next.
            front.store(fuse(number, chunk), Relaxed);
            if chunk == NONE || relist(arena, chunk, listed, in_front(class, number)) {
                return 0;
            }
        }
    }
}
