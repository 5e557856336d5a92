//! The end of a task step that makes a leaf. The sizes of subtrees travel up from there
//! when they are complete.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::builder::{Builder, Stage};
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::kdtree::node::Node;
use crate::kdtree::workspace::Workspace;
use crate::kdtree::workspace::entries::{NONE, Sizes};
use crate::kdtree::workspace::header::{Failure, word};
use crate::simt::Warp;

impl<W: Warp, A: DeviceHeap<W> + ?Sized> Builder<'_, W, A> {
    /// Stores the step's leaf and completes its ancestors' subtrees.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, all lanes of the warp make the call, and the step has
    /// chosen the leaf.
    #[inline(always)]
    pub(super) unsafe fn make_leaf(&mut self) {
        let leaf = self.leaf;
        let mut first = 0;
        if leaf.count > 0 {
            if self.warp.lane() == 0 {
                // Relaxed: the addition alone makes offsets unique.
                let next = self.workspace.header(word::REFERENCES);
                first = next.fetch_add(leaf.count, Relaxed);
            }
            first = self.warp.shuffle(W::FULL, first, 0);
            let limit = self.workspace.reference_limit;
            if first > limit || leaf.count > limit - first {
                self.workspace.fail(Failure::ReferenceLimit, 0);
                self.failed = true;
                return;
            }
        }
        let mut block = A::Handle::NULL.to_bits();
        if leaf.count > 0 {
            // SAFETY: the references from `first` on are within the limit and this leaf's.
            unsafe {
                let to = self.workspace.leaves.add(first as usize);
                if self.stage == Stage::ScratchNode {
                    self.copy_references(self.mask, to);
                } else if self.keeps_blocks() {
                    block = self.task.block;
                } else {
                    self.copy_block(to);
                    self.retired = (self.task.block, leaf.count);
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
                complete(&self.workspace, leaf.node, leaf.count);
            }
        }
    }

    /// Copies the references of the node's block.
    ///
    /// # Safety
    ///
    /// The task's block holds its references, `to` has the capacity for as many, and all
    /// lanes of the warp make the call.
    #[inline(always)]
    unsafe fn copy_block(&self, to: *mut u32) {
        let from = self.references(self.task.block);
        let mut index = self.warp.lane();
        while index < self.task.count {
            // SAFETY: the caller's promise.
            unsafe { to.add(index as usize).write(*from.add(index as usize)) };
            index += W::LANES;
        }
    }
}

/// Completes the ancestors of a leaf: the second child to arrive at a node has the sizes of
/// the whole subtree, with which it goes on to the parent.
///
/// # Safety
///
/// The kernel's contract holds, and `leaf` is a leaf with so many references, which this
/// warp has made. One lane makes the call, once for the leaf.
#[inline(always)]
unsafe fn complete(workspace: &Workspace, leaf: u32, references: u32) {
    let (mut node, mut sizes) = (leaf, Sizes::of_leaf(references));
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
