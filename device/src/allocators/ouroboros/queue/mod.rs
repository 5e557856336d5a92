//! Queues of 32-bit entries, one a class: in static memory ([`Array`], section
//! 3.3), or in chunks of the pool ([`Hierarchy`] and [`Linked`], section 5).
//!
//! All three work with positions: counters that wrap and say how many entries
//! were put and taken. Who puts an entry first reserves room for it, then takes
//! the next position at the back, then exchanges the slot of the position from
//! empty to the entry (Algorithm 1). Who takes one has a permit from elsewhere
//! (a semaphore that counts entries), takes the next position at the front, and
//! exchanges the slot for empty until there was an entry in it.
//!
//! Room is what the paper lacks: there a thread learns that there is no memory
//! for its entry when it has a position already, and all who wait for this
//! position wait for ever. Here a refusal comes before, and the caller keeps the
//! entry elsewhere ([`super::bits`]).
//!
//! Orders: the exchange of a slot for an entry releases what the entry names,
//! the exchange for empty acquires it. Positions and room are relaxed counters:
//! a thread that is early finds the slot empty, or the position's chunk not yet
//! there, and looks again.
//!
//! Whoever waits for a slot waits for a thread that has the same position at the
//! other end and has nothing to wait for but the slot and, in virtualized
//! queues, the thread that is about to publish the position's chunk.

mod array;
mod chunked;
mod drained;
mod hierarchy;
mod linked;
mod list;
mod signposts;
mod walked;

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU32;

pub use array::Array;
pub use hierarchy::Hierarchy;
pub use linked::Linked;
pub use walked::Walked;

use super::arena::{Arena, EMPTY, Task};
use super::geometry::{Line, Static};
use super::group::Group;
use super::parameters::Parameters;
use crate::simt::Warp;

/// An entry that stands for none: it was put to use a position up. No chunk and no block has
/// this name either.
pub const VOID: u32 = u32::MAX - 1;

/// The position where an empty queue starts: positions come to the end of their
/// 32 bits soon, and in every test, not after hours.
#[inline(always)]
pub fn start<P: Parameters>() -> u32 {
    (2u32 << P::ENTRY_BITS).wrapping_neg()
}

/// An end of a queue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Where entries are taken.
    Front,
    /// Where entries are put.
    Back,
}

/// Where a position is stored.
pub struct Place<'a> {
    /// The slot.
    pub slot: &'a AtomicU32,
    /// Its chunk, in virtualized queues.
    pub chunk: u32,
}

/// A way to store a queue. Each function concerns the queue of one class.
pub trait Queue: Copy {
    /// Whether entries are stored in chunks of the pool.
    const VIRTUAL: bool;

    /// What a queue needs in static memory for `entries` at a time.
    fn fixed<P: Parameters>(entries: u64) -> Static;

    /// Empties the queue; called by all threads of the launch.
    fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32);

    /// Reserves room for `n` entries, at most a chunk's, for each group of the lanes
    /// `all`, which call this together. Gives back the lanes that have room by now, with
    /// which the caller goes on, all of its group among them; 0 if there is no room for
    /// its group. Groups do not wait for one that has room brought.
    fn reserve<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        all: u32,
        class: u32,
        n: u32,
        group: &Group,
    ) -> u32;

    /// Where a position is stored that the caller has at this end.
    fn place<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        position: u32,
        end: End,
    ) -> Place<'_>;

    /// Says that `n` entries are about to be put into a chunk, if the queue is to know.
    #[inline(always)]
    fn filled<W: Warp, P: Parameters>(
        _warp: W,
        _arena: &Arena<P>,
        _class: u32,
        _chunk: u32,
        _n: u32,
    ) {
    }

    /// Says that `n` entries were taken (of `chunk`, in virtualized queues). A
    /// chunk that is drained becomes room again, maybe together with the next, while
    /// there is less than `keep` chunks hold. Called by all lanes of the group together.
    fn finish<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        chunk: u32,
        n: u32,
        keep: u32,
        group: &Group,
    );

    /// Returns drained chunks that the queue still has, as far as it can; whether there
    /// may be some, which others are about to return otherwise.
    fn settle<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) -> bool;

    /// Takes all the room that is left; none in a queue that keeps its memory.
    fn take_room<P: Parameters>(arena: &Arena<P>, class: u32) -> u32;
}

/// The next `n` positions at an end.
#[inline(always)]
pub fn positions<P: Parameters>(arena: &Arena<P>, class: u32, end: End, n: u32) -> u32 {
    let line = match end {
        End::Front => Line::Front,
        End::Back => Line::Back,
    };
    arena.head(class, line, 0).fetch_add(n, Relaxed)
}

/// Puts an entry at the first of `n` positions that the caller has in a chunk; nobody
/// looks at the others but who gets this one.
#[inline(always)]
pub fn put<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    position: u32,
    entry: u32,
    n: u32,
) {
    let place = Q::place(warp, arena, class, position, End::Back);
    // Before the entry can be taken, and the chunk be returned.
    Q::filled(warp, arena, class, place.chunk, n);
    // Waits, in a static queue, for whoever had this slot's position a turn of
    // the queue ago: it finds an entry in the slot, and so waits for nobody.
    while place.slot.compare_exchange(EMPTY, entry, Release) != EMPTY {
        warp.back_off();
    }
}

/// Takes the entry at a position that the caller has, and says from which chunk.
#[inline(always)]
pub fn take<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    position: u32,
) -> (u32, u32) {
    let place = Q::place(warp, arena, class, position, End::Front);
    loop {
        let entry = place.slot.swap(EMPTY, Acquire);
        if entry != EMPTY {
            return (entry, place.chunk);
        }
        // Waits for whoever has this position at the back; see the module.
        warp.back_off();
    }
}

/// Takes the entry at the position that is the number, and says that so many were
/// taken of its chunk as is told with the class. None is kept as room.
pub struct TakeOut<Q>(PhantomData<Q>);

impl<Q: Queue> Task for TakeOut<Q> {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        position: u32,
        _lanes: u32,
    ) -> u32 {
        let (class, n) = (class & ((1 << P::CLASS_BITS) - 1), class >> P::CLASS_BITS);
        let (entry, chunk) = take::<W, P, Q>(warp, arena, class, position);
        Q::finish(warp, arena, class, chunk, n, 0, &Group::alone(warp));
        entry
    }
}

/// Uses up the room that is left in a virtualized queue, so that its last chunk
/// goes back to the pool when the queue is empty. Entries that are there are
/// handed to `keep`; in a queue at rest there are none. Whether there was room.
#[inline(always)]
pub fn close<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    mut keep: impl FnMut(u32),
) -> bool {
    close_at::<W, P, Q>(warp, arena, class, |entry, _| keep(entry))
}

/// [`close`] where it matters at which position an entry was: `keep` is told both.
#[inline(always)]
pub fn close_at<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    mut keep: impl FnMut(u32, u32),
) -> bool {
    let n = Q::take_room(arena, class);
    if n == 0 {
        return false;
    }
    // We have the room for `n` entries, and for these a right to take as many.
    let back = positions(arena, class, End::Back, n);
    let front = positions(arena, class, End::Front, n);
    // Both ends are ours where the two coincide; nobody else ever looks there, and
    // one void stands for all of our positions in a chunk.
    let unit = if front == back { 1 << P::ENTRY_BITS } else { 1 };
    let part = |position: u32, done: u32| {
        let left = unit - (position & (unit - 1));
        if left < n - done { left } else { n - done }
    };
    // Otherwise others have positions in between. They get our voids. What is
    // older than these we take before, so that while we wait for room nobody
    // waits for us.
    let ahead = back.wrapping_sub(front);
    let older = if (ahead as i32) < 0 { 0 } else { ahead };
    let older = if older < n { older } else { n };
    let (mut put_there, mut taken) = (0, 0);
    loop {
        if taken == older {
            while put_there < n {
                let position = back.wrapping_add(put_there);
                let used = part(position, put_there);
                put::<W, P, Q>(warp, arena, class, position, VOID, used);
                put_there += used;
            }
        }
        if taken == n {
            return true;
        }
        let position = front.wrapping_add(taken);
        let used = part(position, taken);
        let entry = arena.call::<W, TakeOut<Q>>(warp, class | used << P::CLASS_BITS, position);
        if entry != VOID {
            keep(entry, position);
        }
        taken += used;
    }
}
