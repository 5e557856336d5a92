//! The kernels before `Build`: `Prepare` computes the scene's bounds and allocates the
//! root's block, `Fill` writes the root's references.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use super::bounds::{Bounds, to_key};
use super::budget;
use super::queue::NODE;
use super::thresholds::MAX_COORDINATE;
use super::workspace::Workspace;
use super::workspace::arguments::TreeArguments;
use super::workspace::entries::{NONE, NodeRecord, Task};
use super::workspace::header::{Failure, RUNNING, word};
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::simt::Warp;

/// Computes the scene's bounds. The last warp to end allocates the root's block and
/// puts the root into the queue.
pub struct Prepare;

impl Kernel for Prepare {
    type Arguments = TreeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, arguments: TreeArguments) {
        // SAFETY: the kernel's contract.
        let workspace = unsafe { Workspace::new(arguments) };
        let mut all = Bounds::EMPTY;
        let mut bad = false;
        let mut id = warp.thread();
        while id < workspace.count {
            // SAFETY: the id is below the count.
            let triangle = unsafe { workspace.triangle(id) };
            for vertex in triangle {
                for x in vertex {
                    bad |= !(-MAX_COORDINATE..=MAX_COORDINATE).contains(&x);
                }
                all = all.with(vertex);
            }
            id += warp.threads();
        }
        if warp.ballot(W::FULL, bad) != 0 {
            workspace.fail(Failure::BadCoordinate, 0);
        }
        // The maximum of complements belongs to the minimum, and 0 is neutral.
        for axis in 0..3 {
            let least = warp.all_max(!to_key(all.min[axis]));
            let greatest = warp.all_max(to_key(all.max[axis]));
            if warp.lane() == 0 {
                // Relaxed: ordered by the counter below.
                workspace
                    .header(word::min_coordinate(axis))
                    .fetch_max(least, Relaxed);
                workspace
                    .header(word::max_coordinate(axis))
                    .fetch_max(greatest, Relaxed);
            }
        }
        if warp.lane() == 0 {
            // AcqRel: the last warp sees all bounds.
            let ended = workspace.header(word::PREPARE_ENDED).fetch_add(1, AcqRel);
            let running = workspace.header(word::STATE).load(Relaxed) == RUNNING;
            if ended + 1 == warp.warps() && running {
                let block = workspace.allocate(warp, heap, workspace.count);
                if block.is_null() {
                    return;
                }
                let null = A::Handle::NULL.to_bits();
                // SAFETY: limits allow for one node and one task at least, and the other
                // warps have ended.
                unsafe {
                    let budget = budget::of_root(workspace.count);
                    workspace.records.write(NodeRecord::new(NONE, budget, null));
                    workspace.tasks.write(Task {
                        bounds: workspace.bounds(),
                        block: block.to_bits(),
                        count: workspace.count,
                        node: 0,
                        depth: 0,
                        unused: 0,
                    });
                    workspace.kinds.write(NODE);
                }
                workspace.header(word::NODES).store(1, Relaxed);
                workspace.header(word::TAIL).store(1, Relaxed);
                workspace.header(word::TASKS).store(1, Relaxed);
                workspace.header(word::OUTSTANDING).store(1, Relaxed);
            }
        }
    }
}

/// Writes the root's references: all triangles.
pub struct Fill;

impl Kernel for Fill {
    type Arguments = TreeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, arguments: TreeArguments) {
        // SAFETY: the kernel's contract.
        let workspace = unsafe { Workspace::new(arguments) };
        if workspace.header(word::STATE).load(Relaxed) != RUNNING {
            return;
        }
        // SAFETY: the launch before has put in the root.
        let block = A::Handle::from_bits(unsafe { (*workspace.tasks).block });
        let references = heap.address(block).cast::<u32>();
        let mut id = warp.thread();
        while id < workspace.count {
            // SAFETY: the block has the capacity for all triangles.
            unsafe { references.add(id as usize).write(id) };
            id += warp.threads();
        }
    }
}
