//! `heapwood bench host-pool`: what the host obtains memory from.

use clap::Args;

use super::common::{decide, parse_bytes, spinner};
use super::suffix::ResultArguments;
use crate::backend::Options;
use crate::duration::parse_seconds;
use crate::workload::check_statuses;
use crate::workload::host_pool::{self, Pattern, Suite};
use crate::{Error, size};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood bench host-pool --bytes 64KiB,1MiB --threads 1,4
  heapwood bench host-pool --patterns pairs --memory 256MiB --format markdown";

/// Sizes, threads, how often.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Orders of allocation and deallocation
    #[arg(
        long,
        value_enum,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "pairs,mixed,cold,warm"
    )]
    patterns: Vec<Pattern>,
    /// Block sizes
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_bytes, default_value = "512,64KiB,1MiB,16MiB,64MiB")]
    bytes: Vec<u64>,
    /// Numbers of threads that allocate concurrently
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1024), default_value = "1,4,16")]
    threads: Vec<u32>,
    /// Max pairs of allocation and deallocation per thread
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000), default_value_t = 10_000)]
    operations: u32,
    /// Time limit of a round
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "0.5")]
    budget: f64,
    /// Max memory that cold and warm hold at a time
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "1GiB")]
    memory: u64,
    #[command(flatten)]
    results: ResultArguments,
    #[command(flatten)]
    backend: Options,
}

/// Runs all cases, writes the table, and fails if a case did, or none succeeded.
pub fn run(arguments: Arguments) -> Result<(), Error> {
    let exporter = arguments.results.open([])?;
    let suite = Suite {
        patterns: arguments.patterns,
        bytes: arguments.bytes,
        threads: arguments.threads,
        operations: arguments.operations,
        budget_s: arguments.budget,
        memory_bytes: arguments.memory,
        backend: decide(&arguments.backend, None)?,
    };
    let spinner = spinner(String::new());
    let rows = host_pool::run(&suite, |case| spinner.set_message(case.to_owned()))?;
    spinner.finish_and_clear();
    let verdict = check_statuses(rows.iter().map(|row| row.status));
    exporter.conclude(&rows[..], verdict)
}
