//! Instances that manage chunks, whose front chunk all threads share: as published
//! (section 4.2, Algorithms 4 and 5), `sharing=paper`. The default gives a chunk one
//! holder at a time ([`super::chunks`]).
//!
//! The semaphore counts free pages, on whatever chunk. Who has permits walks along
//! the queue from its front and takes from the first chunk that has pages as many as
//! it needs, at the same time as others; the chunk stays where it is. Who takes the
//! last page takes the chunk out of the queue, and who frees the first one puts it
//! back, at the end. Who frees the last page in use gives the chunk to the pool, if
//! the semaphore has permits for all of its pages, and leaves a mark in its slot.
//!
//! What was mended is said where it stands ([`listed`]): a walker that is late uses
//! no chunk that has become something else, the front passes no chunk, a mark makes
//! room in the queue, and who finds no room keeps the chunk on the stack of its
//! class. Waiting at the semaphore and bringing chunks are as in the other instances
//! ([`super::instance`]): so nobody waits for ever when memory is exhausted.
//!
//! Of threads that bring chunks, retire one, or fail at the semaphore others see less
//! than there is; a refusal is no evidence.
//!
//! The queue is in static memory. A walker reads slots whose positions are not its
//! own; in a virtualized queue such a slot may be payload by then.

mod listed;

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use super::arena::{Arena, NONE, Task};
use super::group::Group;
use super::instance::{self, Instance, Kind, Pages, Reclaimed, Share};
use super::layout::{Static, for_each};
use super::parameters::{Parameters, pages};
use super::queue::{Array, EMPTY, Queue};
use super::waiting::supply;
use crate::warp::Warp;
use listed::{count, list, retire, retire_listed, retire_stack, take_pages};

/// Chunks that are shared, over queues in static memory.
#[derive(Clone, Copy, Debug)]
pub struct OuroborosShared;

impl Kind for OuroborosShared {
    #[inline(always)]
    fn obtain<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        mask: u32,
        group: &Group,
    ) -> u32 {
        let share = Share::of::<W, P>(warp, class, mask, group);
        let is_agent = share.index == 0;
        let (mut block, mut served) = (EMPTY, 0);
        // Waits for the pages that the permits are for: they are on chunks that are
        // listed, or about to be by threads that wait for no pages. All lanes make each
        // turn.
        loop {
            let (mut chunk, mut taken, mut start) = (NONE, 0, 0);
            if is_agent && served < share.size {
                (chunk, taken, start) = take_pages(warp, arena, class, share.size - served);
                if taken == 0 {
                    warp.back_off();
                }
            }
            // The agents acquired the pages for the others.
            warp.sync(mask);
            chunk = warp.shuffle(mask, chunk, share.agent);
            taken = warp.shuffle(mask, taken, share.agent);
            start = warp.shuffle(mask, start, share.agent);
            let offset = share.index.wrapping_sub(served);
            if block == EMPTY && offset < taken {
                let page = arena.claim_page(warp, class, chunk, start + offset);
                block = arena.block(class, chunk, page);
            }
            served += taken;
            if warp.ballot(mask, block == EMPTY) == 0 {
                return block;
            }
        }
    }

    #[inline(always)]
    fn spare<W: Warp, P: Parameters>(
        _warp: W,
        _arena: &Arena<P>,
        _class: u32,
        _group: &Group,
    ) -> u32 {
        EMPTY
    }

    #[inline(always)]
    fn spreads<P: Parameters>(_arena: &Arena<P>, _class: u32) -> bool {
        false
    }

    #[inline(always)]
    fn keep<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        group: &Group,
        chunk: u32,
        used: u32,
    ) -> u32 {
        if chunk == NONE {
            return 0;
        }
        let left = pages::<P>(class) - used;
        if group.leads() {
            // Relaxed: others learn of the chunk when it is listed.
            arena.shared_state(chunk).store(u64::from(left), Relaxed);
            list(warp, arena, class, chunk);
        }
        // The leader's store comes before what others add when they free their pages.
        warp.sync(group.mask);
        left
    }
}

/// A page for each of the lanes, which look again if the number is not 0.
struct Malloc;

impl Task for Malloc {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        is_again: u32,
        all: u32,
    ) -> u32 {
        instance::malloc::<W, P, OuroborosShared>(warp, arena, all, class, is_again != 0)
    }
}

/// Frees a page, the number.
struct Free;

impl Task for Free {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        block: u32,
        all: u32,
    ) -> u32 {
        let group = Group::by_key(warp, all, class);
        let chunk = arena.chunk_of(block);
        // Lanes with pages of the same chunk free them as one.
        let mates = Group::by_key(warp, all, chunk);
        arena.mark_free(chunk, arena.page_of(class, block));
        // All of these bits are set before one lane counts them.
        warp.sync(all);
        let (mut is_first, mut is_last) = (false, false);
        if mates.leads() {
            // AcqRel: releases the pages to who takes them, and acquires the chunk
            // from who took its last page, since we may be the one to list it.
            let state = arena.shared_state(chunk);
            let before = state.fetch_add(u64::from(mates.size), AcqRel);
            is_first = count(before) == 0;
            is_last = count(before) + mates.size == pages::<P>(class);
            // All pages were ours: it is nobody else's business.
            if is_first && is_last {
                state.store(0, Relaxed);
            }
        }
        let given = warp.ballot(all, is_first & is_last);
        if given & 1 << warp.lane() != 0 {
            arena.give_chunks(warp, chunk, given);
        }
        if is_first && !is_last {
            list(warp, arena, class, chunk);
        }
        let counted = warp.ballot(all, given & 1 << mates.leader == 0) & group.mask;
        if group.leads() {
            if counted != 0 {
                supply(arena, class).signal(counted.count_ones());
            }
            let n = (given & group.mask).count_ones();
            if n != 0 {
                arena.divided(class).fetch_add(n.wrapping_neg(), Relaxed);
            }
        }
        // What a lane has freed is counted before it goes on and asks for it.
        warp.sync(all);
        // Whoever frees the last page before the chunk is listed leaves it to who lists.
        if is_first != is_last {
            retire(warp, arena, class, chunk);
        }
        0
    }
}

impl Instance for OuroborosShared {
    const REUSES: bool = true;
    const EXACT_NULL: bool = false;
    // A refusal looks at each chunk of the queues and the stacks.
    const BOUNDED_REFUSAL: bool = false;

    #[inline(always)]
    fn is_virtual(_class: u32) -> bool {
        false
    }

    #[inline(always)]
    fn keeps_chunk(_class: u32) -> bool {
        false
    }

    fn fixed<P: Parameters>(chunks: u64) -> Static {
        Array::fixed::<P>(chunks)
    }

    #[inline(always)]
    fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) {
        Array::init(warp, arena, class);
        if class == 0 {
            for_each(warp, arena.chunks, |chunk| {
                arena.shared_state(chunk).store(0, Relaxed);
            });
        }
    }

    #[inline(always)]
    fn malloc<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        all: u32,
        class: u32,
        is_again: bool,
    ) -> u32 {
        arena.call_together::<W, Malloc>(warp, class, u32::from(is_again), all)
    }

    #[inline(always)]
    fn free<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, all: u32, class: u32, block: u32) {
        arena.call_together::<W, Free>(warp, class, block, all);
    }

    #[inline(always)]
    fn is_bare<P: Parameters>(arena: &Arena<P>, class: u32) -> bool {
        supply(arena, class).read().count == 0
    }

    #[inline(always)]
    fn reclaim<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) -> Reclaimed {
        let any = retire_stack(warp, arena, class);
        Reclaimed {
            again: retire_listed(warp, arena, class) | any,
            moves: 0,
        }
    }

    #[inline(always)]
    fn pages_of_chunk<P: Parameters>(arena: &Arena<P>, class: u32, chunk: u32) -> Pages {
        // Relaxed: the heap is at rest.
        let free = u64::from(count(arena.shared_state(chunk).load(Relaxed)));
        Pages {
            used: u64::from(pages::<P>(class)) - free,
            free,
        }
    }

    #[inline(always)]
    fn pages_of_class<P: Parameters>(_arena: &Arena<P>, _class: u32) -> Pages {
        Pages::default()
    }
}
