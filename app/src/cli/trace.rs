//! `heapwood trace`: traces of heaps.

mod convert;
mod map;
mod ranks;

use std::fs::File;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use heapwood_traces::{Reader, TraceError, summarise};

use super::suffix::ResultArguments;
use crate::Error;

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood trace summary sea.hwt
  heapwood trace convert sea.hwt sea.pickle";

/// A use of a trace.
#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum What {
    /// Summarise a trace: sizes, lifetimes, high water, reuse
    ///
    /// docs/traces.md defines the figures.
    Summary(SummaryArguments),
    /// Convert a trace to a format of another tool, or a log of one to a trace
    Convert(convert::Arguments),
    /// Draw the live bytes of a trace over time, by size
    Map(map::Arguments),
    /// Compare the ranks of allocators in a replay with those in the live run
    Ranks(ranks::Arguments),
}

/// Examples of `heapwood trace summary`.
const SUMMARY_EXAMPLES: &str = "\
Examples:
  heapwood trace summary sea.hwt
  heapwood trace summary sea.hwt --format json -o sea.json";

/// Arguments of `heapwood trace summary`.
#[derive(Debug, Args)]
#[command(after_help = SUMMARY_EXAMPLES)]
pub struct SummaryArguments {
    /// Trace, a .hwt file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    results: ResultArguments,
}

/// Uses a trace.
pub fn run(what: What) -> Result<(), Error> {
    match what {
        What::Summary(arguments) => summary(&arguments),
        What::Convert(arguments) => convert::run(&arguments),
        What::Map(arguments) => map::run(&arguments),
        What::Ranks(arguments) => ranks::run(&arguments),
    }
}

fn summary(arguments: &SummaryArguments) -> Result<(), Error> {
    let path = &arguments.file;
    let exporter = arguments.results.open([path.as_path()])?;
    let reader = Reader::new(open(path)?).map_err(about(path))?;
    let report = summarise(path.display().to_string(), reader).map_err(about(path))?;
    exporter.write(&report)
}

/// Opens a file to read.
fn open(path: &Path) -> Result<File, Error> {
    File::open(path).map_err(|cause| about(path)(TraceError::Read(cause)))
}

/// The error of this file.
fn about(path: &Path) -> impl Fn(TraceError) -> Error {
    let path = path.to_owned();
    move |error| Error::Trace {
        path: path.clone(),
        error,
    }
}
