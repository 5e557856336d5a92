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

use super::geometry::margin;
use super::leaf::LeafNode;
use super::queue::{COUNT_CHUNK, NODE};
use super::sah::Heuristic;
use super::scan::{Action, Pass, Side};
use super::scratch::Scratch;
use super::search::{among_bins, exactly};
use super::tables::{
    CHUNK, Division, HISTOGRAM_WORDS, LARGE, Large, NONE, PER_SPLIT, SMALL, Task, TreeArguments,
    word,
};
use crate::allocator::{Allocator, Handle};
use crate::kernel::Kernel;
use crate::warp::Warp;
use core::sync::atomic::Ordering::Relaxed;

/// What a warp works on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// Nothing; the queue has the next task.
    Nothing,
    /// A node with its references in a block.
    Node,
    /// The same, after its split among bins was chosen.
    Division,
    /// A node of a small subtree, with its references in scratch memory.
    Members,
    /// A chunk of a large node whose bounds are to be counted.
    CountChunk,
    /// A chunk of a large node that is to be divided.
    DivideChunk,
}

/// What is to be done next in a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
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
    pub division: Division,
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
    pub margin: f32,
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
            space: super::geometry::Aabb::EMPTY,
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
            margin: margin(tree.bounds()),
            work: Work::Nothing,
            task: nothing,
            members: 0,
            pending: 0,
            large: tree.larges,
            chunk: 0,
            split: Split {
                axis: 0,
                division: Division {
                    bin: 0,
                    bin_above: 0,
                    rest_below: 0,
                },
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
    #[inline(always)]
    unsafe fn run(mut self) {
        // SAFETY: each function's contract is that the ones before it in the
        // turn have prepared the builder's state, and the kernel's contract.
        unsafe {
            while !self.failed && self.fetch() {
                let mut step = self.open();
                if let Step::Pass(action) = step {
                    self.pass(action);
                    step = match action {
                        Action::Count => self.after_count(),
                        Action::Keep => self.after_keep(),
                        Action::Divide => self.after_divide(),
                    };
                }
                if step == Step::Allocate {
                    step = self.allocate_children();
                }
                if step == Step::Split {
                    step = self.split_node();
                }
                if step == Step::Leaf {
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
            self.task = *self.tree.tasks.add(ticket as usize);
            if kind == NODE {
                self.work = Work::Node;
                return true;
            }
            self.work = if kind == COUNT_CHUNK {
                Work::CountChunk
            } else {
                Work::DivideChunk
            };
            self.chunk = self.task.count;
            self.large = self.tree.larges.add(self.task.node as usize);
            self.task = (*self.large).task;
        }
        true
    }

    /// Decides what to do with the work.
    #[inline(always)]
    unsafe fn open(&mut self) -> Step {
        match self.work {
            Work::Division | Work::DivideChunk => return Step::Pass(Action::Divide),
            Work::CountChunk => {
                self.clear_histogram();
                return Step::Pass(Action::Count);
            }
            _ => {}
        }
        let heuristic = Heuristic::new(self.tree.costs(), self.task.space);
        let final_depth = self.task.depth >= self.tree.max_depth;
        if self.task.count <= 1 || final_depth || heuristic.is_flat() {
            return self.leaf_here();
        }
        if self.task.count <= SMALL {
            if self.work == Work::Node {
                // SAFETY: the node's block holds its references.
                unsafe { self.load_members() };
            }
            self.order_members();
            return Step::Pass(Action::Keep);
        }
        if self.task.count > LARGE {
            // SAFETY: the state's contract.
            unsafe { self.open_large() };
            self.work = Work::Nothing;
            return Step::End;
        }
        self.clear_histogram();
        Step::Pass(Action::Count)
    }

    /// The present node as the leaf of this turn.
    #[inline(always)]
    fn leaf_here(&mut self) -> Step {
        self.leaf = LeafNode {
            node: self.task.node,
            depth: self.task.depth,
            count: self.task.count,
        };
        Step::Leaf
    }

    #[inline(always)]
    fn clear_histogram(&self) {
        let mut index = self.warp.lane();
        while index < HISTOGRAM_WORDS {
            // SAFETY: the index is within the histogram.
            unsafe { self.scratch.histogram(index).write(0) };
            index += W::LANES;
        }
        self.warp.sync(W::FULL);
    }

    /// The references in a block.
    #[inline(always)]
    pub fn ids(&self, block: u64) -> *mut u32 {
        self.heap.address(A::Handle::from_bits(block)).cast()
    }

    /// Passes over the references of the work.
    #[inline(always)]
    unsafe fn pass(&mut self, action: Action) {
        let task = self.task;
        let split = self.split;
        let mut pass = Pass {
            ids: self.scratch.ids(),
            order: self.scratch.order(),
            from: 0,
            to: task.count,
            space: task.space,
            action,
            axis: split.axis,
            division: split.division,
            below: Side {
                ids: self.scratch.ids(),
                next: 0,
                room: split.below,
            },
            above: Side {
                ids: self.scratch.ids(),
                next: 0,
                room: split.above,
            },
        };
        if action != Action::Keep {
            pass.ids = self.ids(task.block);
            pass.order = core::ptr::null();
        }
        if self.work == Work::CountChunk || self.work == Work::DivideChunk {
            pass.from = self.chunk * CHUNK;
            let to = pass.from + CHUNK;
            pass.to = if to < task.count { to } else { task.count };
        }
        if self.work == Work::DivideChunk {
            // SAFETY: the split was chosen before the task was put in.
            unsafe {
                let large = &*self.large;
                (pass.axis, pass.division) = (large.axis, large.division);
                (pass.below.room, pass.above.room) = (large.below, large.above);
                self.split.block_below = large.block_below;
                self.split.block_above = large.block_above;
                (pass.below.next, pass.above.next) = self.chunk_places();
            }
        }
        if action == Action::Divide {
            pass.below.ids = self.ids(self.split.block_below);
            pass.above.ids = self.ids(self.split.block_above);
        }
        // SAFETY: the references and arrays are as described above.
        unsafe {
            pass.run(
                self.warp,
                &self.tree,
                self.margin,
                self.scratch,
                A::MAY_OVERWRITE,
            )
        };
    }

    /// Chooses the split after a node's bounds, or a chunk's, were counted.
    #[inline(always)]
    unsafe fn after_count(&mut self) -> Step {
        // SAFETY: the histogram in scratch memory is the chunk's.
        if self.work == Work::CountChunk && unsafe { !self.add_histogram() } {
            self.work = Work::Nothing;
            return Step::End;
        }
        // SAFETY: the histogram in scratch memory is complete.
        let found = unsafe {
            among_bins(
                self.warp,
                self.scratch,
                self.tree.costs(),
                self.task.space,
                self.task.count,
            )
        };
        let Some(found) = found else {
            self.work = Work::Node;
            return self.leaf_here();
        };
        self.split.axis = found.axis;
        self.split.division = found.division;
        self.split.position = found.position;
        self.split.below = found.below;
        self.split.above = found.above;
        Step::Allocate
    }

    /// Chooses the split after a small node's bounds were kept.
    #[inline(always)]
    unsafe fn after_keep(&mut self) -> Step {
        // SAFETY: the bounds and their order are in scratch memory.
        let found = unsafe {
            exactly(
                self.warp,
                self.scratch,
                self.tree.costs(),
                self.task.space,
                self.members,
            )
        };
        let Some(found) = found else {
            return self.leaf_here();
        };
        self.split.axis = found.axis;
        self.split.position = found.position;
        self.split.below = found.below.count_ones();
        self.split.above = found.above.count_ones();
        self.split.members_below = found.below;
        self.split.members_above = found.above;
        if self.work == Work::Members {
            Step::Split
        } else {
            Step::Allocate
        }
    }

    /// Goes on after a division.
    #[inline(always)]
    unsafe fn after_divide(&mut self) -> Step {
        if self.work == Work::DivideChunk {
            // SAFETY: the chunk's references are divided.
            if unsafe { !self.end_chunk() } {
                self.work = Work::Nothing;
                return Step::End;
            }
        }
        Step::Split
    }

    /// Requests the children's blocks and sees to it that they are filled.
    #[inline(always)]
    unsafe fn allocate_children(&mut self) -> Step {
        let (mut below, mut above) = (A::Handle::NULL, A::Handle::NULL);
        let mut served = true;
        if self.warp.lane() == 0 {
            let mut side = 0;
            while side < 2 && served {
                let count = if side == 0 {
                    self.split.below
                } else {
                    self.split.above
                };
                let block = self.tree.allocate(self.warp, self.heap, count);
                served = count == 0 || !block.is_null();
                if side == 0 {
                    below = block;
                } else {
                    above = block;
                }
                side += 1;
            }
        }
        if self.warp.ballot(W::FULL, !served) != 0 {
            self.failed = true;
            return Step::End;
        }
        self.split.block_below = self.warp.shuffle64(W::FULL, below.to_bits(), 0);
        self.split.block_above = self.warp.shuffle64(W::FULL, above.to_bits(), 0);
        match self.work {
            Work::CountChunk => {
                // SAFETY: this warp added the last histogram.
                unsafe { self.divide_large() };
                self.work = Work::Nothing;
                Step::End
            }
            _ if self.task.count > SMALL => {
                self.work = Work::Division;
                Step::End
            }
            _ => {
                // SAFETY: the blocks have room for the members of each side.
                unsafe {
                    self.copy_members(self.split.members_below, self.ids(self.split.block_below));
                    self.copy_members(self.split.members_above, self.ids(self.split.block_above));
                }
                Step::Split
            }
        }
    }

    /// Whether leaves keep their references in blocks.
    #[inline(always)]
    pub fn keeps_blocks(&self) -> bool {
        self.tree.has(PER_SPLIT)
    }

    /// Frees the block that the turn has used up.
    #[inline(always)]
    unsafe fn free_spent(&mut self) {
        let (block, count) = self.spent;
        // All lanes have read their part of it.
        self.warp.sync(W::FULL);
        if self.warp.lane() == 0 {
            // SAFETY: whoever set `spent` made sure that nobody else uses it.
            unsafe {
                self.tree
                    .free(self.warp, self.heap, A::Handle::from_bits(block), count)
            };
        }
        self.spent = (A::Handle::NULL.to_bits(), 0);
    }
}
