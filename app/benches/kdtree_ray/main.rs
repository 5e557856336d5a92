//! Builds of k-d trees beside the crate `kdtree-ray` (Florian Amsallem), on the CPU, in one
//! process: `cargo bench -p heapwood-benches --bench kdtree_ray -- SCENES`.
//!
//! Both get the same triangles and the constants that are that crate's default: traversal 15,
//! intersection 20, empty bonus 0.2. That crate starts a thread for each core in any case, so
//! bind the process to cores to measure with fewer. Builds of the two take turns, so that what
//! else the machine does meets both. Times are those on the wall around the call.
//!
//! That crate keeps its nodes to itself, and its search returns all triangles in the leaves
//! along a ray. So trees are compared by that: different triangles in the leaves that a ray
//! meets on its whole way, averaged over random rays through the scene's box. A step down its
//! tree cannot be counted.

#[path = "../common/mod.rs"]
mod common;
mod rays;
mod work;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use heapwood::Error;
use heapwood::output::Output;

use heapwood_results::benches::KdtreeRayRow as Row;

/// Compare builds of k-d trees with the crate `kdtree-ray` on the CPU
#[derive(Debug, Parser)]
#[command(name = "kdtree_ray")]
struct Arguments {
    /// OBJ files, or scenes of the program: courtyard, knot, terrain [default: these three]
    #[arg(value_name = "SCENE")]
    scenes: Vec<String>,
    /// Samples of each time, after one that is not counted
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Rays through each tree
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    rays: u32,
    /// Write JSON, an object a line, instead of a table
    #[arg(long)]
    json: bool,
    /// Write to a file instead of the standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Given by `cargo bench`; means nothing
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    heapwood::meta::set_commit(heapwood_commit::COMMIT);
    common::end("kdtree_ray", run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Error> {
    let output = arguments.output.as_deref().map(Output::open).transpose()?;
    let named = arguments.scenes.iter().map(String::as_str);
    let scenes: Vec<&str> = match arguments.scenes.is_empty() {
        true => heapwood_scenes::generate::NAMES.to_vec(),
        false => named.collect(),
    };
    let mut rows: Vec<Row> = Vec::new();
    for name in scenes {
        eprintln!("{name}");
        rows.push(work::measure(name, arguments.runs, arguments.rays)?);
    }
    common::write(output, &rows, arguments.json)
}
