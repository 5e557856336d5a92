//! The kernels before `Build`: bounds of the scene and the root's block, then
//! the root's references.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use super::budget;
use super::geometry::{Aabb, to_key};
use super::leaf::fresh_record;
use super::queue::NODE;
use super::tables::{
    BAD_COORDINATE, MAX_COORDINATE, NONE, RUNNING, Record, Task, TreeArguments, word,
};
use crate::allocator::{Allocator, Handle};
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Computes the scene's bounds; the last warp allocates the root's block and
/// makes the root.
pub struct Prepare;

impl Kernel for Prepare {
    type Arguments = TreeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: Allocator>(warp: W, heap: A, tree: TreeArguments) {
        let mut all = Aabb::EMPTY;
        let mut bad = false;
        let mut id = warp.thread();
        while id < tree.count {
            // SAFETY: the id is below the count.
            let triangle = unsafe { tree.triangle(id) };
            for vertex in triangle {
                for x in vertex {
                    bad |= !(-MAX_COORDINATE..=MAX_COORDINATE).contains(&x);
                }
                all = all.with(vertex);
            }
            id += warp.threads();
        }
        if warp.ballot(W::FULL, bad) != 0 {
            tree.fail(BAD_COORDINATE, 0);
        }
        // Complements turn the least into the greatest, so that 0 is neutral.
        for axis in 0..3 {
            let lo = warp.all_max(!to_key(all.lo[axis]));
            let hi = warp.all_max(to_key(all.hi[axis]));
            if warp.lane() == 0 {
                // Relaxed: ordered by the counter below.
                tree.header(word::BOUNDS + axis).fetch_max(lo, Relaxed);
                tree.header(word::BOUNDS + 3 + axis).fetch_max(hi, Relaxed);
            }
        }
        if warp.lane() == 0 {
            // AcqRel: the last warp sees all bounds.
            let ended = tree.header(word::BEFORE).fetch_add(1, AcqRel);
            let running = tree.header(word::STATE).load(Relaxed) == RUNNING;
            if ended + 1 == warp.warps() && running {
                let block = tree.allocate(warp, heap, tree.count);
                if block.is_null() {
                    return;
                }
                let null = A::Handle::NULL.to_bits();
                // SAFETY: limits allow for one node and one task at least.
                unsafe {
                    tree.records.write(Record {
                        references: budget::of_root(tree.count),
                        ..fresh_record(NONE, null)
                    });
                    tree.tasks.write(Task {
                        space: tree.bounds(),
                        block: block.to_bits(),
                        count: tree.count,
                        node: 0,
                        depth: 0,
                        unused: 0,
                    });
                    tree.kinds.write(NODE);
                }
                tree.header(word::NODES).store(1, Relaxed);
                tree.header(word::TAIL).store(1, Relaxed);
                tree.header(word::OUTSTANDING).store(1, Relaxed);
            }
        }
    }
}

/// Fills the root's block: all triangles.
pub struct Fill;

impl Kernel for Fill {
    type Arguments = TreeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: Allocator>(warp: W, heap: A, tree: TreeArguments) {
        if tree.header(word::STATE).load(Relaxed) != RUNNING {
            return;
        }
        // SAFETY: the launch before has made the root.
        let block = A::Handle::from_bits(unsafe { (*tree.tasks).block });
        let ids = heap.address(block).cast::<u32>();
        let mut id = warp.thread();
        while id < tree.count {
            // SAFETY: the block has room for all triangles.
            unsafe { ids.add(id as usize).write(id) };
            id += warp.threads();
        }
    }
}
