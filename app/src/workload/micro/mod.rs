//! The papers' microbenchmarks: their cases, how they are measured, their rows.
//!
//! A case is one workload at one size over one allocator, on a warm or a cold
//! heap. A row is its result, and a failure is a result.
//!
//! ```
//! use heapwood::allocators::Spec;
//! use heapwood::backend::{Choice, Options};
//! use heapwood::job::Runner;
//! use heapwood::workload::micro::{HeapState, Microbenchmark, Plan, Size, Suite, verdict};
//!
//! let backend = Options { choice: Choice::Cpu, ..Options::default() };
//! let suite = Suite {
//!     workload: Microbenchmark::Threads,
//!     allocators: vec![Spec::parse("atomicmalloc")?, Spec::parse("ouroboros-p-va")?],
//!     heaps: vec![HeapState::Warm],
//!     sizes: Size::product(&[1000], &[64, 256], &[1]),
//!     draws: None,
//!     turns: None,
//!     pools: vec![64 << 20],
//!     plan: Plan { warmup: 1, runs: 5, budget_s: 1.0, verify: true },
//!     backend: backend.clone(),
//! };
//! let mut runner = Runner::in_this_process(&backend)?;
//! let cases = suite.cases();
//! let rows = cases.iter().map(|case| runner.run(case));
//! let rows = rows.collect::<Result<Vec<_>, _>>()?;
//! verdict(&rows)?;
//! assert_eq!(rows.len(), 4);
//! assert!(rows.iter().all(|row| row.nulls == Some(0) && row.corrupt == Some(0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cost;
mod draws;
mod measure;
mod row;
mod suite;
#[cfg(test)]
mod tests;
mod threads;
mod verdict;

use serde::{Deserialize, Serialize};

use crate::allocators::Spec;
use crate::backend::{self, DeviceInfo};
use crate::word;

pub use cost::allocator_costs;
pub use heapwood_results::allocators::{Cost, Costs};
pub use heapwood_results::micro::{Draws, HeapState, MicroRow as Row, Microbenchmark};
pub use measure::measure;
pub use suite::{Size, Suite, size_range};
pub use threads::{MicrobenchmarkExt, ThreadsBenchmark};
pub use verdict::verdict;

/// Threads of a block, on any backend.
pub const BLOCK_THREADS: u32 = 256;
/// Warps of a block, whose first lanes work in `alloc-dealloc`,
/// `alloc-cycle-dealloc` and `probability`.
pub const BLOCK_WARPS: u32 = BLOCK_THREADS / 32;

/// How often a case is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Plan {
    /// Max samples per case
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_RUNS)), default_value_t = 25))]
    pub runs: u32,
    /// Rounds before the first sample of a warm heap
    #[cfg_attr(
        feature = "cli",
        arg(long, hide_short_help = true, value_name = "N", default_value_t = 3)
    )]
    pub warmup: u32,
    /// Time after which five samples suffice
    #[cfg_attr(feature = "cli", arg(long = "budget", hide_short_help = true, value_name = "SECONDS", value_parser = crate::duration::parse_seconds, default_value = "1.5"))]
    pub budget_s: f64,
    /// Write and verify all blocks in a round that is not timed
    #[cfg_attr(feature = "cli", arg(long, value_name = "BOOL", hide_possible_values = true, action = clap::ArgAction::Set, num_args = 0..=1, default_missing_value = "true", default_value_t = true))]
    pub verify: bool,
}

/// Most threads of a case.
pub const MAX_CASE_THREADS: u32 = 1 << 28;

/// Most samples of a case.
pub const MAX_RUNS: u32 = 1_000_000;

/// Turns of a thread, as in Lee's Figure 5 (2014), if nothing else is said.
pub const TURNS: u32 = 100;

/// Samples that are taken whatever the budget.
pub const MIN_SAMPLES: usize = 5;

/// One case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Case {
    /// The workload.
    pub workload: Microbenchmark,
    /// The allocator.
    #[serde(with = "word")]
    pub allocator: Spec,
    /// The heap.
    pub heap: HeapState,
    /// Its pool, in bytes.
    pub pool_bytes: u64,
    /// Threads that work; in some benchmarks the first of each warp works.
    pub threads: u32,
    /// Bytes of a block; 0 for mixed sizes.
    pub bytes: u64,
    /// Blocks that a lane keeps (`alloc-cycle-dealloc`).
    pub kept: u32,
    /// The draws of `probability`; the default if there are none.
    pub draws: Option<Draws>,
    /// Turns of a thread (`turns`); the default if nothing is said.
    pub turns: Option<u32>,
    /// How often.
    pub plan: Plan,
    /// Where.
    pub backend: backend::Options,
}

impl Case {
    /// Its row before anything is measured.
    pub fn row(&self, info: &DeviceInfo) -> Row {
        row::new(self, info)
    }
}
