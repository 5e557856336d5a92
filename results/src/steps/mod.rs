//! The results of workloads that go in steps, and wait for the allocator in each.

mod agents;
mod particles;
mod replay;
mod text;
mod workgen;

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use agents::AgentsResult;
pub use particles::ParticlesResult;
pub use replay::ReplayResult;
pub use workgen::WorkgenResult;

use crate::{Line, Meta, Samples};

/// The part of a result that a workload has for itself.
pub trait StepsResult: Serialize + DeserializeOwned {
    /// The command, as in `heapwood agents`.
    const COMMAND: &'static str;

    /// The options of the workload and its result, for people.
    fn lines(&self) -> Vec<Line>;

    /// The file that is the argument of the command, and the fingerprint of its content.
    fn input(&self) -> Option<(&str, &str)> {
        None
    }
}

/// The result of steps over an allocator; the keys are stable, what cannot be measured is null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StepsReport<R> {
    /// `cpu` or `cuda`.
    pub backend: String,
    /// The product.
    pub device: String,
    /// The allocator.
    pub allocator: String,
    /// All of its parameters.
    pub parameters: BTreeMap<String, String>,
    /// Whether blocks were checked.
    pub check_heap: bool,
    /// The options of the workload, and what is left in the end.
    pub result: R,
    /// Bytes of the allocator's pool.
    pub pool_bytes: u64,
    /// Initialisation of the heap, in milliseconds.
    pub init_ms: f64,
    /// The launches before the first step, in milliseconds; 0 if there are none.
    pub begin_ms: f64,
    /// Steps.
    pub steps: u32,
    /// The time of a step, in milliseconds. Each sample is the mean of as many steps in sequence.
    pub step_ms: Samples,
    /// Steps of a sample; the last may have fewer.
    pub steps_per_sample: u32,
    /// Steps per second, over all of them.
    pub steps_per_second: f64,
    /// The same work without an allocator, in milliseconds; null if there is no such work.
    pub baseline_ms: Option<Samples>,
    /// Requests of all steps, and of what comes before.
    pub requests: u64,
    /// Those that were refused.
    pub refused: u64,
    /// Blocks freed in the same time.
    pub freed: u64,
    /// The part of a step's time in the allocator after the last step, 0 to 1.
    pub allocator_share: Option<f64>,
    /// The most bytes of blocks after any step, and within the last ones, as requested.
    pub high_water_bytes: u64,
    /// Bytes of blocks after the last step, as granted.
    pub allocated_bytes: u64,
    /// Part of the granted bytes beyond the requested ones after the last step, 0 to 1; null if
    /// there is no block.
    pub internal_fragmentation: Option<f64>,
    /// Part of the pool's free bytes outside of the largest free block after the last step, 0 to 1;
    /// null if the allocator cannot be walked, or nothing is free.
    pub external_fragmentation: Option<f64>,
    /// Bytes in use in the pool after all blocks were freed; null if the allocator cannot be walked.
    pub left_bytes: Option<u64>,
    /// Fingerprint of what the steps leave, 16 hexadecimal digits.
    pub hash: String,
    /// Whether a sequential reference has found the same.
    pub verified: bool,
    /// Machine and program.
    pub meta: Meta,
}

impl<R> StepsReport<R> {
    /// All steps together, in milliseconds.
    pub fn all_ms(&self) -> f64 {
        1e3 * f64::from(self.steps) / self.steps_per_second
    }

    /// Requests of a step.
    pub fn requests_per_step(&self) -> f64 {
        self.requests as f64 / f64::from(self.steps.max(1))
    }
}
