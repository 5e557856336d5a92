//! Options of what a picture shows and how it is sampled.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use glam::Vec3;
use heapwood_device::render::Mode;
use heapwood_scenes::{Camera, EnvironmentFile, Lights, Panorama, Scene};

use super::common::read_apart;
use super::complain;
use super::passes::PassArguments;
use crate::Error;
use crate::tree::{Crop, Lighting, Shade, Shading, Sky};

/// Shadow rays of ambient occlusion where none are asked for.
const AO_SAMPLES: u32 = 16;

/// The most samples of a pixel.
const MOST_SAMPLES: u32 = 65_536;

/// The most surfaces of a path where no number is asked for.
const BOUNCES: u32 = 8;
/// The sky where none is asked for: blue above, white below.
const SKY: Sky = Sky {
    zenith: Vec3::new(0.5, 0.7, 1.0),
    nadir: Vec3::ONE,
};

/// What a picture may show.
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

/// What a picture may show, by its name.
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

/// What the picture shows, and how it is sampled.
#[derive(Debug, Args)]
pub struct ShadeArguments {
    /// What the picture shows
    #[arg(long, value_name = "MODE", value_parser = parse_shade(), default_value = Mode::default().name())]
    shade: ShadeName,
    /// Samples of a pixel, spread over it [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_SAMPLES)))]
    spp: Option<u32>,
    /// Render this part of the picture only, in pixels from its upper left corner
    #[arg(long, value_name = "X,Y,W,H", value_parser = parse_crop)]
    crop: Option<Crop>,
    /// What random numbers depend on
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u32,
    /// Nodes and triangles of a ray that are the brightest colour of --shade cost [default: the
    /// most of the picture]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    cost_max: Option<u32>,
    /// Shadow rays of a hit, for --shade ao [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    ao_samples: Option<u32>,
    /// How far away a surface occludes, for --shade ao [default: a tenth of the scene's diagonal]
    #[arg(long, value_name = "DISTANCE", value_parser = parse_distance)]
    ao_distance: Option<f32>,
    /// The most surfaces over which light comes, for --shade path [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    bounces: Option<u32>,
    /// Radiance of the sky, for --shade path: one colour, or one from above and one from below
    /// [default: that of --view, or else 0.5,0.7,1:1,1,1]
    #[arg(long, value_name = "R,G,B[:R,G,B]", value_parser = parse_sky)]
    sky: Option<Sky>,
    /// An image of what is around the scene, for --shade path: a panorama (equirectangular) in
    /// Radiance HDR, OpenEXR, PNG or JPEG, plain or gzipped, whose middle is at -z [default: that
    /// of --view]
    #[arg(long, value_name = "FILE", conflicts_with = "sky")]
    environment: Option<PathBuf>,
    /// Factor on the light of the environment [default: that of --view, or else 1]
    #[arg(long, value_name = "FACTOR", value_parser = parse_scale, conflicts_with = "sky")]
    environment_scale: Option<f32>,
    /// Turn the environment to the left, as seen from within [default: that of --view, or else 0]
    #[arg(long, value_name = "DEGREES", value_parser = parse_turn, allow_negative_numbers = true, conflicts_with = "sky")]
    environment_turn: Option<f32>,
    /// Factor on the lights of a glTF file, for --shade path; 683 where it was exported without
    /// the units of the format [default: 1]
    #[arg(long, value_name = "FACTOR", value_parser = parse_scale)]
    light_scale: Option<f32>,
    /// Leave out the normals of the scene's file, which make surfaces look smooth, for --shade path
    #[arg(long)]
    flat: bool,
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
        only(self.sky.is_some(), "sky", ShadeName::Path)?;
        only(self.light_scale.is_some(), "light-scale", ShadeName::Path)?;
        only(self.flat, "flat", ShadeName::Path)?;
        for (is_given, option) in [
            (self.environment.is_some(), "environment"),
            (self.environment_scale.is_some(), "environment-scale"),
            (self.environment_turn.is_some(), "environment-turn"),
        ] {
            only(is_given, option, ShadeName::Path)?;
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
            (None, true) => MOST_SAMPLES.min(u32::MAX / self.ambient_rays()),
        }
    }

    /// What random numbers depend on.
    pub fn seed(&self) -> u32 {
        self.seed
    }

    /// The factor on the lights of the scene's file, if it is given.
    pub fn light_scale(&self) -> Option<f32> {
        self.light_scale
    }

    /// The file of an environment that is given here.
    pub fn file(&self) -> Option<&Path> {
        self.environment.as_deref()
    }

    /// The lights of a view with the sky or the environment that the picture is to have.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for options of an environment where there is none.
    pub fn surround(&self, mut lights: Lights) -> Result<Lights, Error> {
        if let Some(Sky { zenith, nadir }) = self.sky {
            lights.sky = Some(heapwood_scenes::Sky { zenith, nadir });
            lights.environment = None;
        }
        if let Some(file) = &self.environment {
            lights.sky = None;
            lights.environment = Some(EnvironmentFile::new(file));
        }
        match &mut lights.environment {
            Some(environment) => {
                environment.scale = self.environment_scale.unwrap_or(environment.scale);
                environment.turn_degrees =
                    self.environment_turn.unwrap_or(environment.turn_degrees);
            }
            None if self.environment_scale.or(self.environment_turn).is_some() => {
                let why = "--environment-scale and --environment-turn have no effect without an \
                           environment: name one with --environment, or in the file of --view";
                return Err(Error::Usage(why.to_owned()));
            }
            None => {}
        }
        Ok(lights)
    }

    /// The image around the scene, if there is one and the picture shows it, which is to be
    /// written to none of these files.
    ///
    /// # Errors
    ///
    /// A file that cannot be used.
    pub fn surroundings(
        &self,
        lights: &Lights,
        written: &[PathBuf],
    ) -> Result<Option<Panorama>, Error> {
        let environment = lights.environment.as_ref();
        let Some(environment) = environment.filter(|_| self.shade == ShadeName::Path) else {
            return Ok(None);
        };
        let file = environment.file.as_path();
        let written: Vec<_> = written.iter().map(|name| Some(name.as_path())).collect();
        read_apart([file], &written)?;
        let (panorama, odd) = Panorama::read(file)?;
        if odd > 0 {
            let name = file.display();
            let what = format!(
                "{name}: {odd} texels have light that is infinite, which becomes 65504, or negative \
                 or no number, which becomes 0"
            );
            complain("warning", &what);
        }
        Ok(Some(panorama))
    }

    /// The scene with its lights as bright as they are to be.
    pub fn lit(&self, scene: Scene) -> Scene {
        match self.light_scale {
            Some(factor) => {
                let lights = scene.lights().clone().scaled(factor);
                scene.with_lights(lights)
            }
            None => scene,
        }
    }

    /// The light of the scene and of its view with the image around it, if the picture shows it.
    pub fn lighting(
        &self,
        scene: &Scene,
        lights: &Lights,
        surroundings: Option<&Panorama>,
    ) -> Option<Lighting> {
        (self.shade == ShadeName::Path).then(|| {
            let lighting = Lighting::with_lights(scene, lights, SKY);
            let lighting = if self.flat { lighting.flat() } else { lighting };
            match (&lights.environment, surroundings) {
                (Some(file), Some(image)) => {
                    lighting.with_environment(image, file.scale, file.turn_degrees)
                }
                _ => lighting,
            }
        })
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
            features: false,
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

fn parse_sky(text: &str) -> Result<Sky, String> {
    let colour = |text: &str| {
        let channels = text.split(',').map(|part| part.trim().parse::<f32>().ok());
        let channels: Option<Vec<f32>> = channels.collect();
        match channels.as_deref() {
            Some(&[red, green, blue]) => Some(Vec3::new(red, green, blue)),
            Some(&[grey]) => Some(Vec3::splat(grey)),
            _ => None,
        }
        .filter(|colour| colour.is_finite() && colour.min_element() >= 0.0)
    };
    let (above, below) = text.split_once(':').unwrap_or((text, text));
    match (colour(above), colour(below)) {
        (Some(zenith), Some(nadir)) => Ok(Sky { zenith, nadir }),
        _ => Err("write a colour such as 0.5,0.7,1 or 0, or two with a colon between".to_owned()),
    }
}

fn parse_scale(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(factor) if (0.0..=1e6).contains(&factor) => Ok(factor),
        _ => Err("write a number from 0 to 1000000".to_owned()),
    }
}

fn parse_turn(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(degrees) if (-360.0..=360.0).contains(&degrees) => Ok(degrees),
        _ => Err("write a number from -360 to 360".to_owned()),
    }
}

fn parse_distance(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(distance) if distance > 0.0 && distance.is_finite() => Ok(distance),
        _ => Err("write a number above 0".to_owned()),
    }
}
