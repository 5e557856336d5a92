//! The virtualized linked-chunk queue whose threads walk along the list, as published
//! (section 5.2, Algorithm 6).
//!
//! `back` is the first chunk that is not full, as a hint. A thread that enqueues an entry
//! walks from there to the chunk of its position. Each chunk counts its entries; the thread
//! that fills one moves `back` over all that are full. A thread that dequeues an entry walks
//! from the oldest chunk; the paper's `front` and `old` are one here, for chunks are returned
//! as soon as they are retired, as in [`super::linked`].
//!
//! Mended: an entry is counted before it is enqueued, when its chunk was found.
//! After that it may be dequeued, and the chunk be something else. `back` is fused with the
//! chunk's number, so that an exchange by a thread that is late fails. A
//! thread whose chunk is before `back`, or that finds a chunk without the tag that it
//! should have, begins at `old`. And the paper moves `back` only if the chunk that was
//! filled is the one there; a chunk that was filled before its link was there would then
//! hold it up for ever.
//!
//! Orders: the exchange of `back` releases that its thread has seen the tag of the
//! chunk, reading it acquires that: see [`follow`]. The counts are relaxed: an outdated
//! one makes a walk longer.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU64;

use super::Linked;
use super::chunked::{advance, fuse, number};
use super::list::{Find, follow, tag};
use super::start;
use crate::allocators::ouroboros::arena::{Arena, Chunk, Class, NONE, Task, Word};
use crate::allocators::ouroboros::geometry::Line;
use crate::allocators::ouroboros::parameters::Parameters;
use crate::simt::Warp;

/// The virtualized linked-chunk queue as published.
pub type Walked = Linked<Walk>;

/// By a walk.
#[derive(Clone, Copy, Debug)]
pub struct Walk;

/// The first chunk that is not full, with its number.
#[inline(always)]
fn back<P: Parameters>(arena: &Arena<P>, class: Class) -> &AtomicU64 {
    arena.second64(class, Line::New)
}

/// Its value. Acquire: the chunk's tag, as the thread that moved `back` there saw it.
#[inline(always)]
fn read_back<P: Parameters>(arena: &Arena<P>, class: Class) -> u64 {
    back(arena, class).load(Acquire)
}

/// Moves `back` over all chunks that are full. The chunk that is the argument is of the queue and
/// full, and an entry of the caller's is counted that is not enqueued yet, so that the chunk stays.
struct MoveBack;

impl Task for MoveBack {
    type Of = Class;
    type Argument = Chunk;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        _warp: W,
        arena: &Arena<P>,
        class: Class,
        full: Chunk,
        _lanes: u32,
    ) -> u32 {
        // Relaxed: the tag has led the caller to the chunk.
        let number = arena.meta(full, Word::Tag).load(Relaxed) >> P::CLASS_BITS;
        loop {
            let seen = read_back(arena, class);
            let (index, chunk) = ((seen >> 32) as u32, seen as u32);
            // SAFETY: `back` holds a chunk of the heap, or none.
            let this = || unsafe { Chunk::new(chunk) };
            let (mut is_there, mut next) = (false, NONE);
            if chunk != NONE {
                (is_there, next) = follow(arena, tag::<P>(class, index), this());
            }
            let later = if !is_there {
                // It was returned.
                fuse(number, full.number())
            } else if next == NONE || !is_full(arena, this()) {
                return 0;
            } else {
                fuse(advance::<P>(index, 1), next)
            };
            // An exchange that fails was another thread's success.
            back(arena, class).compare_exchange(seen, later, Release);
        }
    }
}

/// Whether as many entries were counted in a chunk as it has slots.
#[inline(always)]
fn is_full<P: Parameters>(arena: &Arena<P>, chunk: Chunk) -> bool {
    arena.meta(chunk, Word::State).load(Relaxed) == 1 << P::ENTRY_BITS
}

impl Find for Walk {
    #[inline(always)]
    unsafe fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class, chunk: u32) {
        if warp.thread() == 0 {
            let first = fuse(number::<P>(start::<P>()), chunk);
            back(arena, class).store(first, Relaxed);
            if chunk != NONE {
                // SAFETY: a chunk of the heap, which no thread uses.
                unsafe { Self::ready(arena, Chunk::new(chunk)) };
            }
        }
    }

    #[inline(always)]
    unsafe fn ready<P: Parameters>(arena: &Arena<P>, chunk: Chunk) {
        // The word counts free pages in other chunks; a queue's chunk has none. Relaxed:
        // published with the chunk.
        arena.meta(chunk, Word::State).store(0, Relaxed);
    }

    #[inline(always)]
    unsafe fn announce<P: Parameters>(_arena: &Arena<P>, _tag: u32, _chunk: Chunk) {}

    #[inline(always)]
    fn withdraw<P: Parameters>(_arena: &Arena<P>, _tag: u32) {}

    #[inline(always)]
    fn lookup<P: Parameters>(_arena: &Arena<P>, _tag: u32) -> (bool, u32) {
        (false, NONE)
    }

    #[inline(always)]
    fn begin<P: Parameters>(arena: &Arena<P>, class: Class, _wanted: u32) -> u64 {
        read_back(arena, class)
    }

    #[inline(always)]
    unsafe fn count_enqueued<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        chunk: Chunk,
        n: u32,
    ) {
        let before = arena.meta(chunk, Word::State).fetch_add(n, Relaxed);
        if before + n == 1 << P::ENTRY_BITS {
            arena.call::<W, MoveBack>(warp, class, chunk);
        }
    }
}
