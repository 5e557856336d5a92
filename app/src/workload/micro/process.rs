//! A case in a process of its own: the program starts itself with the hidden
//! command `case` and the case as JSON, and reads the row from its output.

use std::time::Duration;

use super::{Case, Row, measure};
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
pub fn ask(case: &Case, spec: &Spec, info: &DeviceInfo, timeout: Duration) -> Result<Row, Error> {
    let text = serde_json::to_string(case)
        .map_err(|error| Error::Failed(format!("cannot describe a case: {error}")))?;
    let row = Row::new(case, spec, info);
    Ok(match process::run(&["case", &text], timeout)? {
        Ended::Well(answer) => match serde_json::from_str(&answer) {
            Ok(row) => row,
            Err(error) => row.ended(Status::Fault, format!("the answer is no row: {error}")),
        },
        Ended::Badly { message, .. } => row.ended(Status::Fault, message),
        Ended::Timeout => {
            let why = format!("not done after {} s", timeout.as_secs_f64());
            row.ended(Status::Timeout, why)
        }
    })
}

/// What the process that [`ask`] started does: measures the case and returns
/// its row as JSON.
///
/// # Errors
///
/// When the case makes no sense or its backend does not open.
pub fn answer(case: &str) -> Result<String, Error> {
    let case: Case = serde_json::from_str(case)
        .map_err(|cause| Error::Usage(format!("this is no case: {cause}")))?;
    let spec = Spec::parse(&case.allocator).map_err(Error::Usage)?;
    let backend = case.backend.open()?;
    let row = measure(&*backend, &spec, &case);
    serde_json::to_string(&row).map_err(|cause| Error::Failed(cause.to_string()))
}
