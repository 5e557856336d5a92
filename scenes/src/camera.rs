//! A pinhole camera.
//!
//! Rays come from `+ - * /` and square roots in `f32` alone, so every machine
//! makes the same ones; the tangent goes through glam's software sine.

use crate::Bounds;
use glam::{Vec2, Vec3};

/// Where rays start and how they spread over the image.
///
/// The ray of pixel (x, y) has origin `origin` and the direction
/// `corner + (x + 0.5) * du + (y + 0.5) * dv`, which is not normalised. Pixel
/// (0, 0) is the upper left one, y grows downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayBasis {
    /// The eye.
    pub origin: Vec3,
    /// From the eye to the upper left corner of the image plane at distance 1.
    pub corner: Vec3,
    /// From one pixel to its neighbour on the right.
    pub du: Vec3,
    /// From one pixel to its neighbour below.
    pub dv: Vec3,
}

impl RayBasis {
    /// The direction, not normalised, of the ray through the centre of a pixel.
    pub fn direction(&self, x: u32, y: u32) -> Vec3 {
        self.corner + self.du * (x as f32 + 0.5) + self.dv * (y as f32 + 0.5)
    }
}

/// Why a camera was refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum CameraError {
    /// A vector has a NaN or an infinity.
    #[error("camera {what} {x} {y} {z} is not finite")]
    NotFinite {
        /// `eye`, `look-at`, `up` or `box`.
        what: &'static str,
        /// Its x.
        x: f32,
        /// Its y.
        y: f32,
        /// Its z.
        z: f32,
    },
    /// The eye is where it looks at.
    #[error("camera eye and look-at are the same point: move one of them")]
    EyeIsTarget,
    /// `up` is zero or along the line of sight.
    #[error("camera up is zero or parallel to the line of sight: choose another up")]
    Up,
    /// The field of view does not fit a flat image.
    #[error("camera field of view {0} is refused: it must be 0.001 to 179.9 degrees")]
    FieldOfView(f32),
    /// The image has no pixels or too many.
    #[error("image size {width}x{height} is refused: each side must be 1 to 65536 pixels")]
    Size {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
}

/// A pinhole camera whose numbers were checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    eye: Vec3,
    look_at: Vec3,
    up: Vec3,
    fov_degrees: f32,
    width: u32,
    height: u32,
    rays: RayBasis,
}

/// Longest side of an image in pixels.
const MAX_IMAGE_SIDE: u32 = 65536;

/// From the middle of a framed box towards the eye: from the front right and
/// above, some thirty degrees high.
const THREE_QUARTER: Vec3 = Vec3::new(0.6, 0.75, 1.0);

/// How much farther than necessary a framing camera stands.
const MARGIN: f32 = 1.04;

impl Camera {
    /// A camera at `eye` that looks at `look_at`; `fov_degrees` is the vertical
    /// field of view, `width` and `height` are in pixels.
    ///
    /// # Errors
    /// A [`CameraError`] for what gives no image.
    pub fn new(
        eye: Vec3,
        look_at: Vec3,
        up: Vec3,
        fov_degrees: f32,
        width: u32,
        height: u32,
    ) -> Result<Camera, CameraError> {
        for (what, v) in [("eye", eye), ("look-at", look_at), ("up", up)] {
            check_finite(what, v)?;
        }
        check_image(width, height, fov_degrees)?;
        let forward = unit(look_at - eye).ok_or(CameraError::EyeIsTarget)?;
        let up_unit = unit(up).ok_or(CameraError::Up)?;
        let right = forward.cross(up_unit);
        if right.length_squared() < 1e-10 {
            return Err(CameraError::Up);
        }
        let right = unit(right).ok_or(CameraError::Up)?;
        let above = right.cross(forward);

        let half_height = half_tangent(fov_degrees);
        let pixel = 2.0 * half_height / height as f32;
        let half_width = 0.5 * pixel * width as f32;
        let rays = RayBasis {
            origin: eye,
            corner: forward - right * half_width + above * half_height,
            du: right * pixel,
            dv: above * -pixel,
        };
        Ok(Camera {
            eye,
            look_at,
            up,
            fov_degrees,
            width,
            height,
            rays,
        })
    }

    /// A camera that sees the whole box in a three-quarter view from above,
    /// upright with respect to +y.
    ///
    /// # Errors
    /// As [`Camera::new`]; an empty box counts as not finite, and a box so
    /// small and far from the origin that `f32` cannot part it from the eye
    /// as [`CameraError::EyeIsTarget`].
    pub fn frame(
        bounds: Bounds,
        width: u32,
        height: u32,
        fov_degrees: f32,
    ) -> Result<Camera, CameraError> {
        check_finite("box", bounds.min)?;
        check_finite("box", bounds.max)?;
        check_image(width, height, fov_degrees)?;
        let centre = bounds.centre();
        let size = bounds.extent().max_element();
        if size <= 0.0 {
            let eye = centre + THREE_QUARTER;
            return Camera::new(eye, centre, Vec3::Y, fov_degrees, width, height);
        }
        let back = unit(THREE_QUARTER).ok_or(CameraError::EyeIsTarget)?;
        let right = unit(Vec3::Y.cross(back)).ok_or(CameraError::Up)?;
        let above = back.cross(right);
        let half_height = half_tangent(fov_degrees);
        let half_width = half_height * width as f32 / height as f32;
        // A corner at (r, a, b) in this frame is in view from distance d along
        // `back` if |r| <= half_width * (d - b), and so for a. Lengths are
        // relative to the box: squares of real ones might overflow.
        let distance = bounds.corners().into_iter().fold(0.0, |distance: f32, c| {
            let c = (c - centre) / size;
            let sideways = c.dot(right).abs() / half_width;
            let upwards = c.dot(above).abs() / half_height;
            distance.max(c.dot(back) + sideways.max(upwards))
        });
        let eye = centre + back * (distance * MARGIN * size);
        Camera::new(eye, centre, Vec3::Y, fov_degrees, width, height)
    }

    /// Position.
    pub fn eye(&self) -> Vec3 {
        self.eye
    }

    /// The point in the middle of the image.
    pub fn look_at(&self) -> Vec3 {
        self.look_at
    }

    /// The direction that is upwards in the image, as given.
    pub fn up(&self) -> Vec3 {
        self.up
    }

    /// Vertical field of view in degrees.
    pub fn fov_degrees(&self) -> f32 {
        self.fov_degrees
    }

    /// Image width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Image height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The basis of all rays.
    pub fn rays(&self) -> RayBasis {
        self.rays
    }
}

fn check_finite(what: &'static str, v: Vec3) -> Result<(), CameraError> {
    let [x, y, z] = v.to_array();
    if v.is_finite() {
        Ok(())
    } else {
        Err(CameraError::NotFinite { what, x, y, z })
    }
}

fn check_image(width: u32, height: u32, fov_degrees: f32) -> Result<(), CameraError> {
    let sides = 1..=MAX_IMAGE_SIDE;
    if !sides.contains(&width) || !sides.contains(&height) {
        return Err(CameraError::Size { width, height });
    }
    // Fields so narrow or wide that the tangent is 0 or infinite are useless.
    if !(0.001..=179.9).contains(&fov_degrees) {
        return Err(CameraError::FieldOfView(fov_degrees));
    }
    Ok(())
}

/// Tangent of half the angle.
fn half_tangent(degrees: f32) -> f32 {
    let half = Vec2::from_angle(0.5 * degrees.to_radians());
    half.y / half.x
}

/// `v` with length 1; none for a vector of length 0 or not finite. Scaling
/// first keeps the squares within range.
pub fn unit(v: Vec3) -> Option<Vec3> {
    let largest = v.abs().max_element();
    let scaled = v / largest;
    (largest > 0.0 && scaled.is_finite()).then(|| scaled / scaled.length())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(eye: Vec3, up: Vec3, fov: f32) -> Result<Camera, CameraError> {
        Camera::new(eye, Vec3::ZERO, up, fov, 400, 200)
    }

    #[test]
    fn the_middle_ray_looks_at_the_target_and_edges_span_the_field() {
        let camera = camera(Vec3::new(0.0, 0.0, 5.0), Vec3::Y, 90.0).unwrap();
        let rays = camera.rays();
        let middle = rays.corner + rays.du * 200.0 + rays.dv * 100.0;
        assert!(middle.distance(Vec3::NEG_Z) < 1e-6);
        // 90 degrees: the top edge is as high as far away; width is twice that.
        assert!(rays.corner.distance(Vec3::new(-2.0, 1.0, -1.0)) < 1e-5);
        assert!(rays.direction(399, 0).x > 1.98);
        assert!(rays.direction(0, 199).y < -0.98);
    }

    #[test]
    fn rays_pass_the_middle_of_their_pixels() {
        let camera = camera(Vec3::new(0.0, 0.0, 5.0), Vec3::Y, 90.0).unwrap();
        // The image is 4 by 2 at distance 1, a pixel a hundredth.
        for (x, y, expected) in [
            (0, 0, [-1.995, 0.995]),
            (399, 0, [1.995, 0.995]),
            (0, 199, [-1.995, -0.995]),
            (250, 120, [0.505, -0.205]),
        ] {
            let expected = Vec3::new(expected[0], expected[1], -1.0);
            let direction = camera.rays().direction(x, y);
            assert!(direction.distance(expected) < 1e-5, "{x} {y}: {direction}");
        }
    }

    #[test]
    fn a_camera_tells_what_it_was_made_from() {
        let (eye, target, up) = (Vec3::splat(5.0), Vec3::X, Vec3::new(0.0, 2.0, 0.5));
        let camera = Camera::new(eye, target, up, 37.5, 320, 200).unwrap();
        assert_eq!(
            (camera.eye(), camera.look_at(), camera.up()),
            (eye, target, up)
        );
        assert_eq!(camera.fov_degrees(), 37.5);
        assert_eq!((camera.width(), camera.height()), (320, 200));
    }

    #[test]
    fn degenerate_cameras_are_refused() {
        let eye = Vec3::new(0.0, 0.0, 5.0);
        assert_eq!(
            camera(Vec3::ZERO, Vec3::Y, 45.0),
            Err(CameraError::EyeIsTarget)
        );
        assert_eq!(camera(eye, Vec3::Z, 45.0), Err(CameraError::Up));
        assert_eq!(camera(eye, Vec3::ZERO, 45.0), Err(CameraError::Up));
        for fov in [0.0, -5.0, 180.0, f32::NAN] {
            assert!(matches!(
                camera(eye, Vec3::Y, fov),
                Err(CameraError::FieldOfView(_))
            ));
        }
        let nan = Vec3::new(f32::NAN, 0.0, 0.0);
        assert!(matches!(
            camera(nan, Vec3::Y, 45.0),
            Err(CameraError::NotFinite { .. })
        ));
        let size = Camera::new(eye, Vec3::ZERO, Vec3::Y, 45.0, 0, 100);
        assert!(matches!(size, Err(CameraError::Size { width: 0, .. })));
        let empty = Camera::frame(Bounds::EMPTY, 10, 10, 45.0);
        assert!(matches!(
            empty,
            Err(CameraError::NotFinite { what: "box", .. })
        ));
    }

    /// Pixel coordinates of `point`, by solving for the ray through it.
    fn project(rays: RayBasis, point: Vec3) -> (f32, f32, f32) {
        let to = point - rays.origin;
        let normal = rays.du.cross(rays.dv).normalize();
        let depth = to.dot(normal) / rays.corner.dot(normal);
        let on_plane = to / depth - rays.corner;
        let along = |axis: Vec3| on_plane.dot(axis) / axis.length_squared();
        (along(rays.du), along(rays.dv), depth)
    }

    #[test]
    fn framing_keeps_every_corner_in_view() {
        let sizes = [
            Vec3::ONE,
            Vec3::new(10.0, 0.1, 1.0),
            Vec3::new(0.0, 3.0, 0.0),
        ];
        for (size, scale) in sizes
            .into_iter()
            .flat_map(|s| [1e-3, 1.0, 1e6].map(|k| (s, k)))
        {
            for (width, height) in [(400, 200), (100, 300)] {
                let min = Vec3::new(3.0, -1.0, 2.0) * scale;
                let bounds = Bounds {
                    min,
                    max: min + size * scale,
                };
                let camera = Camera::frame(bounds, width, height, 40.0).unwrap();
                for corner in bounds.corners() {
                    let (x, y, depth) = project(camera.rays(), corner);
                    assert!(depth > 0.0);
                    assert!(x >= 0.0 && x <= width as f32, "{x}");
                    assert!(y >= 0.0 && y <= height as f32, "{y}");
                }
            }
        }
    }

    #[test]
    fn framing_looks_from_above_and_comes_as_near_as_it_can() {
        let bounds = Bounds {
            min: Vec3::new(3.0, -1.0, 2.0),
            max: Vec3::new(7.0, 1.0, 3.0),
        };
        for (width, height) in [(400, 200), (100, 300)] {
            for fov in [10.0, 40.0, 100.0] {
                let camera = Camera::frame(bounds, width, height, fov).unwrap();
                // From the front right and above.
                assert!(camera.eye().cmpgt(bounds.centre()).all());
                // How far from the middle the outermost corner is; 1 is the border.
                let outermost = bounds.corners().into_iter().map(|corner| {
                    let (x, y, _) = project(camera.rays(), corner);
                    let [x, y] = [2.0 * x / width as f32, 2.0 * y / height as f32];
                    (x - 1.0).abs().max((y - 1.0).abs())
                });
                let outermost = outermost.fold(0.0, f32::max);
                assert!(outermost > 0.85, "{width}x{height} {fov}: {outermost}");
            }
        }
    }

    #[test]
    fn framing_survives_the_extremes() {
        let at = |v: f32| Bounds {
            min: Vec3::splat(-v),
            max: Vec3::splat(v),
        };
        for half in [1e18, 1e-30, 0.0] {
            let camera = Camera::frame(at(half), 64, 64, 45.0).unwrap();
            assert!(camera.rays().direction(0, 0).is_finite(), "{half}");
        }
    }
}
