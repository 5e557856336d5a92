//! The available chunks of a class, which have free pages: in its queue or, without room
//! there, on its stacks. Taking one, making one available, allocating another, and
//! reclaiming idle ones.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{Relaxed, Release};

use crate::allocators::ouroboros::arena::{Arena, NONE, Task, Word};
use crate::allocators::ouroboros::geometry::Line;
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::parameters::{Parameters, pages};
use crate::allocators::ouroboros::pool::take_count;
use crate::allocators::ouroboros::queue::{Dequeue, End, Queue, VOID, enqueue, positions};
use crate::allocators::ouroboros::waiting::supply;
use crate::simt::{Warp, rank};

/// Chunks up to which a class gets others so that threads need not wait, and most idle
/// ones that stay available, in any heap.
const MAX_SPARE: u32 = 1 << 12;
/// Idle chunks of a class that stay available in any heap.
const MIN_IDLE: u32 = 64;

/// Chunks of a class up to which a thread that finds all of them held gets another one, in a heap
/// with so many free chunks: a quarter of the heap's while half of them are free, for a class that
/// many warps use at a time is as fast as it has chunks; then a 2^6th; and none at last, since
/// what one class has others lack.
#[inline(always)]
fn spread_most<P: Parameters>(arena: &Arena<P>, free: u32) -> u32 {
    let most = if free >= arena.chunks >> 1 {
        arena.chunks >> 2
    } else if free >= arena.chunks >> 3 {
        arena.chunks >> 6
    } else {
        0
    };
    most.min(MAX_SPARE)
}

/// Idle chunks of a class that stay available: a 2^6th of the heap's.
#[inline(always)]
pub fn idle_most<P: Parameters>(arena: &Arena<P>) -> u32 {
    (arena.chunks >> 6).clamp(MIN_IDLE, MAX_SPARE)
}

/// Counts one more chunk of a class, unless that has so many that threads are to wait for
/// these ([`spread_most`]).
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
pub unsafe fn count_spread<P: Parameters>(arena: &Arena<P>, class: u32) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let divided = arena.divided(class);
        // Read first, so that threads that wait do not keep the counter busy.
        let (there, free) = (divided.load(Relaxed), arena.chunks_left());
        let most = spread_most(arena, free);
        if there >= most {
            return false;
        }
        if divided.fetch_add(1, Relaxed) < most {
            return true;
        }
        divided.fetch_add(u32::MAX, Relaxed);
        false
    }
}

/// A counter of entries that are worth a look when the pool is empty: idle chunks and
/// voids. A hint, since the counter and the chunks change one after the other. Its line is
/// quiet: many threads change it when they free.
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
pub unsafe fn idle<P: Parameters>(arena: &Arena<P>, class: u32) -> &cuda_std::atomic::AtomicU32 {
    // SAFETY: the caller's promise; the second word of the line.
    unsafe { arena.head(class, Line::Stack, 1) }
}

/// [`hold`].
struct Hold<Q>(PhantomData<Q>);

impl<Q: Queue> Task for Hold<Q> {
    #[inline(always)]
    unsafe fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        _value: u32,
        _lanes: u32,
    ) -> u32 {
        // SAFETY: the class is the caller's promise. An entry that was taken off the count is a
        // permit for a position.
        unsafe {
            if !take_count(arena.head(class, Line::Entries, 0)) {
                // All stacks are read at once, since mostly nothing is there: `pop` reads one after
                // the other, and each acquire empties the cache of the multiprocessor.
                if !arena.has_stacked(class) {
                    return NONE;
                }
                return arena.pop(warp, class);
            }
            let position = positions(arena, class, End::Front, 1);
            let entry = arena.call::<W, Dequeue<Q>>(warp, class | 1 << P::CLASS_BITS, position);
            if entry != VOID {
                return entry;
            }
            // The chunk that was counted is on a stack.
            idle(arena, class).fetch_add(u32::MAX, Relaxed);
            NONE
        }
    }
}

/// The word recorded in a chunk when it gets a position, before others can find it there.
pub trait Record {
    /// Records in a chunk that its entry comes at a position of the queue of a class.
    ///
    /// # Safety
    ///
    /// `class` is below `P::CLASSES`, and the caller holds `chunk`, a chunk of the heap.
    unsafe fn record<P: Parameters>(arena: &Arena<P>, class: u32, chunk: u32, position: u32);
}

/// Nothing: the thread that dequeues an entry holds the chunk.
pub struct Nothing;

impl Record for Nothing {
    #[inline(always)]
    unsafe fn record<P: Parameters>(_arena: &Arena<P>, _class: u32, _chunk: u32, _position: u32) {}
}

/// [`make_available`] of a chunk, the argument, or of none ([`NONE`]), for each of the lanes: all
/// classes take each step together.
pub struct MakeAvailable<Q, T = Nothing>(PhantomData<(Q, T)>);

impl<Q: Queue, T: Record> Task for MakeAvailable<Q, T> {
    #[inline(always)]
    unsafe fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        chunk: u32,
        lanes: u32,
    ) -> u32 {
        // SAFETY: the class and the chunk are the caller's promise. With room for `n` entries
        // there is a position for each of the chunks; without it each is pushed.
        unsafe {
            let group = Group::by_key(warp, lanes, class);
            // Each class has a chunk at least; lanes without one help to empty the slots of a
            // queue's new chunk.
            let with = warp.ballot(lanes, chunk != NONE) & group.mask;
            let n = with.count_ones();
            let together = Q::reserve(warp, arena, lanes, class, n, &group);
            if together == 0 {
                if chunk != NONE {
                    arena.push(warp, class, chunk);
                }
                return 0;
            }
            let mut first = 0;
            if group.leads() {
                first = positions(arena, class, End::Back, n);
            }
            first = warp.shuffle(together, first, group.leader);
            if chunk != NONE {
                let position = first.wrapping_add(rank(with, warp.lane()));
                T::record(arena, class, chunk, position);
                enqueue::<W, P, Q>(warp, arena, class, position, chunk, 1);
            }
            if group.leads() {
                // A thread that gets a slot that is not yet filled waits for a lane that is about
                // to fill it.
                arena.head(class, Line::Entries, 0).fetch_add(n, Relaxed);
            }
            0
        }
    }
}

/// [`reclaim`] of a chunk, the argument, or, if that is [`NONE`], [`reclaim_oldest`].
struct ReclaimChunk<Q>(PhantomData<Q>);

impl<Q: Queue> Task for ReclaimChunk<Q> {
    #[inline(always)]
    unsafe fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        given: u32,
        _lanes: u32,
    ) -> u32 {
        // SAFETY: the class is the caller's promise, and so is a given chunk; another one is held
        // here. It is given up once: to the pool, to the class, or not at all if it was given.
        unsafe {
            let mut chunk = given;
            if given == NONE {
                chunk = hold::<W, P, Q>(warp, arena, class);
            }
            if chunk == NONE {
                return 0;
            }
            let pages = pages::<P>(class);
            // With permits for as many pages no thread is promised these. No block is one
            // of them, so that no thread changes the chunk's state.
            let reclaims =
                arena.are_all_free(class, chunk) && supply(arena, class).take_together(pages);
            if reclaims {
                idle(arena, class).fetch_add(u32::MAX, Relaxed);
                arena.divided(class).fetch_add(u32::MAX, Relaxed);
                arena.give_chunk(warp, chunk);
            } else if given == NONE {
                make_available::<W, P, Q>(warp, arena, class, chunk);
            }
            u32::from(reclaims)
        }
    }
}

/// Takes a chunk with free pages, whose holder the caller then is; [`NONE`]
/// if there is none at this moment.
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
pub unsafe fn hold<W: Warp, P: Parameters, Q: Queue>(warp: W, arena: &Arena<P>, class: u32) -> u32 {
    // SAFETY: the caller's promise; the task takes no argument.
    unsafe { arena.call::<W, Hold<Q>>(warp, class, 0) }
}

/// Makes a chunk available that the caller holds.
///
/// # Safety
///
/// `class` is below `P::CLASSES`. The caller holds `chunk`, a chunk of the heap of that class
/// with free pages, and gives it up.
#[inline(always)]
pub unsafe fn make_available<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    chunk: u32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let alone = 1 << warp.lane();
        arena.call_together::<W, MakeAvailable<Q>>(warp, class, chunk, alone);
    }
}

/// Gives a chunk that the caller holds back to the pool, if its pages are all
/// free and none of them is promised.
///
/// # Safety
///
/// `class` is below `P::CLASSES`. The caller holds `chunk`, a chunk of the heap of that class
/// with free pages; it has given it up if that is returned.
#[inline(always)]
pub unsafe fn reclaim<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    chunk: u32,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe { arena.call::<W, ReclaimChunk<Q>>(warp, class, chunk) != 0 }
}

/// A new chunk, held by the caller, which makes it available, then counts its pages, and
/// then arrives ([`Arena::end_move`]); [`NONE`] if the class has many, or the pool none.
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
pub unsafe fn spread<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) -> u32 {
    // SAFETY: the class is the caller's promise. The chunk was taken here.
    unsafe {
        if !count_spread(arena, class) {
            return NONE;
        }
        arena.begin_move(warp);
        let chunk = arena.take_chunk(warp);
        if chunk == NONE {
            arena.end_move(warp, false);
            arena.divided(class).fetch_add(u32::MAX, Relaxed);
        } else {
            arena.divide(class, chunk, 0);
            idle(arena, class).fetch_add(1, Relaxed);
        }
        chunk
    }
}

/// Reclaims the oldest available chunk, if it can. The caller has begun a move: meanwhile
/// others look in vain for this chunk, and for what it becomes.
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
pub unsafe fn reclaim_oldest<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe { arena.call::<W, ReclaimChunk<Q>>(warp, class, NONE) != 0 }
}

/// Reclaims what it can of the chunks on the stacks, while there are idle ones. The
/// caller has begun a move.
///
/// # Safety
///
/// `class` is below `P::CLASSES`.
#[inline(always)]
pub unsafe fn reclaim_stacked<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
) -> bool {
    // SAFETY: the class is the caller's promise. Chunks that are popped are held here, linked to
    // each other, and pushed if the pool does not get them.
    unsafe {
        let (mut any, mut kept) = (false, NONE);
        // Others may push chunks all the time.
        for _ in 0..arena.chunks {
            if idle(arena, class).load(Relaxed) as i32 <= 0 {
                break;
            }
            let chunk = arena.pop(warp, class);
            if chunk == NONE {
                break;
            }
            if reclaim::<W, P, Q>(warp, arena, class, chunk) {
                any = true;
            } else {
                // Held by us: no other thread uses the link.
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
