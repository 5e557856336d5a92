//! `heapwood gap`: runs the kernels of the GAP benchmark suite on a graph.

use std::path::PathBuf;

use clap::Args;

use super::graph::{StorageArguments, check_input};
use super::progress::TerminalProgress;
use super::suffix::ResultArguments;
use crate::Error;
use crate::backend::Options;
use crate::job::{GapJob, InputOptions};
use crate::size::{Pool, parse_pool};
use crate::workload::gap::{GAP_KERNELS, GapKernel};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood gap graphs/data/triangulation.graph --kernels cc,tc --verify
  heapwood gap gen:kronecker,vertices=2^16,weight-range=1..255 --layout linked -o kron.json";

/// Arguments of `heapwood gap`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    // Its help and that of the trials list the kernels.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_kernel, help = kernels_help())]
    kernels: Vec<GapKernel>,
    #[arg(long, value_name = "N", help = trials_help(), value_parser = clap::value_parser!(u32).range(1..=100_000))]
    trials: Option<u32>,
    /// Sources of trials in this file [default: drawn as by gapbs]
    ///
    /// It has one id per line, or is a vector of Matrix Market such as GAP-road_sources.mtx. Each kernel
    /// begins with the first source, and goes on with it after the last.
    #[arg(long, value_name = "FILE")]
    sources: Option<PathBuf>,
    /// Compare all results with an independent CPU implementation
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    results: ResultArguments,
    #[command(flatten)]
    input: InputOptions,
    #[command(flatten)]
    storage: StorageArguments,
    /// Pool: a size, a multiple such as 8x, or auto
    ///
    /// A multiple counts the bytes of the stored edges.
    #[arg(long, help_heading = "Allocator", value_name = "SIZE", value_parser = parse_pool, default_value = "auto")]
    pool: Pool,
    #[command(flatten)]
    backend: Options,
}

/// Loads, runs all trials, and reports.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    check_input(&arguments.input)?;
    let mut job = GapJob {
        input: arguments.input.clone(),
        kernels: arguments.kernels.clone(),
        sources: arguments.sources.clone(),
        trials: arguments.trials,
        verify: arguments.verify,
        pool: arguments.pool,
        storage: arguments.storage.options()?,
        // Decided after the graph is read.
        backend: Options::default(),
    };
    let files = job.files();
    let read = files.iter().map(PathBuf::as_path);
    let link = &arguments.storage.allocator.link;
    let exporter = arguments.results.open(read.chain(link.files()))?;
    let mut progress = TerminalProgress::new(&[]);
    let benchmark = job.read(&mut progress)?;
    job.backend = link.decide(&arguments.backend, None)?;
    progress.execute(&job, &benchmark, &exporter, |_, ()| Ok(()))
}

/// The help of the option that lists kernels.
fn kernels_help() -> String {
    format!(
        "Kernels: {} [default: all that the graph supports]",
        kernel_names()
    )
}

/// The help of the option for the number of trials.
fn trials_help() -> String {
    let trials = GAP_KERNELS.iter();
    let trials = trials.map(|kernel| format!("{} {}", kernel.name, kernel.trials));
    let trials: Vec<String> = trials.collect();
    format!("Trials per kernel [default: {}]", trials.join(", "))
}

/// The names of all kernels, as a list that the option takes.
fn kernel_names() -> String {
    let names: Vec<&str> = GAP_KERNELS.iter().map(|kernel| kernel.name).collect();
    names.join(",")
}

/// The kernel of this name.
///
/// # Errors
///
/// A message that says which there are.
fn parse_kernel(text: &str) -> Result<GapKernel, String> {
    GapKernel::named(text).ok_or_else(|| format!("write some of {}", kernel_names()))
}
