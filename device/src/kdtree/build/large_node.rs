//! Large nodes, which many warps share. Warps count chunks into bins, and the last to
//! finish chooses the split. Warps partition chunks, and the last to finish creates the
//! children. The largest nodes are binned twice, the second time within one of the bins
//! beside the best plane.
//!
//! Each chunk keeps its histogram, from which follow the offsets of its references in
//! the children's arrays. So a partition keeps references in ascending order, and no
//! warp waits for another.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::AtomicU32;
use cuda_std::mem;

use super::binned_sah::BinnedSplit;
use super::builder::{Builder, Part};
use crate::device_heap::DeviceHeap;
use crate::kdtree::bins::{BINS, HISTOGRAM_WORDS, SUM_WORDS, WHOLE_BOX};
use crate::kdtree::queue::{BIN_CHUNK, PARTITION_CHUNK};
use crate::kdtree::thresholds::{CHUNK, REFINE};
use crate::kdtree::workspace::entries::{CHUNK_BITS, CHUNK_WORDS, LargeNode, Task};
use crate::kdtree::workspace::header::{Failure, word};
use crate::simt::Warp;

/// Chunks of a node with `count` references.
#[inline(always)]
fn chunks(count: u32) -> u32 {
    count.div_ceil(CHUNK)
}

/// The offset of a chunk's histogram, of bins that refine this bin or none.
#[inline(always)]
fn histogram_offset(refined: u32) -> u32 {
    if refined == WHOLE_BOX { 0 } else { 3 * BINS }
}

/// The position among a chunk's words of its offsets below and above.
const OFFSETS: u32 = 6 * BINS;
const _: () = assert!(OFFSETS + 2 == CHUNK_WORDS);

impl<W: Warp, A: DeviceHeap<W> + ?Sized, P: Part> Builder<'_, W, A, P> {
    /// Word `index` of chunk `chunk` of the large node.
    ///
    /// # Safety
    ///
    /// The chunk is one of the large node, and `index` is below `CHUNK_WORDS`.
    #[inline(always)]
    unsafe fn chunk_word(&self, chunk: u32, index: u32) -> *mut u32 {
        // SAFETY: the chunk is one of those that `create_large_node` reserved, with `CHUNK_WORDS` words
        // each.
        unsafe {
            let chunk = (*self.large_node).chunk as usize + chunk as usize;
            self.workspace
                .chunks
                .add(chunk * CHUNK_WORDS as usize + index as usize)
        }
    }

    /// The task of a chunk of large node `large`, but for the chunk's number.
    #[inline(always)]
    fn chunk_task(&self, large: u32) -> Task {
        Task {
            node: large,
            ..self.task
        }
    }

    /// Makes a large node of the task's node and puts its chunks into the queue. Collective.
    #[inline(always)]
    pub(super) fn create_large_node(&mut self) {
        let count = chunks(self.task.count);
        let (mut index, mut first) = (0, 0);
        if self.warp.lane() == 0 {
            // Relaxed: the additions alone make indices unique.
            index = self
                .workspace
                .header(word::LARGE_NODES)
                .fetch_add(1, Relaxed);
            first = self
                .workspace
                .header(word::CHUNKS)
                .fetch_add(count, Relaxed);
        }
        index = self.warp.shuffle(W::FULL, index, 0);
        first = self.warp.shuffle(W::FULL, first, 0);
        let limit = self.workspace.chunk_limit;
        if index >= self.workspace.large_node_limit || first > limit || count > limit - first {
            self.fail(Failure::TaskLimit);
            return;
        }
        // SAFETY: the index is within the limit and this warp's; other warps see the
        // large node after `put`. The warp has the node's task.
        unsafe {
            let large = self.workspace.large_nodes.add(index as usize);
            self.large_node = large;
            if self.warp.lane() == 0 {
                (*large).task = self.task;
                (*large).chunk = first;
                (*large).refined = WHOLE_BOX;
                (*large).binned = 0;
                (*large).partitioned = 0;
            }
            self.given = (BIN_CHUNK, self.chunk_task(index), count);
        }
    }

    /// Merges the chunk's histogram into the node's and keeps its sums. True for the last
    /// chunk; then the node's histogram is in scratch memory.
    ///
    /// # Safety
    ///
    /// The chunk is counted into bins in scratch memory.
    #[inline(always)]
    pub(super) unsafe fn merge_histogram(&mut self) -> bool {
        // SAFETY: indices are within the histograms; the chunk's words are this
        // warp's, and the node's are atomic.
        unsafe {
            let mut index = self.warp.lane();
            while index < HISTOGRAM_WORDS {
                let own = *self.scratch.histogram(index);
                // Relaxed: ordered by the counter below.
                if index >= SUM_WORDS {
                    histogram(self.large_node, index).fetch_max(own, Relaxed);
                } else if own > 0 {
                    histogram(self.large_node, index).fetch_add(own, Relaxed);
                }
                index += W::LANES;
            }
            let offset = histogram_offset((*self.large_node).refined);
            let mut index = self.warp.lane();
            while index < 3 * BINS {
                let starts = *self.scratch.histogram(index);
                let ends = *self.scratch.histogram(3 * BINS + index);
                let planar = *self.scratch.histogram(6 * BINS + index);
                let counts = starts | ends << CHUNK_BITS | planar << (2 * CHUNK_BITS);
                mem::write(self.chunk_word(self.chunk, offset + index), counts);
                index += W::LANES;
            }
            let binned = &raw mut (*self.large_node).binned;
            if !self.is_last(binned) {
                return false;
            }
            let mut index = self.warp.lane();
            while index < HISTOGRAM_WORDS {
                let sum = histogram(self.large_node, index).load(Relaxed);
                self.scratch.histogram(index).write(sum);
                index += W::LANES;
            }
        }
        self.warp.sync(W::FULL);
        true
    }

    /// Whether a bin beside the best plane is to be refined. If so, stores the split,
    /// chooses the bin, and puts the chunks into the queue again. A plane that cuts off
    /// empty space cannot be improved.
    ///
    /// # Safety
    ///
    /// `merge_histogram` was true. A `found` split is one between its bins.
    #[inline(always)]
    pub(super) unsafe fn refine_bins(&mut self, found: BinnedSplit) -> bool {
        let is_small = self.task.count <= REFINE;
        if is_small || found.below == 0 || found.above == 0 {
            return false;
        }
        let (axis, bin) = (found.axis, found.partition.bin());
        // Of the two bins beside the plane, the one with more starts and ends, whichever
        // are fewer: planes that are cheaper than those around them have many of both.
        let weight = |bin: u32| {
            // SAFETY: the indices are within the histogram in scratch memory.
            let (starts, ends) = unsafe {
                (
                    *self.scratch.histogram(axis * BINS + bin),
                    *self.scratch.histogram((3 + axis) * BINS + bin),
                )
            };
            if starts < ends { starts } else { ends }
        };
        let is_before = bin > 0 && weight(bin - 1) > weight(bin);
        let count = chunks(self.task.count);
        // SAFETY: all chunks are in bins, so the large node is this warp's until `put`. The
        // warp has the last chunk's task.
        unsafe {
            if self.warp.lane() == 0 {
                let large = self.large_node;
                (*large).refined = axis * BINS + bin - u32::from(is_before);
                (*large).axis = axis;
                (*large).partition = found.partition;
                (*large).position = found.position;
                ((*large).below, (*large).above) = (found.below, found.above);
                (*large).cost = found.cost;
                (*large).binned = 0;
            }
            let index = self.large_node.offset_from(self.workspace.large_nodes) as u32;
            self.given = (BIN_CHUNK, self.chunk_task(index), count);
        }
        true
    }

    /// The cheaper one of the split that `refine_bins` stored and one within the refined
    /// bin.
    ///
    /// # Safety
    ///
    /// As for `refine_bins`.
    #[inline(always)]
    pub(super) unsafe fn cheaper_split(&self, found: Option<BinnedSplit>) -> BinnedSplit {
        let large = self.large_node;
        // SAFETY: all chunks are in bins, so the large node is this warp's.
        let stored = unsafe {
            BinnedSplit {
                axis: (*large).axis,
                partition: (*large).partition,
                position: (*large).position,
                below: (*large).below,
                above: (*large).above,
                cost: (*large).cost,
            }
        };
        // Before the first lane stores the choice.
        self.warp.sync(W::FULL);
        match found {
            Some(found) if found.cost < stored.cost => found,
            _ => stored,
        }
    }

    /// Clears the large node's histogram, before its chunks are put in to be binned.
    ///
    /// # Safety
    ///
    /// The large node is this warp's.
    #[inline(always)]
    pub(super) unsafe fn clear_node_histogram(&self) {
        let mut index = self.warp.lane();
        while index < HISTOGRAM_WORDS {
            // SAFETY: the index is within the histogram. Relaxed: other warps
            // see it after `put`.
            unsafe { histogram(self.large_node, index).store(0, Relaxed) };
            index += W::LANES;
        }
    }

    /// Counts a chunk as finished with a phase; whether it is the last.
    ///
    /// # Safety
    ///
    /// `counter` is one of the large node.
    #[inline(always)]
    unsafe fn is_last(&self, counter: *mut u32) -> bool {
        let mut finished = 0;
        self.warp.sync(W::FULL);
        if self.warp.lane() == 0 {
            // AcqRel: the last warp sees what all others did in the phase.
            // SAFETY: the counter is a word of a large node, always atomic.
            finished = unsafe { (*counter.cast::<AtomicU32>()).fetch_add(1, AcqRel) };
        }
        self.warp.sync(W::FULL);
        self.warp.shuffle(W::FULL, finished, 0) + 1 == chunks(self.task.count)
    }

    /// Stores the chosen split and each chunk's offsets, and puts the chunks into the
    /// queue again, now to be partitioned.
    ///
    /// # Safety
    ///
    /// As for `refine_bins`; the builder's split and its blocks are those of the node.
    #[inline(always)]
    pub(super) unsafe fn start_partition(&mut self) {
        let split = self.split;
        let partition = split.partition;
        let mask = (1 << CHUNK_BITS) - 1;
        let count = chunks(self.task.count);
        let list = histogram_offset(partition.refined()) + partition.list() * BINS;
        let (mut below, mut above) = (0, 0);
        let mut base = 0;
        while base < count {
            let chunk = base + self.warp.lane();
            let (mut below_here, mut above_here) = (0, 0);
            if chunk < count {
                for bin in 0..BINS {
                    // SAFETY: the chunk's histogram was kept.
                    let word = unsafe { mem::read(self.chunk_word(chunk, list + bin)) };
                    if bin < partition.bin() {
                        below_here += word & mask;
                    }
                    if bin >= partition.bin_above() {
                        above_here += word >> CHUNK_BITS & mask;
                    }
                    if bin >= partition.bin() && bin < partition.bin_above() {
                        let planar = word >> (2 * CHUNK_BITS);
                        if partition.planar_below() {
                            below_here += planar;
                        } else {
                            above_here += planar;
                        }
                    }
                }
            }
            let sum_below = self.warp.all_inclusive_sum(below_here);
            let sum_above = self.warp.all_inclusive_sum(above_here);
            if chunk < count {
                // SAFETY: as above; the words belong to the last warp now.
                unsafe {
                    let (below, above) = (below + sum_below, above + sum_above);
                    mem::write(self.chunk_word(chunk, OFFSETS), below - below_here);
                    mem::write(self.chunk_word(chunk, OFFSETS + 1), above - above_here);
                }
            }
            below += self.warp.shuffle(W::FULL, sum_below, W::LANES - 1);
            above += self.warp.shuffle(W::FULL, sum_above, W::LANES - 1);
            base += W::LANES;
        }
        // SAFETY: the large node is the last warp's until `put`. The warp has the last
        // chunk's task.
        unsafe {
            if self.warp.lane() == 0 {
                let large = self.large_node;
                (*large).axis = split.axis;
                (*large).partition = partition;
                (*large).position = split.position;
                ((*large).below, (*large).above) = (split.below, split.above);
                (*large).block_below = split.block_below;
                (*large).block_above = split.block_above;
            }
            let index = self.large_node.offset_from(self.workspace.large_nodes) as u32;
            self.given = (PARTITION_CHUNK, self.chunk_task(index), count);
        }
    }

    /// The offsets of a chunk's references in the arrays below and above.
    ///
    /// # Safety
    ///
    /// `start_partition` has put the chunks of the node into the queue, this one included.
    #[inline(always)]
    pub(super) unsafe fn chunk_offsets(&self, chunk: u32) -> (u32, u32) {
        // SAFETY: `start_partition` has written them.
        unsafe {
            (
                mem::read(self.chunk_word(chunk, OFFSETS)),
                mem::read(self.chunk_word(chunk, OFFSETS + 1)),
            )
        }
    }

    /// Ends the partition of a chunk. True for the last; then the builder's split is the
    /// node's.
    ///
    /// # Safety
    ///
    /// As for `chunk_offsets`, and the chunk is partitioned.
    #[inline(always)]
    pub(super) unsafe fn finish_partition(&mut self) -> bool {
        // SAFETY: the split is not written any more.
        unsafe {
            let partitioned = &raw mut (*self.large_node).partitioned;
            if !self.is_last(partitioned) {
                return false;
            }
            let large = self.large_node;
            self.split.axis = (*large).axis;
            self.split.position = (*large).position;
            self.split.below = (*large).below;
            self.split.above = (*large).above;
            self.split.block_below = (*large).block_below;
            self.split.block_above = (*large).block_above;
        }
        true
    }
}

/// A word of a large node's histogram.
///
/// # Safety
///
/// `large` is one of the workspace's large nodes, and `index` is below `HISTOGRAM_WORDS`.
#[inline(always)]
unsafe fn histogram<'a>(large: *mut LargeNode, index: u32) -> &'a AtomicU32 {
    // SAFETY: `index` is within the node's histogram, which is accessed atomically only.
    unsafe {
        let first = (&raw mut (*large).histogram).cast::<AtomicU32>();
        &*first.add(index as usize)
    }
}
