//! The replay of a trace: the calls that a run has made of its allocator, over another one.
//! `heapwood_device::workload::replay` says what waits for what.

mod run;
mod trace;

use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use heapwood_results::steps::ReplayResult;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::backend::{Backend, BackendError, RecordError};
use crate::heap::DeviceHeap;
use crate::workload::steps::{BetweenSteps, Stepped};

pub use run::ReplayRun;
pub use trace::ReplayedTrace;

/// Pauses may be so many times the recorded ones.
const MAX_PAUSES: f32 = 1000.0;

/// A trace to replay. Each step replays all of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(
    feature = "cli",
    derive(clap::Args),
    command(next_help_heading = "Trace")
)]
#[serde(rename_all = "kebab-case")]
pub struct Replay {
    /// Trace, a .hwt file
    #[cfg_attr(feature = "cli", arg(value_name = "FILE"))]
    pub trace: OsString,
    /// Pauses between calls of a warp, as a part of those recorded
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART", default_value_t = 0.0))]
    pub pauses: f32,
    /// Write blocks that are granted, and read them before they are freed
    ///
    /// Words that something else has written are an error.
    #[cfg_attr(feature = "cli", arg(long))]
    pub touch: bool,
    /// Its calls, once they were read.
    #[serde(skip)]
    #[cfg_attr(feature = "cli", arg(skip))]
    read: Arc<OnceLock<ReplayedTrace>>,
}

impl Replay {
    /// The replay of a file, with such parts of its pauses. It touches blocks or not.
    pub fn new(trace: impl Into<OsString>, pauses: f32, touch: bool) -> Self {
        Self {
            trace: trace.into(),
            pauses,
            touch,
            read: Arc::default(),
        }
    }

    /// The trace, which is read once.
    ///
    /// # Errors
    ///
    /// As for [`ReplayedTrace::read`].
    pub fn read(&self) -> Result<&ReplayedTrace, Error> {
        if let Some(trace) = self.read.get() {
            return Ok(trace);
        }
        let trace = ReplayedTrace::read(Path::new(&self.trace))?;
        Ok(self.read.get_or_init(|| trace))
    }
}

impl Stepped for Replay {
    type Result = ReplayResult;
    type Run<'b> = ReplayRun<'b>;

    const BETWEEN_STEPS: BetweenSteps = BetweenSteps::Restarts;
    const NEEDS_ALL: bool = false;

    fn check(&self) -> Result<(), String> {
        if !(0.0..=MAX_PAUSES).contains(&self.pauses) {
            return Err(format!("pauses: from 0 to {MAX_PAUSES}"));
        }
        Ok(())
    }

    fn most_bytes(&self) -> u64 {
        self.read().map_or(0, |trace| trace.most_bytes)
    }

    fn begin<'b>(
        &self,
        backend: &'b dyn Backend,
        heap: &DeviceHeap<'b>,
        tally: *mut u64,
    ) -> Result<ReplayRun<'b>, BackendError> {
        let trace = self.read();
        let trace = trace.map_err(|error| RecordError::Trace(error.to_string()))?;
        ReplayRun::new(self, trace, backend, heap, tally)
    }

    /// The fingerprint of all calls, once for each step.
    fn reference(&self, steps: u32) -> u64 {
        let hash = self.read().map_or(0, |trace| trace.hash);
        hash.wrapping_mul(u64::from(steps))
    }
}
