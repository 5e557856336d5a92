//! Shelving pages for which a queue has no room, and taking them from there.

use super::{Shelve, Unshelve, shelf};
use crate::allocators::ouroboros::arena::{Arena, EMPTY, NONE, Task};
use crate::allocators::ouroboros::group::Group;
use crate::allocators::ouroboros::parameters::{Parameters, pages};
use crate::allocators::ouroboros::queue::Queue;
use crate::simt::{Backoff, Warp, leader};

impl<Q: Queue> Task for Shelve<Q> {
    #[inline(always)]
    unsafe fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        block: u32,
        lanes: u32,
    ) -> u32 {
        // SAFETY: the caller's promise; the thread that holds the chunk then pushes it once.
        unsafe {
            if warp.lane() == leader(lanes) {
                // Before the page can be had; see the module.
                shelf(arena, class).signal(lanes.count_ones());
            }
            warp.sync(lanes);
            let chunk = arena.chunk_of(block);
            let freed = arena.free_page(class, chunk, arena.page_of(class, block));
            let held = warp.ballot(lanes, freed.holds);
            if held & 1 << warp.lane() != 0 {
                arena.push_together(warp, class, chunk, held);
            }
            0
        }
    }
}

impl Task for Unshelve {
    #[inline(always)]
    unsafe fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        class: u32,
        _value: u32,
        lanes: u32,
    ) -> u32 {
        // SAFETY: the class is the caller's promise. The items on a stack of the class are chunks
        // of that class; the leader holds the one that it pops until it has reserved pages,
        // and a lane claims one of these.
        unsafe {
            let group = Group::by_key(warp, lanes, class);
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
                        let (n, left) = arena.reserve_pages(chunk, group.size - served);
                        (taken, start) = (n, pages::<P>(class) - left - n);
                        if left > 0 {
                            arena.push(warp, class, chunk);
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
                    let page = arena.claim_page(warp, class, chunk, start + offset);
                    block = arena.block(class, chunk, page);
                }
                served += taken;
            }
            block
        }
    }
}
