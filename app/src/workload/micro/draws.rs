//! The parameters of `probability`: how often its kernel is launched, and with which probabilities.

use heapwood_device::bench::{Probability, ProbabilityArguments, chance};
use heapwood_device::launch::Call;

use super::Draws;

/// Draws that free all blocks.
pub(super) const CLEARING: Draws = Draws {
    launches: 1,
    p_alloc: 0.0,
    p_free: 1.0,
};

/// The launches of draws; `arguments` has all but their parameters.
pub(super) fn calls(draws: Draws, arguments: ProbabilityArguments) -> impl Iterator<Item = Call> {
    (0..draws.launches).map(move |launch| {
        Call::of::<Probability>(ProbabilityArguments {
            allocates: chance(draws.p_alloc),
            frees: chance(draws.p_free),
            launch,
            ..arguments
        })
    })
}
