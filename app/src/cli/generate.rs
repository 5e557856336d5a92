//! `heapwood generate`: scenes and graphs made by the program.

mod graph;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::scenes::make_scene;
use super::suffix;
use crate::Error;
use crate::generate::{SceneSpec, Spec};
use crate::output;
use crate::report::triangles;

/// What to generate.
#[derive(Debug, Subcommand)]
pub enum What {
    /// A procedural scene, or a larger one from a scene file
    Scene(SceneArguments),
    /// A graph of one of the kinds that the papers use
    Graph(graph::GraphArguments),
}

/// How to make a scene, and where to write it.
#[derive(Debug, Args)]
pub struct SceneArguments {
    #[command(flatten)]
    scene: SceneSpec,
    /// The OBJ file to write, gzipped if it ends in .gz; materials go beside it
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
    // Known before the work.
    output::check_writable(&arguments.output)?;
    let scene = make_scene(&arguments.scene)?;
    heapwood_scenes::save(&scene, &arguments.output)?;
    let path = arguments.output.display();
    let count = triangles(scene.len() as u64);
    output::print(&format!("{path}: {count}\n"))
}
