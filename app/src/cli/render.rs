//! `heapwood render`: a picture of a scene.

use std::path::PathBuf;

use clap::Args;

use super::builder::BuilderArguments;
use super::common::{BackendArguments, load_scene, read_apart, spinner};
use super::origin::Origin;
use super::passes::{PassArguments, PassBar};
use super::shade::ShadeArguments;
use super::suffix;
use super::tree::{AllocatorArguments, CameraArguments, TreeArguments};
use crate::Error;
use crate::allocators::Spec;
use crate::backend::Options;
use crate::generate::{SceneSpec, Source, source};
use crate::output::{self, Output};
use crate::report::{PictureReport, RenderReport, ResultFormat, json};
use crate::tree::{Builder, KeptFile, Shading};

/// Arguments that concern the build of a tree and nothing else. `--keep-duplicates` is none of
/// them: it changes the scene.
const BUILD_ARGUMENTS: [&str; 11] = [
    "pool",
    "alloc_per_split",
    "quality",
    "traversal_cost",
    "intersection_cost",
    "empty_bonus",
    "max_depth",
    "no_clip",
    "builder",
    "allocator",
    "check_heap",
];

/// Arguments of `heapwood render`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The scene: an OBJ, PLY, glTF or GLB file, plain or gzipped, or gen:KIND,OPTION=VALUE,...
    /// with the options of `heapwood generate scene`
    #[arg(value_name = "SCENE", value_parser = source::<SceneSpec>())]
    scene: Source<SceneSpec>,
    #[command(flatten)]
    tree: TreeArguments,
    #[command(flatten)]
    builder: BuilderArguments,
    /// Take the tree from this file, which `heapwood kdtree SCENE --save FILE` wrote, and build
    /// none
    #[arg(long = "tree", value_name = "FILE", conflicts_with_all = BUILD_ARGUMENTS)]
    kept: Option<PathBuf>,
    /// The file to write: .png, or .exr with what is rendered as floats: linear light (with
    /// --shade path also the layers albedo, normal and depth), distances, counts
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    camera: CameraArguments,
    #[command(flatten)]
    shade: ShadeArguments,
    #[command(flatten)]
    passes: PassArguments,
    #[command(flatten)]
    allocator: AllocatorArguments,
    #[command(flatten)]
    backend: BackendArguments,
    /// Timed renderings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 1)]
    runs: u32,
    /// Time primary, shadow and secondary rays apart, by further runs without some of them
    #[arg(long)]
    ray_times: bool,
    /// How to write what it took
    #[arg(long, value_enum, default_value_t)]
    format: ResultFormat,
}

/// Builds a tree, renders it and writes the picture.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let spec = arguments.allocator.spec()?;
    let interrupts = arguments.passes.interrupts()?;
    let camera = &arguments.camera;
    read_apart(
        arguments
            .scene
            .file()
            .into_iter()
            .chain(camera.view.as_deref())
            .chain(arguments.kept.as_deref()),
        &[Some(&arguments.output), camera.write_view.as_deref()],
    )?;
    suffix::check(&arguments.output, &["png", "exr"])?;
    arguments.shade.check(&arguments.passes)?;
    let kept = arguments.kept.as_deref().map(KeptFile::open).transpose()?;
    let target = Output::open(&arguments.output)?;
    let view = camera.open()?.with_sky(arguments.shade.sky());
    let (scene, _) = load_scene(&arguments.scene, arguments.tree.keep_duplicates)?;
    let camera = view.camera(&scene)?;
    let lighting = arguments.shade.lighting(&scene, view.lights());
    let shading = arguments
        .shade
        .shading(&scene, lighting.as_ref(), &camera, &arguments.passes)?;
    let decided = arguments.backend.decide(None)?;
    let decided = arguments.allocator.link.add_to(decided)?;
    let origin = match kept {
        Some(file) => Origin::File(file),
        None => arguments.origin(spec, &decided)?,
    };
    let backend = decided.open()?;

    let wait = spinner(format!("building the tree of {}", scene.name()));
    interrupts.check()?;
    let (ready, origin) = origin.ready(&*backend, &scene)?;
    wait.finish_and_clear();
    interrupts.check()?;
    let is_exr = suffix::is(&arguments.output, "exr");
    let deadline = arguments.passes.deadline();
    let bar = PassBar::new(deadline, arguments.passes.is_given());
    let progress = |done, of| bar.show(done, of);
    let enough = || interrupts.any() || deadline.is_over();
    let shading = Shading {
        features: is_exr,
        ray_times: arguments.ray_times,
        progress: &progress,
        enough: arguments.passes.is_given().then_some(&enough as _),
        ..shading
    };
    let picture = ready.render(&camera, &shading, arguments.runs)?;
    bar.clear();
    let file = if is_exr {
        picture.exr()?
    } else {
        picture.png()?
    };
    target.write(&file)?;
    view.write(&camera)?;

    let name = arguments.output.display().to_string();
    let picture = PictureReport::new(&picture, shading.shade.name(), &name);
    let samples = picture.samples;
    output::print(&match arguments.format {
        ResultFormat::Text => picture.text(),
        ResultFormat::Json => json(&RenderReport::new(&scene, &backend.info(), origin, picture))?,
    })?;
    if interrupts.any() {
        let (of, file) = (shading.samples, arguments.output.display());
        return Err(Error::Interrupted(format!(
            "after {samples} of {of} samples a pixel, whose mean is in {file}"
        )));
    }
    Ok(())
}

impl Arguments {
    /// The build of the tree on a backend that was decided.
    fn origin(&self, spec: Spec, decided: &Options) -> Result<Origin, Error> {
        let options = self.tree.options();
        let builder = self.builder.decide(decided, &self.allocator, &self.tree)?;
        Ok(match builder {
            Builder::Kernels => Origin::Kernels {
                spec,
                pool: self.tree.pool,
                options,
            },
            Builder::Cores => Origin::Cores {
                threads: decided.threads,
                options,
            },
        })
    }
}
