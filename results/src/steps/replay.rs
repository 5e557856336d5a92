//! A trace that is replayed.

use serde::{Deserialize, Serialize};

use super::StepsResult;
use crate::Line;

/// A trace, and how it is replayed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReplayResult {
    /// The file.
    pub trace: String,
    /// Fingerprint of its calls, 16 hexadecimal digits.
    pub trace_hash: String,
    /// The recorded workload.
    pub workload: String,
    /// The recorded allocator.
    pub recorded_allocator: String,
    /// Launches that made calls.
    pub launches: u32,
    /// Calls of all launches.
    pub calls: u64,
    /// Requests that were refused when the trace was recorded.
    pub recorded_refused: u64,
    /// Pauses between the calls of a warp, as parts of the recorded ones.
    pub pauses: f32,
    /// Whether blocks were written when they were granted, and read before they were freed.
    pub touches: bool,
}

impl StepsResult for ReplayResult {
    const COMMAND: &'static str = "replay";

    fn input(&self) -> Option<(&str, &str)> {
        Some((&self.trace, &self.trace_hash))
    }

    fn lines(&self) -> Vec<Line> {
        vec![
            (
                "trace",
                format!(
                    "{}: {} calls in {} launches, {} refused",
                    self.trace, self.calls, self.launches, self.recorded_refused
                ),
            ),
            (
                "recorded",
                format!("{} over {}", self.workload, self.recorded_allocator),
            ),
            (
                "pauses",
                match self.pauses {
                    0.0 => "none".to_owned(),
                    part => format!("{part} of the recorded ones"),
                },
            ),
            (
                "blocks",
                match self.touches {
                    true => "written and read",
                    false => "not touched",
                }
                .to_owned(),
            ),
        ]
    }
}
