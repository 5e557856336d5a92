//! The end of a batch: everything is switched over, or nothing.
//!
//! One lane acts for each vertex, or the warp for one with many neighbours. Nothing here can
//! fail. Only here are blocks changed in place, after every request of the batch was served.
//! Blocks are freed by a launch of its own, [`FreeBlocks`]: those that were left, or the new ones
//! of a batch that is given up.

use core::sync::atomic::Ordering::Relaxed;

use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::graph::store::capacity_for;
use crate::graph::store::contiguous::in_place;
use crate::graph::store::runs::{NO_CLASS, Runs, class_of};
use crate::graph::store::update::UpdateArguments;
use crate::kernel::Kernel;
use crate::simt::{Warp, leader};

/// Blocks of more neighbours than this are changed in place by a warp, if it has several
/// lanes.
const MAX_LANE_DEGREE: u32 = 32;

/// Switches over to the new blocks, and changes the others in place.
pub struct Commit;

impl Commit {
    /// Ends the run of changes `first..end`; false if that is left to the warp. Its handle and
    /// word are from then on those of the block to free: how many entries that has room for,
    /// or 0 if there is none.
    ///
    /// # Safety
    ///
    /// The run is one of a batch that nothing refused, for which `Prepare` and `Relocate`
    /// have run, and this lane alone accesses what belongs to the run and to its vertex.
    #[inline(always)]
    unsafe fn end_run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        heap: &A,
        update: &UpdateArguments,
        first: u32,
        end: u32,
    ) -> bool {
        // SAFETY: the caller's promise; there is a handle and a word for each key.
        unsafe {
            let vertex = update.form().source(update.change(first)) as usize;
            let handle = update.handles.cast::<A::Handle>().add(vertex);
            let fresh = update.fresh.cast::<A::Handle>().add(first as usize);
            let moved = update.moved.add(first as usize);
            let mut record = *update.records.add(vertex);
            let degree = update.new_degree(record.degree, end - first);
            let address = *moved;
            let is_left = address != 0 || degree == 0;
            *moved = if is_left {
                u64::from(record.capacity)
            } else {
                0
            };
            if is_left {
                let old = *handle;
                if degree == 0 {
                    *handle = A::Handle::NULL;
                    record.capacity = 0;
                } else {
                    *handle = *fresh;
                    let usable = heap.usable(*fresh, u64::from(capacity_for(degree)) * 4);
                    record.address = address;
                    record.capacity = (usable / 16 * 4) as u32;
                }
                *fresh = old;
            } else if !W::IS_SOLO && record.degree > MAX_LANE_DEGREE {
                return false;
            } else if update.deletes() {
                in_place::delete(update, &record, first, end);
            } else {
                in_place::insert(update, &record, first, end);
            }
            record.degree = degree;
            record.pad();
            *update.records.add(vertex) = record;
            true
        }
    }
}

impl Kernel for Commit {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, update: UpdateArguments) {
        // SAFETY: the kernel's contract; `Prepare` wrote the words of each run, and `Relocate`
        // filled its block; a run is one lane's, and so is its vertex.
        unsafe {
            // Relaxed: written by an earlier launch.
            if update.refused().load(Relaxed) != 0 {
                return;
            }
            let mut runs = Runs::new(warp, &update);
            while runs.list(warp, &update) {
                let mut row = 0;
                while row < runs.length {
                    let index = row + warp.lane();
                    let (mut run, mut is_left) = ((0, 0), false);
                    if index < runs.length {
                        run = runs.run(&update, index);
                        is_left = !Self::end_run::<W, A>(heap, &update, run.0, run.1);
                    }
                    let mut left = warp.ballot(W::FULL, is_left);
                    while left != 0 {
                        let lane = leader(left);
                        let first = warp.shuffle(W::FULL, run.0, lane);
                        let end = warp.shuffle(W::FULL, run.1, lane);
                        in_place::change_together(warp, &update, first, end);
                        left &= left - 1;
                    }
                    row += W::LANES;
                }
            }
        }
    }
}

/// Frees the blocks that vertices have left; of a batch that was refused, the new ones.
pub struct FreeBlocks;

impl Kernel for FreeBlocks {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, update: UpdateArguments) {
        // SAFETY: the kernel's contract; a run's word is not 0 if its handle is that of a block
        // that no record has: after `Commit` of one that was left, whose room it is, or
        // without it of one that `Prepare` was granted, whose address it is. A run is one
        // lane's.
        unsafe {
            let mut runs = Runs::new(warp, &update);
            while runs.list(warp, &update) {
                let mut index = warp.lane();
                while index < runs.length {
                    let word = *update.moved.add(runs.first(index) as usize);
                    // All addresses are of one class: they are more than a class counts.
                    let entries = if word < u64::from(u32::MAX) {
                        word as u32
                    } else {
                        u32::MAX
                    };
                    let class = if entries == 0 {
                        NO_CLASS
                    } else {
                        class_of(entries)
                    };
                    runs.set_class(index, class);
                    index += W::LANES;
                }
                warp.sync(W::FULL);
                let left = runs.order_by_class(warp);
                let mut row = 0;
                while row < left {
                    let at = row + warp.lane();
                    if at < left {
                        let fresh = update.fresh.cast::<A::Handle>();
                        heap.free_coalesced(warp, *fresh.add(runs.ordered(at) as usize));
                    }
                    // The lanes come together before the next call, as `free_coalesced` wants.
                    warp.sync(W::FULL);
                    row += W::LANES;
                }
            }
        }
    }
}
