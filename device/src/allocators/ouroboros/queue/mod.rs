//! Queues of 32-bit entries, one a class: in static memory ([`Array`], section
//! 3.3), or in chunks of the pool ([`Hierarchy`] and [`Linked`], section 5).
//!
//! All three work with positions: counters that wrap, of the entries that were enqueued
//! and dequeued. To enqueue, a thread first reserves room, then takes
//! the next position at the back, then exchanges the slot of the position from
//! empty to the entry (Algorithm 1). To dequeue, a thread that has a permit from elsewhere
//! (a semaphore that counts entries) takes the next position at the front, and
//! exchanges the slot for empty until there was an entry in it.
//!
//! The paper has no room to reserve: there a thread finds out that its entry has no memory
//! when it has a position already, and all threads that wait for this
//! position wait for ever. Here a refusal comes before, and the caller keeps the
//! entry elsewhere (`bits`).
//!
//! Orders: the exchange of a slot for an entry releases what the entry names,
//! the exchange for empty acquires it. Positions and room are relaxed counters:
//! a thread that is early finds the slot empty, or the position's chunk not yet
//! there, and looks again.
//!
//! A thread that waits for a slot waits for one that has the same position at the
//! other end and that waits for nothing but the slot and, in virtualized
//! queues, the thread that is about to publish the position's chunk.

mod array;
mod chunked;
mod hierarchy;
mod linked;
mod list;
mod many;
mod retired;
mod skip_pointers;
mod walked;

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU32;

pub use array::Array;
pub use hierarchy::Hierarchy;
pub use linked::Linked;
pub use many::{AT_ONCE, enqueue_many};
pub use walked::Walked;

use super::arena::{Arena, Class, EMPTY, Given, Noted, Task};
use super::geometry::{Line, Static};
use super::group::Group;
use super::parameters::Parameters;
use crate::simt::Warp;

/// An entry that stands for none: it uses a position up. No chunk and no block has this
/// name either.
pub const VOID: u32 = u32::MAX - 1;

/// The position where an empty queue starts: positions wrap soon, and in every test, not
/// after hours.
#[inline(always)]
pub fn start<P: Parameters>() -> u32 {
    (2u32 << P::ENTRY_BITS).wrapping_neg()
}

/// An end of a queue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Where entries are dequeued.
    Front,
    /// Where entries are enqueued.
    Back,
}

/// The memory of a position.
pub struct Location<'a> {
    /// The slot.
    pub slot: &'a AtomicU32,
    /// Its chunk, in virtualized queues.
    pub chunk: u32,
}

/// A way to store a queue. Each function concerns the queue of one class.
///
/// Its functions get classes of heaps that were planned for such queues ([`Queue::fixed`]).
///
/// # Safety
///
/// Entries are numbers of chunks and pages that go to one caller each. An implementation
/// promises that its functions access the static memory that `fixed` asked for and chunks that
/// the queue has from the arena, nothing else; and that `locate` gives two positions the same
/// slot only if the one has been used up before the other is had.
pub unsafe trait Queue: Copy + 'static {
    /// Whether entries are stored in chunks of the pool.
    const VIRTUAL: bool;
    /// Whether [`Queue::bring_room`] does anything.
    const BRINGS_ROOM: bool = false;

    /// The static memory of a queue for `entries` at a time, in a heap of so many chunks.
    fn fixed<P: Parameters>(chunks: u64, entries: u64) -> Static;

    /// Whether no chunk of slots could be appended, by a look at the queue.
    #[inline(always)]
    fn is_full<P: Parameters>(_arena: &Arena<P>, _class: Class) -> bool {
        false
    }

    /// Empties the queue; called by all threads of the launch.
    ///
    /// # Safety
    ///
    /// Nothing else uses the heap.
    unsafe fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class);

    /// Reserves room for `n` entries, at most a chunk's, for each group of the lanes
    /// `all`, which call this together. Returns the lanes that have room by now, with
    /// which the caller goes on, all of its group among them; 0 if there is no room for
    /// its group. Groups do not wait for one that allocates room.
    fn reserve<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        all: u32,
        class: Class,
        n: u32,
        group: &Group,
    ) -> u32;

    /// Makes room for `n` entries, at most a chunk's, unless there is as much or no memory for it:
    /// a hint, whose room is everybody's. Called by all lanes of the group together, whose leader
    /// has begun a move.
    #[inline(always)]
    fn bring_room<W: Warp, P: Parameters>(
        _warp: W,
        _arena: &Arena<P>,
        _class: Class,
        _n: u32,
        _group: &Group,
    ) {
    }

    /// The memory of a position that the caller has at this end.
    ///
    /// # Safety
    ///
    /// The caller has the position, and does not use it any more when it has used the slot.
    unsafe fn locate<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        position: u32,
        end: End,
    ) -> Location<'_>;

    /// The slot of a position that the caller has, in the chunk that [`Queue::locate`] found for
    /// it.
    ///
    /// # Safety
    ///
    /// As for `locate`; `chunk` is that of the position.
    unsafe fn slot<P: Parameters>(
        arena: &Arena<P>,
        class: Class,
        chunk: u32,
        position: u32,
    ) -> &AtomicU32;

    /// Counts `n` entries that are about to be enqueued in a chunk, if the queue counts them.
    ///
    /// # Safety
    ///
    /// `chunk` is that of a position which the caller has at the back.
    #[inline(always)]
    unsafe fn count_enqueued<W: Warp, P: Parameters>(
        _warp: W,
        _arena: &Arena<P>,
        _class: Class,
        _chunk: u32,
        _n: u32,
    ) {
    }

    /// Counts `n` entries that were dequeued (of `chunk`, in virtualized queues). A
    /// retired chunk becomes room again, maybe together with the next, while
    /// there is less than `keep` chunks hold. Called by all lanes of the group together.
    ///
    /// # Safety
    ///
    /// `chunk` is that of `n` positions at the front that the lanes of the group had, and whose
    /// slots they have emptied.
    unsafe fn finish<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        chunk: u32,
        n: u32,
        keep: u32,
        group: &Group,
    );

    /// Returns retired chunks that the queue still holds, as far as it can; whether there
    /// may be some, which other threads are about to return otherwise.
    fn settle<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) -> bool;

    /// Reserves all the room that is left; none in a queue that keeps its memory.
    #[inline(always)]
    fn take_room<P: Parameters>(arena: &Arena<P>, class: Class) -> u32 {
        if Self::VIRTUAL {
            arena.room(class).take_all()
        } else {
            0
        }
    }
}

/// The next `n` positions at an end.
///
/// # Safety
///
/// The caller has room for `n` entries at the back, or permits for `n` at the front.
#[inline(always)]
pub unsafe fn positions<P: Parameters>(arena: &Arena<P>, class: Class, end: End, n: u32) -> u32 {
    let line = match end {
        End::Front => Line::Front,
        End::Back => Line::Back,
    };
    arena.head(class, line).fetch_add(n, Relaxed)
}

/// Enqueues an entry at the first of `n` positions that the caller has in a chunk; only the
/// thread that dequeues this entry looks at the others.
///
/// # Safety
///
/// The caller has these positions at the back, all in one chunk, and uses them once; `entry` is
/// what those who dequeue of this class take it for, a chunk or a block of the heap, or [`VOID`].
#[inline(always)]
pub unsafe fn enqueue<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    position: u32,
    entry: u32,
    n: u32,
) {
    // SAFETY: the caller has the position, so that its chunk stays until the slot is used.
    let location = unsafe { Q::locate(warp, arena, class, position, End::Back) };
    // SAFETY: the same. Before the entry can be dequeued, and the chunk be returned.
    unsafe { Q::count_enqueued(warp, arena, class, location.chunk, n) };
    // Waits, in a static queue, for the thread that had this slot's position a turn of
    // the queue ago: it finds an entry in the slot, and so waits for no thread.
    while location.slot.compare_exchange(EMPTY, entry, Release) != EMPTY {
        warp.back_off();
    }
}

/// Dequeues the entry at a position that the caller has; the entry and its chunk.
///
/// # Safety
///
/// The caller has the position at the front, and uses it once.
#[inline(always)]
pub unsafe fn dequeue<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    position: u32,
) -> (u32, u32) {
    // SAFETY: the caller has the position, so that its chunk stays until the slot is used.
    let location = unsafe { Q::locate(warp, arena, class, position, End::Front) };
    loop {
        let entry = location.slot.swap(EMPTY, Acquire);
        if entry != EMPTY {
            return (entry, location.chunk);
        }
        // Waits for the thread that has this position at the back; see the module. It reads:
        // exchanges by all that wait would keep the memory busy.
        while location.slot.load(Relaxed) == EMPTY {
            warp.back_off();
        }
    }
}

/// Dequeues the entry at a position, the argument, which the caller has at the front, and counts
/// as many entries of its chunk as dequeued as are passed beside the class: the caller has their
/// positions, too, whose slots are not used. No chunk is kept as room.
pub struct Dequeue<Q>(PhantomData<Q>);

impl<Q: Queue> Task for Dequeue<Q> {
    type Of = Noted;
    type Argument = Given;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        of: Noted,
        position: Given,
        _lanes: u32,
    ) -> u32 {
        let (class, n) = of.parts::<P>();
        // SAFETY: such positions.
        unsafe {
            let (entry, chunk) = dequeue::<W, P, Q>(warp, arena, class, position.number());
            Q::finish(warp, arena, class, chunk, n, 0, &Group::alone(warp));
            entry
        }
    }
}

/// Uses up the room that is left in a virtualized queue, so that its last chunk
/// goes back to the pool when the queue is empty. Passes entries that it dequeues to
/// `keep`; in a queue at rest there are none. Whether there was room.
#[inline(always)]
pub fn close<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    mut keep: impl FnMut(u32),
) -> bool {
    close_at::<W, P, Q>(warp, arena, class, |entry, _| keep(entry))
}

/// [`close`] where it matters at which position an entry was: `keep` gets both.
#[inline(always)]
pub fn close_at<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    mut keep: impl FnMut(u32, u32),
) -> bool {
    let n = Q::take_room(arena, class);
    if n == 0 {
        return false;
    }
    // SAFETY: we have the room for `n` entries, and so may dequeue as many.
    let (back, front) = unsafe {
        (
            positions(arena, class, End::Back, n),
            positions(arena, class, End::Front, n),
        )
    };
    // Where the two coincide both ends are ours; no other thread ever looks there, and
    // one void stands for all of our positions in a chunk.
    let unit = if front == back { 1 << P::ENTRY_BITS } else { 1 };
    let part = |position: u32, done: u32| {
        let left = unit - (position & (unit - 1));
        if left < n - done { left } else { n - done }
    };
    // Otherwise others have positions in between. They get our voids. Entries
    // older than these we dequeue before, so that while we wait for room no thread
    // waits for us.
    let ahead = back.wrapping_sub(front);
    let older = if (ahead as i32) < 0 { 0 } else { ahead };
    let older = if older < n { older } else { n };
    let (mut enqueued, mut dequeued) = (0, 0);
    loop {
        if dequeued == older {
            while enqueued < n {
                let position = back.wrapping_add(enqueued);
                let used = part(position, enqueued);
                // SAFETY: each position is used once, or is one of several in a chunk that are
                // used as one.
                unsafe { enqueue::<W, P, Q>(warp, arena, class, position, VOID, used) };
                enqueued += used;
            }
        }
        if dequeued == n {
            return true;
        }
        let position = front.wrapping_add(dequeued);
        let used = part(position, dequeued);
        // SAFETY: as above.
        let given = unsafe { Given::new(position) };
        let entry = arena.call::<W, Dequeue<Q>>(warp, class.with::<P>(used), given);
        if entry != VOID {
            keep(entry, position);
        }
        dequeued += used;
    }
}
