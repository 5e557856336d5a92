//! `heapwood bench fragmentation`: how much of a pool allocators grant, and which addresses.

use std::time::Duration;

use clap::Args;

use super::cases::{ListArguments, execute, runner, specs};
use super::common::{LinkArguments, parse_bytes};
use super::suffix::ResultArguments;
use super::threads::parse_threads;
use crate::allocators::Spec;
use crate::backend::Options;
use crate::duration::parse_seconds;
use crate::workload::fragmentation::{self, Case};
use crate::{Error, size};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood bench fragmentation --bytes 1024,8192 --allocators cfmalloc,gallatin
  heapwood bench fragmentation --allocators halloc --pool 256MiB -o fragmentation.csv";

/// Allocators, sizes, threads.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    allocators: ListArguments,
    /// Block sizes
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_bytes, default_value = "16,64,256,1024,4096,8192")]
    bytes: Vec<u64>,
    /// Threads, each of which allocates one block at a time
    #[arg(long, value_name = "N", value_parser = parse_threads, default_value_t = 100_000)]
    threads: u32,
    /// Max steps of growth
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), default_value_t = 10_000)]
    steps: u32,
    /// Pool of each allocator
    #[arg(long, help_heading = "Allocator", value_name = "SIZE", value_parser = size::parse, default_value = "2GiB")]
    pool: u64,
    /// Combine the requests of a warp, in all allocators
    #[arg(long, help_heading = "Allocator")]
    coalesce: bool,
    /// Time limit of a case
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "120")]
    timeout: f64,
    /// Run all cases in one process: faster, but a crash ends all of them
    #[arg(long)]
    in_process: bool,
    #[command(flatten)]
    results: ResultArguments,
    #[command(flatten)]
    link: LinkArguments,
    #[command(flatten)]
    backend: Options,
}

/// Runs all cases, writes the table, and fails if a case did, or none succeeded.
pub fn run(arguments: Arguments) -> Result<(), Error> {
    let specs = specs(&arguments.allocators, arguments.coalesce, &arguments.link)?;
    let exporter = arguments.results.open(arguments.link.files())?;
    let timeout = Duration::from_secs_f64(arguments.timeout);
    let link = &arguments.link;
    let backend = link.decide_for_cases(&arguments.backend, timeout, &specs)?;
    let runner = runner(&backend, arguments.in_process, timeout)?;
    let case = |spec: &Spec, bytes| Case {
        allocator: spec.clone(),
        pool_bytes: arguments.pool,
        threads: arguments.threads,
        bytes,
        most_steps: arguments.steps,
        backend: backend.over(spec),
    };
    let of = |spec| arguments.bytes.iter().map(move |&bytes| case(spec, bytes));
    let cases: Vec<Case> = specs.iter().flat_map(of).collect();
    let rows = execute(&cases, runner, |case| {
        format!("{} {} B", case.allocator, case.bytes)
    })?;
    exporter.conclude(&rows[..], fragmentation::verdict(&rows))
}
