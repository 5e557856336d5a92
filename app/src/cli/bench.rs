//! `heapwood bench`: the papers' microbenchmarks as a table of cases.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, Subcommand};
use heapwood_device::bench::KEPT_MOST;

use super::common::{BackendArguments, parse_seconds, progress};
use super::suffix;
use crate::allocators::{self, Spec};
use crate::backend::{Backend, Options};
use crate::output::Output;
use crate::report::{Format, bench_table, json};
use crate::workload::micro::{self, BLOCK_THREADS, Case, HeapState, Plan, Row, Status};
use crate::{Error, output, size};

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
    /// How to write the results [default: as the output file is named, or else as a table]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write the results to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
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

/// Threads, bytes and kept blocks of the cases, in the order of the table.
type Sizes = Vec<(u32, u64, u32)>;

impl Workload {
    fn parts(self) -> (micro::Microbenchmark, Sizes, Common) {
        let each = |counts: Vec<u32>, bytes: Vec<u64>, kept: Vec<u32>| -> Sizes {
            let kept = &kept;
            let bytes = &bytes;
            counts
                .into_iter()
                .flat_map(|count| {
                    bytes
                        .iter()
                        .flat_map(move |&size| kept.iter().map(move |&kept| (count, size, kept)))
                })
                .collect()
        };
        let threads_of =
            |blocks: Vec<u32>| blocks.iter().map(|count| count * BLOCK_THREADS).collect();
        match self {
            Self::Threads {
                threads,
                bytes,
                common,
            } => (
                micro::Microbenchmark::Threads,
                each(threads, bytes, vec![1]),
                common,
            ),
            Self::Mixed { threads, common } => (
                micro::Microbenchmark::Mixed,
                each(threads, vec![0], vec![1]),
                common,
            ),
            Self::AllocDealloc {
                blocks,
                bytes,
                common,
            } => {
                let sizes = each(threads_of(blocks), bytes, vec![1]);
                (micro::Microbenchmark::AllocDealloc, sizes, common)
            }
            Self::AllocCycleDealloc {
                blocks,
                bytes,
                kept,
                common,
            } => {
                let sizes = each(threads_of(blocks), bytes, kept);
                (micro::Microbenchmark::AllocCycleDealloc, sizes, common)
            }
            Self::Scaling {
                threads,
                bytes,
                common,
            } => (
                micro::Microbenchmark::Scaling,
                each(threads, bytes, vec![1]),
                common,
            ),
        }
    }
}

/// Runs all cases, writes the table, and fails if a verification did.
pub fn run(workload: Workload) -> Result<(), Error> {
    let (workload, sizes, common) = workload.parts();
    let mut specs = allocators::parse_list(&common.allocators).map_err(Error::Usage)?;
    for spec in &mut specs {
        spec.coalesce |= common.coalesce;
    }
    let format = suffix::format(common.format, common.output.as_deref())?;
    let file = common.output.as_deref().map(Output::open).transpose()?;
    let timeout = Duration::from_secs_f64(common.timeout);
    let backend = common.backend.decide(Some(timeout))?;
    let cases = cases(workload, &sizes, &common, &specs, &backend);

    let rows = measure_all(&cases, &backend, timeout, common.in_process)?;
    let text = match format {
        Format::Json => json(&rows)?,
        Format::Table => bench_table(&rows, Format::Table).text(),
        Format::Csv => bench_table(&rows, Format::Csv).csv(),
        Format::Markdown => bench_table(&rows, Format::Markdown).markdown(),
    };
    match file {
        Some(file) => file.write(text.as_bytes())?,
        None => output::print(&text)?,
    }
    verdict(&rows)
}

fn cases(
    workload: micro::Microbenchmark,
    sizes: &Sizes,
    common: &Common,
    specs: &[Spec],
    backend: &Options,
) -> Vec<(Spec, Case)> {
    let heaps: &[HeapState] = match common.heap {
        Heaps::Warm => &[HeapState::Warm],
        Heaps::Cold => &[HeapState::Cold],
        Heaps::Full => &[HeapState::Full],
        Heaps::Both => &[HeapState::Warm, HeapState::Cold],
    };
    let plan = Plan {
        warmup: common.warmup,
        runs: common.runs,
        budget_s: common.budget,
        verify: common.verify,
    };
    let mut cases = Vec::new();
    for spec in specs {
        for &heap in heaps {
            for &(threads, bytes, kept) in sizes {
                let case = Case {
                    workload,
                    allocator: spec.to_string(),
                    heap,
                    pool_bytes: common.pool,
                    threads,
                    bytes,
                    kept,
                    plan,
                    backend: backend.clone(),
                };
                cases.push((spec.clone(), case));
            }
        }
    }
    cases
}

fn measure_all(
    cases: &[(Spec, Case)],
    options: &Options,
    timeout: Duration,
    in_process: bool,
) -> Result<Vec<Row>, Error> {
    let info = options.info()?;
    let shared = in_process.then(|| options.open()).transpose()?;
    let mut lost = false;
    let bar = progress(cases.len());
    let mut rows = Vec::new();
    for (spec, case) in cases {
        bar.set_message(format!("{spec} {} x {} B", case.threads, case.bytes));
        let row = match shared.as_deref() {
            None => micro::ask(case, spec, &info, timeout)?,
            Some(_) if lost => {
                let why = "the GPU was lost in an earlier case: run without --in-process";
                Row::new(case, spec, &info).ended(Status::Fault, why)
            }
            Some(backend) => {
                let row = micro::measure(backend, spec, case);
                lost = row.status != Status::Ok && is_lost(backend);
                row
            }
        };
        rows.push(row);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// Whether a backend no longer does anything.
fn is_lost(backend: &dyn Backend) -> bool {
    backend
        .memory(4, true)
        .and_then(|memory| memory.download::<u32>(0, 1))
        .is_err()
}

/// What the rows mean for the exit code.
fn verdict(rows: &[Row]) -> Result<(), Error> {
    let corrupt = rows
        .iter()
        .filter(|row| row.corrupt.is_some_and(|blocks| blocks > 0));
    match corrupt.count() {
        0 => {}
        count => {
            return Err(Error::Verification(format!(
                "in {count} of {} cases blocks lost their contents",
                rows.len()
            )));
        }
    }
    if rows.iter().any(|row| row.status == Status::Ok) {
        return Ok(());
    }
    Err(Error::Failed(format!(
        "none of the {} cases succeeded",
        rows.len()
    )))
}

fn parse_threads(text: &str) -> Result<u32, String> {
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

fn parse_kept(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count) if (1..=KEPT_MOST).contains(&count) => Ok(count),
        _ => Err(format!("write a number from 1 to {KEPT_MOST}")),
    }
}

fn parse_bytes(text: &str) -> Result<u64, String> {
    match size::parse(text)? {
        0 => Err("write a size of at least 1 byte".to_owned()),
        bytes => Ok(bytes),
    }
}
