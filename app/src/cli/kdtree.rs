//! `heapwood kdtree`: builds a tree, over an allocator or on cores, and reports times and memory.

use std::path::PathBuf;

use clap::Args;
use heapwood_device::render::Mode;
use heapwood_scenes::Camera;

use super::builder::BuilderArguments;
use super::camera::CameraArguments;
use super::common::read_apart;
use super::progress::TerminalProgress;
use super::shade::parse_mode;
use super::suffix::{self, Exporter};
use super::tree::{AllocatorArguments, ScenesArguments};
use crate::Error;
use crate::allocators::Spec;
use crate::backend::Options;
use crate::job::{FramesJob, TreeJob, TreeOptions, load_frames, load_scene};
use crate::output::Output;
use crate::report::{Format, SavedReport, TreeReport, picture_report};
use crate::tree::{BuilderKind, DeviceTree, Shading, TreeError};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood kdtree scenes/data/courtyard.obj --render out.png
  heapwood kdtree gen:terrain --allocator gallatin --pool 1GiB --verify
  heapwood kdtree --frames gen:terrain,seed=1 gen:terrain,seed=2 --allocator ouroboros-p-va";

/// Arguments of `heapwood kdtree`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    scenes: ScenesArguments,
    /// Check that each triangle is in all leaves that it overlaps
    #[arg(long)]
    verify: bool,
    /// Write the tree to this file, for `heapwood render --tree`
    #[arg(long, value_name = "FILE", conflicts_with = "frames")]
    save: Option<PathBuf>,
    /// Write the result to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format: text, json, csv or markdown [default: by the suffix of -o]
    ///
    /// Without -o, it is text.
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    format: Option<Format>,
    #[command(flatten)]
    allocator: AllocatorArguments,
    #[command(flatten)]
    tree: TreeOptions,
    #[command(flatten)]
    builder: BuilderArguments,
    /// Render the tree to this PNG file
    #[arg(
        long,
        help_heading = "Picture",
        value_name = "FILE",
        conflicts_with = "frames"
    )]
    render: Option<PathBuf>,
    /// Content: eyelight, normal, primitive or depth
    #[arg(long, help_heading = "Picture", value_name = "MODE", value_parser = parse_mode(), default_value = Mode::default().name())]
    shade: Mode,
    #[command(flatten)]
    camera: CameraArguments,
    #[command(flatten)]
    backend: Options,
}

/// Builds, measures, renders on request, and reports.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let spec = arguments.allocator.spec()?;
    let Some(source) = &arguments.scenes.scene else {
        return frames(arguments, spec);
    };
    let [trace, map] = arguments.allocator.record.files();
    let targets = [
        arguments.output.as_deref(),
        arguments.save.as_deref(),
        arguments.render.as_deref(),
        arguments.camera.write_view.as_deref(),
        trace,
        map,
    ];
    if arguments.render.is_none() && arguments.camera.write_view.is_some() {
        let why = "--write-view takes a picture to write the view of: give --render, too";
        return Err(Error::Usage(why.to_owned()));
    }
    let view = arguments.camera.view.as_deref();
    let linked = arguments.allocator.link.files();
    read_apart(
        source.file().into_iter().chain(view).chain(linked),
        &targets,
    )?;
    if let Some(picture) = &arguments.render {
        suffix::check(picture, &["png"])?;
    }
    let exporter = Exporter::open(arguments.format, arguments.output.as_deref())?;
    let save = arguments.save.as_deref().map(Output::open).transpose()?;
    let picture = arguments.render.as_deref().map(Output::open).transpose()?;
    let view = match picture {
        Some(_) => Some(arguments.camera.open()?),
        None => None,
    };
    let mut progress = TerminalProgress::new(&targets);
    let (scene, _) = load_scene(source, arguments.tree.keep_duplicates, &mut progress)?;
    let camera = view.as_ref().map(|view| view.camera(&scene)).transpose()?;
    let (allocator, tree) = (&arguments.allocator, &arguments.tree);
    let decided = allocator.link.decide(&arguments.backend, None)?;
    let job = TreeJob {
        scene: source.clone(),
        allocator: match arguments.builder.decide(&decided, allocator, tree)? {
            BuilderKind::Kernels => Some(spec),
            BuilderKind::Cores => None,
        },
        check_heap: allocator.check.heap,
        runs: arguments.scenes.runs,
        verify: arguments.verify,
        tree: tree.clone(),
        backend: decided,
    };
    let complete = |report: &mut TreeReport, tree: DeviceTree<'_>| {
        let shading = Shading::from(arguments.shade);
        let render = |camera: &Camera| tree.render(camera, &shading, 1);
        let image = camera.as_ref().map(render).transpose()?;
        if let (Some(target), Some(path)) = (save, &arguments.save) {
            let (tree, triangles) = (tree.into_host()?, scene.len() as u32);
            target.write_with(|out| tree.write(scene.input_hash(), triangles, out))?;
            report.saved = Some(SavedReport {
                file: path.display().to_string(),
                bytes: tree.file_bytes(),
            });
        }
        if let (Some(target), Some(image), Some(path)) = (picture, image, &arguments.render) {
            target.write(&image.png()?)?;
            let name = path.display().to_string();
            report.render = Some(picture_report(&image, &shading, &name));
        }
        if let (Some(view), Some(camera)) = (view, camera) {
            view.write(&camera, scene.offset())?;
        }
        Ok(())
    };
    let Some(spec) = &job.allocator else {
        return progress.execute(&job, &scene, &exporter, complete);
    };
    let Some(target) = allocator.record.open(spec)? else {
        return progress.execute(&job, &scene, &exporter, complete);
    };
    let recorded = TreeJob {
        allocator: Some(target.spec.clone()),
        ..job.clone()
    };
    let (plain, recorded) = ((&job, &scene), (&recorded, &scene));
    progress.execute_recorded(plain, recorded, &target, &exporter, complete)
}

/// Builds the trees of a moving scene, measures and reports.
fn frames(arguments: &Arguments, spec: Spec) -> Result<(), Error> {
    arguments.builder.refuse_frames()?;
    if !spec.frees() {
        return Err(TreeError::CannotFree(spec.to_string()).into());
    }
    let output = arguments.output.as_deref();
    let [trace, map] = arguments.allocator.record.files();
    let targets = [output, trace, map];
    let linked = arguments.allocator.link.files();
    read_apart(arguments.scenes.files().chain(linked), &targets)?;
    let exporter = Exporter::open(arguments.format, output)?;
    let mut progress = TerminalProgress::new(&targets);
    let sources = &arguments.scenes.frames;
    let frames = load_frames(sources, arguments.tree.keep_duplicates, &mut progress)?;
    let link = &arguments.allocator.link;
    let job = FramesJob {
        frames: sources.clone(),
        allocator: spec,
        check_heap: arguments.allocator.check.heap,
        runs: arguments.scenes.runs,
        verify: arguments.verify,
        tree: arguments.tree.clone(),
        backend: link.decide(&arguments.backend, None)?,
    };
    let Some(target) = arguments.allocator.record.open(&job.allocator)? else {
        return progress.execute(&job, &frames, &exporter, |_, ()| Ok(()));
    };
    let recorded = FramesJob {
        allocator: target.spec.clone(),
        ..job.clone()
    };
    let (plain, recorded) = ((&job, &frames[..]), (&recorded, &frames[..]));
    progress.execute_recorded(plain, recorded, &target, &exporter, |_, ()| Ok(()))
}
