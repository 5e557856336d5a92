//! Cameras of a sequence of pictures: around a point, and on the way from one camera to another.
//!
//! Sines come from glam's `libm`, so that every machine makes the same pictures.

use std::f32::consts::TAU;

use glam::{Quat, Vec2, Vec3};
use heapwood_scenes::{Camera, CameraError, unit};

/// So many cameras on a circle around the point that `camera` looks at, at equal angles,
/// counterclockwise seen from above. The first one is `camera`.
///
/// ```
/// use glam::Vec3;
/// use heapwood::cameras::orbit;
/// use heapwood_scenes::Camera;
///
/// let camera = Camera::new(Vec3::Z * 2.0, Vec3::ZERO, Vec3::Y, 45.0, 64, 48)?;
/// let cameras = orbit(&camera, 4)?;
/// assert_eq!(cameras[0], camera);
/// assert!(cameras[1].eye().distance(Vec3::X * 2.0) < 1e-5);
/// # Ok::<(), heapwood_scenes::CameraError>(())
/// ```
///
/// # Errors
///
/// A circle beyond what floats hold.
pub fn orbit(camera: &Camera, count: u32) -> Result<Vec<Camera>, CameraError> {
    let axis = unit_of(camera.up());
    let arm = camera.eye() - camera.look_at();
    let at = |index: u32| {
        if index == 0 {
            return Ok(*camera);
        }
        let turn = Quat::from_axis_angle(axis, TAU * (index as f32 / count as f32));
        Camera::new(
            camera.look_at() + turn * arm,
            camera.look_at(),
            camera.up(),
            camera.fov_degrees(),
            camera.width(),
            camera.height(),
        )
    };
    (0..count).map(at).collect()
}

/// A camera on the way that gives no image.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("picture {number} between the two views: {error}")]
pub struct FlightError {
    /// Number of its picture, from 1.
    pub number: u32,
    /// The fault of the camera.
    pub error: CameraError,
}

/// So many cameras, at least 2, on the way between two: the first and the last are these, exactly.
/// The eye goes straight, slowly at both ends; the direction of view and what is upwards turn by
/// the shortest way, each by itself, so that a horizon stays level. Pictures have the size of those
/// of `from`.
///
/// # Errors
///
/// A camera on the way that looks straight upwards or downwards.
pub fn fly(from: &Camera, to: &Camera, count: u32) -> Result<Vec<Camera>, FlightError> {
    let arms = [from, to].map(|camera| camera.look_at() - camera.eye());
    let (lengths, directions) = (arms.map(length), arms.map(unit_of));
    let ups = [from, to].map(|camera| unit_of(camera.up()));
    let mix = |a: f32, b: f32, part: f32| a * (1.0 - part) + b * part;
    let last = count.saturating_sub(1);
    let at = |index: u32| {
        if index == 0 {
            return Ok(*from);
        }
        if index == last {
            return Ok(*to);
        }
        let time = index as f32 / last as f32;
        let part = time * time * (3.0 - 2.0 * time);
        let eye = from.eye() * (1.0 - part) + to.eye() * part;
        let direction = turned(directions, part, ups[0]);
        let camera = Camera::new(
            eye,
            eye + direction * mix(lengths[0], lengths[1], part),
            turned(ups, part, directions[0]),
            mix(from.fov_degrees(), to.fov_degrees(), part),
            from.width(),
            from.height(),
        );
        camera.map_err(|error| FlightError {
            number: index + 1,
            error,
        })
    };
    (0..count).map(at).collect()
}

/// The first direction, turned by a part of the angle between both. Where they are opposite, it
/// turns around `axis`.
fn turned([from, to]: [Vec3; 2], part: f32, axis: Vec3) -> Vec3 {
    let (cross, cosine) = (from.cross(to), from.dot(to));
    let sine = cross.length();
    if sine < 1e-6 && cosine > 0.0 {
        return from;
    }
    let axis = match sine < 1e-6 {
        // The part of the axis across the direction, or whatever is across.
        true => (axis - from * axis.dot(from))
            .try_normalize()
            .unwrap_or_else(|| from.any_orthonormal_vector()),
        false => cross / sine,
    };
    let angle = Vec2::new(cosine, sine).to_angle();
    Quat::from_axis_angle(axis, angle * part) * from
}

/// A direction or an upward vector of a camera with length 1; cameras have no zero or infinite
/// vectors.
fn unit_of(vector: Vec3) -> Vec3 {
    unit(vector).expect("cameras have no other vectors")
}

/// The length of such a vector. It is scaled first, which keeps squares within range.
fn length(vector: Vec3) -> f32 {
    let largest = vector.abs().max_element();
    (vector / largest).length() * largest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(eye: [f32; 3], look_at: [f32; 3], fov: f32) -> Camera {
        let (eye, look_at) = (Vec3::from_array(eye), Vec3::from_array(look_at));
        Camera::new(eye, look_at, Vec3::Y, fov, 64, 48).unwrap()
    }

    #[test]
    fn a_circle_keeps_distance_and_height() {
        let first = camera([3.0, 2.0, 1.0], [1.0, 1.0, -1.0], 40.0);
        for count in [1, 2, 7] {
            let cameras = orbit(&first, count).unwrap();
            assert_eq!((cameras.len(), cameras[0]), (count as usize, first));
            for (index, one) in cameras.iter().enumerate() {
                assert_eq!(one.look_at(), first.look_at());
                assert!((one.eye().distance(one.look_at()) - 3.0).abs() < 1e-5);
                assert!((one.eye().y - 2.0).abs() < 1e-5);
                let next = cameras[(index + 1) % cameras.len()].eye();
                let chord = 2.0 * 8_f32.sqrt() * (0.5 * TAU / count as f32).sin();
                assert!((one.eye().distance(next) - chord).abs() < 1e-4);
            }
        }
        // Around what is upwards, whatever that is and however long.
        let up = Vec3::new(0.0, 0.0, 1e25);
        let tilted = Camera::new(Vec3::X, Vec3::ZERO, up, 40.0, 4, 4).unwrap();
        let cameras = orbit(&tilted, 4).unwrap();
        assert!(cameras[1].eye().distance(Vec3::Y) < 1e-6);
    }

    #[test]
    fn a_flight_begins_and_ends_where_it_should() {
        let from = camera([0.0, 1.0, 9.0], [0.0, 1.0, 0.0], 60.0);
        let to = camera([9.0, 3.0, 0.0], [0.0, 3.0, 0.0], 30.0);
        let cameras = fly(&from, &to, 5).unwrap();
        assert_eq!((cameras[0], cameras[4]), (from, to));
        let middle = cameras[2];
        assert!(middle.eye().distance(Vec3::new(4.5, 2.0, 4.5)) < 1e-5);
        let direction = (middle.look_at() - middle.eye()) / 9.0;
        let expected = Vec3::new(-1.0, 0.0, -1.0).normalize();
        assert!(direction.distance(expected) < 1e-5, "{direction}");
        assert!((middle.fov_degrees() - 45.0).abs() < 1e-4);
        // Slower at the ends.
        let steps: Vec<f32> = cameras
            .windows(2)
            .map(|pair| pair[0].eye().distance(pair[1].eye()))
            .collect();
        assert!(steps[1] > 1.5 * steps[0] && steps[2] > 1.5 * steps[3]);
        assert!(cameras.iter().all(|camera| camera.rays().du.y == 0.0));
        assert_eq!(fly(&from, &from, 3).unwrap(), [from; 3]);
    }

    #[test]
    fn a_flight_may_turn_around() {
        let from = camera([0.0, 1.0, 0.0], [0.0, 1.0, -1.0], 60.0);
        let to = camera([0.0, 1.0, 0.0], [0.0, 1.0, 1.0], 60.0);
        let middle = fly(&from, &to, 3).unwrap()[1];
        let direction = middle.look_at() - middle.eye();
        assert!((direction.x.abs() - 1.0).abs() < 1e-5, "{direction}");
        // From looking down to looking up, over a camera whose `up` is where it looks.
        let down = camera([0.0; 3], [0.0, -1.0, -0.1], 60.0);
        let up = camera([0.0; 3], [0.0, 1.0, 0.1], 60.0);
        assert!(fly(&down, &up, 9).is_ok());
        let over = camera([0.0; 3], [0.0, 1.0, -0.1], 60.0);
        let back = camera([0.0; 3], [0.0, 1.0, 0.1], 60.0);
        let error = fly(&over, &back, 3).unwrap_err();
        assert_eq!((error.number, error.error), (2, CameraError::Up));
    }
}
