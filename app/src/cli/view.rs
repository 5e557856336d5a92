//! `heapwood view`: a picture in the terminal.

use std::io::IsTerminal;

use clap::Args;
use console::Term;
use heapwood_device::render::Mode;
use heapwood_scenes::Camera;

use super::common::{BackendArguments, load_scene};
use super::shade::parse_mode;
use super::suffix;
use crate::Error;
use crate::diff::Image;
use crate::generate::{SceneSpec, Source, source};
use crate::output;
use crate::terminal::{Palette, fitted, half_blocks, resized};
use crate::tree::{self, Cores, Options, PlacedTree, Shading};

/// Arguments of `heapwood view`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A PNG file, or a scene as for `heapwood render`, all of which is seen
    #[arg(value_name = "FILE.png|SCENE", value_parser = source::<SceneSpec>())]
    what: Source<SceneSpec>,
    /// Columns of the terminal to use [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    width: Option<u32>,
    /// Lines of the terminal to use [default: all but the last]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    height: Option<u32>,
    /// What the picture of a scene shows
    #[arg(long, value_name = "MODE", value_parser = parse_mode(), default_value = Mode::default().name())]
    shade: Mode,
    #[command(flatten)]
    backend: BackendArguments,
}

/// Shows a picture.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    if !std::io::stdout().is_terminal() {
        let why = "the standard output is no terminal, which pictures are shown on: use \
                   `heapwood render -o FILE` for a file";
        return Err(Error::Usage(why.to_owned()));
    }
    let (lines, columns) = Term::stdout().size();
    let columns = arguments.width.unwrap_or(u32::from(columns.max(1)));
    let lines = arguments.height.unwrap_or(u32::from(lines.max(2)) - 1);
    let image = match &arguments.what {
        Source::File(path) if suffix::is(path, "png") => {
            let image = Image::read(path)?;
            let (width, height) = fitted(image.width, image.height, columns, lines);
            resized(&image, width, height)
        }
        scene => render(arguments, scene, columns, 2 * lines)?,
    };
    let palette = Palette::of(std::env::var("COLORTERM").ok().as_deref());
    output::print(&half_blocks(&image, palette))
}

/// A picture of a scene, with four samples a pixel where there can be several.
fn render(
    arguments: &Arguments,
    scene: &Source<SceneSpec>,
    width: u32,
    height: u32,
) -> Result<Image, Error> {
    let (scene, _) = load_scene(scene, false)?;
    let camera = Camera::frame(scene.bounds(), width, height, 45.0)?;
    let decided = arguments.backend.decide(None)?;
    let backend = decided.open()?;
    let triangles = tree::triangles(&scene);
    let built = Cores::new(decided.threads)?.build(&triangles, Options::default())?;
    let placed = PlacedTree::new(&*backend, &built.tree, &triangles, built.bounds)?;
    let shading = Shading {
        samples: match arguments.shade {
            Mode::Depth => 1,
            _ => 4,
        },
        ..Shading::from(arguments.shade)
    };
    let picture = tree::render_placed(&placed, &camera, &shading, 1)?;
    let pixels = picture.rgba.chunks_exact(4);
    Ok(Image {
        width,
        height,
        pixels: pixels.map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
    })
}
