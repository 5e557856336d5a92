//! The papers' microbenchmarks: their cases, how they are measured, their rows.
//!
//! A case is one workload at one size over one allocator, on a warm or a cold
//! heap. A row is its result, and a failure is a result.
//!
//! ```
//! use heapwood::allocators::Spec;
//! use heapwood::backend::{Choice, Options};
//! use heapwood::workload::micro::{
//!     HeapState, Microbenchmark, Plan, Runner, Size, Suite, verdict,
//! };
//!
//! let backend = Options { choice: Choice::Cpu, ..Options::default() };
//! let suite = Suite {
//!     workload: Microbenchmark::Threads,
//!     allocators: vec![Spec::parse("atomicmalloc")?, Spec::parse("ouroboros-p-va")?],
//!     heaps: vec![HeapState::Warm],
//!     sizes: Size::product(&[1000], &[64, 256], &[1]),
//!     draws: None,
//!     turns: None,
//!     pool_bytes: 64 << 20,
//!     plan: Plan { warmup: 1, runs: 5, budget_s: 1.0, verify: true },
//!     backend: backend.clone(),
//! };
//! let mut runner = Runner::in_this_process(&backend)?;
//! let cases = suite.cases();
//! let rows = cases.iter().map(|(spec, case)| runner.run(spec, case));
//! let rows = rows.collect::<Result<Vec<_>, _>>()?;
//! verdict(&rows)?;
//! assert_eq!(rows.len(), 4);
//! assert!(rows.iter().all(|row| row.nulls == Some(0) && row.corrupt == Some(0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod call;
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

use super::cases::BenchCase;
use crate::allocators::Spec;
use crate::backend::{self, Backend, DeviceInfo};

pub use crate::meta::CallCost;
pub use cost::{Cost, Costs};
pub use draws::Draws;
pub use measure::measure;
pub use row::Row;
pub use suite::{Size, Suite, size_range};
pub use threads::ThreadsBenchmark;
pub use verdict::verdict;

pub use super::cases::Runner;

/// Threads of a block, on any backend.
pub const BLOCK_THREADS: u32 = 256;
/// Warps of a block, whose first lanes work in `alloc-dealloc`,
/// `alloc-cycle-dealloc` and `probability`.
pub const BLOCK_WARPS: u32 = BLOCK_THREADS / 32;

/// What is done with the allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Microbenchmark {
    /// One block of a size a thread, `malloc` and `free` in kernels of their own.
    Threads,
    /// As `Threads`, with a size of 16 to 8192 bytes for each thread.
    Mixed,
    /// A block a warp, `malloc` and `free` in one kernel.
    AllocDealloc,
    /// Several blocks a warp, then all freed, in one kernel.
    AllocCycleDealloc,
    /// A kernel that allocates or frees a block a warp with a probability, launched several
    /// times.
    Probability,
    /// Several blocks a thread, one after the other, each allocated and freed, in one kernel.
    Turns,
    /// As `Threads`, over a range of sizes.
    Sizes,
    /// As `Threads`, over numbers of threads.
    Scaling,
}

impl Microbenchmark {
    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Mixed => "mixed",
            Self::AllocDealloc => "alloc-dealloc",
            Self::AllocCycleDealloc => "alloc-cycle-dealloc",
            Self::Probability => "probability",
            Self::Turns => "turns",
            Self::Sizes => "sizes",
            Self::Scaling => "scaling",
        }
    }

    /// Whether one lane of each warp works, instead of every thread.
    pub fn is_by_warps(self) -> bool {
        matches!(
            self,
            Self::AllocDealloc | Self::AllocCycleDealloc | Self::Probability
        )
    }

    /// Whether `malloc` and `free` are in one kernel, so that requests and frees overlap.
    pub fn is_one_kernel(self) -> bool {
        self.is_by_warps() || self == Self::Turns
    }
}

/// The state of the heap before a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeapState {
    /// Just initialised.
    Cold,
    /// Used by earlier rounds.
    Warm,
    /// Filled with blocks of the case's size, so that requests are refused: how
    /// long it takes to say no.
    Full,
}

/// How often a case is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Rounds before the first sample, on a warm heap.
    pub warmup: u32,
    /// Samples.
    pub runs: u32,
    /// Seconds of kernel time after which no further sample is taken, once
    /// there are [`MIN_SAMPLES`].
    pub budget_s: f64,
    /// Whether contents of blocks are written and verified, in a round of its
    /// own that is not timed.
    pub verify: bool,
}

/// Most threads of a case.
pub const MAX_THREADS: u32 = 1 << 28;

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
    /// The allocator, as written on the command line.
    pub allocator: String,
    /// The heap.
    pub heap: HeapState,
    /// Its pool, in bytes.
    pub pool_bytes: u64,
    /// Threads that work, or of which each warp's first works.
    pub threads: u32,
    /// Bytes of a block; 0 for mixed sizes.
    pub bytes: u64,
    /// Blocks that a lane keeps (`alloc-cycle-dealloc`).
    pub kept: u32,
    /// What is drawn (`probability`); the default if nothing is said.
    pub draws: Option<Draws>,
    /// Turns of a thread (`turns`); the default if nothing is said.
    pub turns: Option<u32>,
    /// How often.
    pub plan: Plan,
    /// Where.
    pub backend: backend::Options,
}

impl BenchCase for Case {
    const KIND: &'static str = "micro";

    type Row = Row;

    fn allocator(&self) -> &str {
        &self.allocator
    }

    fn backend(&self) -> &backend::Options {
        &self.backend
    }

    fn row(&self, spec: &Spec, info: &DeviceInfo) -> Row {
        Row::new(self, spec, info)
    }

    fn measure(&self, backend: &dyn Backend, spec: &Spec) -> Row {
        measure(backend, spec, self)
    }
}
