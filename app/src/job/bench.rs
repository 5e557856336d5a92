//! The jobs of benchmarks, whose failures are rows, and the runner of many of them: each in a process
//! of its own, or all in this one.

use std::time::Duration;

use super::child::{Ended, run_in_child};
use super::survey::{SurveyJob, SurveyMeasurement};
use super::{Job, Progress};
use crate::Error;
use crate::backend::{Backend, DeviceInfo, Options};
use crate::workload::{BenchRow, Status, fragmentation, micro};

/// A job whose report is a row, whatever happens.
pub trait BenchJob: Job<Report: BenchRow> {
    /// The row before anything is measured.
    fn row(&self, info: &DeviceInfo) -> Self::Report;
}

impl Job for micro::Case {
    const KIND: &'static str = "micro";

    type Report = micro::Row;

    fn backend(&self) -> &Options {
        &self.backend
    }

    fn run(&self, backend: &dyn Backend, _: &mut dyn Progress) -> Result<micro::Row, Error> {
        Ok(micro::measure(backend, self))
    }
}

impl BenchJob for micro::Case {
    fn row(&self, info: &DeviceInfo) -> micro::Row {
        micro::Case::row(self, info)
    }
}

impl Job for fragmentation::Case {
    const KIND: &'static str = "fragmentation";

    type Report = fragmentation::Row;

    fn backend(&self) -> &Options {
        &self.backend
    }

    fn run(
        &self,
        backend: &dyn Backend,
        _: &mut dyn Progress,
    ) -> Result<fragmentation::Row, Error> {
        Ok(fragmentation::measure(backend, self))
    }
}

impl BenchJob for fragmentation::Case {
    fn row(&self, info: &DeviceInfo) -> fragmentation::Row {
        fragmentation::Case::row(self, info)
    }
}

impl BenchJob for SurveyJob {
    fn row(&self, info: &DeviceInfo) -> SurveyMeasurement {
        self.before(info)
    }
}

/// Where the jobs of a benchmark run.
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

    /// Whether an earlier case has left this process without its GPU, so that no other can run.
    pub fn is_lost(&self) -> bool {
        matches!(self.0, Place::Here { lost: true, .. })
    }

    /// Runs a case. Whatever happens is in the row.
    ///
    /// # Errors
    ///
    /// When no process can be started.
    pub fn run<J: BenchJob>(&mut self, case: &J) -> Result<J::Report, Error> {
        match &mut self.0 {
            Place::Processes { info, timeout } => Ok(match run_in_child(case, *timeout)? {
                Ended::Report(row) => row,
                other => {
                    let (status, why) = other.failure();
                    case.row(info).ended(status, why)
                }
            }),
            Place::Here {
                backend,
                lost: true,
            } => {
                let why = "the GPU was lost in an earlier case";
                Ok(case.row(&backend.info()).ended(Status::Fault, why))
            }
            Place::Here { backend, lost } => {
                let row = case.run(&**backend, &mut ())?;
                *lost = row.status() != Status::Ok && is_lost(&**backend);
                Ok(row)
            }
        }
    }
}

/// Whether a backend no longer does anything.
fn is_lost(backend: &dyn Backend) -> bool {
    backend
        .allocate_zeroed(4)
        .and_then(|memory| memory.download::<u32>(0, 1))
        .is_err()
}
