//! Options of sequences of pictures: around a point, or between two views.

use std::path::{Path, PathBuf};

use clap::Args;
use glam::DVec3;
use heapwood_scenes::{Camera, Lights, Scene, View};

use super::camera::{CameraArguments, OpenView};
use crate::Error;
use crate::cameras::{fly, orbit};

/// The most pictures of a sequence, whose numbers have four digits.
const MAX_FRAMES: i64 = 9999;

/// A sequence, if there is to be one.
#[derive(Debug, Args)]
#[command(next_help_heading = "Camera")]
pub struct SequenceArguments {
    /// Render N pictures on a circle around the point of --look-at
    ///
    /// The first is that of the camera itself. -o NAME.png stands for NAME-0001.png and so on.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_FRAMES), conflicts_with_all = ["fly", "runs", "ray_times"])]
    orbit: Option<u32>,
    /// Render --frames pictures on the way between two view files
    ///
    /// -o is as for --orbit.
    #[arg(
        long,
        num_args = 2,
        value_names = ["A.toml", "B.toml"],
        requires = "frames",
        conflicts_with_all = ["view", "camera", "write_view", "eye", "look_at", "up", "runs", "ray_times"]
    )]
    fly: Option<Vec<PathBuf>>,
    /// Pictures of --fly, with those of both ends
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=MAX_FRAMES), requires = "fly", conflicts_with = "orbit")]
    frames: Option<u32>,
}

/// Where the cameras of pictures are.
enum Route {
    Still,
    Orbit(u32),
    Flight { to: Box<View>, frames: u32 },
}

/// The view and the route that pictures are taken from.
pub struct OpenRoute {
    view: OpenView,
    route: Route,
}

/// The files of a sequence: NAME-0001.png and so on for NAME.png.
pub fn numbered(output: &Path, count: usize) -> impl Iterator<Item = PathBuf> {
    let stem = output.file_stem().unwrap_or_default();
    let name = move |number: usize| {
        let mut name = stem.to_owned();
        name.push(format!("-{number:04}"));
        if let Some(suffix) = output.extension() {
            name.push(".");
            name.push(suffix);
        }
        output.with_file_name(name)
    };
    (1..=count).map(name)
}

impl SequenceArguments {
    /// The view files of both ends of a flight.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.fly.iter().flatten().map(PathBuf::as_path)
    }

    /// Whether there is to be a sequence.
    pub fn is_given(&self) -> bool {
        self.orbit.is_some() || self.fly.is_some()
    }

    /// The file of each picture, or nothing where there is no sequence.
    pub fn names(&self, output: &Path) -> Option<Vec<PathBuf>> {
        let count = self.orbit.or(self.frames)?;
        Some(numbered(output, count as usize).collect())
    }

    /// Reads the views.
    ///
    /// # Errors
    ///
    /// Files that cannot be used or written, and two views that do not fit each other.
    pub fn open(&self, camera: &CameraArguments) -> Result<OpenRoute, Error> {
        let (Some([from, to]), Some(frames)) = (self.fly.as_deref(), self.frames) else {
            return Ok(OpenRoute {
                view: camera.open()?,
                route: self.orbit.map_or(Route::Still, Route::Orbit),
            });
        };
        let [mut from, mut to] = [camera.read(Some(from))?, camera.read(Some(to))?];
        let sizes = (from.camera.size, to.camera.size);
        if let (Some(a), Some(b)) = sizes
            && a != b
        {
            return Err(Error::Usage(format!(
                "the views of --fly have pictures of {}x{} and of {}x{}: choose a --size",
                a[0], a[1], b[0], b[1]
            )));
        }
        let size = sizes.0.or(sizes.1);
        (from.camera.size, to.camera.size) = (size, size);
        let nothing = Lights::default();
        if from.lights == nothing {
            from.lights = to.lights.clone();
        } else if to.lights != nothing && to.lights != from.lights {
            let why = "the views of --fly have different lights: pictures on the way have those of \
                       both ends";
            return Err(Error::Usage(why.to_owned()));
        }
        let to = Box::new(to);
        Ok(OpenRoute {
            view: OpenView::of(from),
            route: Route::Flight { to, frames },
        })
    }
}

impl OpenRoute {
    /// The same with other lights.
    pub fn with_lights(self, lights: Lights) -> Self {
        Self {
            view: self.view.with_lights(lights),
            ..self
        }
    }

    /// Lights beside those of the scene.
    pub fn lights(&self) -> &Lights {
        self.view.lights()
    }

    /// The camera of each picture; at least one.
    ///
    /// # Errors
    ///
    /// For what gives no image.
    pub fn cameras(&self, scene: &Scene) -> Result<Vec<Camera>, Error> {
        let first = self.view.camera(scene)?;
        match &self.route {
            Route::Still => Ok(vec![first]),
            Route::Orbit(count) => Ok(orbit(&first, *count)?),
            Route::Flight { to, frames } => {
                let last = to.camera.camera(scene.bounds(), scene.offset())?;
                let cameras = fly(&first, &last, *frames);
                cameras.map_err(|error| Error::Usage(error.to_string()))
            }
        }
    }

    /// Writes the view of the first picture of a scene with this offset, if that was asked for.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn write(self, camera: &Camera, offset: DVec3) -> Result<(), Error> {
        self.view.write(camera, offset)
    }
}
