//! The operations of a task step, but for its end: the pass over references, the choice
//! of the split, and the children's blocks.

use super::binned_sah::best_binned_split;
use core::mem;

use super::builder::{Builder, LeafNode, Operation, Part, Stage};
use super::pass::{Destination, Pass, PassKind};
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::kdtree::bins::{HISTOGRAM_WORDS, WHOLE_BOX};
use crate::kdtree::blocks::Retired;
use crate::kdtree::partition::Partition;
use crate::kdtree::queue::SUBTREE;
use crate::kdtree::thresholds::{CHUNK, SMALL_NODE, large_node};
use crate::simt::Warp;

impl<W: Warp, A: DeviceHeap<W> + ?Sized, P: Part> Builder<'_, W, A, P> {
    /// Decides what the step does first, when `fetch_task` was true. Collective.
    #[inline(always)]
    pub(super) fn begin_step(&mut self) -> Operation {
        match self.stage {
            Stage::Partition | Stage::PartitionChunk if P::LARGE => {
                return Operation::Pass(PassKind::Partition);
            }
            Stage::BinChunk if P::LARGE => {
                self.clear_histogram();
                return Operation::Pass(PassKind::Bin);
            }
            Stage::Share if P::SUBTREES => return Operation::Allocate,
            _ => {}
        }
        let mut is_batch = P::SUBTREES && self.stage == Stage::Subtree;
        if !is_batch && (self.task.count <= 1 || self.task.bounds.is_flat()) {
            return Operation::BecomeLeaf;
        }
        if !P::SMALL && self.task.count <= SMALL_NODE {
            self.given = (SUBTREE, self.task, 1);
            self.stage = Stage::Idle;
            return Operation::End;
        }
        if P::SMALL && !is_batch && self.task.count <= SMALL_NODE {
            // SAFETY: as compared.
            unsafe { self.load_references() };
            is_batch = true;
        }
        if P::SMALL && is_batch {
            self.select_batch();
            return Operation::Pass(PassKind::Keep);
        }
        if !P::LARGE {
            // Not reached: subtrees have no more references.
            return Operation::BecomeLeaf;
        }
        if self.task.count > large_node(self.workspace.count) {
            self.create_large_node();
            self.stage = Stage::Idle;
            return Operation::End;
        }
        self.clear_histogram();
        Operation::Pass(PassKind::Bin)
    }

    /// Makes the node the leaf of this step.
    #[inline(always)]
    pub(super) fn become_leaf(&mut self) {
        self.leaf = LeafNode {
            node: self.task.node,
            depth: self.task.depth,
            count: self.task.count,
        };
    }

    /// Clears the histogram in scratch memory. Collective.
    #[inline(always)]
    fn clear_histogram(&self) {
        let mut index = self.warp.lane();
        while index < HISTOGRAM_WORDS {
            // SAFETY: the index is within the histogram, which is this warp's, and a word this lane's.
            unsafe { self.scratch.histogram(index).write(0) };
            index += W::LANES;
        }
        self.warp.sync(W::FULL);
    }

    /// Passes over the references of the node or chunk.
    ///
    /// # Safety
    ///
    /// `begin_step` returned the kind.
    #[inline(always)]
    pub(super) unsafe fn pass(&mut self, kind: PassKind) {
        let task = self.task;
        let split = self.split;
        let mut pass = Pass {
            references: self.scratch.references(),
            items: self.items(),
            from: 0,
            to: if kind == PassKind::Keep {
                self.batch.items
            } else {
                task.count
            },
            bounds: task.bounds,
            kind,
            axis: split.axis,
            partition: split.partition,
            below: Destination {
                references: self.scratch.references(),
                next: 0,
                end: split.below,
            },
            above: Destination {
                references: self.scratch.references(),
                next: 0,
                end: split.above,
            },
        };
        if kind != PassKind::Keep {
            pass.references = self.references(task.block);
        }
        if kind == PassKind::Bin {
            pass.partition = Partition::none(WHOLE_BOX);
        }
        if self.stage == Stage::BinChunk {
            // SAFETY: the refined bin was chosen before the task was put in.
            pass.partition = Partition::none(unsafe { (*self.large_node).refined });
        }
        if self.stage == Stage::BinChunk || self.stage == Stage::PartitionChunk {
            pass.from = self.chunk * CHUNK;
            let to = pass.from + CHUNK;
            pass.to = if to < task.count { to } else { task.count };
        }
        if self.stage == Stage::PartitionChunk {
            // SAFETY: the split was chosen before the task was put in. Its fields are read
            // one by one, since other warps change `partitioned` meanwhile.
            unsafe {
                let large = self.large_node;
                (pass.axis, pass.partition) = ((*large).axis, (*large).partition);
                self.split.block_below = (*large).block_below;
                self.split.block_above = (*large).block_above;
                (pass.below.next, pass.above.next) = self.chunk_offsets(self.chunk);
                (pass.below.end, pass.above.end) = if pass.to < task.count {
                    self.chunk_offsets(self.chunk + 1)
                } else {
                    ((*large).below, (*large).above)
                };
            }
        }
        if kind == PassKind::Partition {
            pass.below.references = self.references(self.split.block_below);
            pass.above.references = self.references(self.split.block_above);
        }
        // SAFETY: the references and arrays are as described above.
        unsafe { pass.run(self.warp, &self.workspace, self.scratch) };
    }

    /// Chooses the split when the bounds of a node, or of its last chunk, are in bins.
    ///
    /// # Safety
    ///
    /// The pass before was of kind `Bin`.
    #[inline(always)]
    pub(super) unsafe fn after_binning(&mut self) -> Operation {
        let mut refined = WHOLE_BOX;
        if self.stage == Stage::BinChunk {
            // SAFETY: the histogram in scratch memory is the chunk's, and the
            // refined bin does not change before all histograms are merged.
            unsafe {
                refined = (*self.large_node).refined;
                if !self.merge_histogram() {
                    self.stage = Stage::Idle;
                    return Operation::End;
                }
            }
        }
        // SAFETY: the histogram in scratch memory is complete.
        let mut found = unsafe {
            best_binned_split(
                self.warp,
                self.scratch,
                self.workspace.costs(),
                self.task.bounds,
                self.task.count,
                refined,
            )
        };
        if self.stage == Stage::BinChunk {
            // SAFETY: this warp merged the last histogram.
            unsafe {
                if refined != WHOLE_BOX {
                    found = Some(self.cheaper_split(found));
                } else if found.is_some_and(|found| self.refine_bins(found)) {
                    self.stage = Stage::Idle;
                    return Operation::End;
                }
            }
        }
        let Some(found) = found else {
            return Operation::BecomeLeaf;
        };
        self.split.axis = found.axis;
        self.split.partition = found.partition;
        self.split.position = found.position;
        self.split.below = found.below;
        self.split.above = found.above;
        Operation::Allocate
    }

    /// Ends a partition: of a node, or of a chunk.
    ///
    /// # Safety
    ///
    /// The pass before was of kind `Partition`.
    #[inline(always)]
    pub(super) unsafe fn after_partition(&mut self) -> Operation {
        if self.stage == Stage::PartitionChunk {
            // SAFETY: the chunk's references are partitioned.
            if unsafe { !self.finish_partition() } {
                self.stage = Stage::Idle;
                return Operation::End;
            }
        }
        Operation::CreateChildren
    }

    /// Allocates the children's blocks, or those of nodes for other warps. Fills them from
    /// scratch memory, or makes a partition the next stage.
    ///
    /// # Safety
    ///
    /// The step has chosen a split, or shares.
    #[inline(always)]
    pub(super) unsafe fn allocate_blocks(&mut self) -> Operation {
        // The only blocks of subtrees are those of nodes that are given away.
        let shares = P::SUBTREES;
        let mut blocks = 2;
        if shares {
            blocks = if self.stacked < W::LANES {
                self.stacked
            } else {
                W::LANES
            };
        }
        // One lane asks for both blocks where every split allocates, as in the paper.
        let asking = if self.keeps_blocks() { 1 } else { W::LANES };
        let mut granted = true;
        let mut base = 0;
        while base < blocks {
            let index = base + self.warp.lane();
            let asks = self.warp.lane() < asking && index < blocks;
            let mut count = if index == 0 {
                self.split.below
            } else {
                self.split.above
            };
            if shares && asks {
                // SAFETY: the node is on the stack.
                let node = unsafe { *self.scratch.stack(self.stacked - 1 - index) };
                count = node.references().count_ones();
            }
            // Lanes may ask together only from one place: see `Warp::converge`.
            self.warp.sync(W::FULL);
            if asks {
                let block = self.workspace.allocate(self.warp, self.heap, count);
                granted &= count == 0 || !block.is_null();
                // SAFETY: there is room for a handle for each lane, and for two, where nothing
                // is needed any more by now.
                unsafe { self.scratch.handle(index).write(block.to_bits()) };
            }
            base += asking;
        }
        if self.warp.ballot(W::FULL, !granted) != 0 {
            self.failed = true;
            return Operation::End;
        }
        self.warp.sync(W::FULL);
        // SAFETY: written above, or by an earlier step.
        unsafe {
            self.split.block_below = *self.scratch.handle(0);
            self.split.block_above = *self.scratch.handle(1);
        }
        if shares {
            // SAFETY: the blocks have the capacity for the references of each node.
            unsafe { self.give_nodes(blocks) };
            self.stage = Stage::Idle;
            return Operation::End;
        }
        if self.stage == Stage::BinChunk {
            // SAFETY: this warp merged the last histogram, and the blocks are allocated.
            unsafe { self.start_partition() };
            self.stage = Stage::Idle;
            return Operation::End;
        }
        if !P::SMALL || self.task.count > SMALL_NODE {
            self.stage = Stage::Partition;
            return Operation::End;
        }
        // SAFETY: the blocks have the capacity for the references of each side.
        unsafe {
            // A loop, so that the copy is compiled once.
            let (mut mask, mut block) = (self.split.mask_below, self.split.block_below);
            let mut index = 0;
            while index < blocks {
                self.copy_references(mask, block);
                (mask, block) = (self.split.mask_above, self.split.block_above);
                index += 1;
            }
        }
        Operation::CreateChildren
    }

    /// Frees the retired block, if there is one: at once where nodes are large, that of a subtree
    /// when every lane holds one. Collective.
    #[inline(always)]
    pub(super) fn free_retired(&mut self) {
        // All lanes have read their part of the block, and what the step has in scratch memory.
        self.warp.sync(W::FULL);
        let null = A::Handle::NULL.to_bits();
        let retired = mem::replace(&mut self.retired, Retired::none(null));
        if P::LARGE {
            if self.warp.lane() == 0 {
                self.workspace.free(self.warp, self.heap, retired);
            }
            return;
        }
        if retired.block() == null {
            return;
        }
        if self.warp.lane() == self.held {
            self.to_free = retired;
        }
        self.held += 1;
        if self.held == W::LANES {
            self.free_held();
        }
    }

    /// Frees the blocks that the lanes hold, each its own. Collective.
    #[inline(always)]
    pub(super) fn free_held(&mut self) {
        // Lanes free together: see `Warp::converge`.
        self.warp.sync(W::FULL);
        if self.warp.lane() < self.held {
            let null = Retired::none(A::Handle::NULL.to_bits());
            let block = mem::replace(&mut self.to_free, null);
            self.workspace.free(self.warp, self.heap, block);
        }
        self.held = 0;
    }
}
