//! Where a picture is taken from and what lights it, beside the scene: a TOML file by which a
//! picture can be repeated.

mod of_scene;
mod read;
mod write;

use crate::{Bounds, Camera, CameraError};
use glam::{DVec3, Vec3};
use std::path::PathBuf;

pub use of_scene::SceneCamera;
pub use read::{ViewError, read_view, view_of};

/// A camera, as far as it is given, and lights beside those of the scene's materials.
///
/// ```
/// use heapwood_scenes::view_of;
///
/// let view = view_of("evening.toml", "
///     [camera]
///     eye = [0, 2, 9]
///     fov = 50
///     [[sun]]
///     direction = [1, 0.4, 0.2]
///     irradiance = [3.0, 2.1, 1.2]
/// ")?;
/// assert_eq!(view.camera.fov_degrees, Some(50.0));
/// assert_eq!(view.lights.suns.len(), 1);
/// assert_eq!(view_of("again.toml", &view.to_toml())?, view);
/// # Ok::<(), heapwood_scenes::ViewError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// Table `camera`.
    pub camera: CameraView,
    /// Tables `sky` or `environment`, `sun`, `point` and `spot`.
    pub lights: Lights,
}

/// The given parts of a camera, in the coordinates of the scene's file; [`camera`](Self::camera)
/// fills in the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CameraView {
    /// Position.
    pub eye: Option<DVec3>,
    /// The point in the middle of the picture.
    pub look_at: Option<DVec3>,
    /// The direction that is upwards.
    pub up: Option<Vec3>,
    /// Vertical field of view in degrees.
    pub fov_degrees: Option<f32>,
    /// Width and height of the picture in pixels.
    pub size: Option<[u32; 2]>,
}

impl CameraView {
    /// Size of a picture for which none is given.
    pub const SIZE: [u32; 2] = [800, 600];
    /// Field of view in degrees where none is given.
    pub const FOV_DEGREES: f32 = 45.0;
    /// The upward direction of a camera without one.
    pub const UP: Vec3 = Vec3::Y;

    /// All of a camera of a scene with this offset.
    pub fn of(camera: &Camera, offset: DVec3) -> Self {
        let absolute = |point: Vec3| Some(point.as_dvec3() + offset);
        Self {
            eye: absolute(camera.eye()),
            look_at: absolute(camera.look_at()),
            up: Some(camera.up()),
            fov_degrees: Some(camera.fov_degrees()),
            size: Some([camera.width(), camera.height()]),
        }
    }

    /// These parts, and those of `other` where one is missing here.
    pub fn or(self, other: Self) -> Self {
        Self {
            eye: self.eye.or(other.eye),
            look_at: self.look_at.or(other.look_at),
            up: self.up.or(other.up),
            fov_degrees: self.fov_degrees.or(other.fov_degrees),
            size: self.size.or(other.size),
        }
    }

    /// The camera of a scene with this box and this offset; an eye and a target that are not given
    /// are those of [`Camera::frame`], which sees the whole box.
    ///
    /// # Errors
    /// A [`CameraError`] for what gives no image.
    pub fn camera(&self, scene: Bounds, offset: DVec3) -> Result<Camera, CameraError> {
        let [width, height] = self.size.unwrap_or(Self::SIZE);
        let fov = self.fov_degrees.unwrap_or(Self::FOV_DEGREES);
        let framed = Camera::frame(scene, width, height, fov)?;
        let relative = |point: DVec3| (point - offset).as_vec3();
        let eye = self.eye.map_or(framed.eye(), relative);
        let look_at = self.look_at.map_or(framed.look_at(), relative);
        let up = self.up.unwrap_or(Self::UP);
        Camera::new(eye, look_at, up, fov, width, height)
    }
}

/// Lights that no triangle emits. Colours are linear RGB, each component at least 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lights {
    /// The sky around the scene; none if the renderer chooses it.
    pub sky: Option<Sky>,
    /// The image that is around the scene, in place of a sky.
    pub environment: Option<EnvironmentFile>,
    /// Lights at an infinite distance.
    pub suns: Vec<Sun>,
    /// Lights without extent.
    pub points: Vec<PointLight>,
    /// Lights without extent that shine within a cone.
    pub spots: Vec<SpotLight>,
}

impl Lights {
    /// The same with suns, points and spots that are so many times as bright.
    pub fn scaled(mut self, factor: f32) -> Self {
        for sun in &mut self.suns {
            sun.irradiance *= factor;
        }
        for point in &mut self.points {
            point.intensity *= factor;
        }
        for spot in &mut self.spots {
            spot.intensity *= factor;
        }
        self
    }
}

/// The radiance of whatever no ray hits: it changes with the height of a direction, as
/// `nadir + (zenith - nadir) * (y + 1) / 2` of its unit vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sky {
    /// Radiance from straight above (+y).
    pub zenith: Vec3,
    /// Radiance from straight below.
    pub nadir: Vec3,
}

/// An image of what is around the scene, which [`Panorama::read`](crate::Panorama::read) reads.
#[derive(Clone, Debug, PartialEq)]
pub struct EnvironmentFile {
    /// Where it is. [`read_view`] looks for it beside the view.
    pub file: PathBuf,
    /// By how much its light is multiplied, at least 0.
    pub scale: f32,
    /// By how much it is turned to the left around the vertical axis, as seen from within, in
    /// degrees; without a turn its middle is at -z and its right half at +x.
    pub turn_degrees: f32,
}

impl EnvironmentFile {
    /// As bright as it is, and not turned.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            scale: 1.0,
            turn_degrees: 0.0,
        }
    }
}

/// A disc at an infinite distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// Towards its middle; of any length above 0.
    pub direction: Vec3,
    /// Irradiance of a surface that faces it, nothing being in between.
    pub irradiance: Vec3,
    /// Angle over its diameter in degrees, 0 to 90; 0 is a direction, whose shadows are sharp.
    pub angle_degrees: f32,
}

/// A point that shines in all directions alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointLight {
    /// Where it is, in the coordinates of the scene's file.
    pub position: DVec3,
    /// Radiant intensity: the irradiance of a surface that faces it is this divided by the square
    /// of the distance.
    pub intensity: Vec3,
}

/// A point that shines within a cone.
///
/// Between its two cones intensity falls off as `KHR_lights_punctual` recommends: with the square
/// of `(c - outer) / (inner - outer)`, where `c` is the cosine of a direction's angle with the
/// axis, and the others are those of the cones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpotLight {
    /// Where it is, in the coordinates of the scene's file.
    pub position: DVec3,
    /// In which direction it shines, the axis of its cones; of any length above 0.
    pub direction: Vec3,
    /// Radiant intensity within the inner cone, as a [`PointLight`] has it in all directions.
    pub intensity: Vec3,
    /// Angle in degrees across the outer cone, above 0 and at most 180. No light leaves the cone.
    pub angle_degrees: f32,
    /// Angle in degrees across the inner cone: from 0 to that of the outer one. Where both are the
    /// same, the edge is sharp.
    pub inner_degrees: f32,
}
