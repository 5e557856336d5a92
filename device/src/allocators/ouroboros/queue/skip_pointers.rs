//! Finding the chunks of a linked queue by skip pointers.

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use super::chunked::{advance, fuse, number};
use super::list::{Find, tag};
use super::start;
use crate::allocators::ouroboros::arena::{Arena, Chunk, Class, NONE, for_each};
use crate::allocators::ouroboros::parameters::Parameters;
use crate::simt::Warp;

/// Chunks before a wanted one whose skip pointers are tried. When many are appended
/// at the same time, as many of them may have none yet.
const STEPS: u32 = 8;

/// By skip pointers.
#[derive(Clone, Copy, Debug)]
pub struct SkipPointers;

impl Find for SkipPointers {
    #[inline(always)]
    unsafe fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: Class, chunk: u32) {
        let first = tag::<P>(class, number::<P>(start::<P>()));
        // The class's part of the table of skip pointers: see `tag`.
        let own = arena.skip_pointer(first);
        for_each(warp, arena.chunks.div_ceil(1 << P::CLASS_BITS), |number| {
            let pointer = arena.skip_pointer(tag::<P>(class, number));
            let leads = chunk != NONE && core::ptr::eq(pointer, own);
            let value = if leads { fuse(first, chunk) } else { u64::MAX };
            pointer.store(value, Relaxed);
        });
    }

    #[inline(always)]
    unsafe fn ready<P: Parameters>(_arena: &Arena<P>, _chunk: Chunk) {}

    #[inline(always)]
    unsafe fn announce<P: Parameters>(arena: &Arena<P>, tag: u32, chunk: Chunk) {
        arena
            .skip_pointer(tag)
            .store(fuse(tag, chunk.number()), Relaxed);
    }

    #[inline(always)]
    fn withdraw<P: Parameters>(arena: &Arena<P>, tag: u32) {
        // Relaxed: the pool releases the chunk, or the thread that appends it again, with its
        // skip pointer gone. If another chunk's is there by now, the list leads to that one.
        arena.skip_pointer(tag).store(u64::MAX, Relaxed);
    }

    #[inline(always)]
    fn lookup<P: Parameters>(arena: &Arena<P>, tag: u32) -> (bool, u32) {
        // Acquire: the chunk's tag and slots.
        let pointer = arena.skip_pointer(tag).load(Acquire);
        ((pointer >> 32) as u32 == tag, pointer as u32)
    }

    #[inline(always)]
    fn begin<P: Parameters>(arena: &Arena<P>, class: Class, wanted: u32) -> u64 {
        // From the nearest skip pointer before it.
        let (mut seen, mut steps) = (fuse(0, NONE), 0);
        while seen as u32 == NONE && steps < STEPS {
            let index = advance::<P>(wanted, steps.wrapping_neg());
            let (is_recorded, chunk) = Self::lookup(arena, tag::<P>(class, index));
            if is_recorded {
                seen = fuse(index, chunk);
            }
            steps += 1;
        }
        seen
    }

    #[inline(always)]
    unsafe fn count_enqueued<W: Warp, P: Parameters>(
        _warp: W,
        _arena: &Arena<P>,
        _class: Class,
        _chunk: Chunk,
        _n: u32,
    ) {
    }
}
