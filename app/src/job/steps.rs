//! Steps of a workload as a job.

use heapwood_results::steps::{StepsReport, StepsResult};
use serde::{Deserialize, Serialize};

use super::{Job, MeasuredJob, Progress};
use crate::Error;
use crate::allocators::Spec;
use crate::backend::{self, Backend};
use crate::report::steps_report;
use crate::size::Pool;
use crate::word;
use crate::workload::steps::{Picture, Stepped, Workload};

/// How many steps, and over which pool.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(
    feature = "cli",
    derive(clap::Args),
    command(next_help_heading = clap::builder::Resettable::Reset)
)]
#[serde(rename_all = "kebab-case")]
pub struct StepsOptions {
    /// Steps
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), default_value_t = 200))]
    pub steps: u32,
    /// Compare the result with that of a sequential program
    #[cfg_attr(feature = "cli", arg(long))]
    pub verify: bool,
    /// Pool: a size, a multiple such as 4x, or auto
    ///
    /// A multiple counts the bytes that blocks are estimated to have at a time. With auto, the pool has
    /// four times as many, and 64 MiB at least.
    #[cfg_attr(feature = "cli", arg(long, help_heading = "Allocator", value_name = "SIZE", value_parser = crate::size::parse_pool, default_value = "auto"))]
    #[serde(with = "word")]
    pub pool: Pool,
}

/// Takes the steps of a workload over an allocator.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct StepsJob<S> {
    /// The workload.
    pub stepped: S,
    /// How many steps.
    pub steps: StepsOptions,
    /// The allocator.
    #[serde(with = "word")]
    pub allocator: Spec,
    /// Whether every block is checked.
    pub check_heap: bool,
    /// Whether a picture is drawn. A child process has nowhere to leave one.
    #[serde(skip)]
    pub draws: bool,
    /// The backend, once decided.
    pub backend: backend::Options,
}

impl<S: Stepped> MeasuredJob for StepsJob<S> {
    const STEPS: &'static str = "steps";

    type Input<'i> = ();

    type Left<'b> = Option<Picture>;

    fn steps(&self, (): ()) -> usize {
        self.steps.steps as usize
    }

    fn measure(
        &self,
        (): (),
        backend: &dyn Backend,
        progress: &mut dyn Progress,
    ) -> Result<(StepsReport<S::Result>, Option<Picture>), Error> {
        let workload = Workload {
            stepped: self.stepped.clone(),
            steps: self.steps.steps,
            spec: self.allocator.checked_if(self.check_heap)?,
            pool: self.steps.pool,
            verify: self.steps.verify,
            draws: self.draws,
        };
        let measured = workload.run(backend, || progress.step())?;
        Ok(steps_report(
            &workload,
            self.check_heap,
            &backend.info(),
            measured,
        ))
    }
}

impl<S: Stepped> Job for StepsJob<S> {
    const KIND: &'static str = S::Result::COMMAND;

    type Report = StepsReport<S::Result>;

    fn backend(&self) -> &backend::Options {
        &self.backend
    }

    fn run(
        &self,
        backend: &dyn Backend,
        progress: &mut dyn Progress,
    ) -> Result<StepsReport<S::Result>, Error> {
        Ok(self.measure((), backend, progress)?.0)
    }
}
