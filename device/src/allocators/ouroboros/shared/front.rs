//! The front of a class: the chunk whose pages all threads take.
//!
//! A word of the class's head holds that chunk and its number: each chunk that
//! gets there has the next one. A thread that takes pages exchanges the state of the chunk
//! that has this number, for one with fewer pages; no thread takes more than there are. With
//! the published subtraction, which may go below 0 and is undone, a thread that is late takes
//! pages of what has become a chunk of another class.
//!
//! The published walk reads the slots of the queue from the front on. The threads that walk
//! do not have their positions, so that a slot may hold something else by then: in a
//! static queue an entry of a turn later, in a virtualized one a user's data. Here the
//! front is outside the queue: its slot was read once, by one thread that had taken this
//! position, as any thread dequeues an entry. So all of the queues serve as they are.
//!
//! One thread at a time *promotes* the next chunk to the front: the one that has taken the
//! last page of the front before, or has reclaimed that; of a class without a front, the one
//! that has exchanged that for [`BUSY`]. It takes the oldest chunk of the queue or, if there
//! is none, one of the stacks, or leaves the class without. An entry whose chunk was
//! reclaimed meanwhile is dropped: the state shows that the chunk is not queued there.
//!
//! Threads that have permits wait for this thread. It waits only for the one that has the
//! same position at the queue's other end, as any thread that dequeues
//! ([`super::super::queue`]).
//!
//! Orders: the state decides. The front is relaxed. The thread that promotes a chunk stores
//! the front, and only then changes the chunk's state to being in front. The next thread to
//! store the front has exchanged that state, and so acquired the store, or has exchanged the
//! word itself: none of the stores comes late.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::AtomicU64;

use super::super::arena::{Arena, Chunk, Class, Given, NONE, Task};
use super::super::geometry::Line;
use super::super::parameters::{Parameters, pages};
use super::super::pool::take_count;
use super::super::queue::{Dequeue, End, Queue, VOID, positions, start};
use super::state::{UNAVAILABLE, count, in_front, queued, transition};
use crate::simt::Warp;

/// Stands for the chunk while a thread looks for the first.
const BUSY: u32 = NONE - 1;

/// The number of the front, and its chunk; or the next number, and [`NONE`] or [`BUSY`].
#[inline(always)]
fn front<P: Parameters>(arena: &Arena<P>, class: Class) -> &AtomicU64 {
    arena.second64(class, Line::Front)
}

#[inline(always)]
fn fuse(number: u32, chunk: u32) -> u64 {
    u64::from(number) << 32 | u64::from(chunk)
}

/// Leaves an empty class without a front. Numbers wrap soon, as positions do.
#[inline(always)]
pub fn init<P: Parameters>(arena: &Arena<P>, class: Class) {
    front(arena, class).store(fuse(start::<P>(), NONE), Relaxed);
}

/// Takes up to `most` pages of the front: its chunk, how many, and the page at which the
/// search for them begins; 0 pages if there is none at this moment.
#[inline(always)]
pub fn take_pages<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    most: u32,
) -> (u32, u32, u32) {
    let mut current = front(arena, class).load(Relaxed);
    if current as u32 == NONE && promote_first::<W, P, Q>(warp, arena, class) {
        current = front(arena, class).load(Relaxed);
    }
    let (number, chunk) = ((current >> 32) as u32, current as u32);
    if chunk >= BUSY {
        return (NONE, 0, 0);
    }
    let tag = in_front(class, number);
    // SAFETY: a front that is neither none nor busy is a chunk of the heap.
    let state = arena.shared_state(unsafe { Chunk::new(chunk) });
    let mut seen = state.load(Relaxed);
    loop {
        let there = count(seen);
        if seen != tag | u64::from(there) {
            return (NONE, 0, 0);
        }
        let n = if most < there { most } else { there };
        let next = if n == there {
            UNAVAILABLE
        } else {
            seen - u64::from(n)
        };
        let before = state.compare_exchange(seen, next, AcqRel);
        if before == seen {
            let all = pages::<P>(class);
            // First, for others wait for it.
            if next == UNAVAILABLE {
                // SAFETY: the caller has taken the last page of the front before.
                let next = unsafe { Given::new(number.wrapping_add(1)) };
                arena.call::<W, Promote<Q>>(warp, class, next);
            }
            if there == all {
                arena.idle(class).fetch_add(u32::MAX, Relaxed);
            }
            return (chunk, n, all - there);
        }
        // An exchange that fails was another thread's success.
        seen = before;
    }
}

/// Promotes a chunk to the front of a class that has none, if there is any entry or any chunk
/// on a stack, and no other thread does. Whether it has looked.
#[inline(always)]
pub fn promote_first<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
) -> bool {
    let front = front(arena, class);
    let seen = front.load(Relaxed);
    if seen as u32 != NONE {
        return false;
    }
    let entries = arena.head(class, Line::Entries).load(Relaxed) as i32;
    if entries <= 0 && !arena.has_stacked(class) {
        return false;
    }
    let number = (seen >> 32) as u32;
    let promotes = front.compare_exchange(seen, fuse(number, BUSY), Relaxed) == seen;
    if promotes {
        // SAFETY: the caller has exchanged the front for `BUSY`.
        let number = unsafe { Given::new(number) };
        arena.call::<W, Promote<Q>>(warp, class, number);
    }
    promotes
}

/// Promotes a chunk to be the front of a number, the argument, by the caller, whose turn it is.
pub struct Promote<Q>(PhantomData<Q>);

impl<Q: Queue> Task for Promote<Q> {
    type Of = Class;
    type Argument = Given;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        number: Given,
        _lanes: u32,
    ) -> u32 {
        let (front, number) = (front(arena, class), number.number());
        loop {
            let (chunk, found);
            if take_count(arena.head(class, Line::Entries)) {
                // SAFETY: an entry that was taken off the count is a permit for a position.
                let position = unsafe { positions(arena, class, End::Front, 1) };
                // SAFETY: the same.
                let given = unsafe { Given::new(position) };
                chunk = arena.call::<W, Dequeue<Q>>(warp, class.with::<P>(1), given);
                found = queued(class, position);
            } else {
                chunk = arena.pop(warp, class);
                found = UNAVAILABLE;
            }
            if chunk == VOID {
                // The chunk that was counted is on a stack.
                continue;
            }
            // Before the state lets others take the pages, and promote the next.
            front.store(fuse(number, chunk), Relaxed);
            // SAFETY: what is dequeued or popped is a chunk, and one that is popped is held.
            let promotes = |chunk| unsafe {
                transition(arena, Chunk::new(chunk), found, in_front(class, number))
            };
            if chunk == NONE || promotes(chunk) {
                return 0;
            }
        }
    }
}
