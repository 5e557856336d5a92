//! A warp that builds: its task, the stage of that, and the split and the leaf that the
//! task's present step has chosen.
//!
//! The files beside this one add its operations.

use core::marker::PhantomData;

use super::items::Items;
use super::pass::PassKind;
use super::scratch::Scratch;
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::kdtree::bins::WHOLE_BOX;
use crate::kdtree::blocks::Retired;
use crate::kdtree::bounds::Bounds;
use crate::kdtree::partition::Partition;
use crate::kdtree::queue::{NODE, Queue, SUBTREE};
use crate::kdtree::thresholds::SMALL_NODE;
use crate::kdtree::workspace::Workspace;
use crate::kdtree::workspace::entries::{LargeNode, NONE, Sizes, Task};
use crate::kdtree::workspace::header::Failure;
use crate::simt::Warp;

/// Which nodes a kernel treats, and how. Each has only the code, and needs only the registers,
/// for these.
pub(super) trait Part: Copy {
    /// Whether it splits nodes of more than `SMALL_NODE` references.
    const LARGE: bool;
    /// Whether it splits smaller nodes.
    const SMALL: bool;
    /// Whether a warp finishes a small node's subtree without allocation.
    const SUBTREES: bool;
    /// The queue whose tasks it takes.
    const QUEUE: Queue;

    /// The kind of the task of a node with so many references.
    #[inline(always)]
    fn kind(count: u32) -> u32 {
        let waits = Self::LARGE && !Self::SMALL && count <= SMALL_NODE;
        if Self::SUBTREES || waits {
            SUBTREE
        } else {
            NODE
        }
    }
}

/// All nodes, and each split allocates.
#[derive(Clone, Copy)]
pub(super) struct AllNodes;

impl Part for AllNodes {
    const LARGE: bool = true;
    const SMALL: bool = true;
    const SUBTREES: bool = false;
    const QUEUE: Queue = Queue::Tasks;
}

/// Nodes of more than `SMALL_NODE` references. Smaller ones wait in the queue of subtrees.
#[derive(Clone, Copy)]
pub(super) struct LargeNodes;

impl Part for LargeNodes {
    const LARGE: bool = true;
    const SMALL: bool = false;
    const SUBTREES: bool = false;
    const QUEUE: Queue = Queue::Tasks;
}

/// The subtrees that `LargeNodes` leaves.
#[derive(Clone, Copy)]
pub(super) struct Subtrees;

impl Part for Subtrees {
    const LARGE: bool = false;
    const SMALL: bool = true;
    const SUBTREES: bool = true;
    const QUEUE: Queue = Queue::Subtrees;
}

/// The task of a warp, and its progress.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing: the queue has the next task.
    Idle,
    /// A node whose references are in a block.
    Node,
    /// The same, after a binned search has chosen its split.
    Partition,
    /// Nodes of a small subtree: their references are in scratch memory.
    Subtree,
    /// The same, to be given to other warps.
    Share,
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

/// Nodes of a small subtree that a warp treats at a time: the topmost on the stack, the
/// first of them on top.
#[derive(Clone, Copy)]
pub(super) struct Batch {
    /// How many, at most one for each lane.
    pub nodes: u32,
    /// Their references together.
    pub items: u32,
    /// Where the items of this lane's node begin.
    pub first: u32,
    /// References of this lane's node; 0 if it has none.
    pub count: u32,
}

const NO_TASK: Task = Task {
    bounds: Bounds::EMPTY,
    block: 0,
    count: 0,
    node: NONE,
    depth: 0,
    unused: 0,
};

const NO_BATCH: Batch = Batch {
    nodes: 0,
    items: 0,
    first: 0,
    count: 0,
};

/// A warp that builds.
///
/// Invariants, between two operations of a step:
///
/// - The kernel's contract holds for the workspace. All lanes of the warp make the same calls.
/// - The task is the warp's, unless the stage is `Idle`: the record of its node, and the block with
///   its references if it is a node.
/// - The stack has `stacked` nodes, at most `STACK_NODES`. If there are any, scratch memory has the
///   references of their subtree, which their masks name, and their records are the warp's.
/// - The batch is empty, or lists the references of the topmost nodes of the stack.
pub(super) struct Builder<'a, W, A: ?Sized, P> {
    pub warp: W,
    pub heap: &'a A,
    pub workspace: Workspace,
    pub scratch: Scratch,
    /// The stage of the task.
    pub stage: Stage,
    /// The node.
    pub task: Task,
    /// Nodes on the stack in scratch memory.
    pub stacked: u32,
    /// Those of the present step.
    pub batch: Batch,
    /// Items of the small subtree's batches so far; of a batch that leaves lanes idle, its lanes.
    pub work: u32,
    /// The large node, and the chunk of it.
    pub large_node: *mut LargeNode,
    pub chunk: u32,
    pub split: Split,
    /// The leaf that the step makes.
    pub leaf: LeafNode,
    /// The block to be freed at the end of the step.
    pub retired: Retired,
    /// The same for a block that this lane holds until it is freed.
    pub to_free: Retired,
    /// How many lanes hold a block, the first ones.
    pub held: u32,
    /// The first of the nodes, or of the leaf's references, that are reserved for the step.
    pub reserved: u32,
    /// The tasks that the step puts into the queue: their kind, as `Workspace::put` takes
    /// them, and how many.
    pub given: (u32, Task, u32),
    /// This lane's node whose subtree the step completes, and its sizes; or `NONE`.
    pub complete: (u32, Sizes),
    /// Whether the warp has a task of the queue.
    pub has_task: bool,
    /// Whether this warp met an error, and which, if the workspace does not know it.
    pub failed: bool,
    pub failure: Option<Failure>,
    /// Leaves that this warp made.
    pub leaves: u32,
    /// The depth of the deepest leaf that this lane knows of.
    pub deepest: u32,
    /// Which nodes it treats.
    part: PhantomData<P>,
}

impl<'a, W: Warp, A: DeviceHeap<W> + ?Sized, P: Part> Builder<'a, W, A, P> {
    /// A warp without a task.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds for the workspace, which is made of its arguments. All lanes of
    /// the warp make the same calls of this value's methods.
    #[inline(always)]
    pub(super) unsafe fn new(warp: W, heap: &'a A, workspace: Workspace, scratch: Scratch) -> Self {
        let null = A::Handle::NULL.to_bits();
        Self {
            warp,
            heap,
            workspace,
            scratch,
            stage: Stage::Idle,
            task: NO_TASK,
            stacked: 0,
            batch: NO_BATCH,
            work: 0,
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
            retired: Retired::none(null),
            to_free: Retired::none(null),
            held: 0,
            reserved: 0,
            given: (NODE, NO_TASK, 0),
            complete: (NONE, Sizes::of_leaf(0)),
            has_task: false,
            failed: false,
            failure: None,
            leaves: 0,
            deepest: 0,
            part: PhantomData,
        }
    }

    /// The references in a block.
    #[inline(always)]
    pub(super) fn references(&self, block: u64) -> *mut u32 {
        self.heap.address(A::Handle::from_bits(block)).cast()
    }

    /// The items of the batch.
    #[inline(always)]
    pub(super) fn items(&self) -> Items {
        // SAFETY: by the builder's invariants, the batch lists nodes of the stack. A lane writes to
        // items of its own: in a pass, and as the first of those that value an item.
        unsafe { Items::new(self.scratch, self.batch.items, self.stacked) }
    }

    /// Forgets what only the step before needed. Otherwise all of it would stay in registers
    /// through the whole loop.
    #[inline(always)]
    pub(super) fn forget_step(&mut self) {
        self.batch = NO_BATCH;
        self.reserved = 0;
        (self.split.mask_below, self.split.mask_above) = (0, 0);
        self.given = (NODE, NO_TASK, 0);
        self.complete = (NONE, Sizes::of_leaf(0));
    }

    /// Ends this warp's part of the build, which has failed.
    #[inline(always)]
    pub(super) fn fail(&mut self, failure: Failure) -> Operation {
        self.failed = true;
        self.failure = Some(failure);
        Operation::End
    }

    /// Whether every split allocates, and leaves keep their references in blocks.
    #[inline(always)]
    pub(super) fn keeps_blocks(&self) -> bool {
        P::LARGE && P::SMALL
    }
}
