//! The report of algorithms that count something.

use serde::{Deserialize, Serialize};

use super::Line;
use crate::samples::Samples;

/// A number of something.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CountReport {
    /// The number.
    pub count: u64,
    /// Counting, in milliseconds.
    pub ms: Samples,
}

impl CountReport {
    /// The number for people, called `name`.
    pub(super) fn line(&self, name: &'static str) -> Line {
        (name, format!("{}; {}", self.count, self.ms))
    }
}
