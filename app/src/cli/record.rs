//! The recording of a command: `--record`.

use std::io::{self, Seek};
use std::path::PathBuf;

use clap::Args;
use heapwood_device::allocator::Observe;
use heapwood_traces::{Header, RecordingCost};

use super::common::parse_bytes;
use super::progress::TerminalProgress;
use super::suffix::{self, Exporter};
use crate::Error;
use crate::allocators::{Spec, SpecError};
use crate::backend::{Backend, BackendError, Recording};
use crate::job::{MeasuredJob, options};
use crate::meta;
use crate::output::Output;
use crate::report::Report;

/// A trace to record.
#[derive(Debug, Args)]
#[command(next_help_heading = "Recording")]
pub struct RecordArguments {
    /// Record each call of the allocator in a trace, a .hwt file
    ///
    /// The run is made twice, and then without recording: the file has the time of both. docs/traces.md
    /// describes it.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub record: Option<PathBuf>,
    /// Device memory for the calls of a launch, 32 bytes each [default: 256MiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, requires = "record", default_value = "256MiB", hide_default_value = true, hide_short_help = true)]
    record_ring: u64,
}

/// A trace that a command will record.
pub struct Target {
    output: Output,
    ring_bytes: u64,
    /// The allocator whose calls are recorded.
    pub spec: Spec,
}

impl RecordArguments {
    /// The trace, if one is asked for, of the calls of an allocator.
    ///
    /// # Errors
    ///
    /// A file that cannot be written, and allocators that cannot be recorded.
    pub fn open(&self, spec: &Spec) -> Result<Option<Target>, Error> {
        let Some(path) = &self.record else {
            return Ok(None);
        };
        suffix::check(path, &["hwt"])?;
        let allocator = spec.name();
        if spec.allocator.properties.may_overwrite {
            return Err(Error::Usage(format!(
                "--record: {allocator} grants blocks again that live, and a trace of that says nothing"
            )));
        }
        let records = Observe {
            records: true,
            ..spec.observe
        };
        let observed = spec.observed(records);
        Ok(Some(Target {
            output: Output::open(path)?,
            ring_bytes: self.record_ring,
            spec: observed.ok_or(SpecError::Unobserved {
                allocator,
                observed: "recorded",
            })?,
        }))
    }

    /// Refuses a recording where there is nothing to record.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`].
    pub fn refuse(&self, why: &str) -> Result<(), Error> {
        match self.record {
            Some(_) => Err(Error::Usage(format!("--record: {why}"))),
            None => Ok(()),
        }
    }
}

impl TerminalProgress<'_> {
    /// Runs a job twice, with and without recording, and reports the recorded run: as
    /// [`TerminalProgress::execute`], with the same job over the allocator of `target` and its input.
    ///
    /// # Errors
    ///
    /// As there, and those of recording.
    pub fn execute_recorded<J: MeasuredJob<Report: Report>>(
        mut self,
        (plain, plain_input): (&J, J::Input<'_>),
        (job, input): (&J, J::Input<'_>),
        target: &Target,
        exporter: &Exporter,
        complete: impl for<'b> FnOnce(&mut J::Report, J::Left<'b>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let backend = plain.backend().open()?;
        self.show_bar::<J>(2 * plain.steps(plain_input));
        let header = header(plain, &target.spec, &*backend)?;
        let mut spool = target.output.spool()?;
        let file = spool.try_clone().map_err(target.output.refused())?;
        let recording = Recording::new(&*backend, target.ring_bytes, file, header)?;
        let (mut report, left) = job.measure(input, &recording, &mut self)?;
        complete(&mut report, left)?;
        // Behind the other, which has the costs of a cold start then: recording does not seem cheaper.
        let times = Recording::of_times(&*backend);
        plain.measure(plain_input, &times, &mut self)?;
        drop(self);
        let cost = RecordingCost {
            recorded_ms: recording.launches_ms(),
            unrecorded_ms: times.launches_ms(),
        };
        recording.finish(Some(cost)).map_err(BackendError::from)?;
        target.output.write_with(|out| {
            spool.rewind()?;
            io::copy(&mut spool, out).map(drop)
        })?;
        exporter.write(&report)
    }
}

/// The header of a trace of this job.
fn header(job: &impl MeasuredJob, spec: &Spec, backend: &dyn Backend) -> Result<Header, Error> {
    let info = backend.info();
    let meta = meta::of_device(&info);
    Ok(Header {
        device: Some(info.device),
        driver: meta.driver,
        commit: meta.commit,
        workload: command_line(job)?,
        allocator: spec.name().to_owned(),
        parameters: spec.parameters(),
        pool_bytes: None,
        backend: info.backend.to_owned(),
        clock_hz: Some(info.clock_hz),
    })
}

/// A job as a command line, without its input.
fn command_line<J: MeasuredJob>(job: &J) -> Result<String, Error> {
    let mut words = vec![J::KIND.to_owned()];
    words.extend(options(job)?);
    Ok(words.join(" "))
}
