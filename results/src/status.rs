//! How a case ended, whichever workload it is of.

use serde::{Deserialize, Serialize};

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Every request was served, nothing was found wrong.
    Ok,
    /// Memory did not suffice.
    Oom,
    /// It took too long.
    Timeout,
    /// It crashed, or its results are wrong.
    Fault,
    /// The allocator does not do this.
    Unsupported,
}

impl Status {
    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Oom => "oom",
            Self::Timeout => "timeout",
            Self::Fault => "fault",
            Self::Unsupported => "unsupported",
        }
    }
}
