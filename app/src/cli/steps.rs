//! Workloads that go in steps, over one allocator: `heapwood agents`, `particles`, `workgen` and
//! `replay`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::common::read_apart;
use super::progress::TerminalProgress;
use super::suffix::{self, Exporter};
use super::tree::AllocatorArguments;
use crate::Error;
use crate::backend::Options;
use crate::job::{StepsJob, StepsOptions};
use crate::output::Output;
use crate::report::Format;
use crate::workload::agents::Agents;
use crate::workload::particles::Particles;
use crate::workload::replay::Replay;
use crate::workload::steps::{Picture, Stepped};
use crate::workload::workgen::Workgen;

/// A workload on the command line.
pub trait StepsCommand: Stepped + Args {
    /// Reads the file that it is made from, so that an error in it is found at first. Returns its
    /// name and the fingerprint of its content.
    ///
    /// # Errors
    ///
    /// A file that cannot be used, or that is one of those to write.
    fn read_input(&self, _written: &[Option<&Path>]) -> Result<Option<(String, u64)>, Error> {
        Ok(None)
    }

    /// Examples, at the end of the help.
    const EXAMPLES: &'static str;
    /// Examples of comparisons.
    const COMPARISONS: &'static str;
}

impl StepsCommand for Agents {
    const EXAMPLES: &'static str = "\
Examples:
  heapwood agents --steps 500 --picture sea.png
  heapwood agents --width 2048 --height 2048 --allocator gallatin --pool 1GiB --verify";

    const COMPARISONS: &'static str = "\
Examples:
  heapwood compare agents --allocators cfmalloc,gallatin
  heapwood compare agents --steps 10000 -o sea.json --resume sea.json";
}

impl StepsCommand for Particles {
    const EXAMPLES: &'static str = "\
Examples:
  heapwood particles --steps 100 --picture density.png
  heapwood particles --width 64 --particles 2000 --allocator gallatin --pool 8GiB --verify";

    const COMPARISONS: &'static str = "\
Examples:
  heapwood compare particles --allocators cfmalloc,gallatin
  heapwood compare particles --steps 1000 -o lattice.json --resume lattice.json";
}

impl StepsCommand for Workgen {
    const EXAMPLES: &'static str = "\
Examples:
  heapwood workgen --threads 100000 --max-bytes 4096 --allocator ouroboros-p-s
  heapwood workgen --no-write --steps 50 --format json";

    const COMPARISONS: &'static str = "\
Examples:
  heapwood compare workgen --allocators cfmalloc,gallatin
  heapwood compare workgen --max-bytes 4096 -o work.json --resume work.json";
}

impl StepsCommand for Replay {
    fn read_input(&self, written: &[Option<&Path>]) -> Result<Option<(String, u64)>, Error> {
        read_apart([&self.trace], written)?;
        let trace = self.read()?;
        Ok(Some((self.trace.display().to_string(), trace.hash)))
    }

    const EXAMPLES: &'static str = "\
Examples:
  heapwood replay sea.hwt
  heapwood replay sea.hwt --allocator gallatin --steps 20";

    const COMPARISONS: &'static str = "\
Examples:
  heapwood compare replay sea.hwt --allocators cfmalloc,gallatin
  heapwood compare replay sea.hwt --pauses 1 --touch -o sea.json";
}

/// Arguments of a workload.
#[derive(Debug, Args)]
#[command(after_help = S::EXAMPLES)]
pub struct Arguments<S: StepsCommand> {
    #[command(flatten)]
    stepped: S,
    #[command(flatten)]
    steps: StepsOptions,
    /// Draw what the steps leave, as a PNG file
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Write the result to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format: text, json, csv or markdown [default: by the suffix of -o]
    ///
    /// Without -o, it is text.
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    format: Option<Format>,
    #[command(flatten)]
    allocator: AllocatorArguments,
    #[command(flatten)]
    backend: Options,
}

/// Takes the steps, draws on request, and reports.
pub fn run<S: StepsCommand>(arguments: &Arguments<S>) -> Result<(), Error> {
    let spec = arguments.allocator.spec()?;
    check(&arguments.stepped)?;
    let record = &arguments.allocator.record;
    let [trace, map] = record.files();
    let targets = [
        arguments.output.as_deref(),
        arguments.picture.as_deref(),
        trace,
        map,
    ];
    read_apart(arguments.allocator.link.files(), &targets)?;
    arguments.stepped.read_input(&targets)?;
    if let Some(picture) = &arguments.picture {
        suffix::check(picture, &["png"])?;
    }
    let exporter = Exporter::open(arguments.format, arguments.output.as_deref())?;
    let picture = arguments.picture.as_deref().map(Output::open).transpose()?;
    let progress = TerminalProgress::new(&targets);
    let job = StepsJob {
        stepped: arguments.stepped.clone(),
        steps: arguments.steps.clone(),
        allocator: spec,
        check_heap: arguments.allocator.check.heap,
        draws: picture.is_some(),
        backend: arguments.allocator.link.decide(&arguments.backend, None)?,
    };
    let complete = |_: &mut _, drawn: Option<Picture>| match (picture, drawn) {
        (Some(picture), Some(drawn)) => picture.write(&drawn.png()?),
        _ => Ok(()),
    };
    let Some(target) = record.open(&job.allocator)? else {
        return progress.execute(&job, (), &exporter, complete);
    };
    let recorded = StepsJob {
        allocator: target.spec.clone(),
        ..job.clone()
    };
    progress.execute_recorded((&job, ()), (&recorded, ()), &target, &exporter, complete)
}

/// Makes sure that the options of a workload fit each other.
pub fn check(stepped: &impl Stepped) -> Result<(), Error> {
    stepped
        .check()
        .map_err(|why| Error::Usage(format!("--{why}")))
}
