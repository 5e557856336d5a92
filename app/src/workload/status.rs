//! How a case ended, whichever workload it is of.

use crate::Error;
use crate::allocators::Spec;
use crate::backend::{Backend, BackendError};
use crate::heap::HeapError;
use crate::meta::{self, Meta};

pub use heapwood_results::Status;

impl From<&HeapError> for Status {
    /// That of a case whose heap or backend has failed so.
    fn from(error: &HeapError) -> Self {
        match error {
            HeapError::TooSmall { .. } | HeapError::Refused { .. } => Self::Oom,
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

/// The result of a case of a benchmark.
pub trait BenchRow: Sized {
    /// How the case ended.
    fn status(&self) -> Status;

    /// How and why the case ended, and the origin of the row.
    fn ending(&mut self) -> (&mut Status, &mut Option<String>, &mut Meta);

    /// This row, ended in this way.
    #[must_use]
    fn ended(mut self, status: Status, why: impl ToString) -> Self {
        let (ended, error, _) = self.ending();
        (*ended, *error) = (status, Some(why.to_string()));
        self
    }
}

/// A row that `fill_in` has filled in by work over this allocator. Whatever happens is in it.
pub(super) fn measured<R: BenchRow>(
    backend: &dyn Backend,
    spec: &Spec,
    mut row: R,
    fill_in: impl FnOnce(&mut R) -> Result<(), HeapError>,
) -> R {
    let done = fill_in(&mut row);
    // It took some time to link the kernels.
    let (_, _, meta) = row.ending();
    *meta = meta::over(std::mem::take(meta), spec, &backend.info());
    match done {
        Ok(()) => row,
        Err(error) => {
            let status = Status::from(&error);
            row.ended(status, error)
        }
    }
}

/// Makes sure that a case has succeeded and that none has failed by a fault or a timeout. Memory that
/// did not suffice, and what an allocator does not do, are results.
///
/// # Errors
///
/// [`Error::Failed`] if no case has succeeded, and else [`Error::Cases`] with how many failed.
pub fn check_statuses(statuses: impl IntoIterator<Item = Status>) -> Result<(), Error> {
    let statuses: Vec<Status> = statuses.into_iter().collect();
    let count = |status| statuses.iter().filter(|&&other| other == status).count();
    let (cases, faults, timeouts) = (statuses.len(), count(Status::Fault), count(Status::Timeout));
    if count(Status::Ok) == 0 {
        return Err(Error::Failed(format!(
            "none of the {cases} cases succeeded"
        )));
    }
    let how = match (faults, timeouts) {
        (0, 0) => return Ok(()),
        (faults, 0) => format!("{faults} of the {cases} cases failed with a fault"),
        (0, timeouts) => format!("{timeouts} of the {cases} cases were not done in time"),
        (faults, timeouts) => format!(
            "{faults} of the {cases} cases failed with a fault, and {timeouts} were not done in time"
        ),
    };
    Err(Error::Cases(format!("{how}: their rows say why")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_and_timeouts_fail_beside_successes_and_other_ends_do_not() {
        use Status::{Fault, Ok as Done, Oom, Timeout, Unsupported};
        let code = |statuses: &[Status]| {
            let found = check_statuses(statuses.iter().copied());
            found.map_err(|error| (error.exit_code(), error.to_string()))
        };
        let failed = |code: u8, why: &str| Err((code, why.to_owned()));
        assert_eq!(code(&[Done, Oom, Unsupported]), Ok(()));
        let none = failed(1, "none of the 2 cases succeeded");
        assert_eq!(code(&[Timeout, Oom]), none);
        let fault = "1 of the 2 cases failed with a fault: their rows say why";
        assert_eq!(code(&[Fault, Done]), failed(6, fault));
        let timeout = "2 of the 3 cases were not done in time: their rows say why";
        assert_eq!(code(&[Timeout, Done, Timeout]), failed(6, timeout));
        let both = "1 of the 3 cases failed with a fault, and 1 were not done in time: their rows \
                    say why";
        assert_eq!(code(&[Timeout, Fault, Done]), failed(6, both));
    }
}
