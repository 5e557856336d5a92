//! `heapwood agents`, `heapwood particles` and `heapwood workgen`: workloads that go in steps, over one allocator.

use std::path::PathBuf;

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
use crate::workload::steps::Stepped;
use crate::workload::workgen::Workgen;

/// A workload on the command line.
pub trait StepsCommand: Stepped + Args {
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
    let targets = [arguments.output.as_deref(), arguments.picture.as_deref()];
    read_apart(arguments.allocator.link.files(), &targets)?;
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
    progress.execute(&job, (), &exporter, |_, drawn| match (picture, drawn) {
        (Some(picture), Some(drawn)) => picture.write(&drawn.png()?),
        _ => Ok(()),
    })
}

/// Makes sure that the options of a workload fit each other.
pub fn check(stepped: &impl Stepped) -> Result<(), Error> {
    stepped
        .check()
        .map_err(|why| Error::Usage(format!("--{why}")))
}
