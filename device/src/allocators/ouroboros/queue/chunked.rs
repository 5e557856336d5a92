//! Shared by the virtualized queues: room, in chunks of the pool.
//!
//! Room is a bulk semaphore whose bundles are chunks: a thread that finds no room
//! allocates and appends a chunk, in time for others that were promised part of it. A
//! position is taken only for room that a chunk provides, so that positions never run
//! ahead of chunks, and each is used once: no slot is ever used again.

use core::sync::atomic::Ordering::{AcqRel, Relaxed, Release};

use cuda_std::atomic::{AtomicU32, fence};

use super::Queue;
use crate::allocators::ouroboros::arena::{Arena, Chunk, Class, EMPTY, NONE, Task, Word, for_each};
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::parameters::Parameters;
use crate::simt::{Warp, leader};

/// The number of a position's chunk; numbers wrap with the positions.
#[inline(always)]
pub fn number<P: Parameters>(position: u32) -> u32 {
    position >> P::ENTRY_BITS
}

/// The number that is `delta` after another.
#[inline(always)]
pub fn advance<P: Parameters>(number: u32, delta: u32) -> u32 {
    number.wrapping_add(delta) & (u32::MAX >> P::ENTRY_BITS)
}

/// The number of a chunk, and the chunk, in one word.
#[inline(always)]
pub fn fuse(number: u32, chunk: u32) -> u64 {
    u64::from(number) << 32 | u64::from(chunk)
}

/// The slot of a position in its chunk.
///
/// # Safety
///
/// `chunk` holds the position of a queue, as long as the slot is used.
#[inline(always)]
pub unsafe fn slot<P: Parameters>(arena: &Arena<P>, chunk: Chunk, position: u32) -> &AtomicU32 {
    // SAFETY: the index is cut to the bits of a chunk's entries.
    unsafe { arena.entry(chunk, position & ((1 << P::ENTRY_BITS) - 1)) }
}

/// The chunk that an empty queue begins with, with empty slots and the tag `tag`;
/// [`NONE`] in a small heap. Called by all threads of the launch.
///
/// # Safety
///
/// Nothing else uses the heap.
#[inline(always)]
pub unsafe fn init<W: Warp, P: Parameters>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    tag: u32,
) -> u32 {
    const { assert!(P::FIRST_CHUNKS_FROM >= P::CLASSES) };
    if arena.chunks < P::FIRST_CHUNKS_FROM {
        if warp.thread() == 0 {
            arena.room(class).init(0);
        }
        return NONE;
    }
    // SAFETY: a heap of so many chunks has one with the number of each class.
    let chunk = unsafe { Chunk::new(class.number()) };
    for_each(warp, 1 << P::ENTRY_BITS, |index| {
        // SAFETY: an entry of the chunk, which no other uses.
        let entry = unsafe { arena.entry(chunk, index) };
        entry.store(EMPTY, Relaxed);
    });
    if warp.thread() == 0 {
        arena.room(class).init(1 << P::ENTRY_BITS);
        arena.meta(chunk, Word::Tag).store(tag, Relaxed);
        arena.meta(chunk, Word::Next).store(NONE, Relaxed);
        arena.meta(chunk, Word::Dequeued).store(0, Relaxed);
    }
    chunk.number()
}

/// Appending chunks to a queue.
pub trait Append: Queue {
    /// The initial value of a chunk's `Word::Dequeued`: 0, less what [`count_dequeued`]
    /// counts beside the entries.
    const INITIAL_DEQUEUED: u32;

    /// Makes `chunk`, which has no tag, the newest of the queue; false if the queue cannot
    /// hold another.
    ///
    /// # Safety
    ///
    /// The caller owns `chunk`, which was prepared.
    unsafe fn append<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        chunk: Chunk,
    ) -> bool;
}

/// Reserves `n` slots for each group of the lanes `all`, with new chunks if there is
/// need: `Queue::reserve`.
#[inline(always)]
pub fn reserve<W: Warp, P: Parameters, A: Append>(
    warp: W,
    arena: &Arena<P>,
    all: u32,
    class: Class,
    n: u32,
    group: &Group,
) -> u32 {
    let mut taken = 0;
    if group.leads() {
        let room = arena.room(class);
        // While all memory is in use there is no room, for whatever is freed.
        let there = room.take_if_any(n);
        taken = u32::from(there == n);
        if taken == 0 && there > 0 {
            room.signal(there);
        }
    }
    let is_taken = warp.shuffle(all, taken, group.leader) != 0;
    let together = warp.ballot(all, is_taken);
    if is_taken {
        together
    } else if arena.call_together::<W, MakeRoom<A>>(warp, class, n, group.mask) != 0 {
        group.mask
    } else {
        0
    }
}

/// The outcome of a wait for room: the caller must allocate a chunk, has room, or is
/// refused.
const ALLOCATE: u32 = 0;
const THERE: u32 = 1;
const REFUSED: u32 = 2;

/// Waits for room for as many entries as the argument, or allocates a chunk for them, for
/// the lanes, which all call this. For 0 entries it allocates one and waits for nothing.
struct MakeRoom<A>(core::marker::PhantomData<A>);

impl<A: Append> Task for MakeRoom<A> {
    type Of = Class;
    type Argument = u32;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        n: u32,
        lanes: u32,
    ) -> u32 {
        let group = Group::of_lanes(warp, lanes);
        let (mut outcome, mut there) = (REFUSED, 0);
        if group.leads() {
            // Where no chunk can be appended no thread waits for one: when all memory is in use,
            // every free would.
            if n == 0 {
                outcome = ALLOCATE;
            } else if arena.may_get_room::<A>(class) {
                let waited = arena.wait_for_room::<W, A>(warp, class, n);
                there = waited.granted;
                if waited.allocates {
                    outcome = ALLOCATE;
                } else if there == n {
                    outcome = THERE;
                } else {
                    arena.room(class).signal(there);
                }
            }
        }
        outcome = warp.shuffle(lanes, outcome, group.leader);
        if outcome != ALLOCATE {
            return outcome & THERE;
        }
        // Others wait for this chunk, the one that `n` needs, if that is not 0. From here to
        // `arrived` we wait only for each other and for threads between two
        // operations on the pool's or this queue's own words.
        let mut chunk = NONE;
        if warp.lane() == leader(warp.ballot(lanes, true)) {
            arena.begin_move(warp);
            chunk = arena.take_chunk(warp);
        }
        // The leader acquired the chunk for all.
        warp.sync(lanes);
        // A vote gives the lane that acts for all each time: rustc would thread a test
        // of the same condition through the collectives in between, and duplicate
        // each.
        let took = warp.ballot(lanes, chunk != NONE);
        let mut got = 0;
        if took != 0 {
            chunk = warp.shuffle(lanes, chunk, leader(took));
            let mut four = group.rank;
            while four < 1 << (P::ENTRY_BITS - 2) {
                // SAFETY: the chunk is the group's alone, whose lanes empty its slots before one of
                // them gives it up.
                unsafe { arena.empty_entries(Chunk::new(chunk), four) };
                four += group.size;
            }
            // The leader publishes what all have stored.
            warp.sync(lanes);
            let mut is_appended = false;
            if warp.lane() == leader(took) {
                // SAFETY: the same.
                unsafe {
                    let chunk = Chunk::new(chunk);
                    prepare::<P, A>(arena, chunk);
                    is_appended = A::append(warp, arena, class, chunk);
                    if !is_appended {
                        arena.give_chunk(warp, chunk);
                    }
                }
            }
            if warp.ballot(lanes, is_appended) != 0 {
                got = 1 << P::ENTRY_BITS;
            }
        }
        if warp.lane() == leader(warp.ballot(lanes, true)) {
            let room = arena.room(class);
            let wanted = n - there;
            if got > 0 {
                // A chunk has as many slots as a group may want.
                room.arrived(wanted, P::ENTRY_BITS, got - wanted);
            } else {
                room.arrived(wanted, P::ENTRY_BITS, there);
            }
            arena.end_move(warp, took != 0);
        }
        u32::from(got > 0)
    }
}

/// Appends a chunk unless there is room for `n` entries that no thread waits for:
/// `Queue::bring_room`.
#[inline(always)]
pub fn bring_room<W: Warp, P: Parameters, A: Append>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    n: u32,
    group: &Group,
) {
    let mut lacks = false;
    if group.leads() {
        lacks = arena.room(class).left() < i64::from(n);
    }
    if warp.ballot(group.mask, lacks) != 0 {
        arena.call_together::<W, MakeRoom<A>>(warp, class, 0, group.mask);
    }
}

/// Prepares the metadata of a chunk with empty slots.
///
/// # Safety
///
/// The caller owns `chunk`.
#[inline(always)]
pub unsafe fn prepare<P: Parameters, A: Append>(arena: &Arena<P>, chunk: Chunk) {
    // Release: a thread that reads one of these late, and with it a link of what the chunk
    // was before, then reads that the chunk's tag is gone.
    fence(Release);
    // An exchange, so that no thread that adds to the count finds what it was before.
    arena
        .meta(chunk, Word::Dequeued)
        .swap(A::INITIAL_DEQUEUED, Relaxed);
    arena.meta(chunk, Word::Next).store(NONE, Relaxed);
}

/// Chunks that a queue with room for `left` entries, beside what was promised of it,
/// lacks to have `keep` of them as room.
///
/// As many of its retired chunks are appended again. A queue that is emptied and
/// filled in turns would else return and allocate the same chunks all the time.
/// The slots are empty: the threads that dequeued the entries left them so, and all of
/// them came before a thread that finds the chunk retired ([`count_dequeued`]).
#[inline(always)]
pub fn lacking<P: Parameters>(left: i64, keep: u32) -> u32 {
    let slots = (i64::from(keep) << P::ENTRY_BITS) - left;
    let chunks = (slots + (1 << P::ENTRY_BITS) - 1) >> P::ENTRY_BITS;
    if chunks > 0 { chunks as u32 } else { 0 }
}

/// Counts `n` entries of a chunk as dequeued. True if these were the last: the chunk is
/// then *retired*, and no thread looks into it again.
///
/// Acquire and release: all threads that dequeued entries are done with their slots before
/// the last of them gives the chunk away.
///
/// # Safety
///
/// The caller has dequeued `n` of the chunk's entries.
#[inline(always)]
pub unsafe fn count_dequeued<P: Parameters>(arena: &Arena<P>, chunk: Chunk, n: u32) -> bool {
    let before = arena.meta(chunk, Word::Dequeued).fetch_add(n, AcqRel);
    before.wrapping_add(n) == 1 << P::ENTRY_BITS
}
