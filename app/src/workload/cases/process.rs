//! A case in a process of its own: the program starts itself with the hidden
//! command `case`, the benchmark's kind and the case as JSON, and reads the row from its
//! output.

use std::time::Duration;

use super::{BenchCase, BenchRow};
use crate::Error;
use crate::allocators::Spec;
use crate::backend::DeviceInfo;
use crate::process::{self, Ended};
use crate::workload::Status;

/// Runs a case in a new process; the row says how it ended.
///
/// # Errors
///
/// When the program cannot start itself.
pub fn run_in_child<C: BenchCase>(
    case: &C,
    spec: &Spec,
    info: &DeviceInfo,
    timeout: Duration,
) -> Result<C::Row, Error> {
    let text = serde_json::to_string(case)
        .map_err(|error| Error::Failed(format!("cannot describe a case: {error}")))?;
    let row = case.row(spec, info);
    Ok(match process::run(&["case", C::KIND, &text], timeout)? {
        Ended::Well(answer) => match serde_json::from_str(&answer) {
            Ok(row) => row,
            Err(_) if answer.is_empty() => row.ended(Status::Fault, process::ENDED.to_owned()),
            Err(error) => row.ended(Status::Fault, format!("the answer is no row: {error}")),
        },
        Ended::Badly { message, .. } => row.ended(Status::Fault, message),
        Ended::Timeout => {
            let why = format!("not done after {} s", timeout.as_secs_f64());
            row.ended(Status::Timeout, why)
        }
    })
}

/// What the process that [`run_in_child`] started does: measures the case and returns
/// its row as JSON.
///
/// # Errors
///
/// When the case makes no sense or its backend does not open.
pub fn child_main<C: BenchCase>(case: &str) -> Result<String, Error> {
    let case: C = serde_json::from_str(case)
        .map_err(|cause| Error::Usage(format!("this is no case: {cause}")))?;
    let spec = Spec::parse(case.allocator()).map_err(Error::Usage)?;
    let mut options = case.backend().clone();
    if !spec.is_external() {
        // What is wrong with the user's files is nothing to this one.
        options.link.files.clear();
    }
    let backend = options.open()?;
    let row = case.measure(&*backend, &spec);
    serde_json::to_string(&row).map_err(|cause| Error::Failed(cause.to_string()))
}
