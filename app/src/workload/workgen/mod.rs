//! Work generation: threads produce amounts that they draw, in a block each, and threads elsewhere
//! consume them; beside it the same with a prefix sum and one block.
//! `heapwood_device::workload::workgen` has the source.

mod run;
#[cfg(test)]
mod tests;

use heapwood_device::workload::mix64;
use heapwood_device::workload::workgen::WorkArguments;
use heapwood_results::steps::WorkgenResult;
use serde::{Deserialize, Serialize};

use crate::backend::{Backend, BackendError};
use crate::heap::DeviceHeap;
use crate::workload::steps::{BetweenSteps, Stepped};

pub use run::WorkgenRun;

/// Threads, at the most.
const MAX_THREADS: u32 = 1 << 28;
/// Bytes of a thread, at the most.
const MAX_BYTES: u32 = 1 << 20;

/// Amounts of work.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(
    feature = "cli",
    derive(clap::Args),
    command(next_help_heading = "Work")
)]
#[serde(rename_all = "kebab-case")]
pub struct Workgen {
    /// Threads that each produce and consume once a step
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_THREADS)), default_value_t = 100_000))]
    pub threads: u32,
    /// The fewest bytes of a thread, a multiple of 4
    #[cfg_attr(feature = "cli", arg(long, value_name = "BYTES", default_value_t = 4))]
    pub min_bytes: u32,
    /// The most bytes of a thread, a multiple of 4
    #[cfg_attr(feature = "cli", arg(long, value_name = "BYTES", default_value_t = 64))]
    pub max_bytes: u32,
    /// Obtain memory, but leave the work out
    #[cfg_attr(feature = "cli", arg(long))]
    pub no_write: bool,
    /// Seed of the amounts
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 1))]
    pub seed: u32,
}

impl Default for Workgen {
    fn default() -> Self {
        Self {
            threads: 100_000,
            min_bytes: 4,
            max_bytes: 64,
            no_write: false,
            seed: 1,
        }
    }
}

impl Workgen {
    /// The work as kernels have it.
    fn arguments(&self, hash: *mut u64) -> WorkArguments {
        WorkArguments {
            hash,
            threads: self.threads,
            min_words: self.min_bytes / 4,
            more_words: (self.max_bytes - self.min_bytes) / 4,
            seed: self.seed,
            writes: !self.no_write,
        }
    }

    /// Bytes of all threads.
    fn bytes(&self) -> u64 {
        let work = self.arguments(std::ptr::null_mut());
        (0..self.threads)
            .map(|thread| 4 * u64::from(work.words(thread)))
            .sum()
    }
}

impl Stepped for Workgen {
    type Result = WorkgenResult;
    type Run<'b> = WorkgenRun<'b>;

    const BETWEEN_STEPS: BetweenSteps = BetweenSteps::FreesAll;
    const NEEDS_ALL: bool = true;

    fn check(&self) -> Result<(), String> {
        let (min, max) = (self.min_bytes, self.max_bytes);
        if min % 4 != 0 || max % 4 != 0 || min == 0 || min > max || max > MAX_BYTES {
            return Err(
                "min-bytes: it and max-bytes are multiples of 4 from 4 to 1048576, and it is not greater"
                    .into(),
            );
        }
        if !(1..=MAX_THREADS).contains(&self.threads) {
            return Err("threads: from 1 to 2^28".into());
        }
        if self.bytes() / 4 > u64::from(u32::MAX) {
            return Err("threads: in all they produce less than 16 GiB a step".into());
        }
        Ok(())
    }

    fn most_bytes(&self) -> u64 {
        self.bytes()
    }

    fn begin<'b>(
        &self,
        backend: &'b dyn Backend,
        heap: &DeviceHeap<'b>,
        tally: *mut u64,
    ) -> Result<WorkgenRun<'b>, BackendError> {
        WorkgenRun::new(self, backend, heap, tally)
    }

    /// The sum over steps of what all threads have produced.
    fn reference(&self, steps: u32) -> u64 {
        let work = self.arguments(std::ptr::null_mut());
        let of_thread = |thread: u32| {
            let words = work.words(thread);
            let word = |index: u32| {
                let start = (self.seed ^ thread).wrapping_mul(0x9e37_79b9);
                u64::from(start.wrapping_add(index.wrapping_mul(0x85eb_ca6b)))
            };
            let sum = match self.no_write {
                true => 0,
                false => (0..words).map(word).sum::<u64>(),
            };
            mix64(sum ^ u64::from(thread) << 32 ^ u64::from(words))
        };
        let step = (0..self.threads).map(of_thread).fold(0, u64::wrapping_add);
        step.wrapping_mul(u64::from(steps))
    }
}
