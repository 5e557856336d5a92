//! A pass over references of a node. It clips each triangle to the node, and counts the
//! bounds into bins, keeps them, or partitions the reference by them.
//!
//! The three kinds share one function, so that clipping, the largest piece of code, is
//! compiled once.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::SharedU32;

use super::items::Items;
use super::scratch::{Scratch, item_word};
use crate::kdtree::bins::{BINS, Bins, SUM_WORDS};
use crate::kdtree::bounds::{Bounds, pick, to_key};
use crate::kdtree::clip::clipped;
use crate::kdtree::partition::Partition;
use crate::kdtree::workspace::Workspace;
use crate::kdtree::workspace::arguments::CLIP;
use crate::kdtree::workspace::header::Failure;
use crate::simt::{Warp, rank};

/// The work of a pass on the bounds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PassKind {
    /// Counts them into bins, in the histogram in scratch memory.
    Bin,
    /// Keeps those of a batch in scratch memory.
    Keep,
    /// Copies the reference to one side of a plane between bins, or to both.
    Partition,
}

/// Where the references of one side of a partition go.
#[derive(Clone, Copy)]
pub struct Destination {
    /// The array.
    pub references: *mut u32,
    /// The offset of the next reference of this pass.
    pub next: u32,
    /// The offset behind the last one, by what was counted.
    pub end: u32,
}

impl Destination {
    /// Appends the `id` of each lane in `takers`, in the order of lanes. An item that was not
    /// counted is not written.
    ///
    /// # Safety
    ///
    /// The array reaches to the end of this pass, no other thread writes to the part of this pass,
    /// and all lanes of the warp make the call.
    #[inline(always)]
    unsafe fn append<W: Warp>(&mut self, warp: W, takers: u32, id: u32) {
        let offset = self.next + rank(takers, warp.lane());
        if takers >> warp.lane() & 1 == 1 && offset < self.end {
            // SAFETY: within the part of this pass, by the comparison.
            unsafe { self.references.add(offset as usize).write(id) };
        }
        self.next += takers.count_ones();
    }
}

/// A pass: its references, their box, and its purpose.
#[derive(Clone, Copy)]
pub struct Pass {
    /// An array of references.
    pub references: *const u32,
    /// The items of the batch.
    pub items: Items,
    /// The first reference of the pass, or item of the batch.
    pub from: u32,
    /// The one behind the last.
    pub to: u32,
    /// The node's box.
    pub bounds: Bounds,
    /// The work to do on bounds.
    pub kind: PassKind,
    /// Axis of the partition.
    pub axis: u32,
    /// The partition, and the refined bin.
    pub partition: Partition,
    /// Where references below go.
    pub below: Destination,
    /// Where references above go.
    pub above: Destination,
}

impl Pass {
    /// Runs the pass. Collective.
    ///
    /// References that a partition writes were counted by another pass, from bounds that are
    /// computed anew. No access rests on these being the same: a reference that names no triangle
    /// ends the build, and so does a side that gets more or fewer references than were counted. An
    /// allocator that grants memory in use causes both.
    ///
    /// # Safety
    ///
    /// The arrays of the pass are as described there, valid, and this warp's to use; all
    /// lanes of the warp make the call. `Keep` is for all items of the batch.
    #[inline(always)]
    pub unsafe fn run<W: Warp>(&mut self, warp: W, workspace: &Workspace, scratch: Scratch) {
        let bins = Bins::new(self.bounds, self.partition.refined());
        let mut is_wrong = false;
        let mut base = self.from;
        while base < self.to {
            let index = base + warp.lane();
            let mut active = index < self.to;
            let mut id = 0;
            let mut bounds = self.bounds;
            if active {
                // SAFETY: the index is below the end of the pass, which is that of the items or of the
                // array.
                unsafe {
                    let mut position = index;
                    if self.kind == PassKind::Keep {
                        let item = self.items.at(index);
                        position = item_word::index(item.word());
                        bounds = item.node_bounds();
                    }
                    id = *self.references.add(position as usize);
                }
                if id >= workspace.count {
                    (active, is_wrong) = (false, true);
                }
            }
            let mut part = Bounds::EMPTY;
            if active {
                // SAFETY: references name triangles; those that do not are left out.
                let triangle = unsafe { workspace.triangle(id) };
                part = if workspace.has(CLIP) {
                    clipped(&triangle, bounds)
                } else {
                    Bounds::of(&triangle).clamped(bounds)
                };
            }
            match self.kind {
                PassKind::Bin => {
                    let beside = bins.beside(part);
                    if active && beside == (false, false) {
                        // SAFETY: the lanes of the warp access the histogram in no other way
                        // during the pass.
                        unsafe { count(scratch, bins, part) };
                    }
                    if !bins.is_whole() {
                        let before = warp.ballot(W::FULL, active && beside.0).count_ones();
                        let behind = warp.ballot(W::FULL, active && beside.1).count_ones();
                        // SAFETY: as above.
                        unsafe { count_beside(warp, scratch, before, behind) };
                    }
                }
                PassKind::Keep if active => {
                    // SAFETY: as above; the item is this lane's.
                    unsafe { self.items.at(index) }.keep(part);
                }
                PassKind::Partition => {
                    let (min, max) = (pick(part.min, self.axis), pick(part.max, self.axis));
                    let (mut below, mut above) = (false, false);
                    if active {
                        let (start, end) = bins.span(self.partition.list(), min, max);
                        (below, above) = self.partition.sides(start, end);
                    }
                    let below = warp.ballot(W::FULL, below);
                    let above = warp.ballot(W::FULL, above);
                    // SAFETY: the arrays have the sizes that were counted when the split was
                    // chosen.
                    unsafe {
                        self.below.append(warp, below, id);
                        self.above.append(warp, above, id);
                    }
                }
                _ => {}
            }
            base += W::LANES;
        }
        if self.kind == PassKind::Partition {
            is_wrong |= self.below.next != self.below.end || self.above.next != self.above.end;
        }
        if is_wrong {
            workspace.fail(Failure::Overwritten, 0);
        }
        warp.sync(W::FULL);
    }
}

/// Adds numbers of references before and behind the refined bin to the outer bins of
/// each list, in which they start and end. One addition stands for all lanes, whose own
/// would contend for these few words. Collective.
///
/// # Safety
///
/// The lanes of the warp access the histogram by atomic operations alone.
#[inline(always)]
unsafe fn count_beside<W: Warp>(warp: W, scratch: Scratch, before: u32, behind: u32) {
    let mut list = warp.lane();
    while list < 6 {
        // SAFETY: lists are below 6 and bins below `BINS`, so the word is in the histogram, where
        // all accesses of a pass are atomic.
        let word = |bin: u32| unsafe { &*scratch.histogram(list * BINS + bin).cast::<SharedU32>() };
        // Relaxed: read after a `sync`.
        word(0).fetch_add(before, Relaxed);
        word(BINS - 1).fetch_add(behind, Relaxed);
        list += W::LANES;
    }
}

/// Adds bounds to the histogram.
///
/// # Safety
///
/// The lanes of the warp access the histogram by atomic operations alone.
#[inline(always)]
unsafe fn count(scratch: Scratch, bins: Bins, part: Bounds) {
    for list in 0..3 {
        // Picked, not indexed: an array indexed at run time leaves registers.
        let axis = bins.axis(list);
        let (min, max) = (pick(part.min, axis), pick(part.max, axis));
        let (start, end) = bins.span(list, min, max);
        // SAFETY: lists are below 9 and bins below `BINS`, so the word is in the histogram, where
        // all accesses of a pass are atomic.
        let word = |index: u32| unsafe { &*scratch.histogram(index).cast::<SharedU32>() };
        // Relaxed: read after a `sync`.
        if min == max {
            word((6 + list) * BINS + end).fetch_add(1, Relaxed);
        }
        let (start, end) = (list * BINS + start, (3 + list) * BINS + end);
        word(start).fetch_add(1, Relaxed);
        word(end).fetch_add(1, Relaxed);
        word(SUM_WORDS + start).fetch_max(!to_key(min), Relaxed);
        word(SUM_WORDS + end).fetch_max(to_key(max), Relaxed);
    }
}
