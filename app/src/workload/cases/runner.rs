//! Cases run one after the other, each in a process of its own or all in this one.

use std::time::Duration;

use super::{BenchCase, BenchRow, run_in_child};
use crate::Error;
use crate::allocators::Spec;
use crate::backend::{Backend, DeviceInfo, Options};
use crate::workload::Status;

/// Where cases are run.
pub struct Runner(Place);

enum Place {
    /// A process for each, which is ended after `timeout`.
    Processes { info: DeviceInfo, timeout: Duration },
    /// This process.
    Here {
        backend: Box<dyn Backend>,
        /// Whether an earlier case has left it unusable.
        lost: bool,
    },
}

impl Runner {
    /// Runs each case in a process of its own, for at most `timeout`, on the backend of
    /// these options, once decided. A crash is a row.
    ///
    /// # Errors
    ///
    /// When the backend cannot run.
    pub fn in_processes(options: &Options, timeout: Duration) -> Result<Self, Error> {
        let info = options.info()?;
        Ok(Self(Place::Processes { info, timeout }))
    }

    /// Runs all cases in this process: faster, but a crash ends them all.
    ///
    /// # Errors
    ///
    /// When the backend cannot run.
    pub fn in_this_process(options: &Options) -> Result<Self, Error> {
        let backend = options.open()?;
        Ok(Self(Place::Here {
            backend,
            lost: false,
        }))
    }

    /// Runs a case over its allocator. Whatever happens is in the row.
    ///
    /// # Errors
    ///
    /// When no process can be started.
    pub fn run<C: BenchCase>(&mut self, spec: &Spec, case: &C) -> Result<C::Row, Error> {
        Ok(match &mut self.0 {
            Place::Processes { info, timeout } => run_in_child(case, spec, info, *timeout)?,
            Place::Here {
                backend,
                lost: true,
            } => {
                let why = "the GPU was lost in an earlier case: run without --in-process";
                case.row(spec, &backend.info()).ended(Status::Fault, why)
            }
            Place::Here { backend, lost } => {
                let row = case.measure(&**backend, spec);
                *lost = row.status() != Status::Ok && is_lost(&**backend);
                row
            }
        })
    }
}

/// Whether a backend no longer does anything.
fn is_lost(backend: &dyn Backend) -> bool {
    backend
        .memory(4, true)
        .and_then(|memory| memory.download::<u32>(0, 1))
        .is_err()
}
