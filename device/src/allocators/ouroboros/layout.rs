//! A new heap: how many chunks its memory holds, and its initial state.

use core::sync::atomic::Ordering::Relaxed;

use super::arena::{Arena, EMPTY, NONE, Owner, Word, for_each, for_each_class};
use super::geometry::{Geometry, Line, Static, extent};
use super::parameters::Parameters;
use super::queue::start;
use super::stack::STACKS;
use super::transit::STRIPES;
use crate::allocator::{Heap, Request, SetupError};
use crate::simt::Warp;

/// Most pages of a heap: the semaphore counts them in 31 bits, and some more
/// may be asked for at a time.
const MAX_PAGES: u64 = (1 << 31) - (1 << 22);

/// Divides the memory of `request` in a heap scaled by `1 << scale_bits`; `fixed` gives the
/// static memory of a class's queue in a heap of so many chunks.
pub fn plan<P: Parameters>(
    request: &Request,
    scale_bits: u32,
    fixed: fn(u64) -> Static,
) -> Result<Heap, SetupError> {
    let geometry = |chunks: u64| Geometry::of(chunks, fixed(chunks), scale_bits);
    let needs = |chunks: u64| extent::<P>(geometry(chunks)).1;
    let most = MAX_PAGES >> (P::CHUNK_BITS - P::PAGE_BITS);
    if request.pool_bytes < needs(1) {
        return Err(SetupError::PoolTooSmall { needed: needs(1) });
    }
    if request.pool_bytes > needs(most) {
        return Err(SetupError::PoolTooLarge { limit: needs(most) });
    }
    let (mut fit, mut over) = (1, most + 1);
    while over - fit > 1 {
        let middle = (fit + over) / 2;
        if needs(middle) <= request.pool_bytes {
            fit = middle;
        } else {
            over = middle;
        }
    }
    let geometry = geometry(fit);
    let tables = extent::<P>(geometry).0;
    Ok(Heap {
        pointers: [
            request.base,
            request.base.wrapping_add(tables as usize),
            core::ptr::null_mut(),
            core::ptr::null_mut(),
        ],
        integers: [fit, geometry.pack(), geometry.static_bytes(), 0, 0, 0, 0],
    })
}

/// Bytes of the largest block in so many free chunks in a row, before they are scaled.
#[inline(always)]
pub fn max_block<P: Parameters>(chunks: u64) -> u64 {
    if !P::IS_STACKED || chunks == 0 {
        return chunks << P::CHUNK_BITS;
    }
    // The largest page whose chunk fits.
    P::MAX_PAGE_BYTES.min(1 << (chunks.ilog2() + P::CHUNK_BITS))
}

/// The chunks that the queues of some classes hold from the beginning, as bits: a
/// queue's first chunk is the one with the number of its class. None in a small heap.
#[inline(always)]
pub fn first_chunks<P: Parameters>(chunks: u32, of: impl Fn(u32) -> bool) -> u32 {
    let mut taken = 0;
    if chunks >= P::FIRST_CHUNKS_FROM {
        for class in 0..P::CLASSES {
            taken |= u32::from(of(class)) << class;
        }
    }
    taken
}

/// Makes the pool full, but for chunks that are taken, and the classes empty. The queues
/// initialise themselves, and the chunks that they hold. All stores are relaxed: the end
/// of the launch orders them.
///
/// # Safety
///
/// Nothing else uses the heap, and all threads of a launch call this; `taken` are chunks of the
/// heap.
#[inline(always)]
pub(super) unsafe fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, taken: u32) {
    let is_taken = |chunk: u32| chunk < u32::BITS && taken >> chunk & 1 == 1;
    arena.for_each_chunk(warp, |chunk| {
        arena.set_owner(chunk, Owner::NO_CLASS);
        if !is_taken(chunk.number()) {
            arena.meta(chunk, Word::Tag).store(NONE, Relaxed);
        }
    });
    for_each(warp, arena.map_words(), |index| {
        let chunks = arena.chunks - index * 32;
        let all = if chunks < 32 {
            (1 << chunks) - 1
        } else {
            u32::MAX
        };
        let free = if index == 0 { all & !taken } else { all };
        // SAFETY: words of the maps.
        let (free_map, enqueued_map) =
            unsafe { (arena.free_map(index), arena.enqueued_map(index)) };
        free_map.store(free, Relaxed);
        enqueued_map.store(0, Relaxed);
    });
    for_each(warp, 1 << arena.reuse_bits, |position| {
        arena.reuse(position).store(EMPTY, Relaxed);
    });
    if warp.thread() == 0 {
        let free = arena.chunks - taken.count_ones();
        arena.pool(Line::Supply).store(free, Relaxed);
        for line in [Line::Front, Line::Back, Line::Entries] {
            arena.pool(line).store(0, Relaxed);
        }
        // Behind the last that is taken.
        let unused = u32::BITS - taken.leading_zeros();
        arena.pool(Line::Stack).store(unused, Relaxed);
        arena.pool(Line::Old).store(0, Relaxed);
        arena.pool(Line::New).store(0, Relaxed);
        for stripe in 0..STRIPES {
            arena.transit(stripe).store(0, Relaxed);
        }
    }
    for_each_class::<W, P>(warp, |class| {
        arena.supply(class).init(0);
        for line in [Line::Front, Line::Back] {
            arena.head(class, line).store(start::<P>(), Relaxed);
        }
        // A count of entries, or the semaphore of pages that only their bits record.
        arena.head64(class, Line::Entries).store(0, Relaxed);
        for line in [Line::Entries, Line::Stack, Line::Old] {
            arena.second(class, line).store(0, Relaxed);
        }
        for number in 0..STACKS {
            arena.stack(class, number).store(u64::from(NONE), Relaxed);
        }
    });
}
