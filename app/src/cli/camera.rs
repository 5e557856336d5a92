//! Options of the commands that take a picture from somewhere, and the view that they give.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use glam::{DVec3, Vec3};
use heapwood_scenes::{
    Camera, CameraView, EnvironmentFile, Lights, MAX_COORDINATE, Scene, SceneCamera, View,
    read_view,
};

use super::complain;
use super::suffix;
use crate::Error;
use crate::output::Output;

/// From where the picture is taken.
#[derive(Debug, Args)]
#[command(next_help_heading = "Camera")]
pub struct CameraArguments {
    /// Size of the picture [default: 800x600]
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<[u32; 2]>,
    /// Position of the camera [default: one that frames the scene]
    ///
    /// Points are in the coordinates of the scene's file.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    eye: Option<DVec3>,
    /// Point that it looks at [default: the scene's centre]
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    look_at: Option<DVec3>,
    /// Up direction [default: 0,1,0]
    #[arg(long, hide_short_help = true, value_name = "X,Y,Z", value_parser = parse_vector, allow_hyphen_values = true)]
    up: Option<Vec3>,
    /// Vertical field of view in degrees [default: 45]
    #[arg(long, value_name = "DEGREES")]
    fov: Option<f32>,
    /// Take the camera and the lights from this TOML file
    ///
    /// Other options override it.
    #[arg(long, value_name = "FILE")]
    pub view: Option<PathBuf>,
    /// Take the glTF camera of this name, or of this number from 1
    ///
    /// Other options override it, except --view.
    #[arg(long, value_name = "NAME|N")]
    camera: Option<String>,
    /// Write the camera, and the lights beside those of the scene, to this TOML file
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub write_view: Option<PathBuf>,
}

impl CameraArguments {
    /// The view in a file, if there is one, with what other options override.
    ///
    /// # Errors
    ///
    /// A file that cannot be used.
    pub fn read(&self, file: Option<&Path>) -> Result<View, Error> {
        let view = file.map(read_view).transpose()?;
        let mut view = view.unwrap_or_default();
        view.camera = self.given().or(view.camera);
        Ok(view)
    }

    /// The parts of a camera that options give.
    fn given(&self) -> CameraView {
        CameraView {
            eye: self.eye,
            look_at: self.look_at,
            up: self.up,
            fov_degrees: self.fov,
            size: self.size,
        }
    }

    /// Reads the view, and makes sure that another one can be written.
    ///
    /// # Errors
    ///
    /// A file that cannot be used or written.
    pub fn open(&self) -> Result<OpenView, Error> {
        let view = self.read(self.view.as_deref())?;
        if let Some(path) = &self.write_view {
            suffix::check(path, &["toml"])?;
        }
        let target = self.write_view.as_deref().map(Output::open).transpose()?;
        Ok(OpenView {
            view,
            given: self.given(),
            of_scene: self.camera.clone(),
            target,
        })
    }
}

/// The camera of a picture, and the file to write its view to.
pub struct OpenView {
    /// The view of a file, with the parts of options in place.
    view: View,
    /// The parts that options give.
    given: CameraView,
    /// The camera of the scene that is asked for.
    of_scene: Option<String>,
    target: Option<Output>,
}

impl OpenView {
    /// A view that is not to be written.
    pub fn of(view: View) -> Self {
        Self {
            view,
            given: CameraView::default(),
            of_scene: None,
            target: None,
        }
    }

    /// The same with other lights.
    pub fn with_lights(mut self, lights: Lights) -> Self {
        self.view.lights = lights;
        self
    }

    /// Lights beside those of the scene.
    pub fn lights(&self) -> &Lights {
        &self.view.lights
    }

    /// The camera; what was not given frames the scene.
    ///
    /// # Errors
    ///
    /// For what gives no image, and a camera that the scene does not have.
    pub fn camera(&self, scene: &Scene) -> Result<Camera, Error> {
        let (view, bounds, offset) = (self.view.camera, scene.bounds(), scene.offset());
        let view = match &self.of_scene {
            Some(name) => {
                let of_scene = scene_camera(scene, name)?.view(bounds, offset);
                self.given.or(of_scene).or(view)
            }
            None => {
                if view.eye.is_none() && !scene.cameras().is_empty() {
                    let list = camera_list(scene.cameras());
                    let what = format!("the scene has cameras, which --camera takes: {list}");
                    complain("note", &what);
                }
                view
            }
        };
        Ok(view.camera(bounds, offset)?)
    }

    /// Writes the view with the camera that it gave of a scene with this offset, if that was asked
    /// for.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn write(self, camera: &Camera, offset: DVec3) -> Result<(), Error> {
        let Self {
            mut view, target, ..
        } = self;
        view.camera = CameraView::of(camera, offset);
        if let Some(EnvironmentFile { file, .. }) = &mut view.lights.environment {
            // The view may be written to another folder than the one it came from.
            *file = std::path::absolute(&file).unwrap_or_else(|_| file.clone());
        }
        target.map_or(Ok(()), |target| target.write(view.to_toml().as_bytes()))
    }
}

/// The camera of a scene with a name, or else a number from 1 on.
fn scene_camera<'a>(scene: &'a Scene, name: &str) -> Result<&'a SceneCamera, Error> {
    let cameras = scene.cameras();
    let by_number = || {
        let number: usize = name.parse().ok()?;
        cameras.get(number.checked_sub(1)?)
    };
    let by_name = cameras.iter().find(|camera| camera.name == name);
    by_name.or_else(by_number).ok_or_else(|| {
        let why = match cameras {
            [] => "the scene has no cameras: glTF files may have some".to_owned(),
            _ => format!("the scene has no such camera, but {}", camera_list(cameras)),
        };
        Error::Usage(format!("--camera {name}: {why}"))
    })
}

/// Cameras with their numbers, or the first of them if there are many.
fn camera_list(cameras: &[SceneCamera]) -> String {
    const MAX_LISTED: usize = 8;
    let named = (1..).zip(cameras).take(MAX_LISTED);
    let mut list: Vec<String> = named
        .map(|(number, camera)| match camera.name.is_empty() {
            true => number.to_string(),
            false => format!("{number} `{}`", camera.name.escape_debug()),
        })
        .collect();
    if cameras.len() > MAX_LISTED {
        list.push(format!("{} more", cameras.len() - MAX_LISTED));
    }
    list.join(", ")
}

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once('x');
    let parsed = sides.and_then(|(width, height)| {
        let side = |text: &str| text.parse().ok().filter(|side| (1..=65_536).contains(side));
        Some([side(width)?, side(height)?])
    });
    parsed.ok_or_else(|| "write it as 800x600, each side from 1 to 65536".to_owned())
}

/// A point, within the coordinates that scenes may have.
fn parse_point(text: &str) -> Result<DVec3, String> {
    let point = DVec3::from_array(parse_numbers(text)?);
    let is_sound = |x: &f64| (*x as f32).abs() <= MAX_COORDINATE;
    if !point.to_array().iter().all(is_sound) {
        return Err(format!(
            "each number must be at most {MAX_COORDINATE:e} in magnitude, as in scenes"
        ));
    }
    Ok(point)
}

fn parse_vector(text: &str) -> Result<Vec3, String> {
    parse_numbers(text).map(Vec3::from_array)
}

fn parse_numbers<T: FromStr + Copy>(text: &str) -> Result<[T; 3], String> {
    let numbers: Result<Vec<T>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[x, y, z]) => Ok([x, y, z]),
        _ => Err("write three numbers, such as 1,2.5,-3".to_owned()),
    }
}
