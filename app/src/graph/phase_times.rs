//! Times of the phases of updates.

use heapwood_device::graph::batch::Phase;

/// Times of the phases of one or more batches, in milliseconds.
///
/// ```
/// use heapwood::graph::{Phase, PhaseTimes};
///
/// let mut times = PhaseTimes::default();
/// times.add(Phase::Sort, 0.5);
/// times.add(Phase::Free, 0.25);
/// assert_eq!((times.total(), times.apply(), times.of(Phase::Sort)), (0.75, 0.25, 0.5));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseTimes {
    /// In the order of [`Phase::ALL`].
    ms: [f64; Phase::ALL.len()],
}

impl PhaseTimes {
    /// Adds what a phase took.
    pub fn add(&mut self, phase: Phase, ms: f64) {
        self.ms[phase as usize] += ms;
    }

    /// Adds all phases of another batch.
    pub fn add_all(&mut self, other: &Self) {
        for (sum, ms) in self.ms.iter_mut().zip(other.ms) {
            *sum += ms;
        }
    }

    /// The time of a phase.
    pub fn of(&self, phase: Phase) -> f64 {
        self.ms[phase as usize]
    }

    /// All phases.
    pub fn total(&self) -> f64 {
        self.ms.iter().sum()
    }

    /// All phases but sorting.
    pub fn apply(&self) -> f64 {
        self.total() - self.of(Phase::Sort)
    }
}
