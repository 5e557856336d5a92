//! The virtualized linked-chunk queue: chunks of slots in a linked list, whose
//! ends alone are known (section 5.2, Algorithm 6).
//!
//! `new` is the chunk that was appended last and `old` the oldest that was not
//! returned. Each word fuses a chunk with its number in the queue; a chunk's tag
//! holds the number and the class. A chunk is *retired* when all its positions were used at
//! both ends. `old` lags behind the front: it moves over a retired chunk, and the chunk is
//! returned. In a queue that keeps chunks as room, one with an even number waits for
//! the next, so that two are returned in the time of one; one chunk of a class may so
//! be neither room nor in the pool until more is dequeued.
//!
//! The paper walks through the list from the first chunk, or from the first that is
//! not full ([`Walk`](super::walked)). Here a *skip pointer*, a word of a table with the
//! chunk's tag and the chunk, leads there at once. The thread that appends a chunk stores
//! its skip pointer, and the chunk stays until that is stored; the thread that returns the
//! chunk clears it before. So a skip pointer with the tag of a chunk in which a thread has
//! a position leads to that chunk. It may be missing because another chunk has its skip
//! pointer in the same word: then the list leads there.
//!
//! The paper returns chunks a number of chunks later, which must be large enough
//! for any thread that is still on its way through them. Here no thread relies on
//! that: it follows a link only if the chunk still had its tag after the link was
//! read, and starts again at `old` if not. `old` never passes a chunk in which a
//! thread has a position, so that it always leads there; and that chunk's tag,
//! once seen, stays.
//!
//! Chunks that are retired one behind the other are returned together, and those
//! that become room again are appended together ([`super::retired`]).
//!
//! An empty queue has no chunk: the last one is returned with `new` set to none
//! in one exchange, which excludes threads that would append to it.

use core::marker::PhantomData;
use core::sync::atomic::Ordering::{Acquire, Relaxed};

use cuda_std::atomic::AtomicU32;

use super::chunked::{self, Append, advance, count_dequeued, fuse, number, slot};
use super::list::{self, Find, follow, tag};
use super::retired::{ReturnRetired, StaysForNext};
use super::skip_pointers::SkipPointers;
use super::{End, Location, Queue, start};
use crate::allocators::ouroboros::arena::{Arena, Chunk, Class, NONE, Task};
use crate::allocators::ouroboros::geometry::{Line, Static};
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::parameters::Parameters;
use crate::simt::Warp;

/// The virtualized linked-chunk queue (VL), whose chunks are found as `F` does.
#[derive(Clone, Copy, Debug)]
pub struct Linked<F = SkipPointers>(PhantomData<F>);

/// Finds the chunk of the number that is the argument, in which the caller has a position.
struct FindChunk<F>(PhantomData<F>);

impl<F: Find> Task for FindChunk<F> {
    type Of = Class;
    type Argument = u32;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        wanted: u32,
        _lanes: u32,
    ) -> u32 {
        // Or else from `old`.
        let mut seen = F::begin(arena, class, wanted);
        loop {
            let (mut index, mut chunk) = ((seen >> 32) as u32, seen as u32);
            // The distance; more than half of all numbers means back.
            let mut ahead = advance::<P>(wanted, index.wrapping_neg());
            while chunk != NONE && ahead <= u32::MAX >> (P::ENTRY_BITS + 1) {
                // SAFETY: what leads to a chunk, be it recorded, `old` or a link, holds chunks of
                // the heap, or none.
                let this = unsafe { Chunk::new(chunk) };
                let (is_there, next) = follow(arena, tag::<P>(class, index), this);
                if !is_there {
                    break;
                }
                if ahead == 0 {
                    return chunk;
                }
                if next == NONE {
                    // The thread that appended the next chunk is about to link it:
                    // we have a position behind this chunk, so there is a next.
                    warp.back_off();
                } else {
                    chunk = next;
                    index = advance::<P>(index, 1);
                    ahead -= 1;
                }
            }
            // Acquire: the chunk's tag and slots. A tag that was gone was a chunk that
            // another returned, and `old` has moved on. Without a chunk, the thread
            // that appended the first is about to put it there.
            seen = arena.head64(class, Line::Old).load(Acquire);
            if seen as u32 == NONE {
                warp.back_off();
            }
        }
    }
}

impl<F: Find> Append for Linked<F> {
    const INITIAL_DEQUEUED: u32 = list::INITIAL_DEQUEUED;

    #[inline(always)]
    unsafe fn append<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        chunk: Chunk,
    ) -> bool {
        let alone = Group::alone(warp);
        let (chunk, mask) = (chunk.number(), alone.mask);
        // SAFETY: a run of one, which the caller owns.
        if unsafe { list::append::<W, P, F>(warp, arena, class, chunk, mask, &alone) } {
            arena.call_together::<W, ReturnRetired<F>>(warp, class, 0, alone.mask);
        }
        true
    }
}

// SAFETY: a position is a slot of the chunk of the list that has its upper bits. A chunk leaves
// the list after all of its slots are used up, and is given back after that.
unsafe impl<F: Find> Queue for Linked<F> {
    const VIRTUAL: bool = true;

    fn fixed<P: Parameters>(_chunks: u64, _entries: u64) -> Static {
        Static {
            bits: 0,
            word_bits: 2,
        }
    }

    #[inline(always)]
    unsafe fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) {
        let first = number::<P>(start::<P>());
        // SAFETY: nothing else uses the heap; the chunk is one of the heap, or none.
        let chunk = unsafe {
            let chunk = chunked::init(warp, arena, class, tag::<P>(class, first));
            F::init(warp, arena, class, chunk);
            chunk
        };
        if warp.thread() == 0 {
            let newest = if chunk == NONE {
                advance::<P>(first, u32::MAX)
            } else {
                first
            };
            let (new, old) = (Line::New, Line::Old);
            arena.head64(class, new).store(fuse(newest, chunk), Relaxed);
            arena.head64(class, old).store(fuse(first, chunk), Relaxed);
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
    unsafe fn locate<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        position: u32,
        _end: End,
    ) -> Location<'_> {
        let index = number::<P>(position);
        let (is_recorded, mut chunk) = F::lookup(arena, tag::<P>(class, index));
        if !is_recorded {
            chunk = arena.call::<W, FindChunk<F>>(warp, class, index);
        }
        // SAFETY: the chunk of its number is one of the queue until the slot is used.
        let slot = unsafe { slot(arena, Chunk::new(chunk), position) };
        Location { slot, chunk }
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
    unsafe fn count_enqueued<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        chunk: u32,
        n: u32,
    ) {
        // SAFETY: the position's chunk, which stays while it has the position.
        unsafe { F::count_enqueued(warp, arena, class, Chunk::new(chunk), n) };
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
        let mut is_retired = false;
        if group.leads() {
            // SAFETY: the chunk of `n` entries that were dequeued.
            let chunk = unsafe { Chunk::new(chunk) };
            // SAFETY: the same.
            is_retired = unsafe { count_dequeued(arena, chunk, n) };
            if is_retired && keep > 0 {
                is_retired = arena.call::<W, StaysForNext<F>>(warp, class, chunk) == 0;
            }
        }
        if group.size > 1 {
            is_retired = warp.ballot(group.mask, is_retired) != 0;
        }
        if is_retired {
            arena.call_together::<W, ReturnRetired<F>>(warp, class, keep, group.mask);
        }
    }

    #[inline(always)]
    fn settle<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class) -> bool {
        // Relaxed: a hint for us, or the threads that dequeue the last entries of the chunk
        // are about to return it, and wait for no thread that looks here.
        let old = arena.head64(class, Line::Old).load(Relaxed);
        let front = arena.head(class, Line::Front).load(Relaxed);
        if old as u32 == NONE || (old >> 32) as u32 == number::<P>(front) {
            return false;
        }
        // One may wait for the next to be retired.
        arena.call_together::<W, ReturnRetired<F>>(warp, class, 0, 1 << warp.lane());
        true
    }
}
