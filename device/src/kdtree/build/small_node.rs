//! Small nodes: their references in scratch memory, subsets of them as masks.

use super::builder::{Builder, Part, Stage};
use super::scratch::PendingNode;
use crate::device_heap::DeviceHeap;
use crate::kdtree::blocks::{Retired, copy_words};
use crate::kdtree::thresholds::SMALL_NODE;
use crate::simt::Warp;

impl<W: Warp, A: DeviceHeap<W> + ?Sized, P: Part> Builder<'_, W, A, P> {
    /// Copies the node's references into scratch memory, and puts the node on the stack.
    /// If the warp finishes the subtree there, it retires the block.
    ///
    /// # Safety
    ///
    /// The task is a node of at most `SMALL_NODE` references.
    #[inline(always)]
    pub(super) unsafe fn load_references(&mut self) {
        let count = self.task.count;
        let from = self.references(self.task.block);
        // SAFETY: the task's block holds its references, which are no more than scratch memory has
        // the capacity for.
        unsafe { copy_words(self.warp, from, self.scratch.references(), count) };
        if self.warp.lane() == 0 {
            let mask = u64::MAX >> ((SMALL_NODE - count) & 63);
            // SAFETY: the stack has an entry, and none that is needed any more.
            unsafe {
                self.scratch.stack(0).write(PendingNode {
                    mask: [mask as u32, (mask >> 32) as u32],
                    bounds: self.task.bounds,
                    node: self.task.node,
                    depth: self.task.depth,
                })
            };
        }
        self.stacked = 1;
        self.work = 0;
        self.warp.sync(W::FULL);
        if P::SUBTREES {
            // SAFETY: the warp has the task, and goes on with the copy after this step.
            self.retired = unsafe { Retired::new(self.task.block, count) };
            self.stage = Stage::Subtree;
        }
    }

    /// Writes the references of `mask` to a block, ascending.
    ///
    /// # Safety
    ///
    /// The subtree's references are in scratch memory, all lanes of the warp make the
    /// call, and the block has the capacity for those of `mask`.
    #[inline(always)]
    pub(super) unsafe fn copy_references(&self, mask: u64, block: u64) {
        let to = self.references(block);
        self.for_each_reference(mask, |index, rank| {
            // SAFETY: ranks are below the block's capacity, and indices below `SMALL_NODE`.
            unsafe {
                to.add(rank as usize)
                    .write(*self.scratch.references().add(index as usize))
            };
        });
    }

    /// Calls `f` with the index and the rank of each reference of a mask, of some of them
    /// in each lane.
    #[inline(always)]
    fn for_each_reference(&self, mask: u64, f: impl Fn(u32, u32)) {
        let mut index = self.warp.lane();
        while index < SMALL_NODE {
            if mask >> index & 1 == 1 {
                f(index, (mask & ((1 << index) - 1)).count_ones());
            }
            index += W::LANES;
        }
    }
}
