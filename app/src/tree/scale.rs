//! The power of two by which a scene is multiplied before rays are traced in it.
//!
//! Kernels square lengths and divide by the squares in `f32`. From 2^-32 to 2^33 such numbers
//! neither overflow nor lose digits, and a scene is rendered as it is. A larger or smaller one is
//! multiplied so that its largest coordinate is from 1 to 2. Factors are powers of two, which
//! round nothing above 2^-66 of a scene: pictures of a scene and of the same scene scaled by a
//! power of two agree in bits.

use heapwood_device::kdtree::node::Node;
use heapwood_device::render::{Bounds, DELTA_LIGHT_FLOATS, DeltaLight, Triangle};

/// Largest coordinates of scenes that are rendered as they are, as powers of two.
const UNSCALED: std::ops::RangeInclusive<i32> = -32..=32;
/// The smallest power of two that a normal `f32` holds.
const MIN_EXPONENT: i32 = -126;
/// The largest power of two at which a delta light of a rendering is. From there, its light falls
/// on all of the scene alike.
const MAX_LAMP_EXPONENT: i32 = 59;

/// A factor from the lengths of a scene to those of its rendering.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    exponent: i32,
}

/// 2 to this power, from -1022 to 1023.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The power of two of the largest magnitude; -127 for numbers below the normal ones, and for 0.
fn exponent_of(largest: f32) -> i32 {
    (largest.to_bits() >> 23) as i32 - 127
}

impl Scale {
    /// That of a scene within `bounds`, which are finite.
    pub fn of(bounds: &Bounds) -> Self {
        Self::of_numbers(bounds.min.iter().chain(&bounds.max))
    }

    /// That of a ray's direction alone, which may be of any length.
    pub fn of_direction(direction: &[f32; 3]) -> Self {
        Self::of_numbers(direction.iter())
    }

    fn of_numbers<'a>(numbers: impl Iterator<Item = &'a f32>) -> Self {
        let largest = numbers.fold(0.0, |largest: f32, x| largest.max(x.abs()));
        let exponent = exponent_of(largest);
        let is_unscaled = largest == 0.0 || !largest.is_finite() || UNSCALED.contains(&exponent);
        let exponent = match is_unscaled {
            true => 0,
            false => -exponent.max(MIN_EXPONENT),
        };
        Self { exponent }
    }

    /// Whether a scene is rendered as it is.
    pub fn is_one(self) -> bool {
        self.exponent == 0
    }

    /// A length of the scene in its rendering.
    pub fn length(self, length: f32) -> f32 {
        length * power(self.exponent) as f32
    }

    /// A length of the rendering in the scene.
    pub fn unscaled(self, length: f32) -> f32 {
        length * power(-self.exponent) as f32
    }

    /// The parameter in the scene of a hit in its rendering, on a ray whose direction is scaled
    /// by itself; none beyond what an `f32` holds.
    pub fn parameter(self, t: f32, direction: Self) -> Option<f32> {
        let t = f64::from(t) * power(direction.exponent - self.exponent);
        (t <= f64::from(f32::MAX)).then_some(t as f32)
    }

    /// A point of the scene in its rendering.
    pub fn point(self, point: [f32; 3]) -> [f32; 3] {
        point.map(|x| self.length(x))
    }

    /// An area, or the intensity of a point, in the rendering.
    pub fn square(self, square: f64) -> f32 {
        let square = square * power(2 * self.exponent);
        square.min(f64::from(f32::MAX)) as f32
    }

    /// Triangles of the scene in its rendering.
    pub fn triangles(self, triangles: &[Triangle]) -> Vec<Triangle> {
        let triangle = |triangle: &Triangle| triangle.map(|corner| self.point(corner));
        triangles.iter().map(triangle).collect()
    }

    /// The scene's box in its rendering.
    pub fn bounds(self, bounds: Bounds) -> Bounds {
        Bounds {
            min: self.point(bounds.min),
            max: self.point(bounds.max),
        }
    }

    /// A node of the scene's tree in its rendering.
    pub fn node(self, node: Node) -> Node {
        match node.is_leaf() {
            true => node,
            false => Node::interior(node.axis(), self.length(node.position()), node.right()),
        }
    }

    /// A delta light of the scene in its rendering: as bright on every surface. One that would be
    /// beyond the range of rays is nearer in the same direction, and its intensity less.
    pub fn delta_light(self, floats: [f32; DELTA_LIGHT_FLOATS]) -> [f32; DELTA_LIGHT_FLOATS] {
        let scaled = |position: &mut glam::Vec3, intensity: &mut glam::Vec3| {
            let limit = MAX_LAMP_EXPONENT - exponent_of(position.abs().max_element());
            let own = Self {
                exponent: self.exponent.min(limit),
            };
            *position = own.point(position.to_array()).into();
            let intensities = intensity.to_array().map(|x| own.square(f64::from(x)));
            *intensity = intensities.into();
        };
        let mut delta_light = DeltaLight::from_floats(floats);
        match &mut delta_light {
            DeltaLight::Sun { .. } => {}
            DeltaLight::Point {
                position,
                intensity,
            }
            | DeltaLight::Spot {
                position,
                intensity,
                ..
            } => scaled(position, intensity),
        }
        delta_light.to_floats()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(largest: f32) -> Scale {
        Scale::of(&Bounds {
            min: [-0.5 * largest, 0.0, 0.0],
            max: [0.0, 0.0, largest],
        })
    }

    #[test]
    fn scenes_of_usual_sizes_are_rendered_as_they_are() {
        for largest in [0.0, 2.0_f32.powi(-32), 1e-6, 1.0, 1e6, 8.5e9] {
            assert!(scale(largest).is_one(), "{largest}");
        }
    }

    #[test]
    fn others_reach_from_1_to_2() {
        for largest in [1e18, 1.7e10, 1e-10, 1e-21, 1.5e-38, f32::MIN_POSITIVE] {
            let scale = scale(largest);
            let length = scale.length(largest);
            assert!((1.0..2.0).contains(&length), "{largest}: {length}");
            assert_eq!(scale.unscaled(length), largest);
        }
        assert!(scale(1e-44).length(1e-44) > 0.0);
    }

    #[test]
    fn directions_of_every_length_keep_their_parameters() {
        let (scene, direction) = (scale(1e18), Scale::of_direction(&[0.0, 1e-30, -2e-30]));
        // In the rendering: a way of 2 in steps of 1 to 2.
        let t = 2.0 / direction.length(2e-30);
        let t = scene.parameter(t, direction);
        let expected = f64::from(scene.unscaled(2.0)) / 2e-30;
        assert_eq!(t, None, "{expected} is beyond f32");
        let (scene, direction) = (scale(1e-21), Scale::of_direction(&[0.0, 1e-30, -2e-30]));
        let t = scene.parameter(2.0 / direction.length(2e-30), direction);
        let expected = f64::from(scene.unscaled(2.0)) / 2e-30;
        let t = f64::from(t.expect("a parameter"));
        assert!((t / expected - 1.0).abs() < 1e-6, "{t} {expected}");
    }

    #[test]
    fn lamps_are_as_bright_where_all_is_scaled() {
        // The last one is far from a tiny scene.
        for (size, distance) in [(1e18, 1e18), (1e-21, 1e-21), (1e-21, 1.0), (1e-21, 1e18)] {
            let delta_light = DeltaLight::Point {
                position: glam::Vec3::new(0.3 * distance, 0.0, distance),
                intensity: glam::Vec3::splat(distance * distance),
            };
            let scale = scale(size);
            let DeltaLight::Point {
                position,
                intensity,
            } = DeltaLight::from_floats(scale.delta_light(delta_light.to_floats()))
            else {
                panic!("a point stays one");
            };
            assert!(position.z <= 1e18 && (position.x / position.z - 0.3).abs() < 1e-6);
            let irradiance = f64::from(intensity.x) / f64::from(position.z).powi(2);
            let expected = f64::from(distance * distance) / f64::from(distance).powi(2);
            assert!(
                (irradiance - expected).abs() < 1e-4,
                "{size}: {irradiance} {expected}"
            );
        }
    }
}
