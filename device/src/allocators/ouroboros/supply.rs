//! New chunks for a class: for a group of lanes when the semaphore counts too few pages for
//! it, and ahead of requests. Out of line, since it is rare, and most of the code.

use core::sync::atomic::Ordering::Relaxed;

use super::arena::{Arena, Chunk, Class, EMPTY, Given, NONE, Noted, Task};
use super::group::Group;
use super::kind::{Kind, Share};
use super::parameters::{Parameters, pages_bits};
use super::queue::VOID;
use crate::simt::Warp;

/// The result of [`Supply`] for lanes that it got permits for: no block.
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
    type Of = Class;
    type Argument = ();

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        _argument: (),
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
            } else if arena.is_used_up() && arena.supply(class).expected.load(Relaxed) == 0 {
                outcome = REFUSED;
            } else {
                let waited = arena.wait_for_pages::<W, K::Queue>(warp, class, group.size);
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
        let block = grow::<W, P, K>(warp, arena, class, &group, outcome);
        if K::DIVIDES_AHEAD {
            let mut ahead = 0;
            if group.leads() && outcome == EXPECTED {
                ahead = K::chunks_ahead(arena, class);
            }
            ahead = warp.shuffle(group.mask, ahead, group.leader);
            if ahead > 0 {
                let pages = ahead << pages_bits::<P>(class);
                arena.call_together::<W, Provide<K>>(warp, class, pages, group.mask);
            }
        }
        block
    }
}

/// A page for each lane of the group from new chunks, as far as there are any.
#[inline(always)]
fn grow<W: Warp, P: Parameters, K: Kind>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    group: &Group,
    outcome: u32,
) -> u32 {
    let bits = pages_bits::<P>(class);
    let share = Share::of::<W, P>(warp, class, group.mask, group);
    // Only the last chunk has pages left, if any: no class has these until they are kept.
    let last = u32::BITS - 1 - group.mask.leading_zeros();
    let used = warp.shuffle(group.mask, share.size, last);
    let has_rest = used < 1 << bits;
    let mut moves_memory = false;
    if group.leads() && has_rest && !arena.is_used_up() {
        moves_memory = true;
        arena.begin_move(warp);
    }
    // The move begins before any of the lanes takes a chunk.
    warp.sync(group.mask);
    // Without a move no chunk is taken whose rest would be on its way.
    let takes = !has_rest | (warp.ballot(group.mask, moves_memory) != 0);
    let mut chunk = NONE;
    let agents = warp.ballot(group.mask, share.index == 0);
    if takes & (agents & 1 << warp.lane() != 0) {
        chunk = arena.take_chunks_of(warp, class, agents);
        if chunk != NONE {
            // SAFETY: the chunk is this lane's own, and the lanes that it serves have its first
            // pages.
            unsafe { arena.divide(class, Chunk::new(chunk), share.size) };
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
        // SAFETY: the last chunk was divided with as many in use.
        kept = unsafe { keep::<W, P, K>(warp, arena, class, group, rest, used) };
    }
    // Another expression than above for the same lane: see `chunked::MakeRoom`.
    if group.rank == 0 {
        if outcome == EXPECTED {
            arena.supply(class).arrived(group.size, bits, kept);
        } else if kept > 0 {
            arena.supply(class).signal(kept);
        }
        if outcome == SPREAD {
            K::end_spread(arena, class);
        }
        if moves_memory {
            arena.end_move(warp, taken != 0);
        }
    }
    if own == NONE {
        EMPTY
    } else {
        arena.block(class, own, share.index)
    }
}

/// [`Kind::keep`] of a chunk, the argument, as that asks for it. The pages in use are passed beside
/// the class.
struct Keep<K>(core::marker::PhantomData<K>);

impl<K: Kind> Task for Keep<K> {
    type Of = Noted;
    type Argument = Given;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        of: Noted,
        chunk: Given,
        lanes: u32,
    ) -> u32 {
        let (class, used) = of.parts::<P>();
        let (group, chunk) = (Group::of_lanes(warp, lanes), chunk.number());
        // SAFETY: such a chunk.
        unsafe { K::keep(warp, arena, class, &group, chunk, used) }
    }
}

/// [`Kind::keep`], out of line.
///
/// # Safety
///
/// As for that.
#[inline(always)]
unsafe fn keep<W: Warp, P: Parameters, K: Kind>(
    warp: W,
    arena: &Arena<P>,
    class: Class,
    group: &Group,
    chunk: u32,
    used: u32,
) -> u32 {
    // SAFETY: a chunk that `Kind::keep` may get.
    let chunk = unsafe { Given::new(chunk) };
    arena.call_together::<W, Keep<K>>(warp, class.with::<P>(used), chunk, group.mask)
}

/// Divides chunks until the class has as many free pages as the argument.
///
/// A warp that is about to divide chunks counts them as expected, as a thread does that
/// allocates for others, so that warps that do the same divide no more than are lacking; and
/// requests that come meanwhile wait for them. It waits for nothing that such a thread does not
/// wait for, so that it ends the expectation.
pub struct Provide<K>(core::marker::PhantomData<K>);

impl<K: Kind> Task for Provide<K> {
    type Of = Class;
    type Argument = u32;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        count: u32,
        lanes: u32,
    ) -> u32 {
        let group = Group::of_lanes(warp, lanes);
        let bits = pages_bits::<P>(class);
        let supply = arena.supply(class);
        let bundle = K::bundle::<P>(class);
        // A request for a page that is a chunk takes a chunk, and shares nothing.
        let mut again = bits > 0;
        while again {
            let mut wanted = 0;
            let lacking = |coming: u32| {
                let there = K::available(arena, class) + (u64::from(coming) << bits);
                if there < u64::from(count) {
                    ((count - there as u32 - 1) >> bits) + 1
                } else {
                    0
                }
            };
            // Relaxed, here and below: counters. They are read first, because mostly nothing is
            // lacking.
            if group.leads() && !arena.is_used_up() {
                wanted = lacking(supply.expected.load(Relaxed)).min(bundle);
                if wanted > 0 {
                    if lacking(supply.expected.fetch_add(wanted, Relaxed)) > 0 {
                        arena.begin_move(warp);
                    } else {
                        supply.expected.fetch_add(wanted.wrapping_neg(), Relaxed);
                        wanted = 0;
                    }
                }
            }
            wanted = warp.shuffle(group.mask, wanted, group.leader);
            if wanted > 0 {
                K::make_room(warp, arena, class, &group, wanted << bits);
            }
            let (mut left, mut kept) = (wanted, 0);
            while left > 0 {
                let mut chunk = NONE;
                if group.leads() {
                    chunk = arena.take_chunks_of(warp, class, 1 << warp.lane());
                    if chunk != NONE {
                        // SAFETY: the chunk is the leader's.
                        unsafe { arena.divide(class, Chunk::new(chunk), 0) };
                        arena.divided(class).fetch_add(1, Relaxed);
                    }
                }
                // The leader acquired and divided the chunk for the others.
                warp.sync(group.mask);
                chunk = warp.shuffle(group.mask, chunk, group.leader);
                if chunk == NONE {
                    break;
                }
                // SAFETY: the chunk was divided with no page in use.
                kept += unsafe { keep::<W, P, K>(warp, arena, class, &group, chunk, 0) };
                left -= 1;
            }
            again = left < wanted;
            // Another expression than above for the same lane: see `chunked::MakeRoom`.
            if group.rank == 0 && wanted > 0 {
                supply.signal(kept);
                supply.expected.fetch_add(wanted.wrapping_neg(), Relaxed);
                arena.end_move(warp, again);
            }
        }
        0
    }
}
