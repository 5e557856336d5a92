//! `heapwood view`: a picture in the terminal.

use std::io::IsTerminal;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use console::Term;
use heapwood_device::render::Mode;
use heapwood_scenes::Camera;

use super::common::decide;
use super::progress::TerminalProgress;
use super::shade::parse_mode;
use super::suffix;
use crate::Error;
use crate::backend;
use crate::diff::Image;
use crate::generate::{SceneSpec, Source, source};
use crate::job::load_scene;
use crate::output;
use crate::terminal::{Palette, Protocol, fitted, half_blocks, iterm2, kitty, resized, sixel};
use crate::tree::{Builder, Options, Shading};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood view docs/images/courtyard.png
  heapwood view gen:terrain --shade normal --width 100
  heapwood view scenes/data/knot.obj --protocol iterm2";

/// Arguments of `heapwood view`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// PNG file, or a scene as for `heapwood render`
    ///
    /// The camera frames the whole scene.
    #[arg(value_name = "FILE.png|SCENE", value_parser = source::<SceneSpec>())]
    what: Source<SceneSpec>,
    /// Columns of the terminal to use [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    width: Option<u32>,
    /// Lines of the terminal to use [default: all but the last]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    height: Option<u32>,
    /// Content: eyelight (default), normal, primitive or depth
    #[arg(long, value_name = "MODE", value_parser = parse_mode())]
    shade: Option<Mode>,
    /// Protocol: kitty, iterm2, sixel or blocks [default: by the environment]
    ///
    /// With this option, the standard output may be a file or a pipe.
    #[arg(long, value_name = "NAME", value_parser = parse_protocol())]
    protocol: Option<Protocol>,
    #[command(flatten)]
    backend: backend::Options,
}

/// Protocols by their names, which help lists with the terminals that have them.
fn parse_protocol() -> impl TypedValueParser<Value = Protocol> {
    let values = Protocol::ALL.map(|protocol| {
        PossibleValue::new(protocol.name()).help(match protocol {
            Protocol::Blocks => "Half blocks in colours: any terminal",
            Protocol::Kitty => "kitty, Ghostty, Konsole",
            Protocol::Iterm2 => "iTerm2, WezTerm, mintty",
            Protocol::Sixel => "foot, mlterm, xterm -ti vt340, Windows Terminal",
        })
    });
    PossibleValuesParser::new(values).map(|name| {
        let mut all = Protocol::ALL.into_iter();
        let found = all.find(|protocol| protocol.name() == name);
        found.expect("no other value is possible")
    })
}

/// Shows a picture.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    if arguments.protocol.is_none() && !std::io::stdout().is_terminal() {
        let why = "the standard output is no terminal, which pictures are shown on: use \
                   `heapwood render -o FILE` for a file, or choose a --protocol";
        return Err(Error::Usage(why.to_owned()));
    }
    let variable = |name: &str| std::env::var(name).ok();
    let protocol = arguments.protocol.unwrap_or_else(|| Protocol::of(variable));
    let (lines, columns) = Term::stdout().size();
    let columns = arguments.width.unwrap_or(u32::from(columns.max(1)));
    let lines = arguments.height.unwrap_or(u32::from(lines.max(2)) - 1);
    let most = protocol.pixels(columns, lines);
    let image = match &arguments.what {
        Source::File(path) if suffix::is(path, "png") || suffix::is(path, "exr") => {
            if arguments.shade.is_some() {
                let why = "--shade has no effect on a picture: it is for scenes";
                return Err(Error::Usage(why.to_owned()));
            }
            let image = Image::read(path)?;
            let (width, height) = fitted(image.width, image.height, most);
            // These terminals enlarge what they show by themselves.
            let is_enlarged = matches!(protocol, Protocol::Kitty | Protocol::Iterm2);
            match is_enlarged && width >= image.width {
                true => image,
                false => resized(&image, width, height),
            }
        }
        scene => {
            let (width, height) = match protocol {
                Protocol::Kitty | Protocol::Iterm2 => Protocol::Sixel.pixels(columns, lines),
                Protocol::Blocks | Protocol::Sixel => most,
            };
            render(arguments, scene, width, height)?
        }
    };
    output::print(&match protocol {
        Protocol::Blocks => {
            let palette = Palette::of(variable("COLORTERM").as_deref());
            half_blocks(&image, palette)
        }
        Protocol::Kitty => {
            // The terminal finds out how many lines that takes.
            let (width, _) = fitted(image.width, image.height, most);
            let used = u64::from(width) * u64::from(columns) / u64::from(most.0);
            kitty(&image.png()?, (used as u32).max(1))
        }
        Protocol::Iterm2 => iterm2(&image.png()?, columns, lines),
        Protocol::Sixel => sixel(&image),
    })
}

/// A picture of a scene, with four samples a pixel where there can be several.
fn render(
    arguments: &Arguments,
    scene: &Source<SceneSpec>,
    width: u32,
    height: u32,
) -> Result<Image, Error> {
    let (scene, _) = load_scene(scene, false, &mut TerminalProgress::new(&[]))?;
    let camera = Camera::frame(scene.bounds(), width, height, 45.0)?;
    let decided = decide(&arguments.backend, None)?;
    let backend = decided.open()?;
    let threads = decided.threads;
    let built = Builder::Cores { threads }.build(&*backend, &scene, Options::default())?;
    let shade = arguments.shade.unwrap_or_default();
    let shading = Shading {
        samples: match shade {
            Mode::Depth => 1,
            _ => 4,
        },
        ..Shading::from(shade)
    };
    let picture = built.tree.render(&camera, &shading, 1)?;
    let pixels = picture.rgba.chunks_exact(4);
    Ok(Image {
        width,
        height,
        pixels: pixels.map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
    })
}
