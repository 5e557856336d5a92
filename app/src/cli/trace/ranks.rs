//! `heapwood trace ranks`: whether a replay ranks allocators as the live run does.

use std::path::PathBuf;

use clap::Args;

use super::super::suffix::ResultArguments;
use crate::Error;
use crate::report::ranks_report;

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood trace ranks replayed.json live.json
  heapwood trace ranks replayed.json live.json -o ranks.md";

/// Arguments of `heapwood trace ranks`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Result of `heapwood compare replay` in JSON
    #[arg(value_name = "REPLAYED")]
    replayed: PathBuf,
    /// Result of `heapwood compare` with the recorded command, in JSON
    #[arg(value_name = "LIVE")]
    live: PathBuf,
    #[command(flatten)]
    results: ResultArguments,
}

/// Writes the ranks.
pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let (replayed, live) = (arguments.replayed.as_path(), arguments.live.as_path());
    let exporter = arguments.results.open([replayed, live])?;
    exporter.write(&ranks_report(replayed, live)?)
}
