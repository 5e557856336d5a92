//! Work that threads produce and consume.

use serde::{Deserialize, Serialize};

use super::StepsResult;
use crate::{Line, display};

/// Amounts of work.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkgenResult {
    /// Threads that each produce once a step.
    pub threads: u32,
    /// The fewest bytes of a thread.
    pub min_bytes: u32,
    /// The most bytes of a thread.
    pub max_bytes: u32,
    /// Whether the work is written and read.
    pub writes: bool,
    /// Seed.
    pub seed: u32,
    /// Bytes of all threads in a step.
    pub bytes: u64,
}

impl StepsResult for WorkgenResult {
    const COMMAND: &'static str = "workgen";

    fn lines(&self) -> Vec<Line> {
        vec![(
            "work",
            format!(
                "{} to {} bytes for each of {} threads, {} in all, {}",
                self.min_bytes,
                self.max_bytes,
                self.threads,
                display(self.bytes),
                match self.writes {
                    true => "written and read",
                    false => "not written",
                }
            ),
        )]
    }
}
