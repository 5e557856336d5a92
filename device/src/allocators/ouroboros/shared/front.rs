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

use super::super::arena::{Arena, NONE, Task};
use super::super::chunks::available::idle;
use super::super::geometry::Line;
use super::super::parameters::{Parameters, pages};
use super::super::pool::take_count;
use super::super::queue::{Dequeue, End, Queue, VOID, positions, start};
use super::state::{UNAVAILABLE, count, in_front, queued, transition};
use crate::simt::Warp;

/// Stands for the chunk while a thread looks for the first.
const BUSY: u32 = NONE - 1;

/// The number of the front, and its chunk; or the next number, and [`NONE`] or [`BUSY`].
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
unsafe fn front<P: Parameters>(arena: &Arena<P>, class: u32) -> &AtomicU64 {
    // SAFETY: the caller's promise; the second word of the line.
    unsafe { arena.head64(class, Line::Front, 1) }
}

#[inline(always)]
fn fuse(number: u32, chunk: u32) -> u64 {
    u64::from(number) << 32 | u64::from(chunk)
}

/// Leaves an empty class without a front. Numbers wrap soon, as positions do.
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
pub unsafe fn init<P: Parameters>(arena: &Arena<P>, class: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        front(arena, class).store(fuse(start::<P>(), NONE), Relaxed);
    }
}

/// Takes up to `most` pages of the front: its chunk, how many, and the page at which the
/// search for them begins; 0 pages if there is none at this moment.
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
pub unsafe fn take_pages<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    most: u32,
) -> (u32, u32, u32) {
    // SAFETY: the class is the caller's promise. A front that is neither none nor busy is a chunk
    // of the heap.
    unsafe {
        let mut current = front(arena, class).load(Relaxed);
        if current as u32 == NONE && promote_first::<W, P, Q>(warp, arena, class) {
            current = front(arena, class).load(Relaxed);
        }
        let (number, chunk) = ((current >> 32) as u32, current as u32);
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
                UNAVAILABLE
            } else {
                seen - u64::from(n)
            };
            let before = state.compare_exchange(seen, next, AcqRel);
            if before == seen {
                let all = pages::<P>(class);
                // First, for others wait for it.
                if next == UNAVAILABLE {
                    arena.call::<W, Promote<Q>>(warp, class, number.wrapping_add(1));
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
}

/// Promotes a chunk to the front of a class that has none, if there is any entry or any chunk
/// on a stack, and no other thread does. Whether it has looked.
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
pub unsafe fn promote_first<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
) -> bool {
    // SAFETY: the class is the caller's promise. The thread that has exchanged the front for
    // `BUSY` promotes.
    unsafe {
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
        let promotes = front.compare_exchange(seen, fuse(number, BUSY), Relaxed) == seen;
        if promotes {
            arena.call::<W, Promote<Q>>(warp, class, number);
        }
        promotes
    }
}

/// Promotes a chunk to be the front of a number, the argument, by the caller, whose turn it is.
pub struct Promote<Q>(PhantomData<Q>);

impl<Q: Queue> Task for Promote<Q> {
    #[inline(always)]
    unsafe fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        number: u32,
        _lanes: u32,
    ) -> u32 {
        // SAFETY: the class is the caller's promise. An entry that was taken off the count is a
        // permit for a position; what is dequeued or popped is a chunk of the heap.
        unsafe {
            let front = front(arena, class);
            loop {
                let (chunk, found);
                if take_count(arena.head(class, Line::Entries, 0)) {
                    let position = positions(arena, class, End::Front, 1);
                    chunk = arena.call::<W, Dequeue<Q>>(warp, class | 1 << P::CLASS_BITS, position);
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
                if chunk == NONE || transition(arena, chunk, found, in_front(class, number)) {
                    return 0;
                }
            }
        }
    }
}
