//! `heapwood render`: a picture of a scene.

use std::path::{Path, PathBuf};

use clap::{Args, Command, Id};
use heapwood_scenes::{Camera, Scene};

use super::builder::BuilderArguments;
use super::camera::CameraArguments;
use super::common::{read_apart, spinner};
use super::light::read_panorama;
use super::passes::{Interrupts, PassArguments, PassBar};
use super::progress::TerminalProgress;
use super::sequence::SequenceArguments;
use super::shade::ShadeArguments;
use super::suffix;
use super::tree::AllocatorArguments;
use crate::Error;
use crate::backend::{DeviceInfo, Options};
use crate::generate::{SceneSpec, Source, source};
use crate::job::{TreeOptions, load_scene};
use crate::output::{self, Output};
use crate::report::{
    self, Format, PictureReport, Pictures, SequenceReport, TreeOrigin, kept_report, picture_report,
    render_report,
};
use crate::tree::{Builder, BuilderKind, Built, DeviceTree, PlacedLighting, Shading, TreeFile};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood render scenes/data/courtyard.obj -o courtyard.png --shade path --spp 16
  heapwood render scenes/data/knot.obj -o turn.png --orbit 8 --shade ao --spp 4
  heapwood render scenes/data/courtyard.obj -o sun.exr --view scenes/data/courtyard.toml";

/// Arguments of `heapwood render`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// OBJ, PLY, glTF or GLB file, plain or compressed, or gen:KIND,OPTION=VALUE,...
    ///
    /// The options after gen: are those of `heapwood generate scene`.
    #[arg(value_name = "SCENE", value_parser = source::<SceneSpec>())]
    scene: Source<SceneSpec>,
    /// File to write: .png, or .exr with floats
    ///
    /// An .exr file holds linear light, distances or counts. With --shade path it has layers of
    /// albedo, normals and depth.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Timed renderings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 1)]
    runs: u32,
    /// Time primary, shadow and secondary rays separately
    ///
    /// Further runs leave some of the rays out.
    #[arg(long, hide_short_help = true)]
    ray_times: bool,
    /// Format: text, json, csv or markdown
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        default_value_t
    )]
    format: Format,
    #[command(flatten)]
    shade: ShadeArguments,
    #[command(flatten)]
    passes: PassArguments,
    #[command(flatten)]
    camera: CameraArguments,
    #[command(flatten)]
    sequence: SequenceArguments,
    #[command(flatten)]
    allocator: AllocatorArguments,
    #[command(flatten)]
    tree: TreeOptions,
    #[command(flatten)]
    builder: BuilderArguments,
    /// Read the tree from a file of `heapwood kdtree --save`
    #[arg(long = "tree", help_heading = "Tree", value_name = "FILE", conflicts_with_all = build_arguments())]
    kept: Option<PathBuf>,
    #[command(flatten)]
    backend: Options,
}

/// Arguments that concern the build of a tree and nothing else. `--keep-duplicates` is none of
/// them: it changes the scene.
fn build_arguments() -> Vec<Id> {
    let command = TreeOptions::augment_args(Command::new(""));
    let command = AllocatorArguments::augment_args(BuilderArguments::augment_args(command));
    let ids = command.get_arguments().map(|argument| argument.get_id());
    ids.filter(|id| *id != "keep_duplicates").cloned().collect()
}

/// Builds a tree or reads one, renders it and writes the picture or pictures.
///
/// Rendering is no [`MeasuredJob`](crate::job::MeasuredJob). A picture is written as soon as it is
/// there, an interrupt or a deadline ends it between passes, and no command has a process of its own
/// for it.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let spec = arguments.allocator.spec()?;
    if let Some(wanted) = arguments.allocator.record.wanted() {
        return Err(Error::Usage(format!(
            "{wanted} is for the build of a tree alone: use `heapwood kdtree`"
        )));
    }
    let interrupts = arguments.passes.interrupts()?;
    let names = arguments.names();
    arguments.check_files(&names)?;
    arguments.shade.check(&arguments.passes)?;
    let kept = arguments.kept.as_deref().map(TreeFile::open).transpose()?;
    let targets = names.iter().map(|name| Output::open(name));
    let targets = targets.collect::<Result<Vec<_>, _>>()?;
    let route = arguments.sequence.open(&arguments.camera)?;
    let light = &arguments.shade.light;
    let lights = light.surround(route.lights().clone())?;
    let route = route.with_lights(lights);
    let lights = route.lights();
    let written = arguments.written(&names);
    let environment = lights.environment.iter();
    read_apart(environment.map(|of| of.file.as_path()), &written)?;
    let panorama = match arguments.shade.is_lit() {
        true => read_panorama(lights)?,
        false => None,
    };
    let (scene, _) = load_scene(
        &arguments.scene,
        arguments.tree.keep_duplicates,
        &mut TerminalProgress::new(&written),
    )?;
    let scene = light.lit(scene);
    let cameras = route.cameras(&scene)?;
    let lighting = || light.lighting(&scene, lights, panorama.as_ref());
    let lighting = arguments.shade.is_lit().then(lighting);
    drop(panorama);
    let shading =
        arguments
            .shade
            .shading(&scene, lighting.as_ref(), &cameras[0], &arguments.passes)?;
    let link = &arguments.allocator.link;
    let decided = link.decide(&arguments.backend, None)?;
    let builder = match kept {
        Some(file) => Builder::File(file),
        None => {
            let (allocator, tree) = (&arguments.allocator, &arguments.tree);
            match arguments.builder.decide(&decided, allocator, tree)? {
                BuilderKind::Kernels => Builder::Kernels {
                    spec: spec.checked_if(allocator.check.heap)?,
                    pool: tree.pool,
                },
                BuilderKind::Cores => Builder::Cores {
                    threads: decided.threads,
                },
            }
        }
    };
    let backend = decided.open()?;

    let wait = spinner(format!("getting the tree of {}", scene.name()));
    let built = builder.build(&*backend, &scene, arguments.tree.options())?;
    let origin = origin(builder, &built)?;
    let tree = built.tree.upload()?;
    wait.finish_and_clear();
    let placed = lighting.as_ref();
    let placed = placed.map(|lighting| PlacedLighting::new(&*backend, lighting));
    let placed = placed.transpose()?;
    let shading = Shading {
        placed: placed.as_ref(),
        ..shading
    };
    let renderer = Renderer {
        arguments,
        tree,
        shading,
        interrupts,
    };
    renderer.interrupts.begin()?;
    let mut pictures = Vec::new();
    for (number, (camera, target)) in (1..).zip(cameras.iter().zip(&targets)) {
        let of = targets.len();
        let what = match of {
            1 => String::new(),
            _ => format!("picture {number} of {of}, "),
        };
        pictures.push(renderer.picture(camera, &names[number - 1], target, &what)?);
        if renderer.interrupts.any() {
            break;
        }
    }
    route.write(&cameras[0], scene.offset())?;

    let done = pictures.len();
    let samples = pictures.last().map_or(0, |picture| picture.samples);
    let info = backend.info();
    let text = match (arguments.sequence.is_given(), pictures.pop()) {
        (false, Some(picture)) => arguments.result(&scene, &info, origin, picture)?,
        (_, last) => {
            pictures.extend(last);
            let pictures = SequenceReport::new(pictures);
            arguments.result(&scene, &info, origin, pictures)?
        }
    };
    output::print(&text)?;
    let of = renderer.shading.samples;
    let is_whole = done == names.len() && samples == of;
    // One that came when all was done interrupted nothing.
    if renderer.interrupts.any() && !is_whole {
        let file = names[done - 1].display();
        let which = match names.len() {
            1 => String::new(),
            all => format!("in picture {done} of {all} "),
        };
        return Err(Error::Interrupted(format!(
            "{which}after {samples} of {of} samples a pixel, whose mean is in {file}"
        )));
    }
    Ok(())
}

/// The parts that all pictures share.
struct Renderer<'a> {
    arguments: &'a Arguments,
    tree: DeviceTree<'a>,
    shading: Shading<'a>,
    interrupts: Interrupts,
}

impl Renderer<'_> {
    /// Renders a picture and writes it; `what` says which one it is, if there are several.
    fn picture(
        &self,
        camera: &Camera,
        name: &Path,
        target: &Output,
        what: &str,
    ) -> Result<PictureReport, Error> {
        let passes = &self.arguments.passes;
        let is_exr = suffix::is(name, "exr");
        // Pictures of a sequence are rendered once, too: a launch that loads the kernel would take
        // as long as a picture of one sample.
        let in_passes = passes.is_given() || self.arguments.sequence.is_given();
        let deadline = passes.deadline();
        let bar = PassBar::new(deadline, in_passes, what);
        let progress = |done, of| bar.show(done, of);
        let enough = || self.interrupts.any() || deadline.is_over();
        let shading = Shading {
            aovs: is_exr,
            ray_times: self.arguments.ray_times,
            progress: &progress,
            enough: in_passes.then_some(&enough as _),
            ..self.shading
        };
        let picture = self.tree.render(camera, &shading, self.arguments.runs)?;
        bar.clear();
        target.write(&match is_exr {
            true => picture.exr()?,
            false => picture.png()?,
        })?;
        let name = name.display().to_string();
        let mut report = picture_report(&picture, &shading, &name);
        report.options.light_scale = self.arguments.shade.light.light_scale();
        Ok(report)
    }
}

impl Arguments {
    /// The file of each picture.
    fn names(&self) -> Vec<PathBuf> {
        let names = self.sequence.names(&self.output);
        names.unwrap_or_else(|| vec![self.output.clone()])
    }

    /// Everything that is written.
    fn written<'a>(&'a self, names: &'a [PathBuf]) -> Vec<Option<&'a Path>> {
        let pictures = names.iter().map(|name| Some(name.as_path()));
        pictures
            .chain([self.camera.write_view.as_deref()])
            .collect()
    }

    /// Makes sure that files are what they are named, and none is there for two things.
    fn check_files(&self, names: &[PathBuf]) -> Result<(), Error> {
        let view = self.camera.view.as_deref();
        let read = self.scene.file().into_iter().chain(view);
        let read = read.chain(self.shade.light.file());
        let read = read
            .chain(self.sequence.files())
            .chain(self.kept.as_deref())
            .chain(self.allocator.link.files());
        read_apart(read, &self.written(names))?;
        suffix::check(&self.output, &["png", "exr"])
    }

    /// The text to print about pictures.
    fn result<P: Pictures>(
        &self,
        scene: &Scene,
        info: &DeviceInfo,
        origin: TreeOrigin,
        pictures: P,
    ) -> Result<String, Error> {
        let mut report = render_report(scene, info, origin, pictures);
        report.meta.seed = Some(self.shade.seed().into());
        report::write(self.format, &report)
    }
}

/// The origin of a tree in results.
fn origin(builder: Builder, built: &Built<DeviceTree>) -> Result<TreeOrigin, Error> {
    let build_ms = built.stats.build_ms;
    Ok(match builder {
        Builder::Kernels { spec, .. } => TreeOrigin::Kernels { spec, build_ms },
        Builder::Cores { .. } => TreeOrigin::Cores { build_ms },
        Builder::File(file) => {
            let name = file.path().display().to_string();
            let tree = built.tree.download()?;
            TreeOrigin::File(kept_report(&tree, &name, build_ms))
        }
    })
}
