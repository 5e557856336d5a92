//! The virtualized array-hierarchy queue: chunks of slots behind a ring of
//! pointers in static memory (section 5.1).
//!
//! A pointer fuses a chunk with its number in the queue. One without a chunk holds
//! the number that it waits for: it changes once from there to the chunk, and
//! once, when the chunk is retired, to the number a turn of the ring later. So no
//! chunk is stored over another one that is late.
//!
//! `countB` of the paper is the count of slots that were emptied; `countA`, of
//! those that were filled, is not needed: a slot that was emptied was filled.
//! A chunk is returned when all its positions were used at both ends, so that it
//! stays where it is for every thread that has a position in it.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::chunked::{self, Append, advance, count_dequeued, fuse, lacking, number, prepare, slot};
use super::{End, Location, Queue, start};
use crate::allocators::ouroboros::arena::{
    Arena, Chunk, Class, Given, NONE, Noted, Task, Word, for_each,
};
use crate::allocators::ouroboros::geometry::{Line, Static};
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::parameters::Parameters;
use crate::allocators::ouroboros::pool::take_count;
use crate::simt::Warp;

/// Pointers of a class in a heap of a few MiB.
const MIN_POINTERS: u64 = 64;

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
fn pointer<P: Parameters>(arena: &Arena<P>, class: Class, number: u32) -> &AtomicU64 {
    // SAFETY: `fixed` plans words of 64 bits; there are as many pointers as words, or less.
    unsafe { arena.storage64(class, number & ((1 << ring_bits(arena)) - 1)) }
}

/// Pointers without a chunk, less the threads that are about to use one.
#[inline(always)]
fn unused<P: Parameters>(arena: &Arena<P>, class: Class) -> &AtomicU32 {
    arena.second(class, Line::New)
}

impl Append for Hierarchy {
    const INITIAL_DEQUEUED: u32 = 0;

    /// A thread that has taken one off the count of unused pointers has a number of its own,
    /// so that threads that append at the same time use different pointers.
    #[inline(always)]
    unsafe fn append<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        chunk: Chunk,
    ) -> bool {
        if !take_count(unused(arena, class)) {
            return false;
        }
        // Relaxed: the pointer decides.
        let next = arena.head(class, Line::New).fetch_add(1, Relaxed);
        let index = advance::<P>(next, 0);
        arena.meta(chunk, Word::Tag).store(index, Relaxed);
        let pointer = pointer(arena, class, index);
        // Waits while the pointer still has the chunk of a turn of the ring ago. At
        // least as many chunks were retired since as there are numbers up to that
        // one, so if it was not among them a later one was, and its own positions
        // were all taken before. The threads that have them wait for each other only; one
        // may be another lane of this warp, and threads are scheduled independently.
        // Release: the chunk's slots are empty before others find it.
        let (waiting, ours) = (fuse(index, NONE), fuse(index, chunk.number()));
        while pointer.compare_exchange(waiting, ours, Release) != waiting {
            warp.back_off();
        }
        true
    }
}

/// Makes a retired chunk of the heap, the argument, which the caller owns, room again, or gives it
/// back to the pool. The number of chunks to keep is passed beside the class.
struct Recycle;

impl Task for Recycle {
    type Of = Noted;
    type Argument = Given;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        of: Noted,
        chunk: Given,
        _lanes: u32,
    ) -> u32 {
        let (class, keep) = of.parts::<P>();
        // SAFETY: the caller's chunk, which is prepared here, and given up once.
        unsafe {
            let chunk = Chunk::new(chunk.number());
            // When the pool has none, others want it.
            if !arena.is_used_up() && lacking::<P>(arena.room(class).left(), keep) > 0 {
                prepare::<P, Hierarchy>(arena, chunk);
                if Hierarchy::append(warp, arena, class, chunk) {
                    arena.room(class).signal(1 << P::ENTRY_BITS);
                    return 0;
                }
            }
            arena.give_chunk(warp, chunk);
        }
        0
    }
}

// SAFETY: a position is a slot of the chunk that its upper bits name in the array of chunks. A
// chunk is replaced there after all of its slots are used up, and given back after that.
unsafe impl Queue for Hierarchy {
    const VIRTUAL: bool = true;
    const BRINGS_ROOM: bool = true;

    fn fixed<P: Parameters>(chunks: u64, entries: u64) -> Static {
        // A chunk stays while one of its entries does. Many warps that request and free by turns
        // have many chunks on their way, in heaps that are small but not tiny, too.
        let least = (chunks >> 4).min(MIN_POINTERS);
        let pointers = (2 * (entries >> P::ENTRY_BITS) + 4).max(least);
        Static {
            bits: pointers.next_power_of_two().ilog2().min(31 - P::ENTRY_BITS),
            word_bits: 3,
        }
    }

    #[inline(always)]
    fn is_full<P: Parameters>(arena: &Arena<P>, class: Class) -> bool {
        // Relaxed: a hint, since `append` decides.
        unused(arena, class).load(Relaxed) as i32 <= 0
    }

    #[inline(always)]
    unsafe fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) {
        let first = number::<P>(start::<P>());
        // SAFETY: nothing else uses the heap.
        let chunk = unsafe { chunked::init(warp, arena, class, first) };
        for_each(warp, 1 << ring_bits(arena), |offset| {
            let index = advance::<P>(first, offset);
            let chunk = if offset == 0 { chunk } else { NONE };
            pointer(arena, class, index).store(fuse(index, chunk), Relaxed);
        });
        if warp.thread() == 0 {
            let used = u32::from(chunk != NONE);
            let next = advance::<P>(first, used);
            arena.head(class, Line::New).store(next, Relaxed);
            unused(arena, class).store((1 << ring_bits(arena)) - used, Relaxed);
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
        chunked::reserve::<W, P, Self>(warp, arena, all, class, n, group)
    }

    #[inline(always)]
    fn bring_room<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        n: u32,
        group: &Group,
    ) {
        chunked::bring_room::<W, P, Self>(warp, arena, class, n, group);
    }

    #[inline(always)]
    unsafe fn locate<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        position: u32,
        _end: End,
    ) -> Location<'_> {
        let index = number::<P>(position);
        let pointer = pointer(arena, class, index);
        loop {
            // Acquire: the chunk's slots were emptied before it was appended.
            let seen = pointer.load(Acquire);
            let chunk = seen as u32;
            if (seen >> 32) as u32 == index && chunk != NONE {
                // SAFETY: a chunk of the queue, until the slot is used.
                let slot = unsafe { slot(arena, Chunk::new(chunk), position) };
                return Location { slot, chunk };
            }
            // The thread that appended another chunk was faster than this chunk's, which
            // has its number and waits at most for threads that dequeue older entries.
            warp.back_off();
        }
    }

    #[inline(always)]
    unsafe fn slot<P: Parameters>(
        arena: &Arena<P>,
        _class: Class,
        chunk: u32,
        position: u32,
    ) -> &AtomicU32 {
        // SAFETY: the position's chunk.
        unsafe { slot(arena, Chunk::new(chunk), position) }
    }

    #[inline(always)]
    unsafe fn finish<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        chunk: u32,
        n: u32,
        keep: u32,
        group: &Group,
    ) {
        // SAFETY: the chunk of `n` entries that were dequeued.
        let (chunk, is_retired) = unsafe {
            let chunk = Chunk::new(chunk);
            (chunk, group.leads() && count_dequeued(arena, chunk, n))
        };
        if is_retired {
            arena.begin_move(warp);
            let index = arena.meta(chunk, Word::Tag).load(Relaxed);
            arena.meta(chunk, Word::Tag).store(NONE, Relaxed);
            let later = advance::<P>(index, 1 << ring_bits(arena));
            // Relaxed: a thread that appends there has a chunk of its own.
            pointer(arena, class, index).store(fuse(later, NONE), Relaxed);
            unused(arena, class).fetch_add(1, Relaxed);
            // SAFETY: the thread that counts the last entries of a chunk is the only one that has
            // it.
            unsafe {
                if keep == 0 {
                    arena.give_chunk(warp, chunk);
                } else {
                    let chunk = Given::new(chunk.number());
                    arena.call::<W, Recycle>(warp, class.with::<P>(keep), chunk);
                }
            }
            arena.end_move(warp, true);
        }
    }

    #[inline(always)]
    fn settle<W: Warp, P: Parameters>(_warp: W, arena: &Arena<P>, class: Class) -> bool {
        // First, so that chunks that are appended meanwhile do not hide one of those
        // that were there: a thread that appends one has begun a move.
        let there = (1u32 << ring_bits(arena)).wrapping_sub(unused(arena, class).load(Relaxed));
        let next = arena.head(class, Line::New).load(Relaxed);
        let front = arena.head(class, Line::Front).load(Relaxed);
        // More than lie behind the front: the threads that dequeue the last entries of one
        // of them return it, and wait for no thread that looks here.
        there > advance::<P>(next, number::<P>(front).wrapping_neg())
    }
}
