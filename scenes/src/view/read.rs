//! Views in. Each fault names the file and the line.

use super::{CameraView, EnvironmentFile, Lights, PointLight, Sky, SpotLight, Sun, View};
use crate::{MAX_COORDINATE, SceneError};
use glam::{DVec3, Vec3};
use serde::Deserialize;
use std::fmt;
use std::path::Path;
use toml::Spanned;

/// Most bytes of a view, after decompression.
const MAX_BYTES: u64 = 1 << 20;
/// Characters of a message of the parser that are passed on.
const LONGEST: usize = 200;

/// Why a view was refused.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The file could not be read.
    #[error(transparent)]
    Read(SceneError),
    /// The text breaks a rule.
    #[error("{path}:{line}: {problem}")]
    Line {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: usize,
        /// The rule.
        problem: String,
    },
}

/// Reads a view from a TOML file, plain or compressed.
///
/// # Errors
/// A [`ViewError`] that names the file and, for a fault in its text, the line.
pub fn read_view(path: impl AsRef<Path>) -> Result<View, ViewError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let bytes = heapwood_files::read_text(path, MAX_BYTES)
        .map_err(|error| ViewError::Read(SceneError::reading(&name, error)))?;
    let mut view = view_of(&name, &String::from_utf8_lossy(&bytes))?;
    if let Some(EnvironmentFile { file, .. }) = &mut view.lights.environment {
        // A path that is absolute stays what it is.
        *file = path.parent().unwrap_or(Path::new("")).join(&file);
    }
    Ok(view)
}

/// Reads a view from TOML text; `name` is what messages call it.
///
/// # Errors
/// [`ViewError::Line`].
pub fn view_of(name: &str, text: &str) -> Result<View, ViewError> {
    let fault = |start: usize, problem: String| ViewError::Line {
        path: name.to_owned(),
        line: 1 + text
            .bytes()
            .take(start)
            .filter(|&byte| byte == b'\n')
            .count(),
        problem,
    };
    let file: File = toml::from_str(text).map_err(|error| {
        let words: Vec<&str> = error.message().split_whitespace().collect();
        let shown = words.join(" ");
        let kept = shown.chars().filter(|c| !c.is_control());
        let start = error.span().map_or(0, |span| span.start);
        fault(start, kept.take(LONGEST).collect())
    })?;
    file.view()
        .map_err(|Refused { start, problem }| fault(start, problem))
}

/// A value that breaks a rule, and where in the text it is.
struct Refused {
    start: usize,
    problem: String,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    camera: CameraTable,
    sky: Option<Spanned<SkyTable>>,
    environment: Option<Spanned<EnvironmentTable>>,
    #[serde(default)]
    sun: Vec<SunTable>,
    #[serde(default)]
    point: Vec<PointTable>,
    #[serde(default)]
    spot: Vec<SpotTable>,
}

type Vector = Spanned<[f32; 3]>;
type Position = Spanned<[f64; 3]>;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CameraTable {
    eye: Option<Position>,
    look_at: Option<Position>,
    up: Option<Vector>,
    fov: Option<Spanned<f32>>,
    size: Option<Spanned<[u32; 2]>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SkyTable {
    colour: Option<Vector>,
    zenith: Option<Vector>,
    nadir: Option<Vector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvironmentTable {
    image: Spanned<String>,
    scale: Option<Spanned<f32>>,
    turn: Option<Spanned<f32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SunTable {
    direction: Vector,
    irradiance: Vector,
    angle: Option<Spanned<f32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PointTable {
    position: Position,
    intensity: Vector,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpotTable {
    position: Position,
    direction: Vector,
    intensity: Vector,
    angle: Spanned<f32>,
    inner_angle: Option<Spanned<f32>>,
}

impl File {
    fn view(&self) -> Result<View, Refused> {
        if let (Some(_), Some(table)) = (&self.sky, &self.environment) {
            return Err(Refused {
                start: table.span().start,
                problem: "an environment takes the place of the sky: leave one of them out"
                    .to_owned(),
            });
        }
        let environment = self
            .environment
            .as_ref()
            .map(|table| table.get_ref().file());
        Ok(View {
            camera: self.camera.camera()?,
            lights: Lights {
                sky: self.sky.as_ref().map(sky).transpose()?,
                environment: environment.transpose()?,
                suns: self
                    .sun
                    .iter()
                    .map(SunTable::sun)
                    .collect::<Result<_, _>>()?,
                points: self
                    .point
                    .iter()
                    .map(PointTable::point)
                    .collect::<Result<_, _>>()?,
                spots: self
                    .spot
                    .iter()
                    .map(SpotTable::spot)
                    .collect::<Result<_, _>>()?,
            },
        })
    }
}

impl CameraTable {
    fn camera(&self) -> Result<CameraView, Refused> {
        let point = |name, value: &Option<Position>| {
            value
                .as_ref()
                .map(|value| coordinates(name, value))
                .transpose()
        };
        let sides = 1..=65536;
        let size = self.size.as_ref().map(|size| {
            let fits = size.get_ref().iter().all(|side| sides.contains(side));
            checked(size, fits, "size must be two whole numbers from 1 to 65536")
        });
        let fov = self.fov.as_ref().map(|fov| {
            let fits = (0.001..=179.9).contains(fov.get_ref());
            checked(fov, fits, "fov must be from 0.001 to 179.9 degrees")
        });
        let (eye, look_at) = (point("eye", &self.eye)?, point("look_at", &self.look_at)?);
        if let Some(value) = &self.look_at
            && eye == look_at
        {
            return Err(Refused {
                start: value.span().start,
                problem: "eye and look_at are the same point: move one of them".to_owned(),
            });
        }
        Ok(CameraView {
            eye,
            look_at,
            up: self.up.as_ref().map(|up| direction("up", up)).transpose()?,
            fov_degrees: fov.transpose()?,
            size: size.transpose()?,
        })
    }
}

fn sky(table: &Spanned<SkyTable>) -> Result<Sky, Refused> {
    let SkyTable {
        colour,
        zenith,
        nadir,
    } = table.get_ref();
    match (colour, zenith, nadir) {
        (Some(all), None, None) => {
            let all = light("colour", all)?;
            Ok(Sky {
                zenith: all,
                nadir: all,
            })
        }
        (None, Some(zenith), Some(nadir)) => Ok(Sky {
            zenith: light("zenith", zenith)?,
            nadir: light("nadir", nadir)?,
        }),
        _ => Err(Refused {
            start: table.span().start,
            problem: "sky takes a colour, or a zenith and a nadir".to_owned(),
        }),
    }
}

impl EnvironmentTable {
    fn file(&self) -> Result<EnvironmentFile, Refused> {
        let image = self.image.get_ref();
        if image.is_empty() {
            return Err(Refused {
                start: self.image.span().start,
                problem: "image must be the path of a file".to_owned(),
            });
        }
        let scale = self.scale.as_ref().map(|scale| {
            let fits = (0.0..=1e6).contains(scale.get_ref());
            checked(scale, fits, "scale must be from 0 to 1000000")
        });
        let turn = self.turn.as_ref().map(|turn| {
            let fits = (-360.0..=360.0).contains(turn.get_ref());
            checked(turn, fits, "turn must be from -360 to 360 degrees")
        });
        Ok(EnvironmentFile {
            scale: scale.transpose()?.unwrap_or(1.0),
            turn_degrees: turn.transpose()?.unwrap_or(0.0),
            ..EnvironmentFile::new(image)
        })
    }
}

impl SunTable {
    fn sun(&self) -> Result<Sun, Refused> {
        let angle = self.angle.as_ref().map(|angle| {
            let fits = (0.0..=90.0).contains(angle.get_ref());
            checked(angle, fits, "angle must be from 0 to 90 degrees")
        });
        Ok(Sun {
            direction: direction("direction", &self.direction)?,
            irradiance: light("irradiance", &self.irradiance)?,
            angle_degrees: angle.transpose()?.unwrap_or(0.0),
        })
    }
}

impl PointTable {
    fn point(&self) -> Result<PointLight, Refused> {
        Ok(PointLight {
            position: coordinates("position", &self.position)?,
            intensity: light("intensity", &self.intensity)?,
        })
    }
}

impl SpotTable {
    fn spot(&self) -> Result<SpotLight, Refused> {
        let angle = *self.angle.get_ref();
        let fits = angle > 0.0 && angle <= 180.0;
        checked(
            &self.angle,
            fits,
            "angle must be above 0 and at most 180 degrees",
        )?;
        let inner = self.inner_angle.as_ref().map(|inner| {
            let fits = (0.0..=angle).contains(inner.get_ref());
            let rule = format_args!("inner_angle must be from 0 to angle, {angle} degrees");
            checked(inner, fits, rule)
        });
        Ok(SpotLight {
            position: coordinates("position", &self.position)?,
            direction: direction("direction", &self.direction)?,
            intensity: light("intensity", &self.intensity)?,
            angle_degrees: angle,
            inner_degrees: inner.transpose()?.unwrap_or(0.0),
        })
    }
}

/// A value that keeps its rule.
fn checked<T: Copy>(value: &Spanned<T>, fits: bool, rule: impl fmt::Display) -> Result<T, Refused> {
    if fits {
        return Ok(*value.get_ref());
    }
    Err(Refused {
        start: value.span().start,
        problem: rule.to_string(),
    })
}

fn coordinates(name: &str, value: &Position) -> Result<DVec3, Refused> {
    let fits = value
        .get_ref()
        .iter()
        .all(|number| (*number as f32).abs() <= MAX_COORDINATE);
    let rule = format_args!("{name} must be three numbers of at most 1e18 in magnitude");
    checked(value, fits, rule).map(DVec3::from_array)
}

fn direction(name: &str, value: &Vector) -> Result<Vec3, Refused> {
    let is_zero = *value.get_ref() == [0.0; 3];
    let fits = value.get_ref().iter().all(|number| number.is_finite());
    let rule = format_args!("{name} must be three finite numbers, not all of them 0");
    checked(value, fits && !is_zero, rule).map(Vec3::from_array)
}

fn light(name: &str, value: &Vector) -> Result<Vec3, Refused> {
    let fits = value
        .get_ref()
        .iter()
        .all(|number| (0.0..=f32::MAX).contains(number));
    let rule = format_args!("{name} must be three finite numbers of at least 0");
    checked(value, fits, rule).map(Vec3::from_array)
}
