//! The share of a workload's time that is calls of its allocator.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Meta, Samples};

/// The times of runs whose calls took longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StretchedTimes {
    /// How much longer each call was to take, as a part of its time.
    pub stretch: f32,
    /// The times of runs, in milliseconds.
    pub ms: Samples,
}

/// A workload over an allocator, with calls that are delayed; the keys are stable.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SensitivityReport {
    /// `cpu` or `cuda`.
    pub backend: String,
    /// The product.
    pub device: String,
    /// The command, as in `heapwood agents`.
    pub command: String,
    /// The scene, the graph or the trace.
    pub input: Option<String>,
    /// The allocator.
    pub allocator: String,
    /// All of its parameters.
    pub parameters: BTreeMap<String, String>,
    /// Requests of a run.
    pub requests: u64,
    /// Frees of blocks in a run.
    pub frees: u64,
    /// The mean time of a request, in nanoseconds, by the clock of the device.
    pub malloc_ns: f64,
    /// The mean time of a free.
    pub free_ns: f64,
    /// The times of runs without delays, in milliseconds.
    pub plain_ms: Samples,
    /// Those with delays.
    pub stretched: Vec<StretchedTimes>,
    /// Milliseconds that a run takes longer if each call takes twice as long; null if runs take no
    /// time.
    pub slope_ms: Option<f64>,
    /// The same as a part of the mean time with delays of no time.
    pub share: Option<f64>,
    /// The lower end of the share's interval, which has it with 95 % confidence.
    pub share_low: Option<f64>,
    /// The upper end.
    pub share_high: Option<f64>,
    /// Fingerprint of the result, the same in all runs.
    pub hash: String,
    /// Machine and program.
    pub meta: Meta,
}
