//! Cameras and lights, where nodes place them.
//!
//! `KHR_lights_punctual` counts light in candela and lux, by the eye. A scene counts it in watts: a
//! watt is [`EFFICACY`] lumens, as Blender's exporter has it unless it is told otherwise.

use super::transform::Affine;
use crate::{Lights, MAX_COORDINATE, PointLight, SceneCamera, SpotLight, Sun, Warning};
use glam::{DVec3, Vec3};
use gltf_json::camera::Type as CameraType;
use gltf_json::extensions::scene::khr_lights_punctual::{Light, Type as LightType};
use gltf_json::validation::Checked;
use gltf_json::{Camera, Index, Node, Root};
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};

/// Lumens of a watt.
const EFFICACY: f32 = 683.0;
/// The most warnings about what is left out.
const MAX_WARNINGS: usize = 16;

/// The cameras and lights of the nodes walked so far.
#[derive(Default)]
pub(super) struct CamerasAndLights {
    pub cameras: Vec<SceneCamera>,
    pub lights: Lights,
    /// Cameras and lights that cannot be used: the object with its node, and the cause.
    left_out: Vec<(String, String)>,
}

impl CamerasAndLights {
    /// Adds what a node has, which this map takes to where it is.
    pub fn add(&mut self, root: &Root, number: usize, node: &Node, map: &Affine) {
        if let Some(index) = node.camera {
            let camera = root.get(index);
            let name = name_of(&node.name, camera.and_then(|camera| camera.name.as_ref()));
            let found = match camera {
                Some(camera) => placed_camera(camera, &name, map),
                None => Err(missing("cameras", index)),
            };
            match found {
                Ok(camera) => self.cameras.push(camera),
                Err(cause) => self.leave_out("camera", &name, number, cause),
            }
        }
        let extensions = node.extensions.as_ref();
        let light = extensions.and_then(|all| all.khr_lights_punctual.as_ref());
        if let Some(light) = light {
            let index = light.light;
            let light: Option<&Light> = root.get(index);
            let name = name_of(&node.name, light.and_then(|light| light.name.as_ref()));
            let placed = match light {
                Some(light) => place_light(&mut self.lights, light, map),
                None => Err(missing("lights", index)),
            };
            if let Err(cause) = placed {
                self.leave_out("light", &name, number, cause);
            }
        }
    }

    /// The warnings about the file of this name.
    pub fn warnings(&self, path: &str) -> Vec<Warning> {
        let warning = |what: &str, cause: &str| Warning::LeftOut {
            path: path.to_owned(),
            what: what.to_owned(),
            cause: cause.to_owned(),
        };
        let first = self.left_out.iter().take(MAX_WARNINGS);
        let mut warnings: Vec<_> = first.map(|(what, cause)| warning(what, cause)).collect();
        let others = self.left_out.len() - warnings.len();
        if others > 0 {
            let what = format!("each of {others} more cameras and lights");
            warnings.push(warning(&what, "for reasons like these"));
        }
        warnings
    }

    fn leave_out(&mut self, what: &str, name: &str, node: usize, cause: String) {
        let name = crate::error::excerpt(name);
        let what = match name.is_empty() {
            true => format!("the {what} of nodes[{node}]"),
            false => format!("{what} `{name}` of nodes[{node}]"),
        };
        self.left_out.push((what, cause));
    }
}

/// The name that users see: exporters name nodes as programs show them.
fn name_of(node: &Option<String>, object: Option<&String>) -> String {
    node.as_ref().or(object).cloned().unwrap_or_default()
}

fn missing<T>(list: &str, index: Index<T>) -> String {
    format!("{list}[{}] does not exist", index.value())
}

fn placed_camera(camera: &Camera, name: &str, map: &Affine) -> Result<SceneCamera, String> {
    let lens = match (&camera.type_, &camera.perspective) {
        (Checked::Valid(CameraType::Perspective), Some(lens)) => lens,
        (Checked::Valid(CameraType::Orthographic), _) => {
            let why = "it is orthographic, and only cameras with a perspective are read";
            return Err(why.to_owned());
        }
        _ => return Err("it has no perspective".to_owned()),
    };
    let fov_degrees = f64::from(lens.yfov).to_degrees() as f32;
    if !(0.001..=179.9).contains(&fov_degrees) {
        return Err(format!(
            "its field of view is {fov_degrees} degrees, not 0.001 to 179.9"
        ));
    }
    let aspect = lens
        .aspect_ratio
        .filter(|aspect| *aspect > 0.0 && aspect.is_finite());
    Ok(SceneCamera {
        name: name.to_owned(),
        eye: position(map)?,
        forward: direction(map, [0.0, 0.0, -1.0])?,
        up: direction(map, [0.0, 1.0, 0.0])?,
        fov_degrees,
        aspect,
    })
}

/// Adds a light to the others.
fn place_light(lights: &mut Lights, light: &Light, map: &Affine) -> Result<(), String> {
    let colour = Vec3::from_array(light.color) * (light.intensity / EFFICACY);
    if !colour.is_finite() || colour.min_element() < 0.0 {
        return Err("its colour or its intensity is negative or too large".to_owned());
    }
    match light.type_ {
        Checked::Valid(LightType::Point) => lights.points.push(PointLight {
            position: position(map)?,
            intensity: colour,
        }),
        Checked::Valid(LightType::Directional) => lights.suns.push(Sun {
            // The light goes along -z.
            direction: direction(map, [0.0, 0.0, 1.0])?,
            irradiance: colour,
            angle_degrees: 0.0,
        }),
        Checked::Valid(LightType::Spot) => {
            let [inner_degrees, angle_degrees] = cones(light)?;
            lights.spots.push(SpotLight {
                position: position(map)?,
                direction: direction(map, [0.0, 0.0, -1.0])?,
                intensity: colour,
                angle_degrees,
                inner_degrees,
            });
        }
        Checked::Invalid => return Err("it is of an unknown type".to_owned()),
    }
    Ok(())
}

/// Degrees across the inner and the outer cone of a spot.
///
/// The extension wants an inner angle below the outer one. Blender writes the same angle twice
/// where the edge is to be sharp.
fn cones(light: &Light) -> Result<[f32; 2], String> {
    let (inner, outer) = match &light.spot {
        Some(spot) => (spot.inner_cone_angle, spot.outer_cone_angle),
        None => (0.0, FRAC_PI_4),
    };
    if 0.0 <= inner && inner <= outer && 0.0 < outer && outer <= FRAC_PI_2 {
        return Ok([inner, outer].map(|angle| (2.0 * f64::from(angle)).to_degrees() as f32));
    }
    Err(format!(
        "its cones have angles of {inner} and {outer}: the outer one must be above 0 and at most pi / 2, \
         and the inner one from 0 to the outer one"
    ))
}

/// Where the origin of a node is.
fn position(map: &Affine) -> Result<DVec3, String> {
    let position = map.point([0.0; 3]);
    let most = f64::from(MAX_COORDINATE);
    match position.iter().all(|value| value.abs() <= most) {
        true => Ok(DVec3::from_array(position)),
        false => Err("it is farther away than 1e18".to_owned()),
    }
}

/// The unit vector of a direction of a node.
fn direction(map: &Affine, direction: [f64; 3]) -> Result<Vec3, String> {
    let moved = map.direction(direction);
    // Squares of what is left are neither too large nor all of them 0.
    let largest = moved
        .iter()
        .fold(0.0, |most: f64, part| most.max(part.abs()));
    let scaled = moved.map(|part| part / largest);
    let length = scaled.iter().map(|part| part * part).sum::<f64>().sqrt();
    match length.is_finite() {
        true => Ok(Vec3::from_array(scaled.map(|part| (part / length) as f32))),
        false => Err("the transform of its node leaves it no direction".to_owned()),
    }
}
