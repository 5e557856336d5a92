//! The steps of a turn: opening the work, the pass, choosing the split, and the
//! children's blocks.

use super::build::{Builder, NextAction, Work};
use super::leaf::LeafNode;
use super::sah::{Heuristic, WHOLE};
use super::scan::{Action, Pass, Side};
use super::search::{ExactSplit, among_bins, exactly};
use super::tables::{CHUNK, HISTOGRAM_WORDS, LARGE, PER_SPLIT, Partition, SMALL};
use crate::allocator::{Allocator, Handle};
use crate::simt::Warp;

impl<W: Warp, A: Allocator> Builder<W, A> {
    /// Decides what to do with the work.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, and all lanes of the warp call this when `fetch` has found
    /// work.
    #[inline(always)]
    pub(super) unsafe fn open(&mut self) -> NextAction {
        match self.work {
            Work::Partition | Work::PartitionChunk => return NextAction::Pass(Action::Partition),
            Work::CountChunk => {
                self.clear_histogram();
                return NextAction::Pass(Action::Count);
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
            return NextAction::Pass(Action::Keep);
        }
        if self.task.count > LARGE {
            // SAFETY: the caller's promise: the node is this warp's.
            unsafe { self.open_large() };
            self.work = Work::Nothing;
            return NextAction::End;
        }
        self.clear_histogram();
        NextAction::Pass(Action::Count)
    }

    /// The present node as the leaf of this turn.
    #[inline(always)]
    fn leaf_here(&mut self) -> NextAction {
        self.leaf = LeafNode {
            node: self.task.node,
            depth: self.task.depth,
            count: self.task.count,
        };
        NextAction::Leaf
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
    pub(super) fn ids(&self, block: u64) -> *mut u32 {
        self.heap.address(A::Handle::from_bits(block)).cast()
    }

    /// Passes over the references of the work.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, and all lanes of the warp call this with the action that
    /// `open` gave.
    #[inline(always)]
    pub(super) unsafe fn pass(&mut self, action: Action) {
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
            partition: split.partition,
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
        if action == Action::Count {
            pass.partition = Partition::none(WHOLE);
        }
        if self.work == Work::CountChunk {
            // SAFETY: the focus was chosen before the task was put in.
            pass.partition = Partition::none(unsafe { (*self.large).focus });
        }
        if self.work == Work::CountChunk || self.work == Work::PartitionChunk {
            pass.from = self.chunk * CHUNK;
            let to = pass.from + CHUNK;
            pass.to = if to < task.count { to } else { task.count };
        }
        if self.work == Work::PartitionChunk {
            // SAFETY: the split was chosen before the task was put in. Only its
            // fields are read: other warps change `divided` meanwhile.
            unsafe {
                let large = self.large;
                (pass.axis, pass.partition) = ((*large).axis, (*large).partition);
                (pass.below.room, pass.above.room) = ((*large).below, (*large).above);
                self.split.block_below = (*large).block_below;
                self.split.block_above = (*large).block_above;
                (pass.below.next, pass.above.next) = self.chunk_places();
            }
        }
        if action == Action::Partition {
            pass.below.ids = self.ids(self.split.block_below);
            pass.above.ids = self.ids(self.split.block_above);
        }
        // SAFETY: the references and arrays are as described above.
        unsafe { pass.run(self.warp, &self.tree, self.scratch, A::MAY_OVERWRITE) };
    }

    /// Chooses the split after a node's bounds, or a chunk's, were counted.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, and all lanes of the warp call this after a pass that
    /// counts.
    #[inline(always)]
    pub(super) unsafe fn after_count(&mut self) -> NextAction {
        let mut focus = WHOLE;
        if self.work == Work::CountChunk {
            // SAFETY: the histogram in scratch memory is the chunk's, and the
            // focus does not change before all of them are added.
            unsafe {
                focus = (*self.large).focus;
                if !self.add_histogram() {
                    self.work = Work::Nothing;
                    return NextAction::End;
                }
            }
        }
        // SAFETY: the histogram in scratch memory is complete.
        let mut found = unsafe {
            among_bins(
                self.warp,
                self.scratch,
                self.tree.costs(),
                self.task.space,
                self.task.count,
                focus,
            )
        };
        if self.work == Work::CountChunk {
            // SAFETY: this warp added the last histogram.
            unsafe {
                if focus != WHOLE {
                    found = Some(self.better(found));
                } else if found.is_some_and(|found| self.look_closer(found)) {
                    self.work = Work::Nothing;
                    return NextAction::End;
                }
            }
        }
        let Some(found) = found.filter(|found| self.affords(found.below, found.above)) else {
            self.work = Work::Node;
            return self.leaf_here();
        };
        self.split.axis = found.axis;
        self.split.partition = found.partition;
        self.split.position = found.position;
        self.split.below = found.below;
        self.split.above = found.above;
        NextAction::Allocate
    }

    /// Chooses the split after a small node's bounds were kept.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, and all lanes of the warp call this after a pass that
    /// keeps bounds.
    #[inline(always)]
    pub(super) unsafe fn after_keep(&mut self) -> NextAction {
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
        let affordable =
            |found: &ExactSplit| self.affords(found.below.count_ones(), found.above.count_ones());
        let Some(found) = found.filter(affordable) else {
            return self.leaf_here();
        };
        self.split.axis = found.axis;
        self.split.position = found.position;
        self.split.below = found.below.count_ones();
        self.split.above = found.above.count_ones();
        self.split.members_below = found.below;
        self.split.members_above = found.above;
        if self.work == Work::Members {
            NextAction::Split
        } else {
            NextAction::Allocate
        }
    }

    /// Goes on after a partition.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, and all lanes of the warp call this after a pass that
    /// divides.
    #[inline(always)]
    pub(super) unsafe fn after_partition(&mut self) -> NextAction {
        if self.work == Work::PartitionChunk {
            // SAFETY: the chunk's references are divided.
            if unsafe { !self.end_chunk() } {
                self.work = Work::Nothing;
                return NextAction::End;
            }
        }
        NextAction::Split
    }

    /// Requests the children's blocks and sees to it that they are filled.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, and all lanes of the warp call this when the turn has
    /// chosen a split.
    #[inline(always)]
    pub(super) unsafe fn allocate_children(&mut self) -> NextAction {
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
            return NextAction::End;
        }
        self.split.block_below = self.warp.shuffle64(W::FULL, below.to_bits(), 0);
        self.split.block_above = self.warp.shuffle64(W::FULL, above.to_bits(), 0);
        match self.work {
            Work::CountChunk => {
                // SAFETY: this warp added the last histogram, and the blocks are served.
                unsafe { self.partition_large() };
                self.work = Work::Nothing;
                NextAction::End
            }
            _ if self.task.count > SMALL => {
                self.work = Work::Partition;
                NextAction::End
            }
            _ => {
                // SAFETY: the blocks have room for the members of each side.
                unsafe {
                    self.copy_members(self.split.members_below, self.ids(self.split.block_below));
                    self.copy_members(self.split.members_above, self.ids(self.split.block_above));
                }
                NextAction::Split
            }
        }
    }

    /// Whether leaves keep their references in blocks.
    #[inline(always)]
    pub(super) fn keeps_blocks(&self) -> bool {
        self.tree.has(PER_SPLIT)
    }

    /// Frees the block that the turn has used up.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, all lanes of the warp make the call, and nobody else uses
    /// the block in `spent`, now or later.
    #[inline(always)]
    pub(super) unsafe fn free_spent(&mut self) {
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
