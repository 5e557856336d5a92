//! A pass over references of a node: each triangle is clipped to the node and
//! its bounds are counted into bins, kept, or decide where the reference goes.
//!
//! The three are one function, so that clipping, the largest piece of code, is
//! compiled once.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::SharedU32;

use super::geometry::{Aabb, bounds, clipped, pick, to_key};
use super::sah::{BINS, Bins};
use super::scratch::{KEPT_STRIDE, Scratch};
use super::tables::{CLIP, OVERWRITTEN, Partition, SUM_WORDS, TreeArguments};
use crate::simt::{Warp, rank};

/// What a pass does with the bounds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Adds them to the histogram in scratch memory.
    Count,
    /// Keeps them in scratch memory.
    Keep,
    /// Copies the reference to one side of a plane between bins, or to both.
    Partition,
}

/// One side of a partition: where references go.
#[derive(Clone, Copy)]
pub struct Side {
    /// The array.
    pub ids: *mut u32,
    /// The next free place of this pass.
    pub next: u32,
    /// Places of the array.
    pub room: u32,
}

impl Side {
    /// Appends the `id` of each lane in `takers`, in the order of lanes.
    ///
    /// # Safety
    ///
    /// The array has `room` places, and unless references may be garbage
    /// (`checked`) the takers of all passes together fit.
    #[inline(always)]
    unsafe fn append<W: Warp>(&mut self, warp: W, takers: u32, id: u32, checked: bool) {
        let place = self.next + rank(takers, warp.lane());
        if takers >> warp.lane() & 1 == 1 && (!checked || place < self.room) {
            // SAFETY: within the array, by the contract or the comparison.
            unsafe { self.ids.add(place as usize).write(id) };
        }
        self.next += takers.count_ones();
    }
}

/// A pass: which references, of which box, and what for.
#[derive(Clone, Copy)]
pub struct Pass {
    /// The references, or what `order` numbers.
    pub ids: *const u32,
    /// Places of the references in `ids`; null if they are in order.
    pub order: *const u32,
    /// First reference.
    pub from: u32,
    /// Behind the last reference.
    pub to: u32,
    /// The node's box.
    pub space: Aabb,
    /// What to do.
    pub action: Action,
    /// Axis of the partition.
    pub axis: u32,
    /// The partition, and the focus of the bins.
    pub partition: Partition,
    /// Where references below go.
    pub below: Side,
    /// Where references above go.
    pub above: Side,
}

impl Pass {
    /// Runs the pass. Collective. With `checked`, references may be garbage:
    /// those that name no triangle end the build.
    ///
    /// # Safety
    ///
    /// The arrays of the pass are as it says, valid, and this warp's to use;
    /// `Keep` has at most `SMALL` references.
    #[inline(always)]
    pub unsafe fn run<W: Warp>(
        &mut self,
        warp: W,
        tree: &TreeArguments,
        scratch: Scratch,
        checked: bool,
    ) {
        let bins = Bins::new(self.space, self.partition.focus());
        let mut base = self.from;
        while base < self.to {
            let index = base + warp.lane();
            let mut active = index < self.to;
            let mut id = 0;
            if active {
                // SAFETY: the caller's promise.
                unsafe {
                    let place = if self.order.is_null() {
                        index
                    } else {
                        *self.order.add(index as usize)
                    };
                    id = *self.ids.add(place as usize);
                }
                if checked && id >= tree.count {
                    tree.fail(OVERWRITTEN, 0);
                    active = false;
                }
            }
            let mut part = Aabb::EMPTY;
            if active {
                // SAFETY: references name triangles; garbage was sorted out.
                let triangle = unsafe { tree.triangle(id) };
                part = if tree.has(CLIP) {
                    clipped(&triangle, self.space)
                } else {
                    bounds(&triangle).clamped(self.space)
                };
            }
            match self.action {
                Action::Count => {
                    let beside = bins.beside(part);
                    if active && beside == (false, false) {
                        count(scratch, bins, part);
                    }
                    if !bins.is_whole() {
                        let before = warp.ballot(W::FULL, active && beside.0).count_ones();
                        let behind = warp.ballot(W::FULL, active && beside.1).count_ones();
                        count_beside(warp, scratch, before, behind);
                    }
                }
                Action::Keep if active => keep(scratch, index, part),
                Action::Partition => {
                    let (lo, hi) = (pick(part.lo, self.axis), pick(part.hi, self.axis));
                    let (mut below, mut above) = (false, false);
                    if active {
                        let (start, end) = bins.of(self.partition.list(), lo, hi);
                        (below, above) = self.partition.of(start, end);
                    }
                    let below = warp.ballot(W::FULL, below);
                    let above = warp.ballot(W::FULL, above);
                    // SAFETY: the node's split was chosen by the counts of the
                    // same bins, and the arrays were allocated by them.
                    unsafe {
                        self.below.append(warp, below, id, checked);
                        self.above.append(warp, above, id, checked);
                    }
                }
                _ => {}
            }
            base += W::LANES;
        }
        warp.sync(W::FULL);
    }
}

/// Adds numbers of references before and behind the bin in focus to the outer
/// bins of each list, in which they start and end: once for all lanes, which
/// would queue up at these few words. Collective.
#[inline(always)]
fn count_beside<W: Warp>(warp: W, scratch: Scratch, before: u32, behind: u32) {
    let mut list = warp.lane();
    while list < 6 {
        // SAFETY: list and bins are in range, so the words are in scratch.
        let word = |bin: u32| unsafe { &*scratch.histogram(list * BINS + bin).cast::<SharedU32>() };
        // Relaxed: read after a `sync`.
        word(0).fetch_add(before, Relaxed);
        word(BINS - 1).fetch_add(behind, Relaxed);
        list += W::LANES;
    }
}

/// Adds bounds to the histogram.
#[inline(always)]
fn count(scratch: Scratch, bins: Bins, part: Aabb) {
    for list in 0..3 {
        // Picked, not indexed: an array indexed at run time leaves registers.
        let axis = bins.axis(list);
        let (lo, hi) = (pick(part.lo, axis), pick(part.hi, axis));
        let (start, end) = bins.of(list, lo, hi);
        // SAFETY: axis and bin are in range, so the word is in scratch.
        let word = |index: u32| unsafe { &*scratch.histogram(index).cast::<SharedU32>() };
        // Relaxed: read after a `sync`.
        if lo == hi {
            word((6 + list) * BINS + end).fetch_add(1, Relaxed);
        }
        let (start, end) = (list * BINS + start, (3 + list) * BINS + end);
        word(start).fetch_add(1, Relaxed);
        word(end).fetch_add(1, Relaxed);
        word(SUM_WORDS + start).fetch_max(!to_key(lo), Relaxed);
        word(SUM_WORDS + end).fetch_max(to_key(hi), Relaxed);
    }
}

/// Keeps the bounds of reference `index`.
#[inline(always)]
fn keep(scratch: Scratch, index: u32, part: Aabb) {
    for axis in 0..3 {
        // SAFETY: a node whose bounds are kept is small.
        unsafe {
            scratch
                .kept(axis as u32 * KEPT_STRIDE + index)
                .write(part.lo[axis]);
            scratch
                .kept((3 + axis as u32) * KEPT_STRIDE + index)
                .write(part.hi[axis]);
        }
    }
}
