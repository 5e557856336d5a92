//! A warp that builds: its task, the stage of that, and the split and the leaf that the
//! task's present step has chosen.
//!
//! The files beside this one add its operations.

use super::pass::PassKind;
use super::scratch::Scratch;
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::kdtree::bins::WHOLE_BOX;
use crate::kdtree::bounds::Bounds;
use crate::kdtree::partition::Partition;
use crate::kdtree::workspace::Workspace;
use crate::kdtree::workspace::arguments::PER_SPLIT;
use crate::kdtree::workspace::entries::{LargeNode, NONE, Task};
use crate::simt::Warp;

/// What a warp works on, and how far it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing: the queue has the next task.
    Idle,
    /// A node whose references are in a block.
    Node,
    /// The same, after a binned search has chosen its split.
    Partition,
    /// A node of a small subtree: its references are in scratch memory.
    ScratchNode,
    /// A chunk of a large node: its references are to be counted into bins.
    BinChunk,
    /// A chunk of a large node: its references are to be partitioned.
    PartitionChunk,
}

/// The next operation of a task step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// None: the step ends.
    End,
    /// A pass over references.
    Pass(PassKind),
    /// Allocate blocks for the children.
    Allocate,
    /// Create the children, whose references are in place.
    CreateChildren,
    /// Make the node of the task a leaf.
    BecomeLeaf,
    /// Make the leaf that `Builder::leaf` describes.
    MakeLeaf,
}

/// A chosen split.
#[derive(Clone, Copy)]
pub(super) struct Split {
    pub axis: u32,
    /// Which references go where, after a binned search.
    pub partition: Partition,
    pub position: f32,
    /// References below and above.
    pub below: u32,
    pub above: u32,
    /// Blocks of the children, as bits of handles.
    pub block_below: u64,
    pub block_above: u64,
    /// References of the children in scratch memory, after an exact search.
    pub mask_below: u64,
    pub mask_above: u64,
}

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

/// A warp that builds.
pub(super) struct Builder<'a, W, A: ?Sized> {
    pub warp: W,
    pub heap: &'a A,
    pub workspace: Workspace,
    pub scratch: Scratch,
    /// The stage of the task.
    pub stage: Stage,
    /// The node.
    pub task: Task,
    /// The node's references among `Scratch::references`, if it is small.
    pub mask: u64,
    /// Nodes on the stack in scratch memory.
    pub stacked: u32,
    /// The large node, and the chunk of it.
    pub large_node: *mut LargeNode,
    pub chunk: u32,
    pub split: Split,
    /// The leaf that the step makes.
    pub leaf: LeafNode,
    /// The block to be freed at the end of the step, and its references. Whoever retires
    /// it makes sure that nobody else uses it.
    pub retired: (u64, u32),
    /// Whether the warp has a task of the queue.
    pub has_task: bool,
    /// Whether this warp met an error.
    pub failed: bool,
    /// Leaves that this warp made, and the depth of the deepest.
    pub leaves: u32,
    pub deepest: u32,
}

impl<'a, W: Warp, A: DeviceHeap<W> + ?Sized> Builder<'a, W, A> {
    /// A warp without a task.
    #[inline(always)]
    pub(super) fn new(warp: W, heap: &'a A, workspace: Workspace, scratch: Scratch) -> Self {
        let null = A::Handle::NULL.to_bits();
        Self {
            warp,
            heap,
            workspace,
            scratch,
            stage: Stage::Idle,
            task: Task {
                bounds: Bounds::EMPTY,
                block: null,
                count: 0,
                node: NONE,
                depth: 0,
                unused: 0,
            },
            mask: 0,
            stacked: 0,
            large_node: workspace.large_nodes,
            chunk: 0,
            split: Split {
                axis: 0,
                partition: Partition::none(WHOLE_BOX),
                position: 0.0,
                below: 0,
                above: 0,
                block_below: 0,
                block_above: 0,
                mask_below: 0,
                mask_above: 0,
            },
            leaf: LeafNode {
                node: NONE,
                depth: 0,
                count: 0,
            },
            retired: (null, 0),
            has_task: false,
            failed: false,
            leaves: 0,
            deepest: 0,
        }
    }

    /// The references in a block.
    #[inline(always)]
    pub(super) fn references(&self, block: u64) -> *mut u32 {
        self.heap.address(A::Handle::from_bits(block)).cast()
    }

    /// Whether leaves keep their references in blocks.
    #[inline(always)]
    pub(super) fn keeps_blocks(&self) -> bool {
        self.workspace.has(PER_SPLIT)
    }
}
