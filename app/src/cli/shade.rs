//! Options of what a picture shows and how it is sampled.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use heapwood_device::render::Mode;
use heapwood_scenes::{Camera, Scene};

use super::light::LightArguments;
use super::passes::PassArguments;
use crate::Error;
use crate::tree::{Crop, Lighting, Shade, Shading};

/// Shadow rays of ambient occlusion where none are asked for.
const AO_SAMPLES: u32 = 16;

/// The most samples of a pixel.
const MAX_SAMPLES: u32 = 65_536;

/// The most surfaces of a path where no number is asked for.
const BOUNCES: u32 = 8;

/// A content that a picture may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShadeName {
    Surface(Mode),
    Cost,
    Ambient,
    Path,
}

impl ShadeName {
    fn all() -> Vec<Self> {
        let surfaces = Mode::ALL.map(Self::Surface).into_iter();
        surfaces
            .chain([Self::Ambient, Self::Path, Self::Cost])
            .collect()
    }

    fn name(self) -> &'static str {
        match self {
            Self::Surface(mode) => mode.name(),
            Self::Cost => "cost",
            Self::Ambient => "ao",
            Self::Path => "path",
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Surface(mode) => mode.what(),
            Self::Cost => "The work of each ray, nodes and triangles, as a heat map with a legend",
            Self::Ambient => "Ambient occlusion: how open the surroundings of each surface are",
            Self::Path => {
                "The light that arrives over any number of surfaces, smooth or flat, with textures: \
                 path tracing"
            }
        }
    }
}

/// Modes by their names, which help lists with what they show.
pub fn parse_mode() -> impl TypedValueParser<Value = Mode> {
    let values = Mode::ALL.map(|mode| PossibleValue::new(mode.name()).help(mode.what()));
    PossibleValuesParser::new(values).map(|name| {
        let mut modes = Mode::ALL.into_iter();
        let found = modes.find(|mode| mode.name() == name);
        found.expect("no other value is possible")
    })
}

/// The content of a picture, by its name.
fn parse_shade() -> impl TypedValueParser<Value = ShadeName> {
    let all = ShadeName::all().into_iter();
    let values: Vec<_> = all
        .map(|shade| PossibleValue::new(shade.name()).help(shade.what()))
        .collect();
    PossibleValuesParser::new(values).map(|name| {
        let mut all = ShadeName::all().into_iter();
        let found = all.find(|shade| shade.name() == name);
        found.expect("no other value is possible")
    })
}

/// The content of the picture, and how it is sampled.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub struct ShadeArguments {
    /// Content: eyelight (default), normal, primitive, depth, ao, path, cost
    #[arg(long, hide_default_value = true, value_name = "MODE", value_parser = parse_shade(), default_value = Mode::default().name())]
    shade: ShadeName,
    /// Samples per pixel [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SAMPLES)))]
    spp: Option<u32>,
    /// Render this part only, in pixels from the upper left corner
    #[arg(long, hide_short_help = true, value_name = "X,Y,W,H", value_parser = parse_crop)]
    crop: Option<Crop>,
    /// Seed of the random numbers
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 0)]
    seed: u32,
    /// Nodes and triangles per ray at the end of the scale of --shade cost [default: the max]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    cost_max: Option<u32>,
    /// Shadow rays per hit of --shade ao [default: 16]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    ao_samples: Option<u32>,
    /// Max distance of occluders of --shade ao [default: a tenth of the scene's diagonal]
    #[arg(long, hide_short_help = true, value_name = "DISTANCE", value_parser = parse_distance)]
    ao_distance: Option<f32>,
    /// Max bounces of a path [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    bounces: Option<u32>,
    #[command(flatten)]
    pub light: LightArguments,
}

impl ShadeArguments {
    /// Makes sure that each option has an effect.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] with an option that has none.
    pub fn check(&self, passes: &PassArguments) -> Result<(), Error> {
        let only = |given: bool, option: &str, shade: ShadeName| {
            if given && self.shade != shade {
                let (has, other) = (self.shade.name(), shade.name());
                return Err(Error::Usage(format!(
                    "--{option} has no effect on --shade {has}: it is for --shade {other}"
                )));
            }
            Ok(())
        };
        only(self.cost_max.is_some(), "cost-max", ShadeName::Cost)?;
        only(self.ao_samples.is_some(), "ao-samples", ShadeName::Ambient)?;
        only(
            self.ao_distance.is_some(),
            "ao-distance",
            ShadeName::Ambient,
        )?;
        if self.shade == ShadeName::Surface(Mode::Depth) {
            for (is_given, option) in [
                (self.spp.is_some_and(|samples| samples > 1), "spp"),
                (passes.time_limit.is_some(), "time-limit"),
                (passes.write_partial, "write-partial"),
            ] {
                if is_given {
                    return Err(Error::Usage(format!(
                        "--{option} has no effect on --shade depth: distances are those of the \
                         middle of pixels"
                    )));
                }
            }
        }
        only(self.bounces.is_some(), "bounces", ShadeName::Path)?;
        for option in self.light.given() {
            only(true, option, ShadeName::Path)?;
        }
        let rays = u64::from(self.spp.unwrap_or(1)) * u64::from(self.ambient_rays());
        if rays > u64::from(u32::MAX) {
            return Err(Error::Usage(
                "--spp times --ao-samples is 2^32 or more".to_owned(),
            ));
        }
        Ok(())
    }

    /// Shadow rays of a hit of ambient occlusion.
    fn ambient_rays(&self) -> u32 {
        self.ao_samples.unwrap_or(AO_SAMPLES)
    }

    /// Samples of a pixel, at most, of a picture with a time limit or without.
    fn samples(&self, has_limit: bool) -> u32 {
        match (self.spp, has_limit) {
            (Some(samples), _) => samples,
            (None, false) => 1,
            // Shadow rays are numbered by 32 bits.
            (None, true) => MAX_SAMPLES.min(u32::MAX / self.ambient_rays()),
        }
    }

    /// The seed of random numbers.
    pub fn seed(&self) -> u32 {
        self.seed
    }

    /// Whether the picture depends on what lights the scene.
    pub fn is_lit(&self) -> bool {
        self.shade == ShadeName::Path
    }

    /// The shading of a scene's picture, with the scene's light.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a window that is not within the picture.
    ///
    /// # Panics
    ///
    /// If there is no light though the picture shows it.
    pub fn shading<'a>(
        &self,
        scene: &Scene,
        lighting: Option<&'a Lighting>,
        camera: &Camera,
        passes: &PassArguments,
    ) -> Result<Shading<'a>, Error> {
        let (width, height) = (camera.width(), camera.height());
        if let Some(crop) = self.crop
            && !crop.is_within(width, height)
        {
            return Err(Error::Usage(format!(
                "--crop is not within the picture, which has {width}x{height} pixels"
            )));
        }
        let shade = match self.shade {
            ShadeName::Surface(mode) => Shade::Surface(mode),
            ShadeName::Cost => Shade::Cost {
                most: self.cost_max.map(|most| most as f32),
            },
            ShadeName::Ambient => Shade::Ambient {
                samples: self.ambient_rays(),
                distance: self.ao_distance.unwrap_or(0.1 * diagonal(scene)),
            },
            ShadeName::Path => Shade::Path {
                lighting: lighting.expect("the light of the scene"),
                bounces: self.bounces.unwrap_or(BOUNCES),
            },
        };
        Ok(Shading {
            shade,
            samples: self.samples(passes.time_limit.is_some()),
            crop: self.crop,
            seed: self.seed,
            placed: None,
            aovs: false,
            ray_times: false,
            progress: &|_, _| (),
            enough: None,
        })
    }
}

/// The length of a scene's diagonal; its square may be more than an `f32` holds.
fn diagonal(scene: &Scene) -> f32 {
    let extent = scene.bounds().extent().to_array().map(f64::from);
    extent.iter().map(|side| side * side).sum::<f64>().sqrt() as f32
}

fn parse_crop(text: &str) -> Result<Crop, String> {
    let numbers: Result<Vec<u32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[left, top, width, height]) if width > 0 && height > 0 => Ok(Crop {
            left,
            top,
            width,
            height,
        }),
        _ => Err("write four whole numbers, such as 100,50,320,200".to_owned()),
    }
}

fn parse_distance(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(distance) if distance > 0.0 && distance.is_finite() => Ok(distance),
        _ => Err("write a number above 0".to_owned()),
    }
}
