//! `heapwood render`: a picture of a scene.

use std::path::PathBuf;

use clap::Args;

use super::common::{BackendArguments, load_scene, read_apart, spinner};
use super::suffix;
use super::tree::{AllocatorArguments, CameraArguments, TreeArguments};
use crate::Error;
use crate::generate::{SceneSpec, Source, source};
use crate::output::{self, Output};
use crate::report::{PictureReport, RenderReport, ResultFormat, json};
use crate::tree::{self, TreeBuilder};

/// Arguments of `heapwood render`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The scene: an OBJ or PLY file, plain or gzipped, or gen:KIND,OPTION=VALUE,... with the
    /// options of `heapwood generate scene`
    #[arg(value_name = "SCENE", value_parser = source::<SceneSpec>())]
    scene: Source<SceneSpec>,
    #[command(flatten)]
    tree: TreeArguments,
    /// The PNG file to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    camera: CameraArguments,
    #[command(flatten)]
    allocator: AllocatorArguments,
    #[command(flatten)]
    backend: BackendArguments,
    /// Timed renderings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 1)]
    runs: u32,
    /// How to write what it took
    #[arg(long, value_enum, default_value_t)]
    format: ResultFormat,
}

/// Builds a tree, renders it and writes the picture.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let spec = arguments.allocator.spec()?;
    read_apart(arguments.scene.file(), &[Some(&arguments.output)])?;
    suffix::check(&arguments.output, &["png"])?;
    let target = Output::open(&arguments.output)?;
    let (scene, _) = load_scene(&arguments.scene, arguments.tree.keep_duplicates)?;
    let camera = arguments.camera.camera(&scene)?;
    let backend = arguments.backend.decide(None)?.open()?;

    let wait = spinner(format!("rendering {}", scene.name()));
    let builder = TreeBuilder::new(&*backend, &tree::triangles(&scene))?;
    let ready = builder.prepare(&spec, arguments.tree.pool, arguments.tree.options())?;
    let built = ready.build(false)?;
    let mode = arguments.camera.shade;
    let picture = tree::render(&ready, &built, &camera, mode, arguments.runs)?;
    wait.finish_and_clear();
    target.write(&picture.png()?)?;

    let name = arguments.output.display().to_string();
    let picture = PictureReport::new(&picture, mode.name(), &name);
    output::print(&match arguments.format {
        ResultFormat::Text => picture.text(),
        ResultFormat::Json => {
            let info = backend.info();
            json(&RenderReport::new(&scene, &spec, &info, &built, picture))?
        }
    })
}
