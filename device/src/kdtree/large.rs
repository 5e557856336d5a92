//! Large nodes, shared by many warps: chunks are counted, the last to finish
//! chooses the split, chunks are divided, the last to finish makes the
//! children. The largest nodes are counted twice, the second time within one
//! of the bins at the best plane.
//!
//! Each chunk keeps its histogram, from which follows where its references go
//! on either side. So a partition keeps references in ascending order without
//! any warp waiting for another.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::AtomicU32;
use cuda_std::mem;

use super::build::Builder;
use super::queue::{COUNT_CHUNK, DIVIDE_CHUNK};
use super::sah::{BINS, WHOLE};
use super::search::BinSplit;
use super::tables::{
    CHUNK, CHUNK_BITS, CHUNK_WORDS, FOCUS, HISTOGRAM_WORDS, Large, SUM_WORDS, TASK_LIMIT, Task,
    word,
};
use crate::allocator::Allocator;
use crate::simt::Warp;

/// Chunks of a node with `count` references.
#[inline(always)]
fn chunks(count: u32) -> u32 {
    count.div_ceil(CHUNK)
}

/// Where a chunk keeps its histogram of bins with this focus.
#[inline(always)]
fn kept_histogram(focus: u32) -> u32 {
    if focus == WHOLE { 0 } else { 3 * BINS }
}

/// Where a chunk keeps its places below and above.
const PLACES: u32 = 6 * BINS;
const _: () = assert!(PLACES + 2 == CHUNK_WORDS);

impl<W: Warp, A: Allocator> Builder<W, A> {
    /// Word `index` of chunk `chunk` of the large node.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, the chunk is one of the large node, and `index` is below
    /// `CHUNK_WORDS`.
    #[inline(always)]
    unsafe fn chunk_word(&self, chunk: u32, index: u32) -> *mut u32 {
        // SAFETY: the caller's promise; `open_large` has reserved the chunks.
        unsafe {
            let chunk = (*self.large).chunk as usize + chunk as usize;
            self.tree
                .chunks
                .add(chunk * CHUNK_WORDS as usize + index as usize)
        }
    }

    /// The task of a chunk of large node `large`.
    #[inline(always)]
    fn chunk_task(&self, large: u32) -> Task {
        Task {
            node: large,
            ..self.task
        }
    }

    /// Makes the present node a large one and puts its chunks into the queue.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, and all lanes of the warp that has the node call this.
    #[inline(always)]
    pub(super) unsafe fn open_large(&mut self) {
        let count = chunks(self.task.count);
        let (mut place, mut first) = (0, 0);
        if self.warp.lane() == 0 {
            // Relaxed: the additions alone make places unique.
            place = self.tree.header(word::LARGES).fetch_add(1, Relaxed);
            first = self.tree.header(word::CHUNKS).fetch_add(count, Relaxed);
        }
        place = self.warp.shuffle(W::FULL, place, 0);
        first = self.warp.shuffle(W::FULL, first, 0);
        let limit = self.tree.chunk_limit;
        if place >= self.tree.large_limit || first > limit || count > limit - first {
            self.tree.fail(TASK_LIMIT, 0);
            self.failed = true;
            return;
        }
        // SAFETY: the place is within the limit and this warp's; other warps
        // see it after `put`.
        unsafe {
            let large = self.tree.larges.add(place as usize);
            self.large = large;
            self.clear_large();
            if self.warp.lane() == 0 {
                (*large).task = self.task;
                (*large).chunk = first;
                (*large).focus = WHOLE;
                (*large).counted = 0;
                (*large).divided = 0;
            }
        }
        self.tree
            .put(self.warp, COUNT_CHUNK, self.chunk_task(place), count);
    }

    /// Adds the chunk's histogram to the node's and keeps it. True for the last
    /// chunk; then the node's histogram is in scratch memory.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, and all lanes of the warp call this when it has counted
    /// the chunk into scratch memory.
    #[inline(always)]
    pub(super) unsafe fn add_histogram(&mut self) -> bool {
        // SAFETY: indices are within the histograms; the chunk's words are this
        // warp's, and the node's are atomic.
        unsafe {
            let mut index = self.warp.lane();
            while index < HISTOGRAM_WORDS {
                let counted = *self.scratch.histogram(index);
                // Relaxed: ordered by the counter below.
                if index >= SUM_WORDS {
                    histogram(self.large, index).fetch_max(counted, Relaxed);
                } else if counted > 0 {
                    histogram(self.large, index).fetch_add(counted, Relaxed);
                }
                index += W::LANES;
            }
            let kept = kept_histogram((*self.large).focus);
            let mut index = self.warp.lane();
            while index < 3 * BINS {
                let starts = *self.scratch.histogram(index);
                let ends = *self.scratch.histogram(3 * BINS + index);
                let both = *self.scratch.histogram(6 * BINS + index);
                let counts = starts | ends << CHUNK_BITS | both << (2 * CHUNK_BITS);
                mem::write(self.chunk_word(self.chunk, kept + index), counts);
                index += W::LANES;
            }
            let counted = &raw mut (*self.large).counted;
            if !self.is_last(counted) {
                return false;
            }
            let mut index = self.warp.lane();
            while index < HISTOGRAM_WORDS {
                let sum = histogram(self.large, index).load(Relaxed);
                self.scratch.histogram(index).write(sum);
                index += W::LANES;
            }
        }
        self.warp.sync(W::FULL);
        true
    }

    /// Whether a bin next to the best plane among all is to be searched again,
    /// which is to be found in smaller bins. Then the chunks are in the queue
    /// again. A plane that cuts off what is empty cannot be any better.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, and all lanes of the warp call this when `add_histogram`
    /// was true. A `found` split is one among its bins.
    #[inline(always)]
    pub(super) unsafe fn look_closer(&mut self, found: BinSplit) -> bool {
        if self.task.count <= FOCUS || found.below == 0 || found.above == 0 {
            return false;
        }
        let (axis, bin) = (found.axis, found.partition.bin());
        // The bin with more starts and ends, the lesser of the two: planes that
        // beat their surroundings have many of both.
        let promise = |bin: u32| {
            // SAFETY: the indices are within the histogram in scratch memory.
            let (starts, ends) = unsafe {
                (
                    *self.scratch.histogram(axis * BINS + bin),
                    *self.scratch.histogram((3 + axis) * BINS + bin),
                )
            };
            if starts < ends { starts } else { ends }
        };
        let is_before = bin > 0 && promise(bin - 1) > promise(bin);
        // SAFETY: all chunks are counted, so the large node is this warp's
        // until `put`.
        let place = unsafe {
            self.clear_large();
            if self.warp.lane() == 0 {
                // Field by field: other lanes clear the histogram meanwhile.
                let large = self.large;
                (*large).focus = axis * BINS + bin - u32::from(is_before);
                (*large).axis = axis;
                (*large).partition = found.partition;
                (*large).position = found.position;
                ((*large).below, (*large).above) = (found.below, found.above);
                (*large).cost = found.cost;
                (*large).counted = 0;
            }
            self.large.offset_from(self.tree.larges) as u32
        };
        let count = chunks(self.task.count);
        self.tree
            .put(self.warp, COUNT_CHUNK, self.chunk_task(place), count);
        true
    }

    /// The better one of the split that `look_closer` kept and one within the
    /// bin in focus.
    ///
    /// # Safety
    ///
    /// As for `look_closer`.
    #[inline(always)]
    pub(super) unsafe fn better(&self, found: Option<BinSplit>) -> BinSplit {
        let large = self.large;
        // SAFETY: all chunks are counted, so the large node is this warp's.
        let kept = unsafe {
            BinSplit {
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
            Some(found) if found.cost < kept.cost => found,
            _ => kept,
        }
    }

    /// Clears the large node's histogram.
    ///
    /// # Safety
    ///
    /// The large node is this warp's.
    #[inline(always)]
    unsafe fn clear_large(&self) {
        let mut index = self.warp.lane();
        while index < HISTOGRAM_WORDS {
            // SAFETY: the index is within the histogram. Relaxed: other warps
            // see it after `put`.
            unsafe { histogram(self.large, index).store(0, Relaxed) };
            index += W::LANES;
        }
    }

    /// Counts this warp as finished with a phase; whether it is the last.
    ///
    /// # Safety
    ///
    /// `counter` is one of the large node; all lanes of the warp make the call.
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

    /// Stores the chosen split, tells each chunk its places, and puts the
    /// chunks into the queue again.
    ///
    /// # Safety
    ///
    /// As for `look_closer`; the builder's split and its blocks are those of the node.
    #[inline(always)]
    pub(super) unsafe fn partition_large(&mut self) {
        let split = self.split;
        let partition = split.partition;
        let mask = (1 << CHUNK_BITS) - 1;
        let count = chunks(self.task.count);
        let list = kept_histogram(partition.focus()) + partition.list() * BINS;
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
                        let rest = word >> (2 * CHUNK_BITS);
                        if partition.rest_below() {
                            below_here += rest;
                        } else {
                            above_here += rest;
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
                    mem::write(self.chunk_word(chunk, PLACES), below - below_here);
                    mem::write(self.chunk_word(chunk, PLACES + 1), above - above_here);
                }
            }
            below += self.warp.shuffle(W::FULL, sum_below, W::LANES - 1);
            above += self.warp.shuffle(W::FULL, sum_above, W::LANES - 1);
            base += W::LANES;
        }
        // SAFETY: the large node is the last warp's until `put`.
        let place = unsafe {
            if self.warp.lane() == 0 {
                let large = self.large;
                (*large).axis = split.axis;
                (*large).partition = partition;
                (*large).position = split.position;
                ((*large).below, (*large).above) = (split.below, split.above);
                (*large).block_below = split.block_below;
                (*large).block_above = split.block_above;
            }
            self.large.offset_from(self.tree.larges) as u32
        };
        self.tree
            .put(self.warp, DIVIDE_CHUNK, self.chunk_task(place), count);
    }

    /// Where the chunk's references go below and above.
    ///
    /// # Safety
    ///
    /// The kernel's contract holds, and `partition_large` has put the chunk into the queue.
    #[inline(always)]
    pub(super) unsafe fn chunk_places(&self) -> (u32, u32) {
        // SAFETY: `partition_large` has written them.
        unsafe {
            (
                mem::read(self.chunk_word(self.chunk, PLACES)),
                mem::read(self.chunk_word(self.chunk, PLACES + 1)),
            )
        }
    }

    /// Ends the partition of a chunk. True for the last; then the split is the
    /// node's.
    ///
    /// # Safety
    ///
    /// As for `chunk_places`; all lanes of the warp call this when the chunk is divided.
    #[inline(always)]
    pub(super) unsafe fn end_chunk(&mut self) -> bool {
        // SAFETY: the split is not written any more.
        unsafe {
            let divided = &raw mut (*self.large).divided;
            if !self.is_last(divided) {
                return false;
            }
            let large = self.large;
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
/// `large` is one of the arguments' large nodes, and `index` is below `HISTOGRAM_WORDS`.
#[inline(always)]
unsafe fn histogram<'a>(large: *mut Large, index: u32) -> &'a AtomicU32 {
    // SAFETY: the caller's promise; histograms are accessed atomically only.
    unsafe {
        let first = (&raw mut (*large).histogram).cast::<AtomicU32>();
        &*first.add(index as usize)
    }
}
