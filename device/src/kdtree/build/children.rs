//! The end of a task step that splits a node: its two children, and their budgets.

use core::sync::atomic::Ordering::Relaxed;

use super::builder::{Builder, LeafNode, Operation, Part, Stage};
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::kdtree::blocks::Retired;
use crate::kdtree::budget;
use crate::kdtree::node::Node;
use crate::kdtree::workspace::arguments::BOUNDED;
use crate::kdtree::workspace::entries::{NONE, NodeRecord, Task};
use crate::kdtree::workspace::header::{Failure, word};
use crate::simt::Warp;

impl<W: Warp, A: DeviceHeap<W> + ?Sized, P: Part> Builder<'_, W, A, P> {
    /// Creates the children of the split: the warp goes on with one, the other waits. A
    /// child without references becomes the step's leaf.
    ///
    /// # Safety
    ///
    /// The references of both children are in place, and two nodes are reserved.
    #[inline(always)]
    pub(super) unsafe fn create_children(&mut self) -> Operation {
        let (task, split) = (self.task, self.split);
        if split.below == 0 && split.above == 0 {
            // Every reference overlaps a side, unless the allocator granted the block
            // again and its contents are another's.
            return self.fail(Failure::Overwritten);
        }
        let left = self.reserved;
        if self.warp.lane() == 0 {
            let null = A::Handle::NULL.to_bits();
            // SAFETY: the records are within the limit and this warp's.
            unsafe {
                let records = self.workspace.records;
                (*records.add(task.node as usize)).node =
                    Node::interior(split.axis, split.position, left);
                let (below, above) =
                    self.child_budgets(task.node, task.count, split.below, split.above);
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
        // SAFETY: the warp had the task, whose references are in the children's blocks.
        self.retired = unsafe { Retired::new(task.block, task.count) };
        self.stage = Stage::Node;
        self.task = kept;
        if other.count > 0 {
            // The warp has the parent's task. The child's references are in its block, which
            // the warp gives up.
            self.given = (P::kind(other.count), other, 1);
            return Operation::End;
        }
        self.leaf = LeafNode {
            node: other.node,
            depth: other.depth,
            count: 0,
        };
        Operation::MakeLeaf
    }

    /// Reserves what the operation needs: two nodes for children, or a leaf's references.
    /// Collective.
    #[inline(always)]
    pub(super) fn reserve_for(&mut self, next: Operation) -> Operation {
        let split = self.split;
        let (mut nodes, mut references, mut added) = (0, self.leaf.count, 0);
        if next == Operation::CreateChildren {
            added = budget::added(self.task.count, split.below, split.above);
            (nodes, references) = (2, 0);
        }
        match self.reserve(nodes, references, added) {
            Ok((left, first)) => {
                self.reserved = if nodes > 0 { left } else { first };
                next
            }
            Err(failure) => self.fail(failure),
        }
    }

    /// Reserves nodes, and references of leaves, for splits that add so many references: the
    /// first of each. Collective.
    ///
    /// # Errors
    ///
    /// The error that ends the build.
    #[inline(always)]
    pub(super) fn reserve(
        &self,
        nodes: u32,
        references: u32,
        added: u32,
    ) -> Result<(u32, u32), Failure> {
        let (mut left, mut first) = (0, 0);
        let workspace = &self.workspace;
        if self.warp.lane() == 0 {
            // Relaxed: the additions alone make indices unique.
            if nodes > 0 {
                left = workspace.header(word::NODES).fetch_add(nodes, Relaxed);
            }
            if references > 0 {
                let next = workspace.header(word::REFERENCES);
                first = next.fetch_add(references, Relaxed);
            }
            if self.adds_too_many(added) {
                left = NONE;
            }
        }
        left = self.warp.shuffle(W::FULL, left, 0);
        first = self.warp.shuffle(W::FULL, first, 0);
        let (node_limit, limit) = (workspace.node_limit, workspace.reference_limit);
        if left == NONE {
            return Err(Failure::Explodes);
        }
        if left > node_limit || nodes > node_limit - left {
            return Err(Failure::NodeLimit);
        }
        if first > limit || references > limit - first {
            return Err(Failure::ReferenceLimit);
        }
        Ok((left, first))
    }

    /// Counts references that splits add; whether splits have added more than the bound
    /// allows. One lane calls this.
    #[inline(always)]
    fn adds_too_many(&self, added: u32) -> bool {
        if added == 0 || self.workspace.has(BOUNDED) {
            return false;
        }
        // Relaxed: only the sum matters. It cannot wrap: a warp that finds it too large
        // adds nothing more, and the nodes of all warps together have no more references
        // than the sum and the root.
        let before = self.workspace.header(word::ADDED).fetch_add(added, Relaxed);
        before + added > budget::of_root(self.workspace.count)
    }

    /// The budgets of the children of a node with `count` references; 0 in a build without
    /// budgets. One lane calls this.
    ///
    /// # Safety
    ///
    /// The warp has the node.
    #[inline(always)]
    pub(super) unsafe fn child_budgets(
        &self,
        node: u32,
        count: u32,
        below: u32,
        above: u32,
    ) -> (u32, u32) {
        if !self.workspace.has(BOUNDED) {
            return (0, 0);
        }
        let added = budget::added(count, below, above);
        // SAFETY: the node's record was written before the node's task was put in, or by
        // this warp before a `sync`.
        let own = unsafe { (*self.workspace.records.add(node as usize)).budget };
        budget::of_children(own.saturating_sub(added), below, above)
    }

    /// Whether the limit of depth and the node's budget allow a split of a node with `count`
    /// references. Counts the node if not. One lane calls this.
    ///
    /// # Safety
    ///
    /// As for `child_budgets`.
    #[inline(always)]
    pub(super) unsafe fn permits(
        &self,
        (node, depth): (u32, u32),
        count: u32,
        below: u32,
        above: u32,
    ) -> bool {
        // Relaxed: sums that the host reads after the launch.
        if depth >= self.workspace.max_depth {
            self.workspace.header(word::CUT_OFF).fetch_add(1, Relaxed);
            return false;
        }
        if !self.workspace.has(BOUNDED) {
            return true;
        }
        // SAFETY: as in `child_budgets`.
        let own = unsafe { (*self.workspace.records.add(node as usize)).budget };
        let limited = budget::added(count, below, above) > own;
        if limited {
            self.workspace.header(word::LIMITED).fetch_add(1, Relaxed);
        }
        !limited
    }

    /// Whether the limit of depth and the node's budget allow the split that was chosen.
    /// Counts the node if not. Collective.
    #[inline(always)]
    pub(super) fn allows_split(&self) -> bool {
        let (task, split) = (self.task, self.split);
        let mut refused = false;
        if self.warp.lane() == 0 {
            // SAFETY: the warp has the task's node.
            refused = unsafe {
                !self.permits(
                    (task.node, task.depth),
                    task.count,
                    split.below,
                    split.above,
                )
            };
        }
        self.warp.ballot(W::FULL, refused) == 0
    }

    /// Whether the warp goes on with the child above, and the one below is the other:
    /// where nothing is below.
    #[inline(always)]
    fn keeps_above(&self) -> bool {
        self.split.below == 0
    }
}
