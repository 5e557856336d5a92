//! The end of a batch: everything is switched over, or nothing.
//!
//! One lane acts for each vertex, or the warp for one with many neighbours. Nothing here can
//! fail. Only here are blocks changed in place, after every request of the batch was served.
//! Blocks are freed by a launch of its own, [`FreeBlocks`]: those that were left, or the new ones
//! of a batch that is given up.

use core::sync::atomic::Ordering::Relaxed;

use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::graph::store::block_bytes;
use crate::graph::store::changes::{Changes, Run};
use crate::graph::store::contiguous::in_place;
use crate::graph::store::runs::Runs;
use crate::graph::store::update::{Class, Update, UpdateArguments};
use crate::kernel::Kernel;
use crate::simt::{Warp, leader};

/// Blocks of more neighbours than this are changed in place by a warp, if it has several
/// lanes.
pub const MAX_LANE_DEGREE: u32 = 32;

/// Switches over to the new blocks, and changes the others in place.
pub struct Commit;

impl Commit {
    /// Ends a run of changes; false if that is left to the warp. Its handle and
    /// word are from then on those of the block to free: how many entries that has room for,
    /// or 0 if there is none.
    ///
    /// # Safety
    ///
    /// The run is one of a batch that nothing refused, for which `Prepare` and `Relocate`
    /// have run, and this lane alone accesses what belongs to the run and to its vertex.
    #[inline(always)]
    unsafe fn end_run<W: Warp, A: DeviceHeap<W> + ?Sized>(changes: &Changes, run: Run) -> bool {
        let vertex = changes.source(run.first());
        let handle = changes.handle::<A::Handle>(vertex);
        let fresh = changes.fresh::<A::Handle>(run.first());
        let moved = changes.moved(run.first());
        let mut record = changes.record(vertex);
        let degree = changes.new_degree(record.degree, run.length());
        // SAFETY: the words and handles of the run and of its vertex are this lane's, and so are the
        // blocks: a new one where `Prepare` was granted one, else the vertex', which has room.
        unsafe {
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
                    record.address = address;
                    record.capacity = *changes.fresh_capacity(run.first());
                }
                *fresh = old;
            } else if !W::IS_SOLO && record.degree > MAX_LANE_DEGREE {
                return false;
            } else if changes.deletes() {
                in_place::delete(changes, record.entries(), record.degree, run);
            } else {
                in_place::insert::<true>(changes, record.entries(), record.degree, run);
            }
            record.degree = degree;
            record.pad();
            changes.set_record(vertex, record);
            true
        }
    }
}

impl Kernel for Commit {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, _heap: &A, update: UpdateArguments) {
        // SAFETY: the kernel's contract; `Prepare` wrote the words of each run, and `Relocate`
        // filled its block; a run is one lane's, and so is its vertex.
        unsafe {
            let update = Update::new(update);
            // Relaxed: written by an earlier launch.
            if update.refused().load(Relaxed) != 0 {
                return;
            }
            let changes = Changes::new(update);
            let mut runs = Runs::new(warp, &changes);
            while runs.list() {
                let mut row = 0;
                while row < runs.length() {
                    let run = runs.of_lane(row);
                    let is_left = run.is_some_and(|run| !Self::end_run::<W, A>(&changes, run));
                    let mut left = warp.ballot(W::FULL, is_left);
                    while left != 0 {
                        let run = Run::of_lane(warp, run, leader(left));
                        in_place::change_together::<true, W>(warp, &changes, run);
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
            let changes = Changes::new(Update::new(update));
            let mut runs = Runs::new(warp, &changes);
            while runs.list() {
                let left = runs.order_by_class(|run| {
                    let word = *changes.moved(run.first());
                    // All addresses are of one class: they are more than a class counts.
                    let entries = if word < u64::from(u32::MAX) {
                        word as u32
                    } else {
                        u32::MAX
                    };
                    (entries > 0).then(|| Class::of(block_bytes(entries, changes.is_weighted())))
                });
                let mut row = 0;
                while row < left.length() {
                    if let Some(first) = left.get(row + warp.lane()) {
                        heap.free_coalesced(warp, *changes.fresh::<A::Handle>(first));
                    }
                    // The lanes come together before the next call, as `free_coalesced` wants.
                    warp.sync(W::FULL);
                    row += W::LANES;
                }
            }
        }
    }
}
