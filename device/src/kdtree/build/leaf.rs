//! The end of a task step that makes a leaf. The sizes of subtrees travel up from there
//! when they are complete.

use cuda_std::atomic::AtomicU64;

use super::builder::{Builder, Part, Stage};
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::kdtree::blocks::{Retired, copy_words};
use crate::kdtree::node::Node;
use crate::kdtree::workspace::Workspace;
use crate::kdtree::workspace::entries::{NONE, Sizes};
use crate::simt::Warp;

impl<W: Warp, A: DeviceHeap<W> + ?Sized, P: Part> Builder<'_, W, A, P> {
    /// Stores the step's leaf and completes its ancestors' subtrees.
    ///
    /// # Safety
    ///
    /// The step has chosen the leaf, and its references are reserved.
    #[inline(always)]
    pub(super) unsafe fn make_leaf(&mut self) {
        let leaf = self.leaf;
        let first = if leaf.count > 0 { self.reserved } else { 0 };
        let mut block = A::Handle::NULL.to_bits();
        if leaf.count > 0 {
            // SAFETY: the references from `first` on are within the limit and this leaf's. It is the
            // task's node, whose block has its references, and the warp ends the task.
            unsafe {
                let to = self.workspace.leaves.add(first as usize);
                if self.keeps_blocks() {
                    block = self.task.block;
                } else {
                    let from = self.references(self.task.block);
                    copy_words(self.warp, from, to, leaf.count);
                    self.retired = Retired::new(self.task.block, leaf.count);
                }
            }
            self.stage = Stage::Idle;
        }
        self.leaves += 1;
        if leaf.depth > self.deepest {
            self.deepest = leaf.depth;
        }
        self.warp.sync(W::FULL);
        if self.warp.lane() == 0 {
            // SAFETY: the record is this warp's until `complete` counts it as arrived.
            unsafe {
                let record = self.workspace.records.add(leaf.node as usize);
                (*record).node = Node::leaf(first, leaf.count);
                (*record).block = block;
                (*record).sizes = Sizes::of_leaf(leaf.count);
                self.complete = (leaf.node, Sizes::of_leaf(leaf.count));
            }
        }
    }
}

/// Completes the ancestors of a node whose subtree has these sizes and is complete: the
/// second child to arrive at a node has the sizes of the whole subtree, with which it goes on
/// to the parent.
///
/// # Safety
///
/// The kernel's contract holds, and this warp has the node. One lane makes the call, once
/// for the node.
#[inline(always)]
pub(super) unsafe fn complete(workspace: &Workspace, mut node: u32, mut sizes: Sizes) {
    // SAFETY: records of ancestors exist. Their parents were written before the tasks were
    // put in that led here, and the sizes of a node with children are always atomic.
    unsafe {
        loop {
            let parent = (*workspace.records.add(node as usize)).parent;
            if parent == NONE {
                return;
            }
            let record = workspace.records.add(parent as usize);
            let arrived = &*(&raw mut (*record).sizes).cast::<AtomicU64>();
            let Some(sum) = sizes.arrive(arrived) else {
                return;
            };
            (node, sizes) = (parent, sum);
        }
    }
}
