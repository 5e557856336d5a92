//! Instances that manage chunks: the queue of a class holds its chunks with free
//! pages (section 4.2, Algorithms 4 and 5).
//!
//! The semaphore counts free pages, on whatever chunk. A thread that has permits dequeues
//! a chunk, and is its only holder ([`super::bits`]); lowers its count by as many pages as
//! it needs; and enqueues it again if others are left. The published algorithm leaves the
//! chunk at the front, where all threads meet at chunks that are empty by the time they
//! come: that takes 24 to 200 ms.
//!
//! A queue's entries are counted apart from the pages, and a thread waits for an entry only
//! if it has taken one off that count. So a chunk for which the queue has no room can go to a
//! stack of the class instead, where all threads that have permits also look. A chunk in the
//! queue or on a stack is *available*. No thread waits for pages while it holds a chunk, so
//! that threads with permits are served: the pages that were promised are on chunks that are
//! available, or held by threads that make them available before they wait for pages. A
//! holder may wait for other lanes of its warp, which all go as far together; what these wait
//! for, entries and room of a queue, other threads provide without such a wait.
//!
//! Since a chunk has one holder at a time, many threads that want few pages each
//! would wait for the chunks one after the other. Until the pages to spare of a class would fill a quarter
//! of the heap's chunks, or 2^12, a thread that finds none available allocates another one, though
//! there are enough pages for all that have permits; and a thread that gets no permits does
//! not wait for a chunk that is on its way, whose pages are then promised to no thread. So a
//! class may hold a chunk for each warp that requests at the same time. When less than half of the
//! heap is free a class gets a 2^6th for this, and none when little is free.
//!
//! A chunk whose pages are all free is *idle*. It goes back to the pool at once if a warp
//! frees all of its pages together. Otherwise the chunk is available already, or about to
//! be, and some idle chunks stay so, for the next requests; when there are more, each page
//! that makes another chunk idle pays for a look at the oldest in the queue. When the pool
//! has no chunk left, all idle chunks are reclaimed, and the last chunk of an empty
//! virtualized queue. The paper takes a free chunk out of the queue at once, and leaves
//! a mark in its slot; such marks would have to be kept from filling the queue.
//!
//! A request is refused when no page is counted, no chunk of the class is available, and the
//! pool is empty, nothing being on its way ([`super::transit`]). A thread that frees pages
//! adds the permits for them before it sets their bits, by which others take them. So no
//! thread gets a page before the permit for it is counted, and the count is never less than
//! the pages that were freed and not promised, wherever their chunks are at that moment:
//! held by a thread that takes one page of many, for example. A thread that has such a
//! permit early waits until the chunk counts the page.

pub mod available;

use core::sync::atomic::Ordering::Relaxed;

use super::arena::{Arena, Chunk, Class, EMPTY, Given, NONE, Task};
use super::geometry::{Line, Static};
use super::group::Group;
use super::instance::{self, Instance, Pages, Reclaimed};
use super::kind::{Kind, Share};
use super::parameters::{Parameters, pages};
use super::queue::{Queue, close};
use super::supply::Provide;
use crate::simt::{Backoff, Warp, rank};
use available::{MakeAvailable, hold, reclaim_oldest, reclaim_stacked, spread};

/// Chunks over queues of kind `Q` (`OuroborosChunks`).
#[derive(Clone, Copy, Debug)]
pub struct OuroborosChunks<Q>(core::marker::PhantomData<Q>);

impl<Q: Queue> Kind for OuroborosChunks<Q> {
    type Queue = Q;

    #[inline(always)]
    unsafe fn obtain<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        mask: u32,
        group: &Group,
    ) -> u32 {
        // SAFETY: a chunk that an agent gets is of the class, and it is the holder until no page is
        // left, or it makes the chunk available. The lanes claim as many pages as it has reserved.
        unsafe {
            let pages = pages::<P>(class);
            let share = Share::of::<W, P>(warp, class, mask, group);
            let is_agent = share.index == 0;
            let (mut block, mut served) = (EMPTY, 0);
            // Waits for the chunks that the permits are for; see the module. All
            // lanes make each turn; agents look for chunks, and hold none when the
            // turn ends.
            let mut backoff = Backoff::new();
            loop {
                let (mut chunk, mut taken, mut start) = (NONE, 0, 0);
                let (mut left, mut allocated) = (0, 0);
                if is_agent && served < share.size {
                    chunk = hold::<W, P, Q>(warp, arena, class);
                    if chunk == NONE {
                        chunk = spread(warp, arena, class);
                        allocated = pages;
                    }
                    if chunk != NONE {
                        (taken, left) = arena.reserve_pages(Chunk::new(chunk), share.size - served);
                        start = pages - left - taken;
                        if start == 0 {
                            arena.idle(class).fetch_add(u32::MAX, Relaxed);
                        }
                    }
                }
                let kept = warp.ballot(mask, left > 0);
                if kept & 1 << warp.lane() != 0 {
                    let chunk = Given::new(chunk);
                    arena.call_together::<W, MakeAvailable<Q>>(warp, class, chunk, kept);
                }
                if allocated > 0 && chunk != NONE {
                    // Ours are among these, and our permits are for others.
                    arena.supply(class).signal(allocated);
                    arena.end_spread(class);
                    arena.end_move(warp, true);
                }
                // The agents acquired the chunks for the others.
                warp.sync(mask);
                chunk = warp.shuffle(mask, chunk, share.agent);
                taken = warp.shuffle(mask, taken, share.agent);
                start = warp.shuffle(mask, start, share.agent);
                let offset = share.index.wrapping_sub(served);
                if block == EMPTY && offset < taken {
                    let reserved = Chunk::new(chunk);
                    let page = arena.claim_page(warp, class, reserved, start + offset);
                    block = arena.block(class, chunk, page);
                }
                served += taken;
                if warp.ballot(mask, block == EMPTY) == 0 {
                    return block;
                }
                // Here, where none of the lanes holds a chunk that others wait for.
                if is_agent && served < share.size && taken == 0 {
                    backoff.pause(warp);
                }
            }
        }
    }

    #[inline(always)]
    fn spreads<P: Parameters>(arena: &Arena<P>, class: Class) -> bool {
        arena.begin_spread(class)
    }

    #[inline(always)]
    fn end_spread<P: Parameters>(arena: &Arena<P>, class: Class) {
        arena.end_spread(class);
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
        if used == 0 && group.leads() {
            arena.idle(class).fetch_add(1, Relaxed);
        }
        // All lanes, for the queue may need a chunk, whose slots they empty together.
        let own = if group.leads() { chunk } else { NONE };
        // SAFETY: the chunk is held, and is made available once, with pages left.
        let own = unsafe { Given::new(own) };
        arena.call_together::<W, MakeAvailable<Q>>(warp, class, own, group.mask);
        pages::<P>(class) - used
    }
}

/// A page for each of the lanes, which look again if the argument is not 0.
struct Malloc<Q>(core::marker::PhantomData<Q>);

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
        instance::malloc::<W, P, OuroborosChunks<Q>>(warp, arena, all, class, is_again != 0)
    }
}

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
        // All lanes take each step together: classes one after the other would pay the
        // latency of memory as many times.
        let group = Group::by_key(warp, all, class.number());
        let block = block.number();
        // SAFETY: the page of a chunk.
        let chunk = unsafe { arena.chunk_of(block) };
        let is_single = pages::<P>(class) == 1;
        let several = warp.ballot(all, !is_single);
        let mut mates = Group::alone(warp);
        if !is_single {
            // Lanes with pages of the same chunk free them as one.
            mates = Group::by_key(warp, several, chunk.number());
        }
        // A chunk whose pages all come back at once goes to the pool: no page of it is
        // counted, and no thread reads its state.
        let is_whole = mates.size == pages::<P>(class);
        let counted = warp.ballot(all, !is_whole) & group.mask;
        if group.leads() && counted != 0 {
            // Permits come before pages: see the module.
            arena.supply(class).signal(counted.count_ones());
        }
        warp.sync(all);
        if !is_whole {
            // SAFETY: the page of this chunk that is given up.
            unsafe { arena.mark_free(chunk, arena.page_of(class, block)) };
        }
        // All of these bits are set before one lane counts them.
        warp.sync(all);
        // Read here, so that its latency overlaps with the counting of the pages.
        let idle_seen = arena.idle(class).load(Relaxed);
        let (mut is_last, mut holds) = (false, false);
        if mates.leads() && !is_whole {
            // SAFETY: one of the lanes that free pages of the chunk counts all of these.
            let freed = unsafe { arena.count_free(class, chunk, mates.size) };
            (is_last, holds) = (freed.is_last, freed.holds);
        }
        let given = warp.ballot(all, is_whole & mates.leads());
        if given & 1 << warp.lane() != 0 {
            // SAFETY: all pages of the chunk were these lanes', for which one gives it up.
            unsafe { arena.give_chunks_of(warp, class, chunk, given) };
        }
        let held = warp.ballot(all, holds);
        if held & 1 << warp.lane() != 0 {
            // SAFETY: this lane holds it.
            let chunk = unsafe { Given::new(chunk.number()) };
            arena.call_together::<W, MakeAvailable<Q>>(warp, class, chunk, held);
        }
        let idle_now = warp.ballot(all, is_last) & group.mask;
        if group.leads() {
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
        let others = idle_seen.wrapping_add(rank(idle_now, warp.lane()));
        let surplus = others as i32 >= arena.idle_most() as i32;
        if idle_now & 1 << warp.lane() != 0 && surplus {
            arena.begin_move(warp);
            reclaim_oldest::<W, P, Q>(warp, arena, class);
            arena.end_move(warp, true);
        }
        0
    }
}

// SAFETY: a chunk's only holder lowers its count and clears the bits of as many pages, which it
// grants; it returns a chunk with all of its pages counted.
unsafe impl<Q: Queue> Instance for OuroborosChunks<Q> {
    const REUSES: bool = true;
    const EXACT_NULL: bool = true;
    const BOUNDED_REFUSAL: bool = true;
    const PROVIDES: bool = true;

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
        let block = unsafe { Given::new(block) };
        arena.call_together::<W, Free<Q>>(warp, class, block, all);
    }

    #[inline(always)]
    fn is_bare<P: Parameters>(arena: &Arena<P>, class: Class) -> bool {
        arena.supply(class).count() == 0
    }

    #[inline(always)]
    fn reclaim<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) -> Reclaimed {
        let mut reclaimed = Reclaimed {
            again: Q::VIRTUAL && Q::settle(warp, arena, class),
            moves: 0,
        };
        let entries = arena.head(class, Line::Entries);
        let has_idle = arena.has_idle(class);
        let closes =
            Q::VIRTUAL && entries.load(Relaxed) as i32 <= 0 && arena.room(class).left() > 0;
        if !has_idle && !closes {
            return reclaimed;
        }
        arena.begin_move(warp);
        reclaimed.moves = 1;
        if has_idle {
            reclaimed.again |= reclaim_stacked::<W, P, Q>(warp, arena, class);
            // Once round the queue: a chunk that stays goes to its end.
            let mut looks = entries.load(Relaxed) as i32;
            while looks > 0 && arena.has_idle(class) {
                reclaimed.again |= reclaim_oldest::<W, P, Q>(warp, arena, class);
                looks -= 1;
            }
            // Entries that are not counted while a thread fails to take one off the count, or
            // is about to dequeue it.
            let front = arena.head(class, Line::Front).load(Relaxed);
            let back = arena.head(class, Line::Back).load(Relaxed);
            reclaimed.again |= front != back && entries.load(Relaxed) as i32 <= 0;
        }
        if closes {
            reclaimed.again |= close::<W, P, Q>(warp, arena, class, |chunk| {
                // Its entry is still counted: a void is left to be dequeued instead.
                arena.idle(class).fetch_add(1, Relaxed);
                // SAFETY: an entry of the class is a chunk, which this thread holds when it is
                // dequeued.
                unsafe { arena.push(warp, class, Chunk::new(chunk)) };
            });
        }
        arena.end_move(warp, true);
        reclaimed
    }

    #[inline(always)]
    fn pages_of_chunk<P: Parameters>(arena: &Arena<P>, class: Class, chunk: Chunk) -> Pages {
        let free = u64::from(arena.free_pages(chunk));
        Pages {
            used: u64::from(pages::<P>(class)) - free,
            free,
        }
    }
}
