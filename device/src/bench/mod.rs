//! The papers' microbenchmarks and the stress kernel of the conformance suite.

mod stress;
mod threads;
mod warps;

pub use stress::{STRESS_WORDS, Stress, StressArguments, StressCounts};
pub use threads::{
    Fill, Pair, PairCoalesced, ThreadsArguments, ThreadsFree, ThreadsFreeCoalesced, ThreadsMalloc,
    ThreadsMallocCoalesced, Verify, VerifyArguments, size_of_thread,
};
pub use warps::{AllocCycleDealloc, AllocDealloc, KEPT_MOST, WARPS_WORDS, WarpsArguments};
