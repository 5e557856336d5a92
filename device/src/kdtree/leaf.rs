//! The ends of a turn: two children, or a leaf; and the subtree's sizes, which
//! travel up when it is complete.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::AtomicU32;

use super::budget;
use super::build::{Builder, NextAction, Work};
use super::geometry::Aabb;
use super::node::Node;
use super::queue::NODE;
use super::scratch::Pending;
use super::tables::{
    BOUNDED, EXPLODES, NODE_LIMIT, NONE, OVERWRITTEN, REFERENCE_LIMIT, Record, Task, TreeArguments,
    word,
};
use crate::allocator::{Allocator, Handle};
use crate::simt::Warp;

/// A node that becomes a leaf.
#[derive(Clone, Copy)]
pub(super) struct LeafNode {
    /// Its record.
    pub node: u32,
    /// Its depth.
    pub depth: u32,
    /// Its references.
    pub count: u32,
}

impl LeafNode {
    /// None.
    pub const EMPTY: Self = Self {
        node: NONE,
        depth: 0,
        count: 0,
    };
}

/// A record as it is made: nothing is known but its parent.
#[inline(always)]
pub(super) fn fresh_record(parent: u32, null: u64) -> Record {
    Record {
        parent,
        arrived: 0,
        node: Node::leaf(0, 0),
        nodes: 1,
        references: 0,
        block: null,
    }
}

impl<W: Warp, A: Allocator> Builder<W, A> {
    /// Makes the children of the split: one is the warp's next work, the other
    /// waits. A child without references becomes the turn's leaf.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, all lanes of the warp make the call, and the references
    /// of both children are in place.
    #[inline(always)]
    pub(super) unsafe fn split_node(&mut self) -> NextAction {
        let (task, split) = (self.task, self.split);
        if split.below == 0 && split.above == 0 {
            // Every reference overlaps a side, unless another block's contents
            // took its place.
            self.tree.fail(OVERWRITTEN, 0);
            self.failed = true;
            return NextAction::End;
        }
        let mut left = 0;
        if self.warp.lane() == 0 {
            // Relaxed: the addition alone makes places unique.
            left = self.tree.header(word::NODES).fetch_add(2, Relaxed);
            if self.explodes() {
                self.tree.fail(EXPLODES, 0);
                // No place at all: the warp ends below, and the first error
                // stays.
                left = NONE;
            }
        }
        left = self.warp.shuffle(W::FULL, left, 0);
        if left >= self.tree.node_limit || self.tree.node_limit - left < 2 {
            self.tree.fail(NODE_LIMIT, 0);
            self.failed = true;
            return NextAction::End;
        }
        if self.warp.lane() == 0 {
            let null = A::Handle::NULL.to_bits();
            // SAFETY: the records are within the limit and this warp's.
            unsafe {
                let records = self.tree.records;
                (*records.add(task.node as usize)).node =
                    Node::interior(split.axis, split.position, left);
                let (below, above) = self.child_budgets();
                let child = |references| Record {
                    references,
                    ..fresh_record(task.node, null)
                };
                records.add(left as usize).write(child(below));
                records.add(left as usize + 1).write(child(above));
            }
        }
        let child = |above: bool| Task {
            space: task.space.side(split.axis, split.position, above),
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
        let keep_above = split.below == 0;
        let (kept, other) = (child(keep_above), child(!keep_above));
        if self.work == Work::Members {
            let (kept_members, other_members) = if keep_above {
                (split.members_above, split.members_below)
            } else {
                (split.members_below, split.members_above)
            };
            if other.count > 0 {
                self.push(other_members, other.space, other.node, other.depth);
            }
            self.members = kept_members;
        } else {
            self.spent = (task.block, task.count);
            if other.count > 0 {
                self.tree.put(self.warp, NODE, other, 1);
            }
            self.work = Work::Node;
        }
        self.task = kept;
        if other.count > 0 {
            return NextAction::End;
        }
        self.leaf = LeafNode {
            node: other.node,
            depth: other.depth,
            count: 0,
        };
        NextAction::Leaf
    }

    /// Counts the references that the split adds; whether all that were added are
    /// more than the bound allows. In a bounded build they cannot be. One lane
    /// calls this.
    #[inline(always)]
    fn explodes(&self) -> bool {
        let split = self.split;
        let added = budget::added(self.task.count, split.below, split.above);
        if added == 0 || self.tree.has(BOUNDED) {
            return false;
        }
        // Relaxed: the sum alone counts. It cannot wrap: a warp that finds it too
        // large adds nothing more, and the nodes of all warps together have no
        // more references than the sum and the root.
        let before = self.tree.header(word::ADDED).fetch_add(added, Relaxed);
        before + added > budget::of_root(self.tree.count)
    }

    /// The budgets of the split's children; 0 where there are none. One lane
    /// calls this.
    #[inline(always)]
    fn child_budgets(&self) -> (u32, u32) {
        if !self.tree.has(BOUNDED) {
            return (0, 0);
        }
        let split = self.split;
        let added = budget::added(self.task.count, split.below, split.above);
        // SAFETY: the node's record holds its budget until the node is complete,
        // and was written before its task was put in, or by this lane.
        let own = unsafe { (*self.tree.records.add(self.task.node as usize)).references };
        budget::shares(own.saturating_sub(added), split.below, split.above)
    }

    /// Whether the node's budget allows a split into so many references. Counts
    /// it if not. Collective.
    #[inline(always)]
    pub(super) fn affords(&self, below: u32, above: u32) -> bool {
        if !self.tree.has(BOUNDED) {
            return true;
        }
        let mut limited = false;
        if self.warp.lane() == 0 {
            // SAFETY: as in `child_budgets`.
            let own = unsafe { (*self.tree.records.add(self.task.node as usize)).references };
            limited = budget::added(self.task.count, below, above) > own;
            if limited {
                // Relaxed: a sum that the host reads after the launch.
                self.tree.header(word::LIMITED).fetch_add(1, Relaxed);
            }
        }
        self.warp.ballot(W::FULL, limited) == 0
    }

    /// Puts a node of a small subtree on the stack.
    #[inline(always)]
    fn push(&mut self, members: u64, space: Aabb, node: u32, depth: u32) {
        if self.warp.lane() == 0 {
            // SAFETY: one node waits for each level that was gone down, and the
            // stack has room for all levels.
            unsafe {
                self.scratch.stack(self.pending).write(Pending {
                    members,
                    space,
                    node,
                    depth,
                })
            };
        }
        self.warp.sync(W::FULL);
        self.pending += 1;
    }

    /// Stores the turn's leaf and tells its ancestors.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, all lanes of the warp make the call, and the turn has
    /// chosen the leaf.
    #[inline(always)]
    pub(super) unsafe fn make_leaf(&mut self) {
        let leaf = self.leaf;
        let mut first = 0;
        if leaf.count > 0 {
            if self.warp.lane() == 0 {
                // Relaxed: the addition alone makes places unique.
                let places = self.tree.header(word::REFERENCES);
                first = places.fetch_add(leaf.count, Relaxed);
            }
            first = self.warp.shuffle(W::FULL, first, 0);
            let limit = self.tree.reference_limit;
            if first > limit || leaf.count > limit - first {
                self.tree.fail(REFERENCE_LIMIT, 0);
                self.failed = true;
                return;
            }
        }
        let mut block = A::Handle::NULL.to_bits();
        if leaf.count > 0 {
            // SAFETY: the places are within the limit and this leaf's.
            unsafe {
                let to = self.tree.leaves.add(first as usize);
                if self.work == Work::Members {
                    self.copy_members(self.members, to);
                } else if self.keeps_blocks() {
                    block = self.task.block;
                } else {
                    self.copy_block(to);
                    self.spent = (self.task.block, leaf.count);
                }
            }
            self.work = Work::Nothing;
        }
        self.leaves += 1;
        if leaf.depth > self.deepest {
            self.deepest = leaf.depth;
        }
        self.warp.sync(W::FULL);
        if self.warp.lane() == 0 {
            // SAFETY: the record is this warp's until the ancestors know.
            unsafe {
                let record = self.tree.records.add(leaf.node as usize);
                (*record).node = Node::leaf(first, leaf.count);
                (*record).references = leaf.count;
                (*record).block = block;
                complete(&self.tree, leaf.node);
            }
        }
    }

    /// Copies the references of the node's block.
    ///
    /// # Safety
    ///
    /// The task's block holds its references, and `to` has room for as many.
    #[inline(always)]
    unsafe fn copy_block(&self, to: *mut u32) {
        let from = self.ids(self.task.block);
        let mut index = self.warp.lane();
        while index < self.task.count {
            // SAFETY: the caller's promise.
            unsafe { to.add(index as usize).write(*from.add(index as usize)) };
            index += W::LANES;
        }
    }
}

/// Tells the ancestors of a node that its subtree is complete: the second child
/// to arrive at a node adds up and goes on.
///
/// # Safety
///
/// The arguments' contract holds, and the record of `node` is complete. One lane makes the
/// call, once for the node.
#[inline(always)]
unsafe fn complete(tree: &TreeArguments, mut node: u32) {
    // SAFETY: records of ancestors exist, and the second child to arrive is
    // the only one to touch what is not atomic.
    unsafe {
        loop {
            let parent = (*tree.records.add(node as usize)).parent;
            if parent == NONE {
                return;
            }
            let record = tree.records.add(parent as usize);
            let arrived = &*(&raw mut (*record).arrived).cast::<AtomicU32>();
            // AcqRel: the second sees the first one's sizes.
            if arrived.fetch_add(1, AcqRel) == 0 {
                return;
            }
            let left = (*record).node.right();
            let left = tree.records.add(left as usize);
            let right = left.add(1);
            (*record).nodes = 1 + (*left).nodes + (*right).nodes;
            (*record).references = (*left).references + (*right).references;
            node = parent;
        }
    }
}
