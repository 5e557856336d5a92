//! The papers' microbenchmarks, and the stress and churn kernels of the conformance
//! suite.

mod churn;
mod fragmentation;
mod probability;
mod stress;
mod threads;
mod turns;
mod warps;

pub use churn::{CHURN_WORDS, Churn, ChurnArguments, ChurnCounts, PLACE_WORDS};
pub use fragmentation::{
    COVER_WORDS, Cover, CoverArguments, Covered, FreeHalf, FreeKept, Keep, KeepArguments,
};
pub use probability::{Probability, ProbabilityArguments, chance};
pub(crate) use stress::mix;
pub use stress::{STRESS_WORDS, Stress, StressArguments, StressCounts};
pub use threads::{
    Fill, Pair, PairCoalesced, ThreadsArguments, ThreadsFree, ThreadsFreeCoalesced, ThreadsMalloc,
    ThreadsMallocCoalesced, Verify, VerifyArguments, size_of_thread,
};
pub use turns::{Turns, TurnsArguments};
pub use warps::{AllocCycleDealloc, AllocDealloc, MAX_KEPT_BLOCKS, WARPS_WORDS, WarpsArguments};
