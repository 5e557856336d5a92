//! The sensitivity of a job to the time of its allocator's calls, as a job.

use heapwood_device::allocator::Observe;
use heapwood_results::sensitivity::SensitivityReport;
use serde::{Deserialize, Serialize};

use super::frames::FramesJob;
use super::graph::GraphJob;
use super::steps::StepsJob;
use super::tree::TreeJob;
use super::{Job, Progress};
use crate::Error;
use crate::allocators::{Spec, SpecError};
use crate::backend::{self, Backend, CallClock};
use crate::report::compare::Compared;
use crate::workload::agents::Agents;
use crate::workload::particles::Particles;
use crate::workload::replay::Replay;
use crate::workload::sensitivity::{MeanCalls, Sweep};
use crate::workload::workgen::Workgen;

/// A job over an allocator whose calls may be delayed.
pub trait DelayedJob: Job<Report: Compared> + Clone {
    /// The name of jobs that measure its sensitivity.
    const SENSITIVITY: &'static str;
    /// Its command.
    const COMMAND: &'static str;

    /// The allocator, if it has one.
    fn allocator(&mut self) -> Option<&mut Spec>;
}

macro_rules! delayed_jobs {
    ($($job:ty, $name:literal, $command:literal, $this:ident => $allocator:expr;)*) => {$(
        impl DelayedJob for $job {
            const SENSITIVITY: &'static str = $name;
            const COMMAND: &'static str = $command;

            fn allocator(&mut self) -> Option<&mut Spec> {
                let $this = self;
                $allocator
            }
        }
    )*};
}

delayed_jobs! {
    TreeJob, "tree-sensitivity", "kdtree", job => job.allocator.as_mut();
    FramesJob, "frames-sensitivity", "kdtree", job => Some(&mut job.allocator);
    GraphJob, "graph-sensitivity", "graph", job => Some(&mut job.storage.allocator);
    StepsJob<Agents>, "agents-sensitivity", "agents", job => Some(&mut job.allocator);
    StepsJob<Particles>, "particles-sensitivity", "particles", job => Some(&mut job.allocator);
    StepsJob<Replay>, "replay-sensitivity", "replay", job => Some(&mut job.allocator);
    StepsJob<Workgen>, "workgen-sensitivity", "workgen", job => Some(&mut job.allocator);
}

/// Makes a job again and again, with calls that take longer and longer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SensitivityJob<J> {
    /// The job.
    pub job: J,
}

impl<J: DelayedJob> SensitivityJob<J> {
    /// A job over this allocator.
    fn over(&self, spec: Spec) -> J {
        let mut job = self.job.clone();
        if let Some(allocator) = job.allocator() {
            *allocator = spec;
        }
        job
    }

    /// The allocator.
    fn spec(&self) -> Result<Spec, Error> {
        let mut job = self.job.clone();
        let spec = job.allocator().map(|spec| spec.clone());
        spec.ok_or_else(|| Error::Usage("without an allocator there are no calls".to_owned()))
    }
}

impl<J: DelayedJob> Job for SensitivityJob<J> {
    const KIND: &'static str = J::SENSITIVITY;

    type Report = SensitivityReport;

    fn backend(&self) -> &backend::Options {
        self.job.backend()
    }

    fn run(
        &self,
        backend: &dyn Backend,
        progress: &mut dyn Progress,
    ) -> Result<SensitivityReport, Error> {
        let spec = self.spec()?;
        let clocks = Observe {
            clocks: true,
            ..spec.observe
        };
        let timed = spec.observed(clocks).ok_or_else(|| SpecError::Unobserved {
            allocator: spec.name(),
            observed: "timed",
        })?;
        let first = self.job.run(backend, progress)?;
        let clock = CallClock::new(backend)?;
        self.over(timed).run(&clock, progress)?;
        let times = clock.times()?;
        let calls = MeanCalls::of(&times, backend.info().clock_hz);
        let sweep = Sweep::new(|stretch: Option<f32>| {
            let spec = match stretch {
                Some(stretch) => spec.stretched(stretch)?,
                None => spec.clone(),
            };
            let report = self.over(spec).run(backend, progress)?;
            match report.hash() == first.hash() {
                true => Ok(report.time()),
                false => Err(Error::Verification(format!(
                    "runs with calls stretched by {} {}",
                    stretch.unwrap_or_default(),
                    J::Report::DIFFER
                ))),
            }
        })?;
        let origin = first.origin();
        Ok(SensitivityReport {
            backend: origin.backend,
            device: origin.device,
            command: J::COMMAND.to_owned(),
            input: (origin.input != J::COMMAND).then_some(origin.input),
            allocator: spec.label(),
            parameters: spec.parameters(),
            requests: times.requests,
            frees: times.frees,
            malloc_ns: calls.malloc_ns,
            free_ns: calls.free_ns,
            plain_ms: sweep.plain_ms,
            stretched: sweep.stretched,
            slope_ms: sweep.fit.map(|fit| fit.slope_ms),
            share: sweep.fit.map(|fit| fit.share),
            share_low: sweep.fit.map(|fit| fit.low),
            share_high: sweep.fit.map(|fit| fit.high),
            hash: first.hash().to_owned(),
            meta: origin.meta,
        })
    }
}
