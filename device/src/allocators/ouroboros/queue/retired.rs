//! Returning the retired chunks of a linked queue ([`super::linked`]), as many at a
//! time as there are lanes.
//!
//! Chunks that are retired one behind the other, from `old` on, are a *run*. The
//! lane of each rank looks at the chunk that is as far behind `old`, to which a
//! skip pointer leads. One exchange moves `old` over the run; then each lane returns its
//! chunk, or those that become room again are appended as one run, with the links
//! that they have. One lane would need several round trips to memory for each chunk in
//! turn: 10^5 requests retire 49 chunks at the same time.
//!
//! The reads of the lanes hold if the exchange succeeds: `old` has each number
//! once, so that it did not move meanwhile, and a chunk that is not behind it is not
//! returned. A lane that has read a count or a link of a chunk's later use fails in the
//! exchange: the thread that changes one for another use has acquired that the chunk was
//! returned, and releases that with the change.
//!
//! No thread waits for what the lanes do one by one, so that they may wait for each
//! other. The words that others wait for, `old` behind a last chunk or a link to a new one, the
//! leader stores at once after the exchange that makes them wait.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use cuda_std::atomic::fence;

use super::chunked::{advance, fuse, lacking};
use super::list::{self, AppendRun, Find, last_of, tag};
use crate::allocators::ouroboros::arena::{Arena, Chunk, Class, Given, NONE, Task, Word};
use crate::allocators::ouroboros::geometry::Line;
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::parameters::Parameters;
use crate::simt::Warp;

/// Returns the oldest chunks, as many as are retired: to the queue's other end
/// while there is less room than as many chunks as the argument have, else to the pool.
/// All the lanes run this together.
pub struct ReturnRetired<F>(PhantomData<F>);

impl<F: Find> Task for ReturnRetired<F> {
    type Of = Class;
    type Argument = u32;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        keep: u32,
        lanes: u32,
    ) -> u32 {
        let group = Group::of_lanes(warp, lanes);
        if group.leads() {
            arena.begin_move(warp);
        }
        let has_moved = return_retired::<W, P, F>(warp, arena, class, keep, &group);
        // Another expression than above for the same lane: see `chunked::MakeRoom`. No lane
        // comes here before all have returned their chunks.
        if group.rank == 0 {
            arena.end_move(warp, has_moved);
        }
        0
    }
}

/// [`ReturnRetired`] for a group; whether there were any.
#[inline(always)]
fn return_retired<W: Warp, P: Parameters, F: Find>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    keep: u32,
    group: &Group,
) -> bool {
    let lanes = group.mask;
    let mut has_moved = false;
    let old = arena.head64(class, Line::Old);
    // `old` as the leader has read it, or stored it.
    let mut oldest = 0;
    if group.leads() {
        // Acquire: the chunk's tag and count.
        oldest = old.load(Acquire);
    }
    loop {
        let seen = warp.shuffle64(lanes, oldest, group.leader);
        if seen as u32 == NONE {
            return has_moved;
        }
        let index = advance::<P>((seen >> 32) as u32, group.rank);
        let mut left = 0;
        if keep > 0 && group.leads() {
            // Here, so that its latency overlaps with what follows.
            left = arena.room(class).left();
        }
        // The run ends before a chunk without a skip pointer. A lane that finds none looks at
        // the first: rustc would duplicate collectives behind branches.
        let (is_recorded, recorded) = F::lookup(arena, tag::<P>(class, index));
        let is_found = is_recorded | group.leads();
        let looks_on = is_recorded & !group.leads();
        // SAFETY: what is recorded, and `old`, are chunks of the heap.
        let chunk = unsafe { Chunk::new(if looks_on { recorded } else { seen as u32 }) };
        // A read-modify-write: of a thread that moves `old` to a chunk and the
        // one that retires the chunk, one sees what the other did, and returns it.
        // Had we read the count before the chunk was retired, the other would have
        // acquired where we left `old`, and looks there after that.
        let is_retired = is_retired(arena, chunk);
        // Acquire: the next chunk's tag and slots.
        let mut next = arena.meta(chunk, Word::Next).load(Acquire);
        // The reads of all lanes come before the leader's exchange.
        warp.sync(lanes);
        if warp.ballot(lanes, is_retired) & 1 << group.leader == 0 {
            return has_moved;
        }
        // The run ends before the first lane that found no retired chunk with a
        // link. It has one chunk at least, the newest if that has no link.
        let gap = lanes & !warp.ballot(lanes, is_found & is_retired & (next != NONE));
        let run = lanes & !gap & gap.wrapping_sub(1) | 1 << group.leader;
        let n = run.count_ones();
        next = warp.shuffle(lanes, next, last_of(run));
        let mut is_moved = false;
        if group.leads() {
            // SAFETY: the link of the run's last chunk.
            is_moved = unsafe { leave(warp, arena, class, seen, n, next) };
            oldest = if is_moved {
                behind::<P>(seen, n, next)
            } else {
                // Acquire: as above.
                old.load(Acquire)
            };
        }
        // The leader's exchange comes before what the others do to their chunks.
        warp.sync(lanes);
        if warp.ballot(lanes, is_moved) == 0 {
            continue;
        }
        has_moved = true;
        if run & 1 << warp.lane() != 0 {
            F::withdraw(arena, tag::<P>(class, index));
            // Relaxed: the pool releases the chunk, or the thread that appends it again,
            // with its tag gone.
            arena.meta(chunk, Word::Tag).store(NONE, Relaxed);
        }
        let mut kept = 0;
        if keep > 0 {
            let kept_most = lacking::<P>(left, keep);
            // SAFETY: since `old` was moved over the run its chunks are the lanes', one each, and
            // retired.
            kept = unsafe { reappend::<W, P, F>(warp, arena, class, chunk, n, kept_most, group) };
        }
        let returned = warp.ballot(lanes, group.rank >= kept && group.rank < n);
        if returned & 1 << warp.lane() != 0 {
            // SAFETY: the same; these were not appended again.
            unsafe { arena.give_chunks(warp, chunk, returned) };
        }
        // The leader looks for what the lanes have retired: chunks that were
        // appended again may be, and `old` may have been moved there.
        warp.sync(lanes);
        if kept > 0 && group.leads() {
            // Acquire: as above.
            oldest = old.load(Acquire);
        }
    }
}

/// Whether a chunk of the heap, the argument, that the caller has retired in a queue that keeps
/// chunks as room, waits for the next to be retired: one with an even number does, so that two
/// are returned in the time of one.
///
/// If both are retired, one of the threads that retired them sees that and returns them:
/// each counts first, then reads the other's count by a read-modify-write. The last to
/// count may be the thread that appended the chunk. It also sees `old` if that was moved to
/// the first meanwhile, by a thread that found the first not yet retired. With `old` further
/// back, the thread that retires the chunk there, or the next, returns both. A chunk
/// that others have returned in the meantime is theirs.
pub struct StaysForNext<F>(PhantomData<F>);

impl<F: Find> Task for StaysForNext<F> {
    type Of = Class;
    type Argument = Chunk;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        _warp: W,
        arena: &Arena<P>,
        class: Class,
        chunk: Chunk,
        _lanes: u32,
    ) -> u32 {
        let number = arena.meta(chunk, Word::Tag).load(Relaxed) >> P::CLASS_BITS;
        if number & 1 == 1 {
            return 0;
        }
        // If none is found there may be none, and no thread would come later.
        let (is_found, next) = F::lookup(arena, tag::<P>(class, advance::<P>(number, 1)));
        // SAFETY: what is recorded is a chunk of the heap.
        let is_retired = |chunk| is_retired(arena, unsafe { Chunk::new(chunk) });
        u32::from(is_found && !is_retired(next))
    }
}

/// Whether all entries of a chunk were dequeued. Acquire: its slots are empty. Release: of
/// two threads that read each other's count one sees the other.
#[inline(always)]
fn is_retired<P: Parameters>(arena: &Arena<P>, chunk: Chunk) -> bool {
    let count = arena.meta(chunk, Word::Dequeued).fetch_add(0, AcqRel);
    count == 1 << P::ENTRY_BITS
}

/// The value of `old` behind a run of `n` chunks: the next chunk, or none.
#[inline(always)]
fn behind<P: Parameters>(seen: u64, n: u32, next: u32) -> u64 {
    fuse(advance::<P>((seen >> 32) as u32, n), next)
}

/// Moves `old` over a run of `n` chunks to the next, or to none if that is
/// [`NONE`]; whether it was still as it was seen.
///
/// # Safety
///
/// `next` is the chunk behind the run, or [`NONE`].
#[inline(always)]
unsafe fn leave<W: Warp, P: Parameters>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    seen: u64,
    n: u32,
    next: u32,
) -> bool {
    let old = arena.head64(class, Line::Old);
    let later = behind::<P>(seen, n, next);
    if next != NONE {
        // The next thread that reads `old` acquires the chunk by its count or its tag, too.
        return old.compare_exchange(seen, later, AcqRel) == seen;
    }
    let new = arena.head64(class, Line::New);
    let nothing = seen | u64::from(NONE);
    if new.compare_exchange(seen, nothing, AcqRel) == seen {
        // Relaxed: a thread that reads it finds no chunk. An exchange, so that `old` only
        // changes by exchanges: one by a thread that is late then fails.
        old.swap(later, Relaxed);
        return true;
    }
    // Another thread has returned the chunk; or is about to link the next one, or to
    // leave `old` behind the last one. None of these waits.
    warp.back_off();
    false
}

/// Makes the first chunks of a run of `n` room again, up to the leader's `most`; returns how
/// many. All lanes of the group call this; those with a rank below `n` have a chunk.
///
/// # Safety
///
/// Each lane that has a chunk owns it; its slots are empty.
#[inline(always)]
unsafe fn reappend<W: Warp, P: Parameters, F: Find>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    chunk: Chunk,
    n: u32,
    most: u32,
    group: &Group,
) -> u32 {
    let mut kept = warp.shuffle(group.mask, most, group.leader);
    kept = if kept < n { kept } else { n };
    if kept == 0 {
        return 0;
    }
    if group.rank < kept {
        // Release: as in `chunked::prepare`.
        fence(Release);
        let dequeued = arena.meta(chunk, Word::Dequeued);
        // An exchange, as in `chunked::prepare`.
        dequeued.swap(list::INITIAL_DEQUEUED, Relaxed);
        if group.rank + 1 == kept {
            // The others' links lead to the next of the run already.
            arena.meta(chunk, Word::Next).store(NONE, Relaxed);
        }
    }
    let run = class.with::<P>(kept);
    // SAFETY: the first lanes give up their chunks.
    let chunk = unsafe { Given::new(chunk.number()) };
    arena.call_together::<W, AppendRun<F>>(warp, run, chunk, group.mask);
    if group.leads() {
        arena.room(class).signal(kept << P::ENTRY_BITS);
    }
    kept
}
