//! The header and the footer of a trace: JSON, whose keys are these fields.

use std::collections::BTreeMap;

use heapwood_results::trace::RecordingCost;
use serde::{Deserialize, Serialize};

/// Where a trace comes from. Unknown fields are null.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Header {
    /// The device.
    pub device: Option<String>,
    /// The version of its driver.
    pub driver: Option<String>,
    /// The commit of heapwood's sources.
    pub commit: Option<String>,
    /// The workload and its options, as a command line; the file of a log.
    pub workload: String,
    /// The allocator.
    pub allocator: String,
    /// Parameters of the allocator that differ from their defaults.
    pub parameters: BTreeMap<String, String>,
    /// Bytes of the pool.
    pub pool_bytes: Option<u64>,
    /// The backend; `host` of a log.
    pub backend: String,
    /// Ticks a second of the events' clocks; null if events have none.
    pub clock_hz: Option<u64>,
}

impl Header {
    /// Nanoseconds of a clock; nothing if events have none.
    pub fn ns(&self, clock: u64) -> Option<u128> {
        let hz = self.clock_hz.filter(|&hz| hz > 0)?;
        Some(u128::from(clock) * 1_000_000_000 / u128::from(hz))
    }
}

/// Totals at the end of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Footer {
    /// Events.
    pub events: u64,
    /// Launches.
    pub launches: u64,
    /// Blocks that were never freed.
    pub live_blocks: u64,
    /// The cost of recording, where it was measured.
    pub cost: Option<RecordingCost>,
}
