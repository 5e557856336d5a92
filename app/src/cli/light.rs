//! Options of what lights a picture.

use std::path::{Path, PathBuf};

use clap::Args;
use glam::Vec3;
use heapwood_scenes::{EnvironmentFile, Lights, Panorama, Scene};

use super::complain;
use crate::Error;
use crate::tree::{Lighting, Sky};

/// The sky where none is asked for: blue above, white below.
const SKY: Sky = Sky {
    zenith: Vec3::new(0.5, 0.7, 1.0),
    nadir: Vec3::ONE,
};

/// Lights of a picture of `--shade path`, beside surfaces that emit light.
#[derive(Debug, Args)]
#[command(next_help_heading = "Light of --shade path")]
pub struct LightArguments {
    /// Radiance of the sky: one colour, or zenith:nadir
    ///
    /// The default is the sky of --view, or else 0.5,0.7,1:1,1,1.
    #[arg(long, value_name = "R,G,B[:R,G,B]", value_parser = parse_sky)]
    sky: Option<Sky>,
    /// Equirectangular image around the scene [default: that of --view]
    ///
    /// The formats are Radiance HDR, OpenEXR, PNG and JPEG, plain or compressed. The centre of the
    /// image is at -z.
    #[arg(long, value_name = "FILE", conflicts_with = "sky")]
    environment: Option<PathBuf>,
    /// Factor on the radiance of the environment [default: that of --view, else 1]
    #[arg(long, hide_short_help = true, value_name = "FACTOR", value_parser = parse_scale, conflicts_with = "sky")]
    environment_scale: Option<f32>,
    /// Rotation of the environment to the left, seen from within [default: that of --view, else 0]
    #[arg(long, hide_short_help = true, value_name = "DEGREES", value_parser = parse_turn, allow_negative_numbers = true, conflicts_with = "sky")]
    environment_turn: Option<f32>,
    /// Factor on the lights of a glTF file [default: 1]
    ///
    /// Use 683 for a file that was exported without the units of the format.
    #[arg(long, hide_short_help = true, value_name = "FACTOR", value_parser = parse_scale)]
    light_scale: Option<f32>,
    /// Shade with geometric normals instead of those of the scene's file
    #[arg(long, hide_short_help = true)]
    flat: bool,
}

impl LightArguments {
    /// The options that are given, by their names.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.sky.is_some(), "sky"),
            (self.environment.is_some(), "environment"),
            (self.environment_scale.is_some(), "environment-scale"),
            (self.environment_turn.is_some(), "environment-turn"),
            (self.light_scale.is_some(), "light-scale"),
            (self.flat, "flat"),
        ];
        let given = all.into_iter().filter(|(is_given, _)| *is_given);
        given.map(|(_, option)| option)
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

    /// The light of the scene and of its view, with the image around it if there is one.
    pub fn lighting(&self, scene: &Scene, lights: &Lights, image: Option<&Panorama>) -> Lighting {
        let lighting = Lighting::with_lights(scene, lights, SKY);
        let lighting = if self.flat { lighting.flat() } else { lighting };
        match (&lights.environment, image) {
            (Some(file), Some(image)) => {
                lighting.with_environment(image, file.scale, file.turn_degrees)
            }
            _ => lighting,
        }
    }
}

/// The image that is around the scene by these lights, if there is one.
///
/// # Errors
///
/// A file that cannot be used.
pub fn read_panorama(lights: &Lights) -> Result<Option<Panorama>, Error> {
    let Some(EnvironmentFile { file, .. }) = &lights.environment else {
        return Ok(None);
    };
    let (panorama, odd) = Panorama::read(file)?;
    if odd > 0 {
        let name = file.display();
        let what = format!(
            "{name}: {odd} texels have light that is infinite, which becomes 65504, or negative or \
             no number, which becomes 0"
        );
        complain("warning", &what);
    }
    Ok(Some(panorama))
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
