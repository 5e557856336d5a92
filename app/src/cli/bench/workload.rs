//! The microbenchmarks on the command line: what each is asked for, and the cases that it makes.

use clap::{Args, Subcommand};
use heapwood_device::bench::MAX_KEPT_BLOCKS;

use super::Common;
use crate::cli::common::parse_bytes;
use crate::cli::threads::parse_threads;
use crate::workload::micro::{BLOCK_THREADS, Draws, Microbenchmark, Size, TURNS, size_range};

// Examples, at the end of the help of each benchmark.
const THREADS_EXAMPLES: &str = "\
Examples:
  heapwood bench threads --threads 100000 --bytes 16,1024 --allocators cfmalloc,gallatin
  heapwood bench threads --threads 32 --bytes 4096 --heap full --allocators gallatin";
const MIXED_EXAMPLES: &str = "\
Examples:
  heapwood bench mixed --threads 10000 --allocators cfmalloc,scatteralloc
  heapwood bench mixed --allocators ouroboros-p-va,halloc --heap warm -o mixed.csv";
const ALLOC_DEALLOC_EXAMPLES: &str = "\
Examples:
  heapwood bench alloc-dealloc --blocks 120 --bytes 16,1024 --allocators cfmalloc,gallatin
  heapwood bench alloc-dealloc --blocks 120 --bytes 16 --allocators cmalloc,cmalloc:walk=paper";
const ALLOC_CYCLE_DEALLOC_EXAMPLES: &str = "\
Examples:
  heapwood bench alloc-cycle-dealloc --blocks 120 --allocators cmalloc:split=heap,cfmmalloc
  heapwood bench alloc-cycle-dealloc --kept 1,10,50 --blocks 120 --allocators gallatin";
const PROBABILITY_EXAMPLES: &str = "\
Examples:
  heapwood bench probability --blocks 1,30,120 --p-alloc 0.5 --allocators cfmalloc,halloc
  heapwood bench probability --launches 10 --allocators cfmalloc,xmalloc";
const TURNS_EXAMPLES: &str = "\
Examples:
  heapwood bench turns --threads 1024 --mixed --allocators gallatin,ouroboros-c-s
  heapwood bench turns --bytes 16 --turns 4 --allocators buddy,cfmalloc";
const SIZES_EXAMPLES: &str = "\
Examples:
  heapwood bench sizes --from 16 --to 8KiB --between 1 --allocators gallatin
  heapwood bench sizes --threads 10000 --allocators scatteralloc -o sizes.csv";
const SCALING_EXAMPLES: &str = "\
Examples:
  heapwood bench scaling --threads 1024,65536 --bytes 64 --allocators cfmalloc,xmalloc
  heapwood bench scaling --allocators gallatin,cudamalloc";

/// Which benchmark, at which sizes.
#[derive(Debug, Subcommand)]
pub enum Workload {
    /// One block per thread, all of one size; malloc and free in separate kernels
    #[command(after_help = THREADS_EXAMPLES)]
    Threads {
        /// Numbers of threads
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_threads, default_value = "10000,100000")]
        threads: Vec<u32>,
        /// Block sizes
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_bytes, default_value = "16,64,256,1024,4096,8192")]
        bytes: Vec<u64>,
        #[command(flatten)]
        common: Common,
    },
    /// One block per thread, of 16 to 8192 bytes each
    #[command(after_help = MIXED_EXAMPLES)]
    Mixed {
        /// Numbers of threads
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_threads, default_value = "100000")]
        threads: Vec<u32>,
        #[command(flatten)]
        common: Common,
    },
    /// One block per warp, malloc and free in one kernel
    #[command(after_help = ALLOC_DEALLOC_EXAMPLES)]
    AllocDealloc {
        /// Numbers of thread blocks, of 256 threads each
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_blocks, default_value = "120,1056")]
        blocks: Vec<u32>,
        /// Block sizes
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_bytes, default_value = "16,1024,65536")]
        bytes: Vec<u64>,
        #[command(flatten)]
        common: Common,
    },
    /// Several blocks per warp, then all of them freed, in one kernel
    #[command(after_help = ALLOC_CYCLE_DEALLOC_EXAMPLES)]
    AllocCycleDealloc {
        /// Numbers of thread blocks, of 256 threads each
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_blocks, default_value = "120,1056")]
        blocks: Vec<u32>,
        /// Block sizes
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_bytes, default_value = "16,1024")]
        bytes: Vec<u64>,
        /// Numbers of blocks that a warp holds
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_kept, default_value = "10")]
        kept: Vec<u32>,
        #[command(flatten)]
        common: Common,
    },
    /// At most one malloc or free per warp and launch, with a probability
    ///
    /// The test P of Vinkler and Havran (2014). A warp without a block requests one with the
    /// probability --p-alloc, a warp with one frees it with --p-free. A sample is the time of
    /// all launches together.
    #[command(after_help = PROBABILITY_EXAMPLES)]
    Probability {
        /// Numbers of thread blocks, of 256 threads each
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_blocks, default_value = "1,15,30,60,120")]
        blocks: Vec<u32>,
        /// Block sizes
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_bytes, default_value = "4")]
        bytes: Vec<u64>,
        #[command(flatten)]
        draws: DrawArguments,
        #[command(flatten)]
        common: Common,
    },
    /// Several blocks per thread in turn: malloc and free alternate in one kernel
    ///
    /// The test of Lee (2014), Figures 3 to 5.
    #[command(after_help = TURNS_EXAMPLES)]
    Turns {
        /// Numbers of threads
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_threads, default_value = "16384")]
        threads: Vec<u32>,
        /// Block sizes
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_bytes, default_value = "16,256,16384")]
        bytes: Vec<u64>,
        /// Turns per thread
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), default_value_t = TURNS)]
        turns: u32,
        /// Add sizes of 16 to 8192 bytes, drawn per thread and turn
        #[arg(long)]
        mixed: bool,
        #[command(flatten)]
        common: Common,
    },
    /// As `threads`, over a range of sizes: powers of two and some between them
    #[command(after_help = SIZES_EXAMPLES)]
    Sizes {
        /// Numbers of threads
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_threads, default_value = "10000,100000")]
        threads: Vec<u32>,
        /// Min block size
        #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "16")]
        from: u64,
        /// Max block size
        #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "8192")]
        to: u64,
        /// Equidistant sizes between two powers of two
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=63), default_value_t = 1)]
        between: u32,
        #[command(flatten)]
        common: Common,
    },
    /// As `threads`, over a range of numbers of threads
    #[command(after_help = SCALING_EXAMPLES)]
    Scaling {
        /// Numbers of threads
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_threads, default_value = "1024,16384,131072,1048576")]
        threads: Vec<u32>,
        /// Block sizes
        #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_bytes, default_value = "16")]
        bytes: Vec<u64>,
        #[command(flatten)]
        common: Common,
    },
}

/// The draws of `probability`.
#[derive(Debug, Args)]
pub struct DrawArguments {
    /// Launches of the kernel
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), default_value_t = Draws::default().launches)]
    launches: u32,
    /// Probability that a warp without a block allocates
    #[arg(long, value_name = "P", value_parser = parse_probability, default_value_t = Draws::default().p_alloc)]
    p_alloc: f64,
    /// Probability that a warp with a block frees it
    #[arg(long, value_name = "P", value_parser = parse_probability, default_value_t = Draws::default().p_free)]
    p_free: f64,
}

impl Workload {
    /// The draws, of the benchmark that draws.
    pub(super) fn draws(&self) -> Option<Draws> {
        let Self::Probability { draws, .. } = self else {
            return None;
        };
        Some(Draws {
            launches: draws.launches,
            p_alloc: draws.p_alloc,
            p_free: draws.p_free,
        })
    }

    /// Turns of a thread, in the benchmark that has them.
    pub(super) fn turns(&self) -> Option<u32> {
        match self {
            Self::Turns { turns, .. } => Some(*turns),
            _ => None,
        }
    }

    /// The benchmark, its sizes, and the options of every benchmark.
    pub(super) fn parts(self) -> (Microbenchmark, Vec<Size>, Common) {
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
            Self::Turns {
                threads,
                bytes,
                mixed,
                common,
                ..
            } => {
                // As in `Mixed`, 0 bytes stand for sizes that differ.
                let bytes: Vec<u64> = bytes.into_iter().chain(mixed.then_some(0)).collect();
                let sizes = Size::product(&threads, &bytes, &[1]);
                (Microbenchmark::Turns, sizes, common)
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
        Ok(count) if (1..=MAX_KEPT_BLOCKS).contains(&count) => Ok(count),
        _ => Err(format!("write a number from 1 to {MAX_KEPT_BLOCKS}")),
    }
}
