//! Shelving pages for which a queue has no room, and taking them from there.

use super::{Shelve, Unshelve};
use crate::allocators::ouroboros::arena::{Arena, Chunk, Class, EMPTY, Given, NONE, Task};
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::parameters::{Parameters, pages};
use crate::simt::{Backoff, Warp, leader};

impl Task for Shelve {
    type Of = Class;
    type Argument = Given;

    #[inline(always)]
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: Class,
        block: Given,
        lanes: u32,
    ) -> u32 {
        if warp.lane() == leader(lanes) {
            // Before the page can be had; see the module.
            arena.shelf(class).signal(lanes.count_ones());
        }
        warp.sync(lanes);
        let block = block.number();
        // SAFETY: the page of a chunk, which the lane gives up.
        let (chunk, freed) = unsafe {
            let chunk = arena.chunk_of(block);
            (
                chunk,
                arena.free_page(class, chunk, arena.page_of(class, block)),
            )
        };
        let held = warp.ballot(lanes, freed.holds);
        if held & 1 << warp.lane() != 0 {
            // SAFETY: each of these lanes holds its chunk.
            unsafe { arena.push_together(warp, class, chunk, held) };
        }
        0
    }
}

impl Task for Unshelve {
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
        let group = Group::by_key(warp, lanes, class.number());
        let (mut block, mut served) = (EMPTY, 0);
        let mut backoff = Backoff::new();
        // The chunks of these pages are on a stack, or held by threads that push
        // them there and wait for no thread that waits here.
        while served < group.size {
            let (mut chunk, mut taken, mut start) = (NONE, 0, 0);
            if group.leads() {
                chunk = arena.pop(warp, class);
                if chunk == NONE {
                    backoff.pause(warp);
                } else {
                    // SAFETY: who pops a chunk holds it, until no page is left or it is pushed.
                    unsafe {
                        let chunk = Chunk::new(chunk);
                        let (n, left) = arena.reserve_pages(chunk, group.size - served);
                        (taken, start) = (n, pages::<P>(class) - left - n);
                        if left > 0 {
                            arena.push(warp, class, chunk);
                        }
                    }
                }
            }
            // The leader acquired the chunk for all.
            warp.sync(group.mask);
            chunk = warp.shuffle(group.mask, chunk, group.leader);
            taken = warp.shuffle(group.mask, taken, group.leader);
            start = warp.shuffle(group.mask, start, group.leader);
            let offset = group.rank.wrapping_sub(served);
            if offset < taken {
                // SAFETY: one of the pages that the leader has reserved.
                let page =
                    unsafe { arena.claim_page(warp, class, Chunk::new(chunk), start + offset) };
                block = arena.block(class, chunk, page);
            }
            served += taken;
        }
        block
    }
}
