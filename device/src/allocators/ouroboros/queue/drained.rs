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

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::Linked;
use super::chunked::{Append, advance, fuse, lacking};
use super::linked::{AppendRun, last_of, posted, tag};
use crate::allocators::ouroboros::arena::{Arena, Line, NONE, Task, Word};
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::parameters::Parameters;
use crate::allocators::ouroboros::waiting::{CLASS_BITS, room};
use crate::warp::Warp;

/// Returns the oldest chunks, as many as are drained: to the queue's other end
/// while there is less room than the number of chunks has, else to the pool. Done
/// by all the lanes together.
pub struct ReturnDrained;

impl Task for ReturnDrained {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        keep: u32,
        lanes: u32,
    ) -> u32 {
        let group = Group::of_lanes(warp, lanes);
        let old = arena.head64(class, Line::Old, 0);
        loop {
            let mut seen = 0;
            if group.leads() {
                // Acquire: the chunk's tag and count.
                seen = old.load(Acquire);
            }
            seen = warp.shuffle64(lanes, seen, group.leader);
            if seen as u32 == NONE {
                return 0;
            }
            let index = advance::<P>((seen >> 32) as u32, group.rank);
            // Without its signpost the run ends before a chunk. Who has none looks at
            // the first: branches around collectives would be made several of them.
            let (mut is_found, mut chunk) = posted(arena, tag(class, index));
            if group.leads() || !is_found {
                (is_found, chunk) = (group.leads(), seen as u32);
            }
            // A read-modify-write: of a thread that brings `old` to a chunk and the
            // one that drains the chunk, one sees what the other did, and returns it.
            // Had we looked before it was drained, the other would have acquired
            // where we left `old`, and looks there after that. Acquire: the slots
            // are empty.
            let count = arena.meta(chunk, Word::Drained).fetch_add(0, AcqRel);
            let is_drained = count == 1 << P::ENTRY_BITS;
            // Acquire: the next chunk's tag and slots.
            let mut next = arena.meta(chunk, Word::Next).load(Acquire);
            // What all have read comes before the leader's exchange.
            warp.sync(lanes);
            if warp.ballot(lanes, is_drained) & 1 << group.leader == 0 {
                return 0;
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
            }
            // The leader's exchange comes before what the others do to their chunks.
            warp.sync(lanes);
            if warp.ballot(lanes, is_moved) == 0 {
                continue;
            }
            if run & 1 << warp.lane() != 0 {
                // Relaxed, both: the pool releases the chunk, or whoever appends it
                // again, with its signpost and its tag gone. If another chunk's is
                // there by now, the list leads to that one.
                arena.signpost(tag(class, index)).store(u64::MAX, Relaxed);
                arena.meta(chunk, Word::Tag).store(NONE, Relaxed);
            }
            let mut kept = 0;
            if keep > 0 {
                kept = append_again(warp, arena, class, chunk, n, keep, &group);
            }
            let returned = warp.ballot(lanes, group.rank >= kept && group.rank < n);
            if returned & 1 << warp.lane() != 0 {
                arena.give_chunks(warp, chunk, returned);
            }
            // What the lanes have drained, their leader looks for.
            warp.sync(lanes);
        }
    }
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
    let index = (seen >> 32) as u32;
    let later = fuse(advance::<P>(index, n), next);
    if next != NONE {
        // Release: with `old`, what we acquired of the next chunk.
        return old.compare_exchange(seen, later, AcqRel) == seen;
    }
    let new = arena.head64(class, Line::New, 0);
    if new.compare_exchange(seen, fuse(index, NONE), AcqRel) == seen {
        old.store(later, Release);
        return true;
    }
    // Another thread has returned the chunk; or is about to link the next one, or to
    // leave `old` behind the last one. None of these waits.
    warp.back_off();
    false
}

/// Makes the first chunks of a run of `n` room, as many as the queue lacks, and
/// says how many. All lanes of the group call this; those with a rank below `n` have
/// a chunk.
#[inline(always)]
fn append_again<W: Warp, P: Parameters>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    chunk: u32,
    n: u32,
    keep: u32,
    group: &Group,
) -> u32 {
    let mut kept = 0;
    if group.leads() {
        kept = lacking(arena, class, keep);
    }
    kept = warp.shuffle(group.mask, kept, group.leader);
    kept = if kept < n { kept } else { n };
    if kept == 0 {
        return 0;
    }
    if group.rank < kept {
        // Release, both: as in `chunked::prepare`.
        let drained = arena.meta(chunk, Word::Drained);
        drained.store(Linked::DRAINED, Release);
        if group.rank + 1 == kept {
            // The others' links lead to the next of the run already.
            arena.meta(chunk, Word::Next).store(NONE, Release);
        }
    }
    let run = class | kept << CLASS_BITS;
    arena.call_together::<W, AppendRun>(warp, run, chunk, group.mask);
    if group.leads() {
        room(arena, class).signal(kept << P::ENTRY_BITS);
    }
    kept
}
