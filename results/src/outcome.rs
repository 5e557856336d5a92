//! The outcome of a case: a result, or the reason for its absence.

use serde::{Deserialize, Serialize};

use crate::Status;

/// The result of a case, or the reason for its absence.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome<R> {
    /// How it ended.
    pub status: Status,
    /// The error of a case that did not end well, in one line.
    pub error: Option<String>,
    /// The report of the case, if it succeeded.
    pub result: Option<R>,
}

impl<R> Outcome<R> {
    /// That of a case that succeeded.
    pub fn ok(result: R) -> Self {
        Self {
            status: Status::Ok,
            error: None,
            result: Some(result),
        }
    }

    /// That of a case that failed.
    pub fn failed(status: Status, error: String) -> Self {
        Self {
            status,
            error: Some(error),
            result: None,
        }
    }
}
