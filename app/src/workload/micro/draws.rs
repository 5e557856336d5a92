//! What `probability` draws: how often its kernel is launched, and with which probabilities.

use heapwood_device::bench::{Probability, ProbabilityArguments, chance};
use heapwood_device::launch::Call;
use serde::{Deserialize, Serialize};

/// The parameters of `probability`. The default is what Vinkler and Havran state (2014, section
/// 6 and Table 2).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draws {
    /// Launches of the kernel, one after the other, which a sample times together.
    pub launches: u32,
    /// Probability that a warp without a block requests one, in each launch.
    pub p_alloc: f64,
    /// Probability that a warp with a block frees it, in each launch.
    pub p_free: f64,
}

impl Default for Draws {
    fn default() -> Self {
        Self {
            launches: 10,
            p_alloc: 0.75,
            p_free: 0.75,
        }
    }
}

impl Draws {
    /// Those that free all blocks.
    pub(super) const CLEARING: Self = Self {
        launches: 1,
        p_alloc: 0.0,
        p_free: 1.0,
    };

    /// The launches, of which all but these parameters are given.
    pub(super) fn calls(self, arguments: ProbabilityArguments) -> impl Iterator<Item = Call> {
        (0..self.launches).map(move |launch| {
            Call::of::<Probability>(ProbabilityArguments {
                allocates: chance(self.p_alloc),
                frees: chance(self.p_free),
                launch,
                ..arguments
            })
        })
    }
}
