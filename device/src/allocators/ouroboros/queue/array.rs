//! The array queue: a ring of slots in static memory (section 3.3, Algorithm 1).
//!
//! Room is a counter of slots without an entry; it is given back when an entry is
//! dequeued. The thread that dequeues it may still be about to empty the slot then, for
//! which the next one that enqueues there waits.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use super::{End, Location, Queue};
use crate::allocators::ouroboros::arena::{Arena, Class, EMPTY, NONE, for_each};
use crate::allocators::ouroboros::geometry::{Line, Static};
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::parameters::Parameters;
use crate::simt::Warp;

/// The standard queue (S).
#[derive(Clone, Copy, Debug)]
pub struct Array;

// SAFETY: a position is a slot of the array, modulo its length, and the counters of the queue
// bound how many are had at a time by that length.
unsafe impl Queue for Array {
    const VIRTUAL: bool = false;

    fn fixed<P: Parameters>(_chunks: u64, entries: u64) -> Static {
        let bits = entries.next_power_of_two().ilog2().max(6);
        Static {
            bits: bits.min(P::CAPACITY_BITS),
            word_bits: 2,
        }
    }

    #[inline(always)]
    unsafe fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) {
        for_each(warp, 1 << arena.static_bits, |index| {
            // SAFETY: below the number of slots.
            let slot = unsafe { arena.storage(class, index) };
            slot.store(EMPTY, Relaxed);
        });
        if warp.thread() == 0 {
            let room = arena.head(class, Line::Room);
            room.store(1 << arena.static_bits, Relaxed);
        }
    }

    #[inline(always)]
    fn reserve<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        all: u32,
        class: Class,
        n: u32,
        group: &Group,
    ) -> u32 {
        let mut taken = 0;
        if group.leads() {
            let room = arena.head(class, Line::Room);
            // While this fails others may read less than there is, and be refused
            // too.
            if room.fetch_add(n.wrapping_neg(), Relaxed) as i32 >= n as i32 {
                taken = 1;
            } else {
                room.fetch_add(n, Relaxed);
            }
        }
        let is_taken = warp.shuffle(all, taken, group.leader) != 0;
        let together = warp.ballot(all, is_taken);
        if is_taken { together } else { 0 }
    }

    #[inline(always)]
    unsafe fn locate<W: Warp, P: Parameters>(
        _warp: W,
        arena: &Arena<P>,
        class: Class,
        position: u32,
        _end: End,
    ) -> Location<'_> {
        Location {
            // SAFETY: the position; there are no chunks.
            slot: unsafe { Self::slot(arena, class, NONE, position) },
            chunk: NONE,
        }
    }

    #[inline(always)]
    unsafe fn slot<P: Parameters>(
        arena: &Arena<P>,
        class: Class,
        _chunk: u32,
        position: u32,
    ) -> &AtomicU32 {
        // SAFETY: the index is cut to the bits that the number of slots has.
        unsafe { arena.storage(class, position & ((1 << arena.static_bits) - 1)) }
    }

    #[inline(always)]
    unsafe fn finish<W: Warp, P: Parameters>(
        _warp: W,
        arena: &Arena<P>,
        class: Class,
        _chunk: u32,
        n: u32,
        _keep: u32,
        group: &Group,
    ) {
        if group.leads() {
            arena.head(class, Line::Room).fetch_add(n, Relaxed);
        }
    }

    #[inline(always)]
    fn settle<W: Warp, P: Parameters>(_warp: W, _arena: &Arena<P>, _class: Class) -> bool {
        false
    }
}
