//! The kernel after `Build`: it writes nodes and references in depth-first order.
//!
//! A node's index is the number of nodes before it, which follows from the sizes of the
//! subtrees to the left of its ancestors. The offsets of references follow likewise. So
//! the finished tree does not depend on the order in which nodes were created.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use super::blocks::{Retired, copy_words};
use super::node::Node;
use super::workspace::Workspace;
use super::workspace::arguments::{PER_SPLIT, TreeArguments};
use super::workspace::entries::NONE;
use super::workspace::header::{DONE, Failure, word};
use crate::allocator::{Faults, Handle};
use crate::device_heap::{Blocks, DeviceHeap};
use crate::kernel::Kernel;
use crate::simt::Warp;

/// References of a leaf above which all lanes of the warp copy them.
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
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, arguments: TreeArguments) {
        // SAFETY: the kernel's contract.
        let workspace = unsafe { Workspace::new(arguments) };
        if workspace.header(word::STATE).load(Relaxed) != DONE {
            return;
        }
        let nodes = workspace.header(word::NODES).load(Relaxed);
        let mut base = warp.warp() * W::LANES;
        while base < nodes {
            let node = base + warp.lane();
            let mut copy = Copy {
                from: workspace.leaves,
                to: workspace.references,
                count: 0,
            };
            // SAFETY: the build is complete, so all records are. A node is one lane's, and so
            // are its index and the offsets of its references.
            unsafe {
                if node < nodes {
                    copy = write_node(&workspace, heap, node);
                }
                copy_references(warp, copy);
                if workspace.has(PER_SPLIT) {
                    // The lanes' copies come before the release.
                    warp.sync(W::FULL);
                    if node < nodes {
                        let record = *workspace.records.add(node as usize);
                        // Only the leaf's record has the block, and its references are copied.
                        let retired = Retired::new(record.block, record.sizes.references());
                        workspace.free(warp, heap, retired);
                    }
                }
            }
            base += warp.threads();
        }
        warp.sync(W::FULL);
        if heap.properties().may_overwrite && warp.lane() == 0 {
            // AcqRel: the last warp sees what all frees have found.
            let ended = workspace.header(word::RELAYOUT_ENDED).fetch_add(1, AcqRel);
            if ended + 1 == warp.warps() && heap.faults() != Faults::default() {
                workspace
                    .header(word::STATE)
                    .store(Failure::Overwritten as u32, Relaxed);
            }
        }
    }
}

/// Writes a node to its index; returns which references are to be copied for it.
///
/// # Safety
///
/// The build is complete, and `node` is one of its nodes, which this lane alone writes.
#[inline(always)]
unsafe fn write_node<A: Blocks + ?Sized>(workspace: &Workspace, heap: &A, node: u32) -> Copy {
    // SAFETY: the build is complete, so that records hold the indices of others that are complete
    // too, or `NONE`. An index in the tree is below the number of nodes, and one node's.
    unsafe {
        let record = *workspace.records.add(node as usize);
        let (mut before, mut references) = (0, 0);
        let (mut child, mut parent) = (node, record.parent);
        while parent != NONE {
            let above = *workspace.records.add(parent as usize);
            let left = above.node.right();
            before += 1;
            if child != left {
                let left = *workspace.records.add(left as usize);
                before += left.sizes.nodes();
                references += left.sizes.references();
            }
            (child, parent) = (parent, above.parent);
        }
        let to = workspace.nodes.add(before as usize);
        if !record.node.is_leaf() {
            let left = *workspace.records.add(record.node.right() as usize);
            let axis = record.node.axis();
            let right = before + 1 + left.sizes.nodes();
            to.write(Node::interior(axis, record.node.position(), right));
            return Copy {
                from: workspace.leaves,
                to: workspace.references,
                count: 0,
            };
        }
        to.write(Node::leaf(references, record.sizes.references()));
        let block = A::Handle::from_bits(record.block);
        Copy {
            from: if block.is_null() {
                workspace.leaves.add(record.node.first_reference() as usize)
            } else {
                heap.address(block).cast()
            },
            to: workspace.references.add(references as usize),
            count: record.sizes.references(),
        }
    }
}

/// Makes the copy of each lane: a short one by that lane, a long one by the whole warp.
///
/// # Safety
///
/// All lanes of the warp make the call. Their source can be read, and their
/// destination is theirs alone.
#[inline(always)]
unsafe fn copy_references<W: Warp>(warp: W, copy: Copy) {
    // SAFETY: the source can be read; the destination is this warp's alone.
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
            copy_words(warp, from, to, count);
        }
    }
}
