//! Instances that manage chunks, whose front chunk all threads share: as published
//! (section 4.2, Algorithms 4 and 5), `sharing=paper`. The default gives a chunk one
//! holder at a time ([`super::chunks`]).
//!
//! The semaphore counts free pages, on whatever chunk. A thread that has permits takes pages
//! from the chunk at the front of the queue, at the same time as others; the chunk stays
//! there until its last page is taken. The thread that takes that promotes the next chunk to
//! the front, and the thread that frees the first page enqueues the chunk again, at the end
//! of the queue. The thread that frees the last page in use gives the chunk to the pool, if
//! the semaphore has permits for all of its pages, and leaves its entry behind.
//!
//! Each module states what was mended. The front is a word beside the queue, so that
//! no thread reads slots whose positions are not its own, and any queue serves ([`front`]).
//! The state of a chunk holds whether it is what another takes it for ([`state`]). A thread
//! that finds no room in the queue pushes the chunk on a stack of its class, from where it
//! is promoted when the queue is empty. Waiting at the semaphore and allocating
//! chunks are as in the other instances ([`super::instance`]), making chunks available is as
//! in the default: so no thread waits for ever when memory is exhausted.
//!
//! Threads with permits are served: the pages that were promised are on the front, or on
//! chunks that are in the queue or a stack, or held by threads that are about to enqueue or
//! push them, or to promote one to the front. None of these waits for pages. A thread
//! may wait for other lanes of its warp, which all go as far together, and for room of
//! the queue, which others provide without such a wait.
//!
//! While threads allocate chunks, reclaim one, or fail at the semaphore others see less
//! than there is; a refusal is no evidence.

mod front;
mod reclaim;
mod state;

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use super::arena::{Arena, Chunk, Class, EMPTY, Given, NONE, Task};
use super::chunks::available::MakeAvailable;
use super::geometry::Static;
use super::group::Group;
use super::instance::{self, Instance, Pages, Reclaimed};
use super::kind::{Kind, Share};
use super::parameters::{Parameters, pages};
use super::queue::{Array, Queue};
use crate::simt::{Backoff, Warp};
use front::take_pages;
use reclaim::{ReclaimChunk, reclaim};
use state::{Position, UNAVAILABLE, count};

/// Chunks that are shared, over queues of kind `Q`.
#[derive(Clone, Copy, Debug)]
pub struct OuroborosShared<Q = Array>(PhantomData<Q>);

impl<Q: Queue> Kind for OuroborosShared<Q> {
    type Queue = Q;

    #[inline(always)]
    unsafe fn obtain<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        mask: u32,
        group: &Group,
    ) -> u32 {
        let share = Share::of::<W, P>(warp, class, mask, group);
        let is_agent = share.index == 0;
        let (mut block, mut served) = (EMPTY, 0);
        // Waits for the pages that the permits are for; see the module. All lanes make
        // each turn.
        let mut backoff = Backoff::new();
        loop {
            let (mut chunk, mut taken, mut start) = (NONE, 0, 0);
            if is_agent && served < share.size {
                let most = share.size - served;
                (chunk, taken, start) = take_pages::<W, P, Q>(warp, arena, class, most);
            }
            // The agents acquired the pages for the others.
            warp.sync(mask);
            chunk = warp.shuffle(mask, chunk, share.agent);
            taken = warp.shuffle(mask, taken, share.agent);
            start = warp.shuffle(mask, start, share.agent);
            let offset = share.index.wrapping_sub(served);
            if block == EMPTY && offset < taken {
                // SAFETY: one of the pages that the agent has taken of the front's chunk.
                let page =
                    unsafe { arena.claim_page(warp, class, Chunk::new(chunk), start + offset) };
                block = arena.block(class, chunk, page);
            }
            served += taken;
            if warp.ballot(mask, block == EMPTY) == 0 {
                return block;
            }
            // Here, where none of the lanes has reserved pages that it has not claimed.
            if is_agent && served < share.size && taken == 0 {
                backoff.pause(warp);
            }
        }
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
        let left = pages::<P>(class) - used;
        let mut own = NONE;
        if group.leads() {
            own = chunk;
            // Relaxed: others reach the chunk when it is available.
            // SAFETY: it is not none.
            let state = arena.shared_state(unsafe { Chunk::new(chunk) });
            state.store(u64::from(left), Relaxed);
        }
        // SAFETY: the chunk is held, and is made available once, with pages left.
        let own = unsafe { Given::new(own) };
        // All lanes, for the queue may need a chunk, whose slots they empty together.
        arena.call_together::<W, MakeAvailable<Q, Position>>(warp, class, own, group.mask);
        // The leader's store comes before what others add when they free their pages.
        warp.sync(group.mask);
        left
    }
}

/// A page for each of the lanes, which look again if the argument is not 0.
struct Malloc<Q>(PhantomData<Q>);

impl<Q: Queue> Task for Malloc<Q> {
    type Of = Class;
    type Argument = u32;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        is_again: u32,
        all: u32,
    ) -> u32 {
        instance::malloc::<W, P, OuroborosShared<Q>>(warp, arena, all, class, is_again != 0)
    }
}

/// Frees a page of the class, the argument, which each of the lanes gives up.
struct Free<Q>(PhantomData<Q>);

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
        let group = Group::by_key(warp, all, class.number());
        let block = block.number();
        // SAFETY: the page of a chunk.
        let chunk = unsafe { arena.chunk_of(block) };
        // Lanes with pages of the same chunk free them as one.
        let mates = Group::by_key(warp, all, chunk.number());
        // SAFETY: the page of this chunk that is given up.
        unsafe { arena.mark_free(chunk, arena.page_of(class, block)) };
        // All of these bits are set before one lane counts them.
        warp.sync(all);
        let (mut is_first, mut is_last) = (false, false);
        if mates.leads() {
            // AcqRel: releases the pages to the thread that takes them, and acquires the
            // chunk from the one that took its last page, since we may be the one to enqueue
            // it.
            let state = arena.shared_state(chunk);
            let before = state.fetch_add(u64::from(mates.size), AcqRel);
            is_first = count(before) == 0;
            is_last = count(before) + mates.size == pages::<P>(class);
            // All pages were ours: no other thread changes the state.
            if is_first && is_last {
                state.store(UNAVAILABLE, Relaxed);
            }
        }
        let given = warp.ballot(all, is_first & is_last);
        if given & 1 << warp.lane() != 0 {
            // SAFETY: all pages of the chunk were these lanes', for which one gives it up.
            unsafe { arena.give_chunks_of(warp, class, chunk, given) };
        }
        let refilled = warp.ballot(all, is_first & !is_last);
        if refilled & 1 << warp.lane() != 0 {
            // SAFETY: the chunk had no free page before, so that no other makes it available.
            let chunk = unsafe { Given::new(chunk.number()) };
            arena.call_together::<W, MakeAvailable<Q, Position>>(warp, class, chunk, refilled);
        }
        let counted = warp.ballot(all, given & 1 << mates.leader == 0) & group.mask;
        let idle_now = warp.ballot(all, is_last & !is_first) & group.mask;
        if group.leads() {
            if counted != 0 {
                arena.supply(class).signal(counted.count_ones());
            }
            let n = (given & group.mask).count_ones();
            if n != 0 {
                arena.divided(class).fetch_add(n.wrapping_neg(), Relaxed);
            }
            if idle_now != 0 {
                arena.idle(class).fetch_add(idle_now.count_ones(), Relaxed);
            }
        }
        // The pages that a lane has freed are counted before the lane goes on and requests it.
        warp.sync(all);
        // A thread that frees the last page before the chunk is available leaves it to the
        // one that makes it available.
        if is_first != is_last {
            arena.call::<W, ReclaimChunk<Q>>(warp, class, chunk);
        }
        0
    }
}

// SAFETY: a page is granted by clearing its bit in the chunk's entry, of as many as were taken off
// the chunk's state; a chunk is returned by whoever takes all of its pages off the state at once,
// or frees all of them at once.
unsafe impl<Q: Queue> Instance for OuroborosShared<Q> {
    const REUSES: bool = true;
    const EXACT_NULL: bool = false;
    // A refusal reads the state of each chunk, if some are idle.
    const BOUNDED_REFUSAL: bool = false;
    // Published without.
    const PROVIDES: bool = false;

    #[inline(always)]
    fn is_virtual(_class: u32) -> bool {
        Q::VIRTUAL
    }

    fn fixed<P: Parameters>(chunks: u64) -> Static {
        Q::fixed::<P>(chunks, chunks)
    }

    #[inline(always)]
    unsafe fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) {
        // SAFETY: nothing else uses the heap.
        unsafe { Q::init(warp, arena, class) };
        if warp.thread() == 0 {
            front::init(arena, class);
        }
        if class.number() == 0 {
            arena.for_each_chunk(warp, |chunk| {
                arena.shared_state(chunk).store(UNAVAILABLE, Relaxed);
            });
        }
    }

    #[inline(always)]
    fn malloc<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        all: u32,
        class: Class,
        is_again: bool,
    ) -> u32 {
        arena.call_together::<W, Malloc<Q>>(warp, class, u32::from(is_again), all)
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
        let block = unsafe { Given::new(block) };
        arena.call_together::<W, Free<Q>>(warp, class, block, all);
    }

    #[inline(always)]
    fn is_bare<P: Parameters>(arena: &Arena<P>, class: Class) -> bool {
        arena.supply(class).count() == 0
    }

    #[inline(always)]
    fn reclaim<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) -> Reclaimed {
        reclaim::<W, P, Q>(warp, arena, class)
    }

    #[inline(always)]
    fn pages_of_chunk<P: Parameters>(arena: &Arena<P>, class: Class, chunk: Chunk) -> Pages {
        // Relaxed: the heap is at rest.
        let free = u64::from(count(arena.shared_state(chunk).load(Relaxed)));
        Pages {
            used: u64::from(pages::<P>(class)) - free,
            free,
        }
    }
}
