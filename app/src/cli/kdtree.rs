//! `heapwood kdtree`: builds a tree over an allocator and says what it took.

use std::path::PathBuf;

use clap::Args;

use super::common::{BackendArguments, different_files, load_scene, progress};
use super::suffix::{self, Suffix};
use super::tree::{AllocatorArguments, CameraArguments, TreeArguments};
use crate::Error;
use crate::meta::Meta;
use crate::output::{self, Output};
use crate::report::{RenderReport, TreeReport, json};
use crate::tree::{self, TreeBuilder};

/// Arguments of `heapwood kdtree`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    tree: TreeArguments,
    #[command(flatten)]
    allocator: AllocatorArguments,
    #[command(flatten)]
    backend: BackendArguments,
    /// Timed builds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 5)]
    runs: u32,
    /// Look for every triangle in all leaves that it overlaps
    #[arg(long)]
    verify: bool,
    /// Render the tree to this PNG file
    #[arg(long, value_name = "FILE")]
    render: Option<PathBuf>,
    #[command(flatten)]
    camera: CameraArguments,
    /// How to write the result [default: as the output file is named, or else as text]
    #[arg(long, value_enum)]
    format: Option<TreeFormat>,
    /// Write the result to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How one result is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum TreeFormat {
    /// For people
    #[default]
    Text,
    /// JSON with stable keys
    Json,
}

impl Suffix for TreeFormat {
    const ALL: &'static [(&'static str, Self)] = &[("txt", Self::Text), ("json", Self::Json)];
}

/// Builds, measures, renders on request, and reports.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let spec = arguments.allocator.spec()?;
    let scene = arguments.tree.scene.as_path();
    let targets = [arguments.output.as_deref(), arguments.render.as_deref()];
    different_files([scene].into_iter().chain(targets.into_iter().flatten()))?;
    let format = suffix::format(arguments.format, arguments.output.as_deref())?;
    if let Some(picture) = &arguments.render {
        suffix::check(picture, &["png"])?;
    }
    let file = arguments.output.as_deref().map(Output::open).transpose()?;
    let picture = arguments.render.as_deref().map(Output::open).transpose()?;
    let (scene, _) = load_scene(scene, arguments.tree.keep_duplicates)?;
    let camera = match picture {
        Some(_) => Some(arguments.camera.camera(&scene)?),
        None => None,
    };
    let backend = arguments.backend.decide(None)?.open()?;

    // The first build finds the pool, the second collects statistics.
    let bar = progress(arguments.runs as usize + 2);
    bar.set_message("builds");
    let triangles = tree::triangles(&scene);
    let builder = TreeBuilder::new(&*backend, &triangles)?;
    let ready = builder.prepare(&spec, arguments.tree.pool, arguments.tree.options())?;
    bar.inc(1);
    let measured = tree::measure(&ready, &triangles, arguments.runs, arguments.verify, || {
        bar.inc(1)
    });
    bar.finish_and_clear();
    let measured = measured?;

    let info = backend.info();
    let mut meta = Meta::new(&info);
    meta.input_hash = Some(format!("{:016x}", scene.input_hash()));
    let mut report = TreeReport::new(
        (scene.name(), scene.len()),
        (&spec, arguments.allocator.check_heap),
        &info,
        &ready,
        &measured,
        meta,
    );
    if let (Some(target), Some(camera), Some(path)) = (picture, camera, &arguments.render) {
        let mode = arguments.camera.shade;
        let image = tree::render(&ready, &measured.built, &camera, mode, 1)?;
        target.write(&image.png()?)?;
        let name = path.display().to_string();
        report.render = Some(RenderReport::new(
            &image,
            arguments.camera.shade.name(),
            &name,
        ));
    }
    let text = match format {
        TreeFormat::Text => report.text(),
        TreeFormat::Json => json(&report)?,
    };
    match file {
        Some(file) => file.write(text.as_bytes()),
        None => output::print(&text),
    }
}
