//! Returning the drained chunks of a linked queue ([`super::linked`]), as many at a
//! time as there are lanes.
//!
//! Chunks that are drained one behind the other, from `old` on, are a *run*. The
//! lane of each rank looks at the chunk that is as far behind `old`, to which a
//! signpost leads. One exchange moves `old` over the run; then each lane returns its
//! chunk, or those that become room again are appended as one run, with the links
//! that they have. A lane alone would do for each chunk in turn what takes several
//! times to the memory and back: 10^5 requests drain 49 chunks at the same time.
//!
//! What the lanes have read holds if the exchange succeeds: `old` has each number
//! once, so that it did not move meanwhile, and what is not behind it is not
//! returned. A count or a link of what a chunk is by now goes with an exchange that
//! fails: whoever changes one for another use has acquired that the chunk was
//! returned, and releases that with the change.
//!
//! Nobody waits for what the lanes do one by one, so that they may wait for each
//! other. What others wait for, an `old` to be put behind a last chunk or a link to
//! a new one, the leader does at once after the exchange that makes them wait.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use cuda_std::atomic::fence;

use super::chunked::{advance, fuse, lacking};
use super::list::{self, AppendRun, Find, last_of, tag};
use crate::allocators::ouroboros::arena::{Arena, NONE, Task, Word};
use crate::allocators::ouroboros::geometry::Line;
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::parameters::Parameters;
use crate::allocators::ouroboros::waiting::room;
use crate::simt::Warp;

/// Returns the oldest chunks, as many as are drained: to the queue's other end
/// while there is less room than the number of chunks has, else to the pool. Done
/// by all the lanes together.
pub struct ReturnDrained<F>(PhantomData<F>);

impl<F: Find> Task for ReturnDrained<F> {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        keep: u32,
        lanes: u32,
    ) -> u32 {
        let group = Group::of_lanes(warp, lanes);
        if group.leads() {
            arena.depart(warp);
        }
        let has_moved = return_drained::<W, P, F>(warp, arena, class, keep, &group);
        // Said in another way than above: see `chunked::MakeRoom`. No lane comes here
        // before all have returned their chunks.
        if group.rank == 0 {
            arena.arrive(warp, has_moved);
        }
        0
    }
}

/// [`ReturnDrained`] for a group; whether there were any.
#[inline(always)]
fn return_drained<W: Warp, P: Parameters, F: Find>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    keep: u32,
    group: &Group,
) -> bool {
    let lanes = group.mask;
    let mut has_moved = false;
    let old = arena.head64(class, Line::Old, 0);
    // Where the leader has seen `old`, or left it.
    let mut place = 0;
    if group.leads() {
        // Acquire: the chunk's tag and count.
        place = old.load(Acquire);
    }
    loop {
        let seen = warp.shuffle64(lanes, place, group.leader);
        if seen as u32 == NONE {
            return has_moved;
        }
        let index = advance::<P>((seen >> 32) as u32, group.rank);
        let mut left = 0;
        if keep > 0 && group.leads() {
            // Here, so that it comes with what follows.
            left = room(arena, class).left();
        }
        // The run ends before a chunk that is not known. Who knows none looks at the
        // first: branches around collectives would be made several of them.
        let (is_known, known) = F::known(arena, tag::<P>(class, index));
        let is_found = is_known | group.leads();
        let looks_on = is_known & !group.leads();
        let chunk = if looks_on { known } else { seen as u32 };
        // A read-modify-write: of a thread that brings `old` to a chunk and the
        // one that drains the chunk, one sees what the other did, and returns it.
        // Had we looked before it was drained, the other would have acquired
        // where we left `old`, and looks there after that.
        let is_drained = is_drained(arena, chunk);
        // Acquire: the next chunk's tag and slots.
        let mut next = arena.meta(chunk, Word::Next).load(Acquire);
        // What all have read comes before the leader's exchange.
        warp.sync(lanes);
        if warp.ballot(lanes, is_drained) & 1 << group.leader == 0 {
            return has_moved;
        }
        // The run ends before the first lane that found no drained chunk with a
        // link. It has one chunk at least, the newest if that has no link.
        let gap = lanes & !warp.ballot(lanes, is_found & is_drained & (next != NONE));
        let run = lanes & !gap & gap.wrapping_sub(1) | 1 << group.leader;
        let n = run.count_ones();
        next = warp.shuffle(lanes, next, last_of(run));
        let mut is_moved = false;
        if group.leads() {
            is_moved = leave(warp, arena, class, seen, n, next);
            place = if is_moved {
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
            // Relaxed: the pool releases the chunk, or whoever appends it again, with
            // its tag gone.
            arena.meta(chunk, Word::Tag).store(NONE, Relaxed);
        }
        let mut kept = 0;
        if keep > 0 {
            let kept_most = lacking::<P>(left, keep);
            kept = append_again::<W, P, F>(warp, arena, class, chunk, n, kept_most, group);
        }
        let returned = warp.ballot(lanes, group.rank >= kept && group.rank < n);
        if returned & 1 << warp.lane() != 0 {
            arena.give_chunks(warp, chunk, returned);
        }
        // What the lanes have drained, their leader looks for: chunks that were
        // appended again may be, and `old` may have been brought there.
        warp.sync(lanes);
        if kept > 0 && group.leads() {
            // Acquire: as above.
            place = old.load(Acquire);
        }
    }
}

/// Whether a chunk, the number, that the caller has drained where such become room
/// again, waits for the next to be drained: one with an even number does, so that two are
/// returned in the time of one.
///
/// If both are drained, one of those who did it sees that and returns them: each
/// counts first, then looks at the other's count by a read-modify-write. The last to
/// count may be who appended the chunk. It also sees `old` if that was brought to the
/// first meanwhile, by a thread that found the first not yet drained. With `old` further
/// back, both are the business of whoever drains the chunk there, or the next. A chunk
/// that others have returned in the meantime is theirs.
pub struct StaysForNext<F>(PhantomData<F>);

impl<F: Find> Task for StaysForNext<F> {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        _warp: W,
        arena: &Arena<P>,
        class: u32,
        chunk: u32,
        _lanes: u32,
    ) -> u32 {
        let number = arena.meta(chunk, Word::Tag).load(Relaxed) >> P::CLASS_BITS;
        if number & 1 == 1 {
            return 0;
        }
        // If none is known there may be none, and nobody would come later.
        let (is_found, next) = F::known(arena, tag::<P>(class, advance::<P>(number, 1)));
        u32::from(is_found && !is_drained(arena, next))
    }
}

/// Whether all entries of a chunk were taken. Acquire: its slots are empty. Release: of
/// two threads that look at each other's count one sees the other.
#[inline(always)]
fn is_drained<P: Parameters>(arena: &Arena<P>, chunk: u32) -> bool {
    let count = arena.meta(chunk, Word::Drained).fetch_add(0, AcqRel);
    count == 1 << P::ENTRY_BITS
}

/// What `old` is behind a run of `n` chunks: the next chunk, or none.
#[inline(always)]
fn behind<P: Parameters>(seen: u64, n: u32, next: u32) -> u64 {
    fuse(advance::<P>((seen >> 32) as u32, n), next)
}

/// Moves `old` over a run of `n` chunks to the next, or to none if that is
/// [`NONE`]; whether it was still as it was seen.
#[inline(always)]
fn leave<W: Warp, P: Parameters>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    seen: u64,
    n: u32,
    next: u32,
) -> bool {
    let old = arena.head64(class, Line::Old, 0);
    let later = behind::<P>(seen, n, next);
    if next != NONE {
        // Who reads `old` next acquires the chunk by its count or its tag, too.
        return old.compare_exchange(seen, later, AcqRel) == seen;
    }
    let new = arena.head64(class, Line::New, 0);
    let nothing = seen | u64::from(NONE);
    if new.compare_exchange(seen, nothing, AcqRel) == seen {
        // Relaxed: whoever is led by it finds no chunk. An exchange, so that `old` only
        // changes by such: one by a thread that is out of date then fails.
        old.swap(later, Relaxed);
        return true;
    }
    // Another thread has returned the chunk; or is about to link the next one, or to
    // leave `old` behind the last one. None of these waits.
    warp.back_off();
    false
}

/// Makes the first chunks of a run of `n` room, as many as the leader says, and gives
/// back how many. All lanes of the group call this; those with a rank below `n` have a
/// chunk.
#[inline(always)]
fn append_again<W: Warp, P: Parameters, F: Find>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    chunk: u32,
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
        let drained = arena.meta(chunk, Word::Drained);
        // An exchange, as in `chunked::prepare`.
        drained.swap(list::DRAINED, Relaxed);
        if group.rank + 1 == kept {
            // The others' links lead to the next of the run already.
            arena.meta(chunk, Word::Next).store(NONE, Relaxed);
        }
    }
    let run = class | kept << P::CLASS_BITS;
    arena.call_together::<W, AppendRun<F>>(warp, run, chunk, group.mask);
    if group.leads() {
        room(arena, class).signal(kept << P::ENTRY_BITS);
    }
    kept
}
