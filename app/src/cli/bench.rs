//! `heapwood bench`: the papers' microbenchmarks as a table of cases.

use std::time::Duration;

use clap::{ArgAction, Args, Subcommand};
use heapwood_device::bench::KEPT_MOST;

use super::common::{BackendArguments, parse_bytes, parse_seconds, progress, write};
use super::suffix::ResultArguments;
use super::{fragmentation, host_pool};
use crate::allocators;
use crate::report::bench_table;
use crate::workload::cases::{self, BenchCase, Runner};
use crate::workload::fragmentation::Case;
use crate::workload::micro::{
    self, BLOCK_THREADS, Draws, HeapState, Microbenchmark, Plan, Row, Size, Suite, size_range,
};
use crate::{Error, size};

/// A benchmark of allocators on the device, or of what the host obtains memory from.
#[derive(Debug, Subcommand)]
pub enum What {
    #[command(flatten)]
    Micro(Workload),
    /// How much of a pool is granted, and at which addresses
    ///
    /// The tests of fragmentation of Winter et al. (Ouroboros, 2020), for each size: the
    /// addresses that a block a thread covers, beside the fewest possible; the share of the
    /// pool that is granted until nothing is any more; and growth, by allocating a block a
    /// thread and freeing every second one, step by step, until a request is refused.
    Fragmentation(Box<fragmentation::Arguments>),
    /// The host's caching pool beside cuMemAlloc and cuMemAllocAsync, or malloc on the CPU
    HostPool(Box<host_pool::Arguments>),
}

/// Which benchmark, at which sizes.
#[derive(Debug, Subcommand)]
pub enum Workload {
    /// One block a thread, all of one size; malloc and free in kernels of their own
    Threads {
        /// Numbers of threads
        #[arg(long, value_delimiter = ',', value_parser = parse_threads, default_value = "10000,100000")]
        threads: Vec<u32>,
        /// Sizes of a block
        #[arg(long, value_delimiter = ',', value_parser = parse_bytes, default_value = "16,64,256,1024,4096,8192")]
        bytes: Vec<u64>,
        #[command(flatten)]
        common: Common,
    },
    /// One block a thread, of 16 to 8192 bytes each
    Mixed {
        /// Numbers of threads
        #[arg(long, value_delimiter = ',', value_parser = parse_threads, default_value = "100000")]
        threads: Vec<u32>,
        #[command(flatten)]
        common: Common,
    },
    /// One block a warp, malloc and free in one kernel
    AllocDealloc {
        /// Numbers of blocks of 256 threads
        #[arg(long, value_delimiter = ',', value_parser = parse_blocks, default_value = "120,1056")]
        blocks: Vec<u32>,
        /// Sizes of a block
        #[arg(long, value_delimiter = ',', value_parser = parse_bytes, default_value = "16,1024,65536")]
        bytes: Vec<u64>,
        #[command(flatten)]
        common: Common,
    },
    /// Several blocks a warp, then all of them freed, in one kernel
    AllocCycleDealloc {
        /// Numbers of blocks of 256 threads
        #[arg(long, value_delimiter = ',', value_parser = parse_blocks, default_value = "120,1056")]
        blocks: Vec<u32>,
        /// Sizes of a block
        #[arg(long, value_delimiter = ',', value_parser = parse_bytes, default_value = "16,1024")]
        bytes: Vec<u64>,
        /// Numbers of blocks that a warp keeps
        #[arg(long, value_delimiter = ',', value_parser = parse_kept, default_value = "10")]
        kept: Vec<u32>,
        #[command(flatten)]
        common: Common,
    },
    /// At most one malloc or free a warp, with a probability, in a kernel launched several times
    ///
    /// The test P of Vinkler and Havran (2014). A warp without a block requests one with the
    /// probability --p-alloc, a warp with one frees it with --p-free. A sample is the time of
    /// all launches together.
    Probability {
        /// Numbers of blocks of 256 threads
        #[arg(long, value_delimiter = ',', value_parser = parse_blocks, default_value = "1,15,30,60,120")]
        blocks: Vec<u32>,
        /// Sizes of a block
        #[arg(long, value_delimiter = ',', value_parser = parse_bytes, default_value = "4")]
        bytes: Vec<u64>,
        #[command(flatten)]
        draws: DrawArguments,
        #[command(flatten)]
        common: Common,
    },
    /// As `threads`, over a range of sizes: powers of two and some between them
    Sizes {
        /// Numbers of threads
        #[arg(long, value_delimiter = ',', value_parser = parse_threads, default_value = "10000,100000")]
        threads: Vec<u32>,
        /// Size of the smallest blocks
        #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "16")]
        from: u64,
        /// Size of the largest blocks
        #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "8192")]
        to: u64,
        /// Sizes between a power of two and the next, at equal distances
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=63), default_value_t = 1)]
        between: u32,
        #[command(flatten)]
        common: Common,
    },
    /// As `threads`, over a range of numbers of threads
    Scaling {
        /// Numbers of threads
        #[arg(long, value_delimiter = ',', value_parser = parse_threads, default_value = "1024,16384,131072,1048576")]
        threads: Vec<u32>,
        /// Sizes of a block
        #[arg(long, value_delimiter = ',', value_parser = parse_bytes, default_value = "16")]
        bytes: Vec<u64>,
        #[command(flatten)]
        common: Common,
    },
}

/// What `probability` draws.
#[derive(Debug, Args)]
pub struct DrawArguments {
    /// Launches of the kernel
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), default_value_t = Draws::default().launches)]
    launches: u32,
    /// Probability of a request by a warp without a block, in each launch
    #[arg(long, value_name = "P", value_parser = parse_probability, default_value_t = Draws::default().p_alloc)]
    p_alloc: f64,
    /// Probability of a free by a warp with a block, in each launch
    #[arg(long, value_name = "P", value_parser = parse_probability, default_value_t = Draws::default().p_free)]
    p_free: f64,
}

/// Options of every benchmark.
#[derive(Debug, Args)]
pub struct Common {
    /// Allocators with their parameters, separated by commas: `all` for each of them, `published`
    /// for their published forms
    #[arg(long, value_name = "LIST", default_value = "all")]
    allocators: String,
    /// State of the heap before a sample
    #[arg(long, value_enum, default_value_t)]
    heap: Heaps,
    /// Memory of an allocator
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "2GiB")]
    pool: u64,
    /// Most samples of a case
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), default_value_t = 25)]
    runs: u32,
    /// Rounds before the first sample of a warm heap
    #[arg(long, value_name = "N", default_value_t = 3)]
    warmup: u32,
    /// Seconds of samples after which five of them suffice
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "1.5")]
    budget: f64,
    /// Make the requests of a warp together, in all allocators
    #[arg(long)]
    coalesce: bool,
    /// Write and verify all blocks in a round that is not timed
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, num_args = 0..=1,
          default_missing_value = "true", default_value_t = true)]
    verify: bool,
    /// Seconds after which a case is given up
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "30")]
    timeout: f64,
    /// Run all cases in one process: faster, but a crash ends them all
    #[arg(long)]
    in_process: bool,
    #[command(flatten)]
    results: ResultArguments,
    #[command(flatten)]
    backend: BackendArguments,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Heaps {
    /// Used by earlier rounds
    Warm,
    /// Just initialised
    Cold,
    /// Filled up: how long it takes to be refused
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

impl Workload {
    /// What is drawn, by the benchmark that draws.
    fn draws(&self) -> Option<Draws> {
        let Self::Probability { draws, .. } = self else {
            return None;
        };
        Some(Draws {
            launches: draws.launches,
            p_alloc: draws.p_alloc,
            p_free: draws.p_free,
        })
    }

    fn parts(self) -> (Microbenchmark, Vec<Size>, Common) {
        let threads_of = |blocks: Vec<u32>| -> Vec<u32> {
            blocks.iter().map(|count| count * BLOCK_THREADS).collect()
        };
        match self {
            Self::Threads {
                threads,
                bytes,
                common,
            } => {
                let sizes = Size::product(&threads, &bytes, &[1]);
                (Microbenchmark::Threads, sizes, common)
            }
            Self::Mixed { threads, common } => {
                let sizes = Size::product(&threads, &[0], &[1]);
                (Microbenchmark::Mixed, sizes, common)
            }
            Self::AllocDealloc {
                blocks,
                bytes,
                common,
            } => {
                let sizes = Size::product(&threads_of(blocks), &bytes, &[1]);
                (Microbenchmark::AllocDealloc, sizes, common)
            }
            Self::AllocCycleDealloc {
                blocks,
                bytes,
                kept,
                common,
            } => {
                let sizes = Size::product(&threads_of(blocks), &bytes, &kept);
                (Microbenchmark::AllocCycleDealloc, sizes, common)
            }
            Self::Probability {
                blocks,
                bytes,
                common,
                ..
            } => {
                let sizes = Size::product(&threads_of(blocks), &bytes, &[1]);
                (Microbenchmark::Probability, sizes, common)
            }
            Self::Sizes {
                threads,
                from,
                to,
                between,
                common,
            } => {
                let sizes = Size::product(&threads, &size_range(from, to, between), &[1]);
                (Microbenchmark::Sizes, sizes, common)
            }
            Self::Scaling {
                threads,
                bytes,
                common,
            } => {
                let sizes = Size::product(&threads, &bytes, &[1]);
                (Microbenchmark::Scaling, sizes, common)
            }
        }
    }
}

/// Runs the benchmark.
pub fn run(what: What) -> Result<(), Error> {
    match what {
        What::Micro(workload) => run_micro(workload),
        What::Fragmentation(arguments) => fragmentation::run(*arguments),
        What::HostPool(arguments) => host_pool::run(*arguments),
    }
}

/// Measures one case of a benchmark, as another process has written it down; returns its row as
/// JSON.
///
/// # Errors
///
/// When there is no such benchmark, the case makes no sense, or its backend does not open.
pub fn answer(kind: &str, case: &str) -> Result<String, Error> {
    match kind {
        micro::Case::KIND => cases::answer::<micro::Case>(case),
        Case::KIND => cases::answer::<Case>(case),
        _ => Err(Error::Usage(format!("there is no benchmark `{kind}`"))),
    }
}

/// Runs all cases, writes the table, and fails if a verification did.
fn run_micro(workload: Workload) -> Result<(), Error> {
    let draws = workload.draws();
    let (workload, sizes, common) = workload.parts();
    if sizes.is_empty() {
        let why = "--from is a size that is not larger than --to";
        return Err(Error::Usage(why.to_owned()));
    }
    let mut allocators = allocators::parse_list(&common.allocators).map_err(Error::Usage)?;
    for spec in &mut allocators {
        spec.coalesce |= common.coalesce;
    }
    let (format, file) = common.results.open()?;
    let timeout = Duration::from_secs_f64(common.timeout);
    let backend = common.backend.decide(Some(timeout))?;
    let suite = Suite {
        workload,
        allocators,
        heaps: common.heap.states(),
        sizes,
        draws,
        pool_bytes: common.pool,
        plan: Plan {
            warmup: common.warmup,
            runs: common.runs,
            budget_s: common.budget,
            verify: common.verify,
        },
        backend,
    };
    let runner = match common.in_process {
        true => Runner::in_this_process(&suite.backend)?,
        false => Runner::in_processes(&suite.backend, timeout)?,
    };

    let rows = run_all(&suite, runner)?;
    let text = format.write(&rows, |rows| bench_table(rows, format))?;
    write(file, &text)?;
    micro::verdict(&rows)
}

/// Runs the cases of a suite under a bar.
fn run_all(suite: &Suite, mut runner: Runner) -> Result<Vec<Row>, Error> {
    let cases = suite.cases();
    let bar = progress(cases.len());
    let mut rows = Vec::new();
    for (spec, case) in &cases {
        bar.set_message(format!("{spec} {} x {} B", case.threads, case.bytes));
        rows.push(runner.run(spec, case)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// A number of threads that a grid can have.
///
/// # Errors
///
/// For what is none.
pub fn parse_threads(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ 1..=0x1000_0000) => Ok(count),
        _ => Err("write a number of threads from 1 to 2^28".to_owned()),
    }
}

fn parse_blocks(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ 1..=0x10_0000) => Ok(count),
        _ => Err("write a number of blocks from 1 to 2^20".to_owned()),
    }
}

fn parse_probability(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(probability) if (0.0..=1.0).contains(&probability) => Ok(probability),
        _ => Err("write a probability from 0 to 1".to_owned()),
    }
}

fn parse_kept(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count) if (1..=KEPT_MOST).contains(&count) => Ok(count),
        _ => Err(format!("write a number from 1 to {KEPT_MOST}")),
    }
}
