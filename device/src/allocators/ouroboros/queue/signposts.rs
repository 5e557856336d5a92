//! How the chunks of a linked queue are found by signposts.

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use super::chunked::{advance, fuse, number};
use super::list::{Find, tag};
use super::start;
use crate::allocators::ouroboros::arena::{Arena, NONE, for_each};
use crate::allocators::ouroboros::parameters::Parameters;
use crate::simt::Warp;

/// Chunks before a wanted one whose signposts are tried. When many are appended
/// at the same time, as many of them may have none yet.
const STEPS: u32 = 8;

/// By signposts.
#[derive(Clone, Copy, Debug)]
pub struct Signposts;

impl Find for Signposts {
    #[inline(always)]
    fn init<W: Warp, P: Parameters>(warp: W, arena: &Arena<P>, class: u32, chunk: u32) {
        let first = tag::<P>(class, number::<P>(start::<P>()));
        // The class's part of the table of signposts: see `tag`.
        let own = arena.signpost(first);
        for_each(warp, arena.chunks.div_ceil(1 << P::CLASS_BITS), |number| {
            let post = arena.signpost(tag::<P>(class, number));
            let leads = chunk != NONE && core::ptr::eq(post, own);
            let value = if leads { fuse(first, chunk) } else { u64::MAX };
            post.store(value, Relaxed);
        });
    }

    #[inline(always)]
    fn ready<P: Parameters>(_arena: &Arena<P>, _chunk: u32) {}

    #[inline(always)]
    fn announce<P: Parameters>(arena: &Arena<P>, tag: u32, chunk: u32) {
        arena.signpost(tag).store(fuse(tag, chunk), Relaxed);
    }

    #[inline(always)]
    fn withdraw<P: Parameters>(arena: &Arena<P>, tag: u32) {
        // Relaxed: the pool releases the chunk, or whoever appends it again, with its
        // signpost gone. If another chunk's is there by now, the list leads to that one.
        arena.signpost(tag).store(u64::MAX, Relaxed);
    }

    #[inline(always)]
    fn known<P: Parameters>(arena: &Arena<P>, tag: u32) -> (bool, u32) {
        // Acquire: the chunk's tag and slots.
        let post = arena.signpost(tag).load(Acquire);
        ((post >> 32) as u32 == tag, post as u32)
    }

    #[inline(always)]
    fn begin<P: Parameters>(arena: &Arena<P>, class: u32, wanted: u32) -> u64 {
        // From the nearest signpost before it.
        let (mut seen, mut steps) = (fuse(0, NONE), 0);
        while seen as u32 == NONE && steps < STEPS {
            let index = advance::<P>(wanted, steps.wrapping_neg());
            let (is_known, chunk) = Self::known(arena, tag::<P>(class, index));
            if is_known {
                seen = fuse(index, chunk);
            }
            steps += 1;
        }
        seen
    }

    #[inline(always)]
    fn filled<W: Warp, P: Parameters>(
        _warp: W,
        _arena: &Arena<P>,
        _class: u32,
        _chunk: u32,
        _n: u32,
    ) {
    }
}
