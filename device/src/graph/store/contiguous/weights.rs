//! The weights of blocks that change in place.

use core::sync::atomic::Ordering::Relaxed;

use super::commit::MAX_LANE_DEGREE;
use super::in_place;
use crate::graph::store::changes::{Changes, Run};
use crate::graph::store::runs::Runs;
use crate::graph::store::update::{Update, UpdateArguments};
use crate::kernel::PlainKernel;
use crate::simt::{Warp, leader};

/// Moves the weights of neighbours that stay to where `Commit` moves the neighbours, a launch before
/// it: the records are the old ones.
pub struct ShiftWeights;

impl PlainKernel for ShiftWeights {
    type Arguments = UpdateArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, update: UpdateArguments) {
        // SAFETY: the kernel's contract; `Prepare` wrote the words of each run; a run is one lane's or
        // one warp's, and so are the weights of its vertex.
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
                    let is_left = run.is_some_and(|run| !Self::shift_alone::<W>(&changes, run));
                    let mut left = warp.ballot(W::FULL, is_left);
                    while left != 0 {
                        let run = Run::of_lane(warp, run, leader(left));
                        in_place::change_together::<false, W>(warp, &changes, run);
                        left &= left - 1;
                    }
                    row += W::LANES;
                }
            }
        }
    }
}

impl ShiftWeights {
    /// Shifts the weights of a run if its block stays; false if that is left to the warp.
    ///
    /// # Safety
    ///
    /// The run is one of a batch that nothing refused, and this lane alone accesses its block.
    #[inline(always)]
    unsafe fn shift_alone<W: Warp>(changes: &Changes, run: Run) -> bool {
        let record = changes.record(changes.source(run.first()));
        // SAFETY: `Prepare` has written the word; the block has room for what the run makes.
        unsafe {
            let is_moved = *changes.moved(run.first()) != 0;
            if is_moved || changes.new_degree(record.degree, run.length()) == 0 {
                return true;
            }
            if !W::IS_SOLO && record.degree > MAX_LANE_DEGREE {
                return false;
            }
            if changes.deletes() {
                in_place::delete(changes, record.weights(), record.degree, run);
            } else {
                in_place::insert::<false>(changes, record.weights(), record.degree, run);
            }
            true
        }
    }
}
