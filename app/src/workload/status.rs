//! How a case ended, whichever workload it is of.

use serde::{Deserialize, Serialize};

use crate::backend::BackendError;
use crate::heap::HeapError;

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

impl From<&HeapError> for Status {
    /// That of a case whose heap or backend has failed so.
    fn from(error: &HeapError) -> Self {
        match error {
            HeapError::TooSmall { .. } => Self::Oom,
            HeapError::TooLarge { .. }
            | HeapError::Parameter { .. }
            | HeapError::Backend(BackendError::SystemHeapFixed { .. }) => Self::Unsupported,
            HeapError::Backend(error) if error.is_out_of_memory() => Self::Oom,
            HeapError::Backend(error) if error.is_timeout() => Self::Timeout,
            HeapError::Misuse { .. } | HeapError::InvalidGrants { .. } | HeapError::Backend(_) => {
                Self::Fault
            }
        }
    }
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
