//! Work in a process of its own, so that what crashes or hangs takes no other case down.
//!
//! A process gets words and answers with text. So this one way of running a case takes the
//! arguments of a command of the program, from whoever knows its command line, and reads the
//! result that the command writes in JSON.

use std::ffi::OsString;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::Outcome;
use crate::Error;
use crate::process::{self, Ended};
use crate::workload::Status;

/// Runs the program with these arguments, by which it answers with its result in JSON, and
/// ends it after `timeout_s` seconds. Whatever happens there is in the outcome.
///
/// # Errors
///
/// [`Error::Relayed`] for what is wrong with the arguments or the input, which is so for all
/// cases; when the program cannot be started, or answers with something else.
///
/// # Panics
///
/// If `timeout_s` is negative or no duration.
pub fn isolated<R: DeserializeOwned>(
    arguments: &[OsString],
    timeout_s: f64,
) -> Result<Outcome<R>, Error> {
    let timeout = Duration::from_secs_f64(timeout_s);
    Ok(match process::run(arguments, timeout)? {
        Ended::Well(answer) if answer.is_empty() => {
            Outcome::failed(Status::Fault, process::ENDED.to_owned())
        }
        Ended::Well(answer) => {
            let no_result = |error| Error::Failed(format!("no result came back: {error}"));
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
