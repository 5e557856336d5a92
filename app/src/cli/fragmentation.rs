//! `heapwood bench fragmentation`: how much of a pool allocators grant, and which addresses.

use clap::Args;

use super::cases::CasesArguments;
use super::common::parse_bytes;
use super::threads::parse_threads;
use crate::Error;
use crate::allocators::Spec;
use crate::duration::parse_seconds;
use crate::workload::fragmentation::{self, Case};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood bench fragmentation --bytes 1024,8192 --allocators cfmalloc,gallatin
  heapwood bench fragmentation --allocators halloc --pool 256MiB -o fragmentation.csv";

/// Allocators, sizes, threads.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Block sizes
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_bytes, default_value = "16,64,256,1024,4096,8192")]
    bytes: Vec<u64>,
    /// Threads, each of which allocates one block at a time
    #[arg(long, value_name = "N", value_parser = parse_threads, default_value_t = 100_000)]
    threads: u32,
    /// Max steps of growth
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), default_value_t = 10_000)]
    steps: u32,
    /// Time limit of a case
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "120")]
    timeout: f64,
    #[command(flatten)]
    cases: CasesArguments,
}

/// Runs all cases, writes the table, and fails if a case did, or none succeeded.
pub fn run(arguments: Arguments) -> Result<(), Error> {
    let context = arguments.cases.open(arguments.timeout)?;
    let case = |spec: &Spec, pool_bytes, bytes| Case {
        allocator: spec.clone(),
        pool_bytes,
        threads: arguments.threads,
        bytes,
        most_steps: arguments.steps,
        backend: context.backend.over(spec),
    };
    let mut cases = Vec::new();
    for spec in &context.specs {
        for &pool in &arguments.cases.pool {
            let sizes = arguments.bytes.iter();
            cases.extend(sizes.map(|&bytes| case(spec, pool, bytes)));
        }
    }
    let rows = context.run(&cases, |case| {
        format!("{} {} B", case.allocator, case.bytes)
    })?;
    context
        .exporter
        .conclude(&rows[..], fragmentation::verdict(&rows))
}
