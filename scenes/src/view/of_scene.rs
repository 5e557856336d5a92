//! Cameras that the file of a scene has.

use super::CameraView;
use crate::Bounds;
use glam::{DVec3, Vec3};

/// Rows of a picture whose camera has a ratio of sides and no size.
const ROWS: f32 = CameraView::SIZE[1] as f32;

/// A camera in the file of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneCamera {
    /// Its name, or that of the node that places it; may be empty, and others may have the same.
    pub name: String,
    /// Position, in the coordinates of the file.
    pub eye: DVec3,
    /// The unit vector of its direction.
    pub forward: Vec3,
    /// The unit vector that is upwards.
    pub up: Vec3,
    /// Vertical field of view in degrees.
    pub fov_degrees: f32,
    /// Width of its pictures by their height, if it has one.
    pub aspect: Option<f32>,
}

impl SceneCamera {
    /// The view of a scene within this box and with this offset: the camera looks at the point of
    /// its axis that is beside the middle of the box, or as far away as the box is long if that is
    /// behind it. Pictures have the rows of [`CameraView::SIZE`] if the camera has a ratio of
    /// sides.
    pub fn view(&self, scene: Bounds, offset: DVec3) -> CameraView {
        let wide = |v: Vec3| v.to_array().map(f64::from);
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        // As rays have it.
        let eye = wide((self.eye - offset).as_vec3());
        let forward = wide(self.forward);
        let [least, most] = [scene.min, scene.max].map(wide);
        let to_centre = [0, 1, 2].map(|axis| 0.5 * (least[axis] + most[axis]) - eye[axis]);
        let extent = [0, 1, 2].map(|axis| most[axis] - least[axis]);
        let beside = dot(to_centre, forward);
        let length = dot(extent, extent).sqrt();
        let distance = if beside > 0.0 { beside } else { length };
        let look_at = [0, 1, 2].map(|axis| (eye[axis] + distance * forward[axis]) as f32);
        CameraView {
            eye: Some(self.eye),
            look_at: Some(Vec3::from_array(look_at).as_dvec3() + offset),
            up: Some(self.up),
            fov_degrees: Some(self.fov_degrees),
            size: self.aspect.map(|aspect| {
                let width = (ROWS * aspect).round().clamp(1.0, 65_536.0);
                [width as u32, ROWS as u32]
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(eye: DVec3, aspect: Option<f32>) -> SceneCamera {
        SceneCamera {
            name: "Camera".to_owned(),
            eye,
            forward: Vec3::NEG_Z,
            up: Vec3::Y,
            fov_degrees: 40.0,
            aspect,
        }
    }

    #[test]
    fn cameras_look_at_what_is_beside_the_middle() {
        let bounds = Bounds {
            min: Vec3::new(-1.0, 0.0, -4.0),
            max: Vec3::new(3.0, 2.0, 0.0),
        };
        let view = camera(DVec3::new(5.0, 1.0, 8.0), Some(16.0 / 9.0)).view(bounds, DVec3::ZERO);
        assert_eq!(view.eye, Some(DVec3::new(5.0, 1.0, 8.0)));
        assert_eq!(view.look_at, Some(DVec3::new(5.0, 1.0, -2.0)));
        assert_eq!((view.up, view.fov_degrees), (Some(Vec3::Y), Some(40.0)));
        assert_eq!(view.size, Some([1067, 600]));
        // The middle is behind it: a diagonal of 6 away.
        let view = camera(DVec3::new(0.0, 0.0, -9.0), None).view(bounds, DVec3::ZERO);
        assert_eq!(view.look_at, Some(DVec3::new(0.0, 0.0, -15.0)));
        assert_eq!(view.size, None);
        assert!(view.camera(bounds, DVec3::ZERO).is_ok());
    }

    #[test]
    fn odd_ratios_are_sizes_all_the_same() {
        for (aspect, width) in [(1e-9, 1), (1e9, 65_536), (0.5, 300)] {
            let view =
                camera(DVec3::ZERO, Some(aspect)).view(Bounds::of([Vec3::ONE; 3]), DVec3::ZERO);
            assert_eq!(view.size, Some([width, 600]), "{aspect}");
        }
    }
}
