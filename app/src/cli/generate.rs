//! `heapwood generate`: scenes and graphs made by the program.

mod graph;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use heapwood_scenes::generate::{self, Displacement};
use heapwood_scenes::{CleanOptions, Scene};

use super::common::load_scene;
use super::suffix;
use crate::Error;
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

/// How to make a scene.
#[derive(Debug, Args)]
pub struct SceneArguments {
    /// courtyard, knot, terrain, or an OBJ file to enlarge
    kind: String,
    /// The OBJ file to write, gzipped if it ends in .gz; materials go beside it
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Seed of the terrain and of displacement
    #[arg(long, value_name = "N", default_value_t = generate::TERRAIN_SEED)]
    seed: u32,
    /// Subdivide at edge midpoints until there are at least so many triangles
    #[arg(long, value_name = "N", conflicts_with = "levels")]
    triangles: Option<u64>,
    /// Subdivide at edge midpoints so many times
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=15))]
    levels: Option<u32>,
    /// Move midpoints off the surface, by so much of an edge's length at most
    #[arg(long, value_name = "PART", default_value_t = 0.0, value_parser = parse_part)]
    displace: f32,
    /// Size of the displacement's features, as a part of the scene's
    #[arg(long, value_name = "PART", default_value_t = 0.1, value_parser = parse_part)]
    feature: f32,
    /// N x N copies side by side
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=32768))]
    copies: Option<u32>,
    /// Room between copies, as a part of the scene's extent
    #[arg(long, value_name = "PART", default_value_t = 0.1, value_parser = parse_part)]
    gap: f32,
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
    suffix::check(&arguments.output, &["obj", "obj.gz"])?;
    // Known before the work.
    output::check_writable(&arguments.output)?;
    let scene = make(arguments)?;
    heapwood_scenes::save(&scene, &arguments.output)?;
    let path = arguments.output.display();
    let count = triangles(scene.len() as u64);
    output::print(&format!("{path}: {count}\n"))
}

fn make(arguments: &SceneArguments) -> Result<Scene, Error> {
    let mut scene = source(arguments)?;
    let displacement = Displacement {
        amplitude: arguments.displace,
        feature: arguments.feature,
        seed: arguments.seed,
    };
    if let Some(levels) = arguments.levels {
        scene = generate::subdivide(&scene, levels, displacement)?;
    } else if let Some(triangles) = arguments.triangles {
        scene = generate::subdivide_to(&scene, triangles, displacement)?;
    }
    if let Some(copies) = arguments.copies {
        scene = generate::grid(&scene, copies, arguments.gap)?;
    }
    Ok(scene.clean(CleanOptions::default())?.0)
}

fn source(arguments: &SceneArguments) -> Result<Scene, Error> {
    let kind = arguments.kind.as_str();
    if kind == "terrain" {
        return Ok(generate::terrain(arguments.seed));
    }
    if let Some(scene) = generate::by_name(kind) {
        return Ok(scene);
    }
    let path = Path::new(kind);
    if !kind.contains(['.', '/']) && !path.exists() {
        let names = generate::NAMES.join(", ");
        return Err(Error::Usage(format!(
            "no scene `{kind}`: choose from {names}, or name an OBJ file"
        )));
    }
    Ok(load_scene(path, false)?.0)
}

fn parse_part(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(part) if (0.0..=1000.0).contains(&part) => Ok(part),
        _ => Err("write a number from 0 to 1000".to_owned()),
    }
}
