//! Instances that manage chunks: the queue of a class holds its chunks with free
//! pages (section 4.2, Algorithms 4 and 5).
//!
//! The semaphore counts free pages, on whatever chunk. Who has permits takes a
//! chunk out of the queue, and is its only holder ([`super::bits`]); lowers its
//! count by as many pages as it needs; and puts it back if others are left. The
//! published algorithm leaves the chunk at the front, where all threads meet at
//! chunks that are empty by the time they come: that is what takes 24 to 200 ms.
//!
//! A queue's entries are counted apart from the pages, and an entry is only waited
//! for by who has taken one off that count. So a chunk for which the queue has no
//! room can go to the stack of the class instead, where all who have permits also
//! look. Nobody waits for another while holding a chunk, so that those with
//! permits are served: the pages that were promised are on chunks that are in the
//! queue or the stack, or held by threads that put them there before they wait.
//!
//! Since a chunk has one holder at a time, many threads that want few pages each
//! would wait for the chunks one after the other. Until a class has some hundreds of
//! chunks, who finds none listed brings another one, though there are enough pages for
//! all who have permits; and who gets no permits does not wait for a chunk that is on
//! its way, of which nobody is then promised a page.
//!
//! A chunk whose pages are all free goes back to the pool. For one with a single
//! page that is when it is freed. Of other chunks some stay listed, for the next
//! requests; when there are more, each page that makes another chunk free pays
//! for a look at the oldest in the queue. When the pool has no chunk left, all
//! that are fully free are returned, and the last chunk of an empty virtualized
//! queue. The paper takes a free chunk out of the queue at once, and leaves a mark
//! in its slot; such marks would have to be kept from filling the queue.

use core::sync::atomic::Ordering::{Relaxed, Release};

use super::arena::{Arena, Line, NONE, Task, Word};
use super::group::Group;
use super::instance::{self, Instance, Kind, Pages, Share};
use super::layout::Static;
use super::parameters::{Parameters, pages};
use super::pool::take_count;
use super::queue::{EMPTY, End, Queue, TakeOut, VOID, close, positions, put};
use super::waiting::{CLASS_BITS, supply};
use crate::warp::Warp;

/// Fully free chunks of a class that stay listed, beside those of [`spread_most`].
const IDLE_MOST: u32 = 64;
/// Chunks that threads of one class may ask for so as not to wait for each other.
const SPREAD_MOST: u32 = 256;

/// Chunks of a class up to which a thread that finds all of them held gets another
/// one: in a small heap one of 2^6.
#[inline(always)]
fn spread_most<P: Parameters>(arena: &Arena<P>) -> u32 {
    let part = arena.chunks >> 6;
    if part < SPREAD_MOST {
        part
    } else {
        SPREAD_MOST
    }
}

/// A counter of the chunks of a class.
#[inline(always)]
fn divided<P: Parameters>(arena: &Arena<P>, class: u32) -> &cuda_std::atomic::AtomicU32 {
    arena.head(class, Line::Entries, 2)
}

/// Counts one more chunk of a class, unless that has so many that none is to be
/// brought only to have another.
#[inline(always)]
fn count_spread<P: Parameters>(arena: &Arena<P>, class: u32) -> bool {
    let (divided, most) = (divided(arena, class), spread_most(arena));
    // Read first, so that those who wait do not keep the counter busy.
    if divided.load(Relaxed) >= most {
        return false;
    }
    if divided.fetch_add(1, Relaxed) < most {
        return true;
    }
    divided.fetch_add(u32::MAX, Relaxed);
    false
}

/// Chunks over queues of kind `Q` (`OuroborosChunks`).
#[derive(Clone, Copy, Debug)]
pub struct OuroborosChunks<Q>(core::marker::PhantomData<Q>);

/// A counter of entries that are worth a look when the pool is empty: chunks whose
/// pages are all free, and voids. A hint, since a count and what it is about
/// change one after the other.
#[inline(always)]
fn idle<P: Parameters>(arena: &Arena<P>, class: u32) -> &cuda_std::atomic::AtomicU32 {
    arena.head(class, Line::Entries, 1)
}

/// [`OuroborosChunks::hold`].
struct Hold<Q>(core::marker::PhantomData<Q>);

impl<Q: Queue> Task for Hold<Q> {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        _value: u32,
        _lanes: u32,
    ) -> u32 {
        if !take_count(arena.head(class, Line::Entries, 0)) {
            return arena.pop(class);
        }
        let position = positions(arena, class, End::Front, 1);
        let entry = arena.call::<W, TakeOut<Q>>(warp, class | 1 << CLASS_BITS, position);
        if entry != VOID {
            return entry;
        }
        // The chunk that was counted is on the stack.
        idle(arena, class).fetch_add(u32::MAX, Relaxed);
        NONE
    }
}

/// [`OuroborosChunks::list`], of the chunk that is the number, by all the lanes.
struct List<Q>(core::marker::PhantomData<Q>);

impl<Q: Queue> Task for List<Q> {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        chunk: u32,
        lanes: u32,
    ) -> u32 {
        let group = Group::of_lanes(warp, lanes);
        let has_room = Q::reserve(warp, arena, class, 1, &group);
        if !group.leads() {
            return 0;
        }
        if has_room {
            let position = positions(arena, class, End::Back, 1);
            put::<W, P, Q>(warp, arena, class, position, chunk);
            arena.head(class, Line::Entries, 0).fetch_add(1, Relaxed);
        } else {
            arena.push(class, chunk);
        }
        0
    }
}

/// [`OuroborosChunks::retire`] of the chunk that is the number, or, if that is
/// [`NONE`], [`OuroborosChunks::retire_oldest`].
struct Retire<Q>(core::marker::PhantomData<Q>);

impl<Q: Queue> Task for Retire<Q> {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        given: u32,
        _lanes: u32,
    ) -> u32 {
        let mut chunk = given;
        if given == NONE {
            chunk = OuroborosChunks::<Q>::hold(warp, arena, class);
        }
        if chunk == NONE {
            return 0;
        }
        let pages = pages::<P>(class);
        // With permits for as many pages nobody is promised these. Nobody has one
        // of them, so that nobody changes the chunk's state.
        if arena.free_pages(chunk) == pages && supply(arena, class).try_take(pages) {
            idle(arena, class).fetch_add(u32::MAX, Relaxed);
            divided(arena, class).fetch_add(u32::MAX, Relaxed);
            arena.give_chunk(warp, chunk);
            return 1;
        }
        if given == NONE {
            OuroborosChunks::<Q>::list(warp, arena, class, chunk);
        }
        0
    }
}

impl<Q: Queue> OuroborosChunks<Q> {
    /// Takes a chunk with free pages, whose holder the caller then is; [`NONE`]
    /// if there is none at this moment.
    #[inline(always)]
    fn hold<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) -> u32 {
        arena.call::<W, Hold<Q>>(warp, class, 0)
    }

    /// Lists a chunk that the caller holds.
    #[inline(always)]
    fn list<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, chunk: u32) {
        let alone = 1 << warp.lane();
        arena.call_together::<W, List<Q>>(warp, class, chunk, alone);
    }

    /// Gives a chunk that the caller holds back to the pool, if its pages are all
    /// free and none of them is promised.
    #[inline(always)]
    fn retire<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, chunk: u32) -> bool {
        arena.call::<W, Retire<Q>>(warp, class, chunk) != 0
    }

    /// A new chunk, held by the caller, who counts its pages when it has listed it;
    /// [`NONE`] if the class has many, or there is none.
    #[inline(always)]
    fn spread<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) -> u32 {
        if !count_spread(arena, class) {
            return NONE;
        }
        let chunk = arena.take_chunk(warp);
        if chunk == NONE {
            divided(arena, class).fetch_add(u32::MAX, Relaxed);
        } else {
            arena.divide(class, chunk, 0);
            idle(arena, class).fetch_add(1, Relaxed);
        }
        chunk
    }

    /// Looks at the oldest chunk that is listed, and gives it back if it can.
    #[inline(always)]
    fn retire_oldest<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) -> bool {
        arena.call::<W, Retire<Q>>(warp, class, NONE) != 0
    }

    /// Gives back what it can of the chunks on the stack.
    #[inline(always)]
    fn retire_stack<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) -> bool {
        let (mut any, mut kept) = (false, NONE);
        // Others may put chunks there all the time.
        for _ in 0..arena.chunks {
            let chunk = arena.pop(class);
            if chunk == NONE {
                break;
            }
            if Self::retire(warp, arena, class, chunk) {
                any = true;
            } else {
                // Held by us: nobody else uses the link.
                arena.meta(chunk, Word::Next).store(kept, Release);
                kept = chunk;
            }
        }
        while kept != NONE {
            let next = arena.meta(kept, Word::Next).load(Relaxed);
            arena.push(class, kept);
            kept = next;
        }
        any
    }
}

impl<Q: Queue> Kind for OuroborosChunks<Q> {
    #[inline(always)]
    fn obtain<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        mask: u32,
        group: &Group,
    ) -> u32 {
        let pages = pages::<P>(class);
        let share = Share::of::<W, P>(warp, class, mask, group);
        let is_agent = share.index == 0;
        let (mut block, mut served) = (EMPTY, 0);
        // Waits for the chunks that the permits are for; see the module. All
        // lanes make each turn; agents look for chunks, and hold none when the
        // turn ends.
        loop {
            let (mut chunk, mut taken, mut start) = (NONE, 0, 0);
            if is_agent && served < share.size {
                let mut brought = 0;
                chunk = Self::hold(warp, arena, class);
                if chunk == NONE {
                    chunk = Self::spread(warp, arena, class);
                    brought = pages;
                }
                if chunk == NONE {
                    warp.back_off();
                } else {
                    let (n, left) = arena.reserve_pages(chunk, share.size - served);
                    (taken, start) = (n, pages - left - n);
                    if start == 0 {
                        idle(arena, class).fetch_add(u32::MAX, Relaxed);
                    }
                    if left > 0 {
                        Self::list(warp, arena, class, chunk);
                    }
                    if brought > 0 {
                        // Ours are among these, and our permits are for others.
                        supply(arena, class).signal(brought);
                    }
                }
            }
            // The agents acquired the chunks for the others.
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
    fn spreads<P: Parameters>(arena: &Arena<P>, class: u32) -> bool {
        count_spread(arena, class)
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
        // All lanes, for the queue may need a chunk, whose slots they empty together.
        arena.call_together::<W, List<Q>>(warp, class, chunk, group.mask);
        pages::<P>(class) - used
    }
}

/// A page for each of the lanes.
struct Malloc<Q>(core::marker::PhantomData<Q>);

impl<Q: Queue> Task for Malloc<Q> {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        _value: u32,
        all: u32,
    ) -> u32 {
        instance::malloc::<W, P, OuroborosChunks<Q>>(warp, arena, all, class)
    }
}

/// Frees a page, the number.
struct Free<Q>(core::marker::PhantomData<Q>);

impl<Q: Queue> Task for Free<Q> {
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
        let is_single = pages::<P>(class) == 1;
        let mates = if is_single {
            Group::alone(warp)
        } else {
            Group::by_key(warp, group.mask, chunk)
        };
        arena.mark_free(chunk, arena.page_of(class, block));
        // All of these bits are set before one lane counts them.
        warp.sync(mates.mask);
        let (mut returned, mut surplus) = (0, false);
        if mates.leads() {
            let freed = arena.count_free(class, chunk, mates.size);
            if freed.is_last && !is_single {
                let others = idle(arena, class).fetch_add(1, Relaxed) as i32;
                surplus = others >= (IDLE_MOST + spread_most(arena)) as i32;
            }
            // Of a chunk that is all ours no page was counted as free. One with
            // a single page has nothing to offer that the pool has not.
            if freed.is_last && freed.holds && (surplus || is_single) {
                if surplus {
                    idle(arena, class).fetch_add(u32::MAX, Relaxed);
                }
                (returned, surplus) = (1, false);
                divided(arena, class).fetch_add(u32::MAX, Relaxed);
                arena.give_chunk(warp, chunk);
            } else if freed.holds {
                OuroborosChunks::<Q>::list(warp, arena, class, chunk);
            }
        }
        let returned = warp.shuffle(mates.mask, returned, mates.leader) != 0;
        let counted = warp.ballot(group.mask, !returned);
        if group.leads() && counted != 0 {
            supply(arena, class).signal(counted.count_ones());
        }
        if surplus {
            OuroborosChunks::<Q>::retire_oldest(warp, arena, class);
        }
        0
    }
}

impl<Q: Queue> Instance for OuroborosChunks<Q> {
    const REUSES: bool = true;
    const RECLAIMS: bool = true;

    #[inline(always)]
    fn is_virtual(_class: u32) -> bool {
        Q::VIRTUAL
    }

    #[inline(always)]
    fn keeps_chunk(_class: u32) -> bool {
        false
    }

    fn fixed<P: Parameters>(chunks: u64) -> Static {
        Q::fixed::<P>(chunks)
    }

    #[inline(always)]
    fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) {
        Q::init(warp, arena, class);
    }

    #[inline(always)]
    fn malloc<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, all: u32, class: u32) -> u32 {
        arena.call_together::<W, Malloc<Q>>(warp, class, 0, all)
    }

    #[inline(always)]
    fn free<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, all: u32, class: u32, block: u32) {
        arena.call_together::<W, Free<Q>>(warp, class, block, all);
    }

    #[inline(always)]
    fn reclaim<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) -> bool {
        if idle(arena, class).load(Relaxed) as i32 <= 0 && !Q::VIRTUAL {
            return false;
        }
        let mut any = Self::retire_stack(warp, arena, class);
        // Once round the queue: what was looked at goes to its end.
        let mut looks = arena.head(class, Line::Entries, 0).load(Relaxed) as i32;
        while looks > 0 && idle(arena, class).load(Relaxed) as i32 > 0 {
            any |= Self::retire_oldest(warp, arena, class);
            looks -= 1;
        }
        if Q::VIRTUAL && arena.head(class, Line::Entries, 0).load(Relaxed) as i32 <= 0 {
            any |= close::<W, P, Q>(warp, arena, class, |chunk| {
                // Its entry is still counted: a void is left to be taken instead.
                idle(arena, class).fetch_add(1, Relaxed);
                arena.push(class, chunk);
            });
        }
        any
    }

    #[inline(always)]
    fn pages_of_chunk<P: Parameters>(arena: &Arena<P>, class: u32, chunk: u32) -> Pages {
        let free = u64::from(arena.free_pages(chunk));
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
