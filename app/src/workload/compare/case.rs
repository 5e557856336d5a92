//! A case of a comparison, and what becomes of it.

use std::ffi::OsString;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::process::{self, Ended};
use crate::workload::Status;

/// A command of the program that does the work over one allocator.
#[derive(Clone, Debug)]
pub struct Case {
    /// What messages call it.
    pub name: String,
    /// The arguments of the program, by which it answers with its result in JSON.
    pub arguments: Vec<OsString>,
}

/// What became of a case: a result, or why there is none.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome<R> {
    /// How it ended.
    pub status: Status,
    /// Why it did not end well, in one line.
    pub error: Option<String>,
    /// What it answered.
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

impl Case {
    /// Runs the case in a process of its own, which is ended after `timeout_s` seconds.
    /// Whatever happens there is in the outcome.
    ///
    /// # Errors
    ///
    /// [`Error::Relayed`] for what is wrong with the arguments or the input, which is so
    /// for all cases; when the program cannot be started, or answers with something else.
    ///
    /// # Panics
    ///
    /// If `timeout_s` is negative or no duration.
    pub fn run<R: DeserializeOwned>(&self, timeout_s: f64) -> Result<Outcome<R>, Error> {
        let timeout = Duration::from_secs_f64(timeout_s);
        Ok(match process::run(&self.arguments, timeout)? {
            Ended::Well(answer) => {
                let no_result =
                    |error| Error::Failed(format!("{}: no result came back: {error}", self.name));
                Outcome::ok(serde_json::from_str(&answer).map_err(no_result)?)
            }
            Ended::Badly {
                code: Some(code @ 2..=3),
                message,
            } => return Err(Error::Relayed { code, message }),
            Ended::Badly {
                code: Some(4),
                message,
            } => Outcome::failed(Status::Oom, message),
            Ended::Badly { message, .. } => Outcome::failed(Status::Fault, message),
            Ended::Timeout => {
                let why = format!("not done after {timeout_s} s");
                Outcome::failed(Status::Timeout, why)
            }
        })
    }
}
