//! `heapwood bench`: the papers' microbenchmarks as a table of cases.

mod workload;

use clap::{Args, Subcommand};

use super::cases::CasesArguments;
use super::hints::explain;
use super::record::RecordArguments;
use super::{fragmentation, host_pool, survey};
use crate::Error;
use crate::allocators::Spec;
use crate::duration::parse_seconds;
use crate::job::{Job, call_costs};
use crate::size::display;
use crate::workload::micro::{self, HeapState, Plan, Suite};
use crate::workload::{BenchRow, Status};

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
    /// Run the benchmarks of a survey of allocators, figure by figure
    ///
    /// The survey is that of Winter et al. (PPoPP 2021). It has registers, initialization, thread, warp
    /// and mixed allocation, scaling, address ranges, out of memory, work generation, and graphs.
    Survey(Box<survey::Arguments>),
    /// Time the host's caching pool beside cuMemAlloc and cuMemAllocAsync, or malloc
    HostPool(Box<host_pool::Arguments>),
}

/// Options of every benchmark.
#[derive(Debug, Args)]
pub struct Common {
    /// State of the heap: warm, cold, full or both
    ///
    /// It is the state before a sample.
    #[arg(long, value_enum, value_name = "STATE", default_value_t)]
    heap: Heaps,
    #[command(flatten)]
    plan: Plan,
    /// Time limit of a case
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "30")]
    timeout: f64,
    #[command(flatten)]
    cases: CasesArguments,
    #[command(flatten)]
    record: RecordArguments,
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
        What::Survey(arguments) => survey::run(*arguments),
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
    let context = common.cases.open(common.timeout)?;
    let suite = Suite {
        workload,
        allocators: context.specs.clone(),
        heaps: common.heap.states(),
        sizes,
        draws,
        turns,
        pools: common.cases.pool,
        plan: common.plan,
        backend: context.backend.clone(),
    };
    let pools = suite.pools.len();
    let cases = suite.cases();
    if common.record.wanted().is_some() {
        let rows = [record_case(&cases, &common.record)?];
        return context.exporter.conclude(&rows[..], micro::verdict(&rows));
    }
    let mut rows = context.run(&cases, |case| {
        let size = format!("{} x {} B", case.threads, case.bytes);
        match pools {
            1 => format!("{} {size}", case.allocator),
            _ => format!("{} {size}, {}", case.allocator, display(case.pool_bytes)),
        }
    })?;
    if suite.allocators.iter().any(Spec::is_external) {
        // An error here does not lose the rows that were measured before.
        match call_costs(&suite.backend, suite.plan, |options| {
            context.runner(options)
        }) {
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
    context.exporter.conclude(&rows[..], micro::verdict(&rows))
}

/// Measures a case in this process and records its calls; returns its row.
fn record_case(cases: &[micro::Case], arguments: &RecordArguments) -> Result<micro::Row, Error> {
    let [case] = cases else {
        return Err(Error::Usage(format!(
            "{} is for one case, not {}: name one allocator, one --heap, and one size",
            arguments.wanted().unwrap_or_default(),
            cases.len()
        )));
    };
    let target = arguments.open(&case.allocator)?;
    let Some(target) = target else {
        return Ok(case.row(&case.backend.info()?));
    };
    let recorded = micro::Case {
        allocator: target.spec.clone(),
        ..case.clone()
    };
    let backend = case.backend.open()?;
    let ran = |row: micro::Row| match row.status() {
        Status::Ok | Status::Oom => Ok(row),
        _ => Err(Error::Failed(row.error.unwrap_or_default())),
    };
    target.record(
        &*backend,
        case,
        |backend| ran(recorded.run(backend, &mut ())?),
        |backend| ran(case.run(backend, &mut ())?).map(drop),
    )
}
