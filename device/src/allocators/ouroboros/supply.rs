//! Serving a group of lanes when the semaphore counts too few pages for it: out of line,
//! since it is rare, and most of the code.

use core::sync::atomic::Ordering::Relaxed;

use super::arena::{Arena, EMPTY, NONE, Task};
use super::group::Group;
use super::kind::{Kind, Share};
use super::parameters::{Parameters, pages_bits};
use super::queue::VOID;
use super::waiting::{supply, wait_for_pages};
use crate::simt::Warp;

/// What [`Supply`] returns to lanes that it got permits for: no block.
pub const GRANTED: u32 = VOID;

/// The lanes of a group without permits allocate chunks for which other threads wait, too.
const EXPECTED: u32 = 1;
/// They allocate chunks for which no other thread waits.
const UNEXPECTED: u32 = 2;
/// The same, and one of the chunks is counted already.
const SPREAD: u32 = 3;
/// They are refused, for there are no chunks.
const REFUSED: u32 = 4;

/// Serves a group, all the lanes. A refusal is no evidence yet: the request looks again
/// ([`super::contract`]).
pub struct Supply<K>(core::marker::PhantomData<K>);

impl<K: Kind> Task for Supply<K> {
    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        _value: u32,
        lanes: u32,
    ) -> u32 {
        let mut group = Group::of_lanes(warp, lanes);
        loop {
            let spare = K::spare(warp, arena, class, &group);
            let served = warp.ballot(group.mask, spare != EMPTY);
            // Another expression than above for the same lane: see `chunked::MakeRoom`.
            if served & 1 << warp.lane() != 0 {
                return spare;
            }
            if served == 0 {
                break;
            }
            group = group.without(served);
        }
        // A group that takes whole chunks leaves nothing for others to wait for.
        let whole = group.size & ((1 << pages_bits::<P>(class)) - 1) == 0;
        let (mut outcome, mut granted) = (UNEXPECTED, 0);
        if group.leads() && !whole {
            if K::spreads(arena, class) {
                outcome = SPREAD;
            } else if arena.is_used_up() && supply(arena, class).read().expected == 0 {
                outcome = REFUSED;
            } else {
                let waited = wait_for_pages(warp, arena, class, group.size);
                granted = waited.granted;
                outcome = if waited.allocates { EXPECTED } else { REFUSED };
            }
        }
        granted = warp.shuffle(group.mask, granted, group.leader);
        outcome = warp.shuffle(group.mask, outcome, group.leader);
        let is_granted = group.rank < granted;
        let with = warp.ballot(group.mask, is_granted);
        if is_granted {
            return GRANTED;
        }
        if outcome == REFUSED {
            return EMPTY;
        }
        group = group.without(with);
        grow::<W, P, K>(warp, arena, class, &group, outcome)
    }
}

/// A page for each lane of the group from new chunks, as far as there are any.
#[inline(always)]
fn grow<W: Warp, P: Parameters, K: Kind>(
    warp: W,
    arena: &Arena<P>,
    class: u32,
    group: &Group,
    outcome: u32,
) -> u32 {
    let bits = pages_bits::<P>(class);
    let share = Share::of::<W, P>(warp, class, group.mask, group);
    // Only the last chunk has pages left, if any: no class has these until they are kept.
    let last = u32::BITS - 1 - group.mask.leading_zeros();
    let used = warp.shuffle(group.mask, share.size, last);
    let has_rest = used < 1 << bits;
    let mut departs = false;
    if group.leads() && has_rest && !arena.is_used_up() {
        departs = true;
        arena.depart(warp);
    }
    // The departure comes before any of the lanes takes a chunk.
    warp.sync(group.mask);
    // Without a departure no chunk is taken whose rest would be on its outcome.
    let takes = !has_rest | (warp.ballot(group.mask, departs) != 0);
    let mut chunk = NONE;
    let agents = warp.ballot(group.mask, share.index == 0);
    if takes & (agents & 1 << warp.lane() != 0) {
        chunk = arena.take_chunks_of(warp, class, agents);
        if chunk != NONE {
            arena.divide(class, chunk, share.size);
        }
    }
    // The agents acquired and divided the chunks for the others.
    warp.sync(group.mask);
    let own = warp.shuffle(group.mask, chunk, share.agent);
    let taken = warp.ballot(group.mask, chunk != NONE).count_ones();
    if group.leads() {
        let counted = u32::from(outcome == SPREAD);
        // Relaxed: read when the heap is at rest.
        let more = taken.wrapping_sub(counted);
        arena.divided(class).fetch_add(more, Relaxed);
    }
    let mut kept = 0;
    if has_rest {
        let rest = warp.shuffle(group.mask, own, last);
        kept = K::keep(warp, arena, class, group, rest, used);
    }
    // Another expression than above for the same lane: see `chunked::MakeRoom`.
    if group.rank == 0 {
        if outcome == EXPECTED {
            supply(arena, class).arrived(group.size, bits, kept);
        } else if kept > 0 {
            supply(arena, class).signal(kept);
        }
        if departs {
            arena.arrive(warp, taken != 0);
        }
    }
    if own == NONE {
        EMPTY
    } else {
        arena.block(class, own, share.index)
    }
}
