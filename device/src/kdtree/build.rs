//! The builder: one persistent kernel in which every warp takes tasks from the
//! queue until the tree is complete.
//!
//! A turn of its loop treats one node, or one chunk of a large node: it opens
//! the work, passes over references, searches, and allocates, divides or makes
//! a leaf. After a split the warp keeps one child and puts the other into the
//! queue. Each large piece of code stands once in the loop, so that it is
//! compiled once.
//!
//! A node is a set of references in ascending order, and all choices depend on
//! the set, the box and the depth alone. So the tree is the same whichever warp
//! treats a node, and whenever.

use super::geometry::Aabb;
use super::leaf::LeafNode;
use super::queue::{COUNT_CHUNK, NODE};
use super::sah::WHOLE;
use super::scan::Action;
use super::scratch::Scratch;
use super::tables::{Large, NONE, Partition, Task, TreeArguments, word};
use crate::allocator::{Allocator, Handle};
use crate::kernel::Kernel;
use crate::simt::Warp;
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::mem;

/// What a warp works on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// Nothing; the queue has the next task.
    Nothing,
    /// A node with its references in a block.
    Node,
    /// The same, after its split among bins was chosen.
    Partition,
    /// A node of a small subtree, with its references in scratch memory.
    Members,
    /// A chunk of a large node whose bounds are to be counted.
    CountChunk,
    /// A chunk of a large node that is to be divided.
    PartitionChunk,
}

/// What is to be done next in a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NextAction {
    /// Nothing more.
    End,
    /// A pass over references.
    Pass(Action),
    /// Blocks for the children.
    Allocate,
    /// The children, whose references are in place.
    Split,
    /// A leaf, described by `Builder::leaf`.
    Leaf,
}

/// A split that was chosen.
#[derive(Clone, Copy)]
pub(super) struct Split {
    pub axis: u32,
    pub partition: Partition,
    pub position: f32,
    pub below: u32,
    pub above: u32,
    pub block_below: u64,
    pub block_above: u64,
    pub members_below: u64,
    pub members_above: u64,
}

/// A warp that builds.
pub(super) struct Builder<W, A> {
    pub warp: W,
    pub heap: A,
    pub tree: TreeArguments,
    pub scratch: Scratch,
    /// What is worked on.
    pub work: Work,
    /// The node.
    pub task: Task,
    /// The node's references among `Scratch::ids`, if it is small.
    pub members: u64,
    /// Nodes on the stack in scratch memory.
    pub pending: u32,
    /// The large node, and the chunk of it.
    pub large: *mut Large,
    pub chunk: u32,
    pub split: Split,
    /// The leaf that the turn makes.
    pub leaf: LeafNode,
    /// The block to be freed at the end of the turn, and its references.
    pub spent: (u64, u32),
    /// Whether a task of the queue is being worked on.
    pub busy: bool,
    /// Whether this warp met an error.
    pub failed: bool,
    /// Leaves that this warp made, and the depth of the deepest.
    pub leaves: u32,
    pub deepest: u32,
}

/// Builds a tree over the references that `Prepare` and `Fill` have set up.
pub struct Build;

impl Kernel for Build {
    type Arguments = TreeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: Allocator>(warp: W, heap: A, tree: TreeArguments) {
        let nothing = Task {
            space: Aabb::EMPTY,
            block: A::Handle::NULL.to_bits(),
            count: 0,
            node: NONE,
            depth: 0,
            unused: 0,
        };
        let builder = Builder {
            warp,
            heap,
            tree,
            scratch: Scratch(warp.scratch()),
            work: Work::Nothing,
            task: nothing,
            members: 0,
            pending: 0,
            large: tree.larges,
            chunk: 0,
            split: Split {
                axis: 0,
                partition: Partition::none(WHOLE),
                position: 0.0,
                below: 0,
                above: 0,
                block_below: 0,
                block_above: 0,
                members_below: 0,
                members_above: 0,
            },
            leaf: LeafNode::EMPTY,
            spent: (A::Handle::NULL.to_bits(), 0),
            busy: false,
            failed: false,
            leaves: 0,
            deepest: 0,
        };
        // SAFETY: the kernel's contract.
        unsafe { builder.run() }
    }
}

impl<W: Warp, A: Allocator> Builder<W, A> {
    /// Takes turns until the build has ended.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, all lanes of the warp make the call, and the builder is as
    /// `Build` makes it.
    #[inline(always)]
    unsafe fn run(mut self) {
        // SAFETY: each function's contract is that the ones before it in the
        // turn have prepared the builder's state, and the kernel's contract.
        unsafe {
            while !self.failed && self.fetch() {
                let mut step = self.open();
                if let NextAction::Pass(action) = step {
                    self.pass(action);
                    step = match action {
                        Action::Count => self.after_count(),
                        Action::Keep => self.after_keep(),
                        Action::Partition => self.after_partition(),
                    };
                }
                if step == NextAction::Allocate {
                    step = self.allocate_children();
                }
                if step == NextAction::Split {
                    step = self.split_node();
                }
                if step == NextAction::Leaf {
                    self.make_leaf();
                }
                self.free_spent();
            }
        }
        if self.warp.lane() == 0 {
            // Relaxed: the host reads them after the launch.
            let tree = &self.tree;
            tree.header(word::LEAVES).fetch_add(self.leaves, Relaxed);
            tree.header(word::DEPTH).fetch_max(self.deepest, Relaxed);
        }
    }

    /// Makes sure that there is work; false when the build has ended.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, and all lanes of the warp call this between two turns.
    #[inline(always)]
    unsafe fn fetch(&mut self) -> bool {
        if self.work != Work::Nothing {
            return true;
        }
        if self.pending > 0 {
            self.pending -= 1;
            // SAFETY: the entry was written by `split_node`, before a `sync`.
            let node = unsafe { *self.scratch.stack(self.pending) };
            self.work = Work::Members;
            self.members = node.members;
            self.task.space = node.space;
            self.task.node = node.node;
            self.task.depth = node.depth;
            self.task.count = node.members.count_ones();
            return true;
        }
        if self.busy {
            self.tree.finish(self.warp);
        }
        let (ticket, kind) = self.tree.take(self.warp);
        self.busy = kind != 0;
        if kind == 0 {
            return false;
        }
        // SAFETY: the ticket's task is there, and large nodes stay where they
        // are.
        unsafe {
            self.task = mem::read(self.tree.tasks.add(ticket as usize));
            if kind == NODE {
                self.work = Work::Node;
                return true;
            }
            self.work = if kind == COUNT_CHUNK {
                Work::CountChunk
            } else {
                Work::PartitionChunk
            };
            self.chunk = self.task.count;
            self.large = self.tree.larges.add(self.task.node as usize);
            self.task = (*self.large).task;
        }
        true
    }
}
