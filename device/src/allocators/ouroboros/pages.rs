//! Instances that manage pages: the queue of a class holds its free pages
//! (section 4.1, Algorithm 3).
//!
//! A chunk keeps its class for ever. The semaphore counts the pages in the queue;
//! an entry is a block's handle. Pages for which the queue has no room, because
//! its static memory is full or the pool has no chunk left for entries, are *shelved*: only
//! their bits record them, and their chunk is on a stack of the class. So a free page is
//! never lost, and needs no memory. They are served when the queue has none.
//!
//! A request is refused when no page is counted, in the queue or shelved, and the pool is
//! empty. A page is counted before it can be had. So no thread gets a page before the permit
//! for it, and the counts are never less than the pages that were freed and not promised.

use core::sync::atomic::Ordering::Relaxed;

use super::arena::{Arena, Chunk, Class, EMPTY, Given, NONE, Task};
use super::geometry::{Line, Static};
use super::group::Group;
use super::instance::{self, Instance, Pages, Reclaimed};
use super::kind::Kind;
use super::parameters::{Parameters, pages, pages_bits};
use super::queue::{AT_ONCE, End, Queue, VOID, close, dequeue, enqueue, enqueue_many, positions};
use super::semaphore::Semaphore;
use super::supply::Provide;
use crate::simt::Warp;

/// Entries that an array queue has static memory for, for each chunk of the heap: rounded
/// up to a power of two, and up to the most that the parameters allow. 2 GiB have
/// the paper's 2,000,000; small heaps keep some 4 % of their memory for queues.
const ENTRIES_PER_CHUNK: u64 = 6;
/// The same of a virtualized queue, whose static memory is a pointer for 2048 entries. The pointers
/// of all classes take 0.1 to 0.2 % of the heap, and a class has enough of them for a third of its
/// smallest pages. Pages that come back in larger waves are shelved, and each of these takes a pop
/// and a push of its chunk when it is served.
const VIRTUAL_ENTRIES_PER_CHUNK: u64 = 96;

/// The room of a queue stays with it until its entries are dequeued, or the pool is empty
/// and the queue, too. A chunk that is retired while the pool has none goes there, though.
///
/// A virtualized queue keeps up to one of 2^9 chunks of the heap as room while its
/// pages are in use, for when they come back: without it the first threads to free would
/// have to wait for chunks. 2 GiB keep room for a million pages of each class.
const KEPT_SHIFT: u32 = 9;
/// In a smaller heap it keeps as many chunks, if these are no more than one of 2^7: many warps that
/// request and free by turns use a chunk's slots up in the time that it takes to append one.
const MIN_KEPT: u32 = 16;
const MIN_KEPT_SHIFT: u32 = 7;

/// Chunks that a virtualized queue keeps as room.
#[inline(always)]
fn kept<P: Parameters>(arena: &Arena<P>) -> u32 {
    let least = (arena.chunks >> MIN_KEPT_SHIFT).min(MIN_KEPT);
    (arena.chunks >> KEPT_SHIFT).max(least)
}

/// The maximum number of chunks that are divided ahead: a thread that divides them has its block,
/// and returns when the last is divided.
const MAX_AHEAD: u32 = 16;

/// The maximum number of chunks that a warp divides at once.
const MAX_BUNDLE: u32 = 16;

impl<P: Parameters> Arena<P> {
    /// The semaphore of shelved pages. No thread waits at it.
    #[inline(always)]
    fn shelf(&self, class: Class) -> Semaphore<'_> {
        self.semaphore(class, Line::Entries)
    }
}

/// Pages over queues of kind `Q` (`OuroborosPages`).
#[derive(Clone, Copy, Debug)]
pub struct OuroborosPages<Q>(core::marker::PhantomData<Q>);

impl<Q: Queue> OuroborosPages<Q> {
    /// Enqueues pages, or shelves them.
    ///
    /// # Safety
    ///
    /// `block` is a live block, of a chunk of that class, that the caller gives up.
    #[inline(always)]
    unsafe fn give<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        all: u32,
        class: Class,
        block: u32,
    ) {
        let group = Group::by_key(warp, all, class.number());
        let together = Q::reserve(warp, arena, all, class, group.size, &group);
        if together != 0 {
            let mut first = 0;
            if group.leads() {
                // SAFETY: there is room for as many.
                first = unsafe { positions(arena, class, End::Back, group.size) };
            }
            if group.leads() {
                // Before the page can be had; see the module. A thread that gets a permit for
                // a slot that is not yet filled waits for a lane that is about to fill it.
                arena.supply(class).signal(group.size);
            }
            let first = warp.shuffle(together, first, group.leader);
            warp.sync(together);
            let position = first.wrapping_add(group.rank);
            // SAFETY: each lane has one of the positions, and gives up its block.
            unsafe { enqueue::<W, P, Q>(warp, arena, class, position, block, 1) };
            return;
        }
        // SAFETY: the lane gives it up.
        let block = unsafe { Given::new(block) };
        arena.call_together::<W, Shelve>(warp, class, block, group.mask);
    }
}

/// Shelves a page of the class, the argument, which each of the lanes gives up.
struct Shelve;

/// A shelved page for each of the lanes, which have permits for as many.
struct Unshelve;

// The work of these two.
mod shelved;

/// Frees a page of the class, the argument, which each of the lanes gives up.
struct Free<Q>(core::marker::PhantomData<Q>);

impl<Q: Queue> Task for Free<Q> {
    type Of = Class;
    type Argument = Given;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        block: Given,
        all: u32,
    ) -> u32 {
        // SAFETY: such a page.
        unsafe { OuroborosPages::<Q>::give(warp, arena, all, class, block.number()) };
        0
    }
}

impl<Q: Queue> Kind for OuroborosPages<Q> {
    type Queue = Q;

    // Chunks of a virtualized queue's slots come from the pool, too, and at the same time.
    const DIVIDES_AHEAD: bool = !Q::VIRTUAL;

    #[inline(always)]
    unsafe fn obtain<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        mask: u32,
        group: &Group,
    ) -> u32 {
        let mut first = 0;
        if group.leads() {
            // SAFETY: the lanes' permits.
            first = unsafe { positions(arena, class, End::Front, group.size) };
        }
        let first = warp.shuffle(mask, first, group.leader);
        let position = first.wrapping_add(group.rank);
        // SAFETY: each lane has one of the positions.
        let (block, chunk) = unsafe { dequeue::<W, P, Q>(warp, arena, class, position) };
        let keep = kept(arena);
        let mut group = *group;
        if Q::VIRTUAL {
            // Every lane is done with its slot before one counts them all.
            warp.sync(mask);
            group = Group::by_key(warp, mask, chunk);
        }
        // SAFETY: the lanes have emptied their slots.
        unsafe { Q::finish(warp, arena, class, chunk, group.size, keep, &group) };
        if Q::VIRTUAL {
            // `close` has shelved the pages that these lanes have permits for.
            let voids = warp.ballot(mask, block == VOID);
            if block == VOID {
                return arena.call_together::<W, Unshelve>(warp, class, (), voids);
            }
        }
        block
    }

    /// Shelved pages, for as many lanes as there are.
    #[inline(always)]
    fn spare<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        group: &Group,
    ) -> u32 {
        let mut granted = 0;
        if group.leads() {
            granted = arena.shelf(class).take_if_any(group.size);
        }
        granted = warp.shuffle(group.mask, granted, group.leader);
        let is_granted = group.rank < granted;
        let lanes = warp.ballot(group.mask, is_granted);
        if !is_granted {
            return EMPTY;
        }
        arena.call_together::<W, Unshelve>(warp, class, (), lanes)
    }

    #[inline(always)]
    fn available<P: Parameters>(arena: &Arena<P>, class: Class) -> u64 {
        u64::from(arena.supply(class).count()) + u64::from(arena.shelf(class).count())
    }

    /// An eighth of those that the class has, while half of the heap is free. Otherwise a class
    /// that grows a page at a time would have all threads wait for each of its chunks.
    #[inline(always)]
    fn chunks_ahead<P: Parameters>(arena: &Arena<P>, class: Class) -> u32 {
        if arena.chunks_left() < arena.chunks >> 1 {
            return 0;
        }
        // Relaxed: a hint.
        (arena.divided(class).load(Relaxed) >> 3).min(MAX_AHEAD)
    }

    /// As many as fill a chunk of slots, if these are few: warps that divide chunks at the same time
    /// would else wait for each other's, three of four where pages are the smallest.
    #[inline(always)]
    fn bundle<P: Parameters>(class: Class) -> u32 {
        if Q::BRINGS_ROOM {
            MAX_BUNDLE.min(1 << (P::ENTRY_BITS - pages_bits::<P>(class)))
        } else {
            1
        }
    }

    #[inline(always)]
    fn make_room<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        group: &Group,
        n: u32,
    ) {
        Q::bring_room(warp, arena, class, n, group);
    }

    #[inline(always)]
    unsafe fn keep<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        group: &Group,
        chunk: u32,
        used: u32,
    ) -> u32 {
        if chunk == NONE {
            return 0;
        }
        let rest = pages::<P>(class) - used;
        let queued = Q::reserve(warp, arena, group.mask, class, rest, group) != 0;
        if group.leads() {
            // SAFETY: the group holds the chunk: its pages are enqueued, or it is pushed.
            unsafe {
                let chunk = Chunk::new(chunk);
                if queued {
                    arena.divide(class, chunk, pages::<P>(class));
                } else {
                    arena.shelf(class).signal(rest);
                    arena.push(warp, class, chunk);
                }
            }
        }
        // The leader's change of the chunk comes before its pages are had.
        warp.sync(group.mask);
        if !queued {
            return 0;
        }
        // A few at a time, and each time those before are counted: threads that dequeue wait
        // for those with positions before theirs, and so for few pages only. Into a chunk of
        // slots they are enqueued as one, since each time two counters of the chunk change.
        let keep = kept(arena);
        let (mut done, mut counted) = (0, 0);
        while done < rest {
            let (left, few) = (rest - done, AT_ONCE * group.size);
            let n = if Q::VIRTUAL || left < few { left } else { few };
            let mut first = 0;
            if group.leads() {
                if counted > 0 {
                    arena.supply(class).signal(counted);
                }
                // SAFETY: there is room for all of `rest`.
                first = unsafe { positions(arena, class, End::Back, n) };
            }
            let first = warp.shuffle(group.mask, first, group.leader);
            let block = |index| arena.block(class, chunk, used + done + index);
            // SAFETY: pages from `used` on are in no block, and each gets a position.
            unsafe { enqueue_many::<W, P, Q>(warp, arena, class, (first, n), keep, group, block) };
            // All of them are there before the leader counts them.
            warp.sync(group.mask);
            done += n;
            counted = n;
        }
        counted
    }
}

// SAFETY: a free page is one entry of the queue of its class, and granted by whoever dequeues it.
unsafe impl<Q: Queue> Instance for OuroborosPages<Q> {
    const REUSES: bool = false;
    const EXACT_NULL: bool = true;
    const BOUNDED_REFUSAL: bool = true;
    const PROVIDES: bool = true;

    #[inline(always)]
    fn is_virtual(_class: u32) -> bool {
        Q::VIRTUAL
    }

    fn fixed<P: Parameters>(chunks: u64) -> Static {
        let each = if Q::VIRTUAL {
            VIRTUAL_ENTRIES_PER_CHUNK
        } else {
            ENTRIES_PER_CHUNK
        };
        Q::fixed::<P>(chunks, chunks * each)
    }

    #[inline(always)]
    unsafe fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) {
        // SAFETY: nothing else uses the heap.
        unsafe { Q::init(warp, arena, class) };
    }

    #[inline(always)]
    fn malloc<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        all: u32,
        class: Class,
        is_again: bool,
    ) -> u32 {
        instance::malloc::<W, P, Self>(warp, arena, all, class, is_again)
    }

    #[inline(always)]
    fn provide<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class, count: u32) {
        arena.call_together::<W, Provide<Self>>(warp, class, count, W::FULL);
    }

    #[inline(always)]
    unsafe fn free<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        all: u32,
        class: Class,
        block: u32,
    ) {
        // SAFETY: a live block of the class, which the lane gives up.
        unsafe {
            if Q::VIRTUAL {
                arena.call_together::<W, Free<Q>>(warp, class, Given::new(block), all);
            } else {
                Self::give(warp, arena, all, class, block);
            }
        }
    }

    #[inline(always)]
    fn is_bare<P: Parameters>(arena: &Arena<P>, class: Class) -> bool {
        arena.supply(class).count() == 0 && arena.shelf(class).count() == 0
    }

    #[inline(always)]
    fn reclaim<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) -> Reclaimed {
        let mut reclaimed = Reclaimed {
            again: Q::VIRTUAL && Q::settle(warp, arena, class),
            moves: 0,
        };
        // While no thread dequeues: each that does would get a void instead of its page.
        let front = arena.head(class, Line::Front).load(Relaxed);
        let back = arena.head(class, Line::Back).load(Relaxed);
        if Q::VIRTUAL && front == back && arena.room(class).left() > 0 {
            arena.begin_move(warp);
            reclaimed.moves = 1;
            reclaimed.again |= close::<W, P, Q>(warp, arena, class, |block| {
                // SAFETY: an entry of the class is a page, in no block. Another thread has a permit
                // for it, and gets a void instead.
                unsafe {
                    let chunk = arena.chunk_of(block);
                    let freed = arena.free_page(class, chunk, arena.page_of(class, block));
                    if freed.holds {
                        arena.push(warp, class, chunk);
                    }
                }
            });
            arena.end_move(warp, true);
        }
        reclaimed
    }

    #[inline(always)]
    fn pages_of_class<P: Parameters>(arena: &Arena<P>, class: Class) -> Pages {
        let chunks = arena.divided(class).load(Relaxed);
        let shelved = arena.shelf(class).count();
        let free = u64::from(arena.supply(class).count()) + u64::from(shelved);
        Pages {
            used: (u64::from(chunks) * u64::from(pages::<P>(class))).saturating_sub(free),
            free,
        }
    }
}
