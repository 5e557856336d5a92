//! The end of a task step that splits a node: its two children, and their budgets.

use core::sync::atomic::Ordering::Relaxed;

use super::builder::{Builder, LeafNode, Operation, Stage};
use super::scratch::{PendingNode, STACK_NODES};
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::kdtree::bounds::Bounds;
use crate::kdtree::budget;
use crate::kdtree::node::Node;
use crate::kdtree::queue::NODE;
use crate::kdtree::workspace::arguments::BOUNDED;
use crate::kdtree::workspace::entries::{NONE, NodeRecord, Task};
use crate::kdtree::workspace::header::{Failure, word};
use crate::simt::Warp;

impl<W: Warp, A: DeviceHeap<W> + ?Sized> Builder<'_, W, A> {
    /// Creates the children of the split: the warp goes on with one, the other waits. A
    /// child without references becomes the step's leaf.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, all lanes of the warp make the call, and the references
    /// of both children are in place.
    #[inline(always)]
    pub(super) unsafe fn create_children(&mut self) -> Operation {
        let (task, split) = (self.task, self.split);
        if split.below == 0 && split.above == 0 {
            // Every reference overlaps a side, unless the allocator granted the block
            // again and its contents are another's.
            self.workspace.fail(Failure::Overwritten, 0);
            self.failed = true;
            return Operation::End;
        }
        let mut left = 0;
        if self.warp.lane() == 0 {
            // Relaxed: the addition alone makes indices unique.
            left = self.workspace.header(word::NODES).fetch_add(2, Relaxed);
            if self.exceeds_bound() {
                self.workspace.fail(Failure::Explodes, 0);
                // Beyond every limit: the warp ends below, and the first error stays.
                left = NONE;
            }
        }
        left = self.warp.shuffle(W::FULL, left, 0);
        if left >= self.workspace.node_limit || self.workspace.node_limit - left < 2 {
            self.workspace.fail(Failure::NodeLimit, 0);
            self.failed = true;
            return Operation::End;
        }
        if self.warp.lane() == 0 {
            let null = A::Handle::NULL.to_bits();
            // SAFETY: the records are within the limit and this warp's.
            unsafe {
                let records = self.workspace.records;
                (*records.add(task.node as usize)).node =
                    Node::interior(split.axis, split.position, left);
                let (below, above) = self.child_budgets();
                let child = |budget| NodeRecord::new(task.node, budget, null);
                records.add(left as usize).write(child(below));
                records.add(left as usize + 1).write(child(above));
            }
        }
        let child = |above: bool| Task {
            bounds: task.bounds.side(split.axis, split.position, above),
            block: if above {
                split.block_above
            } else {
                split.block_below
            },
            count: if above { split.above } else { split.below },
            node: left + u32::from(above),
            depth: task.depth + 1,
            unused: 0,
        };
        let keep_above = self.keeps_above();
        let (kept, other) = (child(keep_above), child(!keep_above));
        let in_scratch = self.stage == Stage::ScratchNode;
        let waits_in_scratch = in_scratch && !self.is_stack_full();
        if in_scratch {
            let (kept_mask, other_mask) = if keep_above {
                (split.mask_above, split.mask_below)
            } else {
                (split.mask_below, split.mask_above)
            };
            if waits_in_scratch && other.count > 0 {
                // SAFETY: all lanes of the warp are here, and the stack is not full.
                unsafe { self.push(other_mask, other.bounds, other.node, other.depth) };
            }
            self.mask = kept_mask;
        } else {
            self.retired = (task.block, task.count);
            self.stage = Stage::Node;
        }
        if !waits_in_scratch && other.count > 0 {
            // SAFETY: the warp has the parent's task, or that of a node above. The child's
            // references are in its block, which the warp gives up.
            unsafe { self.workspace.put(self.warp, NODE, other, 1) };
        }
        self.task = kept;
        if other.count > 0 {
            return Operation::End;
        }
        self.leaf = LeafNode {
            node: other.node,
            depth: other.depth,
            count: 0,
        };
        Operation::MakeLeaf
    }

    /// Counts the references that the split adds; whether splits have added more than the
    /// bound allows, which they cannot in a bounded build. One lane calls this.
    #[inline(always)]
    fn exceeds_bound(&self) -> bool {
        let split = self.split;
        let added = budget::added(self.task.count, split.below, split.above);
        if added == 0 || self.workspace.has(BOUNDED) {
            return false;
        }
        // Relaxed: only the sum matters. It cannot wrap: a warp that finds it too large
        // adds nothing more, and the nodes of all warps together have no more references
        // than the sum and the root.
        let before = self.workspace.header(word::ADDED).fetch_add(added, Relaxed);
        before + added > budget::of_root(self.workspace.count)
    }

    /// The budgets of the split's children; 0 in a build without budgets. One lane calls
    /// this.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, and the warp has the node.
    #[inline(always)]
    unsafe fn child_budgets(&self) -> (u32, u32) {
        if !self.workspace.has(BOUNDED) {
            return (0, 0);
        }
        let split = self.split;
        let added = budget::added(self.task.count, split.below, split.above);
        // SAFETY: the node's record holds its budget until the node is complete. It was
        // written before the node's task was put in, or by this lane.
        let own = unsafe { (*self.workspace.records.add(self.task.node as usize)).budget };
        budget::of_children(own.saturating_sub(added), split.below, split.above)
    }

    /// Whether the limit of depth and the node's budget allow the split that was chosen.
    /// Counts the node if not. Collective.
    ///
    /// # Safety
    ///
    /// As for `child_budgets`, and all lanes of the warp make the call.
    #[inline(always)]
    pub(super) unsafe fn allows_split(&self) -> bool {
        if self.is_deepest() {
            if self.warp.lane() == 0 {
                // Relaxed: a sum that the host reads after the launch.
                self.workspace.header(word::CUT_OFF).fetch_add(1, Relaxed);
            }
            return false;
        }
        if !self.workspace.has(BOUNDED) {
            return true;
        }
        let mut limited = false;
        if self.warp.lane() == 0 {
            // SAFETY: as in `child_budgets`.
            let own = unsafe { (*self.workspace.records.add(self.task.node as usize)).budget };
            limited = budget::added(self.task.count, self.split.below, self.split.above) > own;
            if limited {
                // Relaxed: a sum that the host reads after the launch.
                self.workspace.header(word::LIMITED).fetch_add(1, Relaxed);
            }
        }
        self.warp.ballot(W::FULL, limited) == 0
    }

    /// Whether the limit of depth makes the node a leaf.
    #[inline(always)]
    pub(super) fn is_deepest(&self) -> bool {
        self.task.depth >= self.workspace.max_depth
    }

    /// Whether the warp goes on with the child above, and the one below is the other:
    /// where nothing is below.
    #[inline(always)]
    fn keeps_above(&self) -> bool {
        self.split.below == 0
    }

    /// Whether the child above, or the one below, is the one with which the warp goes on in
    /// scratch memory.
    #[inline(always)]
    pub(super) fn stays_in_scratch(&self, above: bool) -> bool {
        self.stage == Stage::ScratchNode && above == self.keeps_above()
    }

    /// Whether the stack has no room for another node.
    #[inline(always)]
    pub(super) fn is_stack_full(&self) -> bool {
        self.stacked >= STACK_NODES
    }

    /// Puts a node of a small subtree on the stack.
    ///
    /// # Safety
    ///
    /// All lanes of the warp make the call, and the stack is not full.
    #[inline(always)]
    unsafe fn push(&mut self, mask: u64, bounds: Bounds, node: u32, depth: u32) {
        if self.warp.lane() == 0 {
            // SAFETY: the stack has room.
            unsafe {
                self.scratch.stack(self.stacked).write(PendingNode {
                    mask,
                    bounds,
                    node,
                    depth,
                })
            };
        }
        self.warp.sync(W::FULL);
        self.stacked += 1;
    }
}
