//! `heapwood bench`: the papers' microbenchmarks as a table of cases.

mod workload;

use std::time::Duration;

use clap::{Args, Subcommand};

use super::cases::{ListArguments, execute, runner, specs};
use super::common::LinkArguments;
use super::hints::explain;
use super::suffix::ResultArguments;
use super::{fragmentation, host_pool};
use crate::allocators::Spec;
use crate::backend::Options;
use crate::duration::parse_seconds;
use crate::job::call_costs;
use crate::workload::micro::{self, HeapState, Plan, Suite};
use crate::{Error, size};

use workload::Workload;

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood bench threads --threads 10000 --bytes 16,1024 --allocators cfmalloc,gallatin
  heapwood bench fragmentation --bytes 1024 --allocators gallatin,halloc --pool 256MiB";

/// A benchmark of allocators on the device, or of what the host obtains memory from.
#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum What {
    #[command(flatten)]
    Micro(Box<Workload>),
    /// Measure the fraction of a pool that is granted, and the addresses of blocks
    ///
    /// The tests of fragmentation of Winter et al. (Ouroboros, 2020), for each size. They report the
    /// address range of one block per thread, the fraction of the pool that is granted, and the steps
    /// of growth. A step allocates one block per thread and frees every second one.
    Fragmentation(Box<fragmentation::Arguments>),
    /// Time the host's caching pool beside cuMemAlloc and cuMemAllocAsync, or malloc
    HostPool(Box<host_pool::Arguments>),
}

/// Options of every benchmark.
#[derive(Debug, Args)]
pub struct Common {
    #[command(flatten)]
    allocators: ListArguments,
    /// State of the heap: warm, cold, full or both
    ///
    /// It is the state before a sample.
    #[arg(long, value_enum, value_name = "STATE", default_value_t)]
    heap: Heaps,
    /// Pool of each allocator
    #[arg(long, help_heading = "Allocator", value_name = "SIZE", value_parser = size::parse, default_value = "2GiB")]
    pool: u64,
    #[command(flatten)]
    plan: Plan,
    /// Combine the requests of a warp, in all allocators
    #[arg(long, help_heading = "Allocator")]
    coalesce: bool,
    /// Time limit of a case
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "30")]
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Heaps {
    /// Used by earlier rounds
    Warm,
    /// Newly initialised
    Cold,
    /// Exhausted: the refusal is timed
    Full,
    /// Warm and cold
    #[default]
    Both,
}

impl Heaps {
    fn states(self) -> Vec<HeapState> {
        match self {
            Self::Warm => vec![HeapState::Warm],
            Self::Cold => vec![HeapState::Cold],
            Self::Full => vec![HeapState::Full],
            Self::Both => vec![HeapState::Warm, HeapState::Cold],
        }
    }
}

/// Runs the benchmark.
pub fn run(what: What) -> Result<(), Error> {
    match what {
        What::Micro(workload) => run_micro(*workload),
        What::Fragmentation(arguments) => fragmentation::run(*arguments),
        What::HostPool(arguments) => host_pool::run(*arguments),
    }
}

/// Runs all cases, writes the table, and fails if a verification did.
fn run_micro(workload: Workload) -> Result<(), Error> {
    let (draws, turns) = (workload.draws(), workload.turns());
    let (workload, sizes, common) = workload.parts();
    if sizes.is_empty() {
        let why = "--from is a size that is not larger than --to";
        return Err(Error::Usage(why.to_owned()));
    }
    let allocators = specs(&common.allocators, common.coalesce, &common.link)?;
    let exporter = common.results.open(common.link.files())?;
    let timeout = Duration::from_secs_f64(common.timeout);
    let link = &common.link;
    let backend = link.decide_for_cases(&common.backend, timeout, &allocators)?;
    let suite = Suite {
        workload,
        allocators,
        heaps: common.heap.states(),
        sizes,
        draws,
        turns,
        pool_bytes: common.pool,
        plan: common.plan,
        backend,
    };
    let runner = |options: &Options| runner(options, common.in_process, timeout);
    let mut rows = execute(&suite.cases(), runner(&suite.backend)?, |case| {
        format!("{} {} x {} B", case.allocator, case.threads, case.bytes)
    })?;
    if suite.allocators.iter().any(Spec::is_external) {
        // An error here does not lose the rows that were measured before.
        match call_costs(&suite.backend, suite.plan, runner) {
            Ok(call) => {
                for link in rows.iter_mut().filter_map(|row| row.meta.link.as_mut()) {
                    link.call.clone_from(&call);
                }
            }
            Err(error) => super::complain(
                "note",
                &format_args!("what a call costs was not measured: {}", explain(&error)),
            ),
        }
    }
    exporter.conclude(&rows[..], micro::verdict(&rows))
}
