//! Primary rays beside Intel's Embree, on the CPU, in one process:
//! `cargo bench -p heapwood-benches --bench embree -- SCENES`.
//!
//! Embree is loaded when the benchmark begins (on Debian it is the package `libembree3-3`);
//! without it there is nothing to measure, and a line says so.
//!
//! Both make the same picture: a ray through the middle of each pixel, and the grey of an eyelight
//! where it hits. Ours is what `heapwood render --backend cpu` does with the default tree; Embree
//! gets a high-quality build and a call of `rtcIntersect1` a ray. Runs of the two take turns, so
//! that what else the machine does meets both. Times are of pictures alone, without builds.
//!
//! Ours is watertight, and bit for bit the same on a GPU; Embree's is its default
//! mode, which is faster than its robust one and may miss hits at edges. The pixels in which one
//! of the two hits something and the other does not are counted.

#[path = "../common/mod.rs"]
mod common;
mod library;
mod work;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use heapwood::Error;
use heapwood::output::Output;

use library::Embree;
use work::{Settings, View};

/// Compare primary rays with Embree on the CPU
#[derive(Debug, Parser)]
#[command(name = "embree")]
struct Arguments {
    /// Scenes as `heapwood render` takes them, and after an @ where the eye is and what it looks
    /// at, as x,y,z,x,y,z [default: courtyard, knot and terrain, framed]
    #[arg(value_name = "SCENE[@VIEW]")]
    scenes: Vec<View>,
    /// Timed pictures of each, after one that is not counted
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Threads of either side [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Pixels of a side of the picture
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=16384))]
    side: u32,
    /// Use Embree's robust mode, which misses no hit at an edge
    #[arg(long)]
    robust: bool,
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
    common::end("embree", run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Error> {
    let Some(embree) = Embree::load() else {
        eprintln!(
            "embree: skipped: neither {} can be loaded; on Debian, apt-get install libembree3-3",
            library::NAMES.join(" nor ")
        );
        return Ok(());
    };
    let output = arguments.output.as_deref().map(Output::open).transpose()?;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Settings {
        runs: arguments.runs,
        threads: arguments.threads.map_or_else(cores, usize::from),
        side: arguments.side,
        is_robust: arguments.robust,
    };
    let views = match &arguments.scenes[..] {
        [] => heapwood_scenes::generate::NAMES.map(View::framed).to_vec(),
        given => given.to_vec(),
    };
    let mut rows = Vec::new();
    for view in &views {
        eprintln!("{view}");
        rows.push(work::measure(&embree, view, &settings)?);
    }
    common::write(output, &rows, arguments.json)
}
