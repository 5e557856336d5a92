//! The recording of a command: `--record` and `--heap-map`.

use std::cell::RefCell;
use std::fs;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use heapwood_traces::RecordingCost;

use super::common::parse_bytes;
use super::progress::TerminalProgress;
use super::sequence::numbered;
use super::suffix::{self, Exporter};
use crate::Error;
use crate::allocators::Spec;
use crate::backend::{AddressMap, Backend, Recording};
use crate::job::{Job, MeasuredJob, options};
use crate::meta;
use crate::output::Output;
use crate::report::Report;
use crate::workload::heap_map::{frame_of, picture_of_addresses};

/// A trace to record.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Recording",
    group = ArgGroup::new("recorded").args(["record", "heap_map"]).multiple(true)
)]
pub struct RecordArguments {
    /// Record each call of the allocator in a trace, a .hwt file
    ///
    /// The run is made twice, at last without recording: the file has the time of both. docs/traces.md
    /// describes it.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    record: Option<PathBuf>,
    /// Device memory for the calls of a launch, 32 bytes each [default: 256MiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, requires = "recorded", default_value = "256MiB", hide_default_value = true, hide_short_help = true)]
    record_ring: u64,
    /// Draw the pool over the launches of the run, as a PNG file: blocks by their addresses
    ///
    /// Calls are recorded for it. docs/traces.md describes the picture.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    heap_map: Option<PathBuf>,
    /// Draw a picture behind each launch too: --heap-map NAME.png stands for NAME-0001.png and so on
    ///
    /// From 1025 launches on, it is every second one, or every fourth.
    #[arg(long, requires = "heap_map", hide_short_help = true)]
    heap_frames: bool,
}

/// A map that will be drawn.
struct MapTarget {
    name: PathBuf,
    output: Output,
    /// Whether frames are drawn beside it.
    has_frames: bool,
}

/// A trace or a map that a command will record.
pub struct Target {
    trace: Option<Output>,
    map: Option<MapTarget>,
    ring_bytes: u64,
    /// The allocator whose calls are recorded.
    pub spec: Spec,
}

impl RecordArguments {
    /// The files that are written.
    pub fn files(&self) -> [Option<&Path>; 2] {
        [self.record.as_deref(), self.heap_map.as_deref()]
    }

    /// The first argument that wants calls to be recorded.
    pub fn wanted(&self) -> Option<&'static str> {
        match self.files() {
            [Some(_), _] => Some("--record"),
            [None, Some(_)] => Some("--heap-map"),
            [None, None] => None,
        }
    }

    /// The recording of calls of an allocator, if one is asked for.
    ///
    /// # Errors
    ///
    /// A file that cannot be written, and allocators that cannot be recorded.
    pub fn open(&self, spec: &Spec) -> Result<Option<Target>, Error> {
        if self.wanted().is_none() {
            return Ok(None);
        }
        let properties = &spec.allocator.properties;
        if self.heap_map.is_some() && (properties.system_heap || properties.own_memory) {
            let name = spec.name();
            let why = format!("--heap-map: {name} has its blocks elsewhere than in a pool");
            return Err(Error::Usage(why));
        }
        let open = |path: &Option<PathBuf>, suffixes| {
            let path = path.as_deref();
            let checked = path.map(|path| suffix::check(path, suffixes).map(|()| path));
            checked.transpose()?.map(Output::open).transpose()
        };
        let trace = open(&self.record, &["hwt"])?;
        let map = open(&self.heap_map, &["png"])?;
        let map = map.zip(self.heap_map.clone());
        Ok(Some(Target {
            trace,
            map: map.map(|(output, name)| MapTarget {
                name,
                output,
                has_frames: self.heap_frames,
            }),
            ring_bytes: self.record_ring,
            spec: spec.recorded()?,
        }))
    }
}

impl Target {
    /// Runs that it takes.
    fn runs(&self) -> usize {
        1 + usize::from(self.trace.is_some())
    }

    /// Makes a run with recording, `recorded`, and, where there is a trace, without, `plain`; writes
    /// trace and map, and returns what the first did. Nothing is written if either fails.
    ///
    /// # Errors
    ///
    /// Those of the runs and of recording.
    pub fn record<T>(
        &self,
        backend: &dyn Backend,
        job: &impl Job,
        recorded: impl FnOnce(&dyn Backend) -> Result<T, Error>,
        plain: impl FnOnce(&dyn Backend) -> Result<(), Error>,
    ) -> Result<T, Error> {
        let header = meta::trace_header(backend, &self.spec, &command_line(job)?);
        let spool = self.trace.as_ref().map(Output::spool).transpose()?;
        let sink: Box<dyn Write + Send> = match (&spool, &self.trace) {
            (Some(spool), Some(trace)) => Box::new(spool.try_clone().map_err(trace.refused())?),
            _ => Box::new(io::sink()),
        };
        let mut recording = Recording::new(backend, self.ring_bytes, sink, header)?;
        if let Some(target) = &self.map {
            recording = recording.with_map(target.has_frames);
        }
        let done = recorded(&recording)?;
        let map = recording.take_map();
        let mut cost = None;
        if self.trace.is_some() {
            // Behind the other, which has the costs of a cold start then: recording does not seem
            // cheaper.
            let times = Recording::of_times(backend);
            plain(&times)?;
            cost = Some(RecordingCost {
                recorded_ms: recording.launches_ms(),
                unrecorded_ms: times.launches_ms(),
            });
        }
        recording.finish(cost)?;
        let mut pictures = Pictures::default();
        if let (Some(target), Some(map)) = (&self.map, map) {
            pictures.write(target, &map)?;
        }
        if let (Some(trace), Some(mut spool)) = (&self.trace, spool) {
            trace.write_with(|out| {
                spool.rewind()?;
                io::copy(&mut spool, out).map(drop)
            })?;
        }
        pictures.keep();
        Ok(done)
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
        self.show_bar::<J>(target.runs() * plain.steps(plain_input));
        let progress = RefCell::new(&mut self);
        let recorded = |backend: &dyn Backend| {
            let (mut report, left) = job.measure(input, backend, *progress.borrow_mut())?;
            complete(&mut report, left)?;
            Ok(report)
        };
        let again = |backend: &dyn Backend| {
            let mut progress = progress.borrow_mut();
            plain.measure(plain_input, backend, *progress).map(drop)
        };
        let report = target.record(&*backend, plain, recorded, again)?;
        drop(self);
        exporter.write(&report)
    }
}

/// Pictures that were written. They are removed unless all files of a command are.
#[derive(Default)]
struct Pictures(Vec<PathBuf>);

impl Pictures {
    /// Writes a map, and before it its frames: a picture of each column.
    fn write(&mut self, target: &MapTarget, map: &AddressMap) -> Result<(), Error> {
        let frames = if target.has_frames {
            map.columns()
        } else {
            &[]
        };
        let names = numbered(&target.name, frames.len());
        for (name, column) in names.zip(frames) {
            Output::open(&name)?.write(&frame_of(column).png()?)?;
            self.0.push(name);
        }
        target.output.write(&picture_of_addresses(map).png()?)?;
        if target.output.is_file() {
            self.0.push(target.name.clone());
        }
        Ok(())
    }

    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Pictures {
    fn drop(&mut self) {
        self.0.iter().for_each(|name| drop(fs::remove_file(name)));
    }
}

/// A job as a command line, without its input.
fn command_line<J: Job>(job: &J) -> Result<String, Error> {
    let mut words = vec![J::KIND.to_owned()];
    words.extend(options(job)?);
    Ok(words.join(" "))
}
