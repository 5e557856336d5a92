//! The virtualized array-hierarchy queue: chunks of slots behind a ring of
//! pointers in static memory (section 5.1).
//!
//! A pointer fuses a chunk with its number in the queue. One without a chunk has
//! the number that it waits for: it changes once from there to the chunk, and
//! once, when the chunk is drained, to the number a turn of the ring later. So a
//! thread that is late cannot append a chunk twice or in the wrong place.
//!
//! `countB` of the paper is the count of slots that were emptied; `countA`, of
//! those that were filled, is not needed: a slot that was emptied was filled.
//! A chunk is returned when all its positions were used at both ends, so that it
//! stays where it is for everyone who has a position in it.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::chunked::{self, Append, advance, drain, fuse, number, slot};
use super::{End, Place, Queue, start};
use crate::allocators::ouroboros::arena::{Arena, Line, NONE, Word};
use crate::allocators::ouroboros::layout::{Static, for_each};
use crate::allocators::ouroboros::parameters::Parameters;
use crate::warp::Warp;

/// The virtualized array-hierarchy queue (VA).
#[derive(Clone, Copy, Debug)]
pub struct Hierarchy;

/// The logarithm of the pointers.
#[inline(always)]
fn ring_bits<P: Parameters>(arena: &Arena<P>) -> u32 {
    // Numbers must not come round to the same pointer while it is in use.
    let most = 31 - P::ENTRY_BITS;
    if arena.static_bits < most {
        arena.static_bits
    } else {
        most
    }
}

/// The pointer to chunk `number`.
#[inline(always)]
fn pointer<P: Parameters>(
    arena: &Arena<P>,
    class: u32,
    number: u32,
) -> &cuda_std::atomic::AtomicU64 {
    arena.storage64(class, number & ((1 << ring_bits(arena)) - 1))
}

/// Makes `chunk` the next of the queue, unless its pointer is in use.
///
/// Those who append at the same time go on from a number that is used up to the
/// next, side by side: if all went back to the counter, they would come through
/// one at a time.
#[inline(always)]
fn append<P: Parameters>(arena: &Arena<P>, class: u32, chunk: u32) -> bool {
    let next = arena.head(class, Line::New, 0);
    let mut index = next.load(Relaxed);
    loop {
        let pointer = pointer(arena, class, index);
        arena.meta(chunk, Word::Tag).store(index, Relaxed);
        // Release: the chunk's slots are empty before others find it.
        let seen = pointer.compare_exchange(fuse(index, NONE), fuse(index, chunk), Release);
        let found = (seen >> 32) as u32;
        if found == index && seen as u32 == NONE {
            break;
        }
        if found == advance::<P>(index, (1u32 << ring_bits(arena)).wrapping_neg()) {
            arena.meta(chunk, Word::Tag).store(NONE, Relaxed);
            return false;
        }
        // Used up: the pointer holds a chunk, or waits for a later number.
        index = advance::<P>(index, 1);
    }
    // A hint: where it lags, all numbers from there to ours are used up.
    let later = advance::<P>(index, 1);
    let mut seen = next.load(Relaxed);
    while advance::<P>(later, seen.wrapping_neg()).wrapping_sub(1) < u32::MAX >> (P::ENTRY_BITS + 1)
    {
        let held = next.compare_exchange(seen, later, Relaxed);
        if held == seen {
            break;
        }
        seen = held;
    }
    true
}

impl Append for Hierarchy {
    const DRAINED: u32 = 0;

    #[inline(always)]
    fn append<W: Warp, P: Parameters>(_warp: W, arena: &Arena<P>, class: u32, chunk: u32) -> bool {
        append(arena, class, chunk)
    }
}

impl Queue for Hierarchy {
    const VIRTUAL: bool = true;

    fn fixed<P: Parameters>(entries: u64) -> Static {
        // Chunks may stay while some of their entries do.
        let pointers = 2 * (entries >> P::ENTRY_BITS) + 4;
        Static {
            bits: pointers.next_power_of_two().ilog2().min(31 - P::ENTRY_BITS),
            word_bits: 3,
        }
    }

    #[inline(always)]
    fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32) {
        let first = number::<P>(start::<P>());
        for_each(warp, 1 << ring_bits(arena), |offset| {
            let index = advance::<P>(first, offset);
            pointer(arena, class, index).store(fuse(index, NONE), Relaxed);
        });
        if warp.thread() == 0 {
            chunked::init_room(arena, class);
            arena.head(class, Line::New, 0).store(first, Relaxed);
        }
    }

    #[inline(always)]
    fn reserve<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, n: u32) -> bool {
        chunked::reserve::<W, P, Self>(warp, arena, class, n)
    }

    #[inline(always)]
    fn place<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        position: u32,
        _end: End,
    ) -> Place<'_> {
        let index = number::<P>(position);
        let pointer = pointer(arena, class, index);
        loop {
            // Acquire: the chunk's slots were emptied before it was appended.
            let seen = pointer.load(Acquire);
            let chunk = seen as u32;
            if (seen >> 32) as u32 == index && chunk != NONE {
                let slot = slot(arena, chunk, position);
                return Place { slot, chunk };
            }
            // Another chunk's appender was faster than this one's, which has
            // its number and nothing to wait for.
            warp.back_off();
        }
    }

    #[inline(always)]
    fn finish<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, chunk: u32, n: u32) {
        if drain(arena, chunk, n) {
            let index = arena.meta(chunk, Word::Tag).load(Relaxed);
            arena.meta(chunk, Word::Tag).store(NONE, Relaxed);
            let later = advance::<P>(index, 1 << ring_bits(arena));
            // Relaxed: who appends there brings a chunk of its own.
            pointer(arena, class, index).store(fuse(later, NONE), Relaxed);
            arena.give_chunk(warp, chunk);
        }
    }

    #[inline(always)]
    fn take_room<P: Parameters>(arena: &Arena<P>, class: u32) -> u32 {
        chunked::take_room(arena, class)
    }
}
