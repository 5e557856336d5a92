//! The kernel after `Build`: nodes and references in depth-first order.
//!
//! A node's place is the number of nodes before it, which follows from the
//! sizes of the subtrees to the left of its ancestors; the places of references
//! likewise. So the result does not depend on the order of creation.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use super::node::Node;
use super::tables::{DONE, NONE, OVERWRITTEN, PER_SPLIT, TreeArguments, word};
use crate::allocator::{Allocator, Faults, Handle};
use crate::kernel::Kernel;
use crate::simt::Warp;

/// References of a leaf above which all lanes copy them together.
const LONG: u32 = 16;

/// References to be copied.
#[derive(Clone, Copy)]
struct Copy {
    from: *const u32,
    to: *mut u32,
    count: u32,
}

/// Writes the finished tree, and frees the leaves' blocks if they kept them.
pub struct Relayout;

impl Kernel for Relayout {
    type Arguments = TreeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: Allocator>(warp: W, heap: A, tree: TreeArguments) {
        if tree.header(word::STATE).load(Relaxed) != DONE {
            return;
        }
        let nodes = tree.header(word::NODES).load(Relaxed);
        let mut base = warp.warp() * W::LANES;
        while base < nodes {
            let node = base + warp.lane();
            let mut copy = Copy {
                from: tree.leaves,
                to: tree.references,
                count: 0,
            };
            // SAFETY: the build is complete, so all records are; a node is one lane's, and so
            // is its place.
            unsafe {
                if node < nodes {
                    copy = place(&tree, heap, node);
                }
                copy_all(warp, copy);
                if tree.has(PER_SPLIT) {
                    // The lanes' copies come before the release.
                    warp.sync(W::FULL);
                    if node < nodes {
                        let record = *tree.records.add(node as usize);
                        let block = A::Handle::from_bits(record.block);
                        tree.free(warp, heap, block, record.references);
                    }
                }
            }
            base += warp.threads();
        }
        warp.sync(W::FULL);
        if A::MAY_OVERWRITE && warp.lane() == 0 {
            // AcqRel: the last warp sees what all frees have found.
            let ended = tree.header(word::AFTER).fetch_add(1, AcqRel);
            if ended + 1 == warp.warps() && heap.faults() != Faults::default() {
                tree.header(word::STATE).store(OVERWRITTEN, Relaxed);
            }
        }
    }
}

/// Writes a node to its place; what is to be copied for it.
///
/// # Safety
///
/// The build is complete, and `node` is one of its nodes, which this lane alone places.
#[inline(always)]
unsafe fn place<A: Allocator>(tree: &TreeArguments, heap: A, node: u32) -> Copy {
    // SAFETY: the caller's promise: records are complete, and places follow from them.
    unsafe {
        let record = *tree.records.add(node as usize);
        let (mut before, mut references) = (0, 0);
        let (mut child, mut parent) = (node, record.parent);
        while parent != NONE {
            let above = *tree.records.add(parent as usize);
            let left = above.node.right();
            before += 1;
            if child != left {
                let left = *tree.records.add(left as usize);
                before += left.nodes;
                references += left.references;
            }
            (child, parent) = (parent, above.parent);
        }
        let to = tree.nodes.add(before as usize);
        if !record.node.is_leaf() {
            let left = *tree.records.add(record.node.right() as usize);
            let axis = record.node.axis();
            let right = before + 1 + left.nodes;
            to.write(Node::interior(axis, record.node.position(), right));
            return Copy {
                from: tree.leaves,
                to: tree.references,
                count: 0,
            };
        }
        to.write(Node::leaf(references, record.references));
        let block = A::Handle::from_bits(record.block);
        Copy {
            from: if block.is_null() {
                tree.leaves.add(record.node.first_reference() as usize)
            } else {
                heap.address(block).cast()
            },
            to: tree.references.add(references as usize),
            count: record.references,
        }
    }
}

/// Copies what each lane has to copy: short pieces alone, long ones together.
///
/// # Safety
///
/// All lanes of the warp make the call. What they copy from can be read, and what they
/// copy to is theirs alone.
#[inline(always)]
unsafe fn copy_all<W: Warp>(warp: W, copy: Copy) {
    // SAFETY: the caller's promise.
    unsafe {
        let long = copy.count > LONG;
        if !long {
            for index in 0..copy.count as usize {
                copy.to.add(index).write(*copy.from.add(index));
            }
        }
        let mut waiting = warp.ballot(W::FULL, long);
        while waiting != 0 {
            let owner = waiting.trailing_zeros();
            waiting &= waiting - 1;
            let from = warp.shuffle64(W::FULL, copy.from as u64, owner) as *const u32;
            let to = warp.shuffle64(W::FULL, copy.to as u64, owner) as *mut u32;
            let count = warp.shuffle(W::FULL, copy.count, owner);
            let mut index = warp.lane();
            while index < count {
                to.add(index as usize).write(*from.add(index as usize));
                index += W::LANES;
            }
        }
    }
}
