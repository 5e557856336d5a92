//! `heapwood generate`: scenes and graphs made by the program.

mod graph;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::common::read_apart;
use super::progress::TerminalProgress;
use super::suffix;
use crate::Error;
use crate::generate::{SceneSpec, Spec};
use crate::job::make_scene;
use crate::output;
use crate::report::triangles;

/// Examples, at the end of the help.
const COMMAND_EXAMPLES: &str = "\
Examples:
  heapwood generate scene scan --triangles 1000000 -o scan.obj.gz
  heapwood generate graph mesh --vertices 100000 -o mesh.graph";

/// The kind of input.
#[derive(Debug, Subcommand)]
#[command(after_help = COMMAND_EXAMPLES)]
pub enum What {
    /// Make a procedural scene, or enlarge a scene file
    Scene(SceneArguments),
    /// Make a graph of a kind that the papers use
    Graph(graph::GraphArguments),
}

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood generate scene building --triangles 1000000 --seed 3 -o building.obj.gz
  heapwood generate scene terrain --triangles 200000 --displace 0.3 -o big.obj
  heapwood generate scene scenes/data/knot.obj --copies 8 -o knots.obj";

/// How to make a scene, and where to write it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct SceneArguments {
    #[command(flatten)]
    scene: SceneSpec,
    /// OBJ file to write, gzipped if it ends in .gz
    ///
    /// The materials go to a file beside it.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

/// Makes what was asked for and writes it.
pub fn run(what: What) -> Result<(), Error> {
    match what {
        What::Scene(arguments) => scene(&arguments),
        What::Graph(arguments) => graph::run(&arguments),
    }
}

/// Makes the scene, cleans it and writes it.
fn scene(arguments: &SceneArguments) -> Result<(), Error> {
    let check = arguments.scene.check();
    check.map_err(|why| Error::Usage(format!("--{why}")))?;
    suffix::check(&arguments.output, &["obj", "obj.gz"])?;
    let files = heapwood_scenes::files_written(&arguments.output);
    let written = files.each_ref().map(|file| Some(file.as_path()));
    read_apart(arguments.scene.file(), &written)?;
    // Known before the work.
    output::check_writable(&arguments.output)?;
    let scene = make_scene(&arguments.scene, &mut TerminalProgress::new(&written))?;
    heapwood_scenes::save(&scene, &arguments.output)?;
    let path = arguments.output.display();
    let count = triangles(scene.len() as u64);
    output::print(&format!("{path}: {count}\n"))
}
