//! PageRank and triangle counting beside the crate `graph` (neo4j-labs), on the
//! CPU, in one process: `cargo bench -p heapwood-benches --bench graph_crate`.
//!
//! Both get the same generated graphs and as many threads as the process may
//! use; that crate starts one for each core in any case, so bind the process to cores to
//! measure with fewer. Samples of the two take turns, so that what else
//! the machine does meets both. Times are those on the wall around the call,
//! memory for results included; loading a graph is not part of them.

#[path = "../common/mod.rs"]
mod common;
mod ours;
mod report;
mod theirs;
mod timed;
mod work;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use heapwood::Error;
use heapwood::allocators::{DEFAULT, Spec};
use heapwood::output::Output;

use heapwood_results::benches::GraphCrateRow as Row;
use work::Input;

/// Compare PageRank and triangle counting with the crate `graph` on the CPU
#[derive(Debug, Parser)]
#[command(name = "graph_crate")]
struct Arguments {
    /// Samples of each time, after one that is not counted
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Only these graphs: delaunay, geometric, kronecker, mesh, uniform
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    graphs: Vec<String>,
    /// Divide the vertices of all graphs by 2^N
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=12))]
    smaller: u32,
    /// The allocator of our store
    #[arg(long, value_name = "NAME", default_value = DEFAULT, value_parser = Spec::parse)]
    allocator: Spec,
    /// How to write the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write to a file instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Given by `cargo bench`; means nothing
    #[arg(long, hide = true)]
    bench: bool,
}

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// An aligned table of medians.
    #[default]
    Table,
    /// An array with an object a line.
    Json,
}

fn main() -> ExitCode {
    heapwood::meta::set_commit(heapwood_commit::COMMIT);
    common::end("graph_crate", run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Error> {
    let output = arguments.output.as_deref().map(Output::open).transpose()?;
    let inputs = Input::chosen(&arguments.graphs)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut rows: Vec<Row> = Vec::new();
    for input in inputs {
        eprintln!("{}", input.name());
        rows.extend(work::measure(&input, arguments, threads)?);
    }
    common::write(output, &rows, arguments.format == Format::Json)
}
