//! The state of a search between two steps.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::{Paths, word};

/// The state that a step begins with.
#[derive(Clone, Copy)]
pub struct Front {
    /// Chunks of near vertices.
    pub near: u32,
    /// Far vertices.
    pub far: u32,
    /// Vertices below this distance are near.
    pub bound: u64,
    /// Divisions before.
    pub divisions: u32,
    /// The number of the step.
    pub number: u32,
    /// Steps before that have relaxed edges.
    pub relaxed: u32,
}

impl Front {
    /// The state that this launch begins with.
    #[inline(always)]
    pub fn load(paths: &Paths) -> Self {
        // Relaxed: written by the launch before.
        let divisions = paths.frontier::<{ word::DIVISIONS }>(0).load(Relaxed) as u32;
        Self {
            near: paths.frontier::<{ word::NEAR }>(0).load(Relaxed) as u32,
            far: paths.pile::<{ word::FAR }>(divisions).load(Relaxed) as u32,
            bound: paths.frontier::<{ word::BOUND }>(0).load(Relaxed),
            divisions,
            number: paths.frontier::<{ word::STEP }>(0).load(Relaxed) as u32,
            relaxed: paths.frontier::<{ word::RELAXED }>(0).load(Relaxed) as u32,
        }
    }

    /// Writes the record of the next step, but for counts of warps. One lane of the launch calls this.
    #[inline(always)]
    pub fn pass_on(&self, paths: &Paths) {
        // Relaxed, here and below: the next launch reads them. No lane reads the words of the frontier
        // after the next, and of the pile after that, in this one.
        let set = |word: &AtomicU64, value: u64| word.store(value, Relaxed);
        set(paths.frontier::<{ word::BOUND }>(1), self.bound);
        let divisions = paths.frontier::<{ word::DIVISIONS }>(1);
        set(divisions, self.divisions.into());
        let number = u64::from(self.number + 1);
        set(paths.frontier::<{ word::STEP }>(1), number);
        set(paths.frontier::<{ word::RELAXED }>(1), self.relaxed.into());
        set(paths.frontier::<{ word::NEAR }>(2), 0);
        let after = self.divisions + 1;
        set(paths.pile::<{ word::FAR }>(after), 0);
        set(paths.pile::<{ word::MIN_DISTANCE }>(after), 0);
    }

    /// The bound that the next division raises this one to.
    #[inline(always)]
    pub fn bound_of_division(&self, paths: &Paths) -> u64 {
        // Relaxed: written by launches before.
        let least = !paths
            .pile::<{ word::MIN_DISTANCE }>(self.divisions)
            .load(Relaxed);
        // No far vertex has a distance below the least one.
        let from = if least > self.bound {
            least
        } else {
            self.bound
        };
        paths.next_bound(from)
    }
}
