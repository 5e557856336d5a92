//! The available chunks of a class, which have free pages: in its queue or, without room
//! there, on its stacks. Taking one, making one available, allocating another, and
//! reclaiming idle ones.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{Relaxed, Release};

use cuda_std::atomic::AtomicU32;

use crate::allocators::ouroboros::arena::{Arena, Chunk, Class, Given, NONE, Task, Word};
use crate::allocators::ouroboros::geometry::Line;
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::parameters::{Parameters, pages, pages_bits};
use crate::allocators::ouroboros::pool::take_count;
use crate::allocators::ouroboros::queue::{Dequeue, End, Queue, VOID, enqueue, positions};
use crate::simt::{Warp, rank};

/// Chunks up to which a class gets others so that threads need not wait, and most idle
/// ones that stay available, in any heap.
const MAX_SPARE: u32 = 1 << 12;
/// Idle chunks of a class that stay available in any heap.
const MIN_IDLE: u32 = 64;

impl<P: Parameters> Arena<P> {
    /// Chunks' worth of pages that no thread was promised, up to which a thread that finds all chunks
    /// held gets another one, in a heap with so many free chunks: a quarter of the heap's while half of
    /// them are free, for a class that many warps use at a time is as fast as it has chunks; then a
    /// 2^6th; and none at last, since what one class has others lack.
    #[inline(always)]
    fn spread_most(&self, free: u32) -> u32 {
        let most = if free >= self.chunks >> 1 {
            self.chunks >> 2
        } else if free >= self.chunks >> 3 {
            self.chunks >> 6
        } else {
            0
        };
        most.min(MAX_SPARE)
    }

    /// Idle chunks of a class that stay available: a 2^6th of the heap's.
    #[inline(always)]
    pub fn idle_most(&self) -> u32 {
        (self.chunks >> 6).clamp(MIN_IDLE, MAX_SPARE)
    }

    /// A counter of the chunks that threads allocate for want of others, and whose pages the
    /// semaphore does not count yet. Its line is read by the search for a chunk, too.
    #[inline(always)]
    fn spreading(&self, class: Class) -> &AtomicU32 {
        self.second(class, Line::Entries)
    }

    /// Counts one more chunk of a class, unless that has so many pages to spare that threads are to
    /// wait for these (`spread_most`). The caller ends it with [`Arena::end_spread`].
    ///
    /// Chunks without free pages do not count: in a class with many blocks, those with some may be
    /// few.
    #[inline(always)]
    pub fn begin_spread(&self, class: Class) -> bool {
        let most = self.spread_most(self.chunks_left());
        let spare = self.supply(class).count() >> pages_bits::<P>(class);
        let lacks = |coming: u32| spare < most && coming < most - spare;
        let spreading = self.spreading(class);
        // Read first, so that threads that wait do not keep the counter busy.
        if !lacks(spreading.load(Relaxed)) {
            return false;
        }
        if lacks(spreading.fetch_add(1, Relaxed)) {
            self.divided(class).fetch_add(1, Relaxed);
            return true;
        }
        self.end_spread(class);
        false
    }

    /// The semaphore counts the pages of the chunk, or there was none.
    #[inline(always)]
    pub fn end_spread(&self, class: Class) {
        // Relaxed: a counter that only bounds what is to spare.
        self.spreading(class).fetch_add(u32::MAX, Relaxed);
    }

    /// A counter of entries that are worth a look when the pool is empty: idle chunks and
    /// voids. A hint, since the counter and the chunks change one after the other. Its line is
    /// quiet: many threads change it when they free.
    #[inline(always)]
    pub fn idle(&self, class: Class) -> &AtomicU32 {
        self.second(class, Line::Stack)
    }

    /// Whether the class has entries that are worth a look.
    #[inline(always)]
    pub fn has_idle(&self, class: Class) -> bool {
        self.idle(class).load(Relaxed) as i32 > 0
    }
}

/// [`hold`].
struct Hold<Q>(PhantomData<Q>);

impl<Q: Queue> Task for Hold<Q> {
    type Of = Class;
    type Argument = ();

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        _argument: (),
        _lanes: u32,
    ) -> u32 {
        if !take_count(arena.head(class, Line::Entries)) {
            // All stacks are read at once, since mostly nothing is there: `pop` reads one after
            // the other, and each acquire empties the cache of the multiprocessor.
            if !arena.has_stacked(class) {
                return NONE;
            }
            return arena.pop(warp, class);
        }
        // SAFETY: an entry that was taken off the count is a permit for a position.
        let position = unsafe { Given::new(positions(arena, class, End::Front, 1)) };
        let entry = arena.call::<W, Dequeue<Q>>(warp, class.with::<P>(1), position);
        if entry != VOID {
            return entry;
        }
        // The chunk that was counted is on a stack.
        arena.idle(class).fetch_add(u32::MAX, Relaxed);
        NONE
    }
}

/// The word recorded in a chunk when it gets a position, before others can find it there.
pub trait Record {
    /// Records in a chunk that its entry comes at a position of the queue of a class.
    ///
    /// # Safety
    ///
    /// The caller holds `chunk`.
    unsafe fn record<P: Parameters>(arena: &Arena<P>, class: Class, chunk: Chunk, position: u32);
}

/// Nothing: the thread that dequeues an entry holds the chunk.
pub struct Nothing;

impl Record for Nothing {
    #[inline(always)]
    unsafe fn record<P: Parameters>(
        _arena: &Arena<P>,
        _class: Class,
        _chunk: Chunk,
        _position: u32,
    ) {
    }
}

/// Makes a chunk of the class available, the argument, which each of the lanes holds and gives up,
/// or none ([`NONE`]): all classes take each step together.
pub struct MakeAvailable<Q, T = Nothing>(PhantomData<(Q, T)>);

impl<Q: Queue, T: Record> Task for MakeAvailable<Q, T> {
    type Of = Class;
    type Argument = Given;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        chunk: Given,
        lanes: u32,
    ) -> u32 {
        let chunk = chunk.number();
        let group = Group::by_key(warp, lanes, class.number());
        // Each class has a chunk at least; lanes without one help to empty the slots of a
        // queue's new chunk.
        let with = warp.ballot(lanes, chunk != NONE) & group.mask;
        let n = with.count_ones();
        let together = Q::reserve(warp, arena, lanes, class, n, &group);
        if together == 0 {
            if chunk != NONE {
                // SAFETY: the lane holds it.
                unsafe { arena.push(warp, class, Chunk::new(chunk)) };
            }
            return 0;
        }
        let mut first = 0;
        if group.leads() {
            // SAFETY: there is room for `n` entries.
            first = unsafe { positions(arena, class, End::Back, n) };
        }
        first = warp.shuffle(together, first, group.leader);
        if chunk != NONE {
            let position = first.wrapping_add(rank(with, warp.lane()));
            // SAFETY: each chunk gets one of these positions, and is held until then.
            unsafe {
                T::record(arena, class, Chunk::new(chunk), position);
                enqueue::<W, P, Q>(warp, arena, class, position, chunk, 1);
            }
        }
        if group.leads() {
            // A thread that gets a slot that is not yet filled waits for a lane that is about
            // to fill it.
            arena.head(class, Line::Entries).fetch_add(n, Relaxed);
        }
        0
    }
}

/// Gives a chunk of the class back to the pool, the argument, which the caller holds, or, if that
/// is [`NONE`], the oldest available one, if its pages are all free and none of them is promised.
/// The caller has given its chunk up if that is returned.
struct ReclaimChunk<Q>(PhantomData<Q>);

impl<Q: Queue> Task for ReclaimChunk<Q> {
    type Of = Class;
    type Argument = Given;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        given: Given,
        _lanes: u32,
    ) -> u32 {
        let given = given.number();
        let mut chunk = given;
        if given == NONE {
            chunk = hold::<W, P, Q>(warp, arena, class);
        }
        if chunk == NONE {
            return 0;
        }
        // SAFETY: a given one, or what was held here.
        let held = unsafe { Chunk::new(chunk) };
        let pages = pages::<P>(class);
        // With permits for as many pages no thread is promised these. No block is one
        // of them, so that no thread changes the chunk's state.
        let reclaims = arena.are_all_free(class, held) && arena.supply(class).take_together(pages);
        if reclaims {
            arena.idle(class).fetch_add(u32::MAX, Relaxed);
            arena.divided(class).fetch_add(u32::MAX, Relaxed);
            // SAFETY: all of its pages are this thread's.
            unsafe { arena.give_chunk(warp, held) };
        } else if given == NONE {
            // SAFETY: the chunk was held here, and is given up once.
            let chunk = unsafe { Given::new(chunk) };
            arena.call_together::<W, MakeAvailable<Q>>(warp, class, chunk, 1 << warp.lane());
        }
        u32::from(reclaims)
    }
}

/// Takes a chunk with free pages, whose holder the caller then is; [`NONE`]
/// if there is none at this moment.
#[inline(always)]
pub fn hold<W: Warp, P: Parameters, Q: Queue>(warp: W, arena: &Arena<P>, class: Class) -> u32 {
    arena.call::<W, Hold<Q>>(warp, class, ())
}

/// A new chunk, held by the caller, which makes it available, then counts its pages, and
/// then arrives ([`Arena::end_spread`], [`Arena::end_move`]); [`NONE`] if the class has many to spare,
/// or the pool none.
#[inline(always)]
pub fn spread<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) -> u32 {
    if !arena.begin_spread(class) {
        return NONE;
    }
    arena.begin_move(warp);
    let chunk = arena.take_chunk(warp);
    if chunk == NONE {
        arena.end_move(warp, false);
        arena.divided(class).fetch_add(u32::MAX, Relaxed);
        arena.end_spread(class);
    } else {
        // SAFETY: the chunk was taken here.
        unsafe { arena.divide(class, Chunk::new(chunk), 0) };
        arena.idle(class).fetch_add(1, Relaxed);
    }
    chunk
}

/// Reclaims the oldest available chunk, if it can. The caller has begun a move: meanwhile
/// others look in vain for this chunk, and for what it becomes.
#[inline(always)]
pub fn reclaim_oldest<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
) -> bool {
    // SAFETY: no chunk.
    let none = unsafe { Given::new(NONE) };
    arena.call::<W, ReclaimChunk<Q>>(warp, class, none) != 0
}

/// Reclaims what it can of the chunks on the stacks, while there are idle ones. The
/// caller has begun a move.
#[inline(always)]
pub fn reclaim_stacked<W: Warp, P: Parameters, Q: Queue>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
) -> bool {
    let (mut any, mut kept) = (false, NONE);
    // Others may push chunks all the time.
    for _ in 0..arena.chunks {
        if !arena.has_idle(class) {
            break;
        }
        let chunk = arena.pop(warp, class);
        if chunk == NONE {
            break;
        }
        // SAFETY: a chunk that was popped is held here, until the pool gets it.
        let (given, chunk) = unsafe { (Given::new(chunk), Chunk::new(chunk)) };
        if arena.call::<W, ReclaimChunk<Q>>(warp, class, given) != 0 {
            any = true;
        } else {
            // Held by us: no other thread uses the link.
            arena.meta(chunk, Word::Next).store(kept, Release);
            kept = chunk.number();
        }
    }
    // SAFETY: those that were kept are linked to each other.
    unsafe { arena.push_linked(warp, class, kept) };
    any
}
