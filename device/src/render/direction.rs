//! Random directions: around a normal, and the frames that they are given in.
//!
//! A turn's sine and cosine are polynomials of our own: those of a system's library differ
//! between machines in their last bits.

use cuda_std::math::{floor, sqrt};
use glam::Vec3;

/// Half a circle in units of its radius.
pub(super) const PI: f32 = core::f32::consts::PI;

/// The point of the unit circle after a part of a full turn, from 0 to 1: cosine and sine, off
/// by less than 4e-7.
#[inline(always)]
pub fn cos_sin_turns(turn: f32) -> [f32; 2] {
    // The nearest quarter, and what is left of it: from -1/8 to 1/8 of a turn.
    let quarter = floor(turn * 4.0 + 0.5);
    let angle = (turn * 4.0 - quarter) * (0.5 * PI);
    let square = angle * angle;
    // Taylor's, by Horner's scheme. The next terms are below 3e-8 and 2e-9 at the ends.
    let cosine = ((1.0 / 40_320.0 * square - 1.0 / 720.0) * square + 1.0 / 24.0) * square;
    let cosine = (cosine - 0.5) * square + 1.0;
    let sine = ((1.0 / 362_880.0 * square - 1.0 / 5040.0) * square + 1.0 / 120.0) * square;
    let sine = ((sine - 1.0 / 6.0) * square + 1.0) * angle;
    match quarter as u32 & 3 {
        0 => [cosine, sine],
        1 => [-sine, cosine],
        2 => [-cosine, -sine],
        _ => [sine, -cosine],
    }
}

/// The part of a full turn, from 0 up to 1, after which a circle around the origin meets the ray
/// from there through a point, off by less than 2e-7: the inverse of [`cos_sin_turns`]. 0 for the
/// origin.
#[inline(always)]
pub fn atan2_turns([x, y]: [f32; 2]) -> f32 {
    let (across, up) = (x.abs(), y.abs());
    let is_steep = up > across;
    let (less, more) = if is_steep { (across, up) } else { (up, across) };
    let slope = if more > 0.0 { less / more } else { 0.0 };
    // Within an eighth of a turn, the nearer of its ends: slopes up to that of a sixteenth.
    let is_beyond = slope > core::f32::consts::SQRT_2 - 1.0;
    let rest = if is_beyond {
        (slope - 1.0) / (slope + 1.0)
    } else {
        slope
    };
    let square = rest * rest;
    // Taylor's, by Horner's scheme. The next term is below 5e-8 of the first at the ends.
    let series = ((1.0 / 13.0 - 1.0 / 15.0 * square) * square - 1.0 / 11.0) * square;
    let series = ((series + 1.0 / 9.0) * square - 1.0 / 7.0) * square;
    let series = ((series + 1.0 / 5.0) * square - 1.0 / 3.0) * square;
    let turn = (series * rest + rest) * (0.5 / PI);
    let turn = if is_beyond { turn + 0.125 } else { turn };
    let turn = if is_steep { 0.25 - turn } else { turn };
    let turn = if x < 0.0 { 0.5 - turn } else { turn };
    let turn = if y < 0.0 { 1.0 - turn } else { turn };
    if turn < 1.0 { turn } else { 0.0 }
}

/// Three unit vectors at right angles, the third given.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    first: Vec3,
    second: Vec3,
    /// The axis around which directions lie.
    pub normal: Vec3,
}

impl Frame {
    /// A frame around a unit vector: Duff and others, "Building an Orthonormal Basis,
    /// Revisited" (JCGT 2017).
    #[inline(always)]
    pub fn new(normal: Vec3) -> Self {
        let sign = if normal.z < 0.0 { -1.0 } else { 1.0 };
        let a = -1.0 / (sign + normal.z);
        let b = normal.x * normal.y * a;
        Self {
            first: Vec3::new(
                1.0 + sign * normal.x * normal.x * a,
                sign * b,
                -sign * normal.x,
            ),
            second: Vec3::new(b, sign + normal.y * normal.y * a, -normal.y),
            normal,
        }
    }

    /// A vector of this frame in the scene's.
    #[inline(always)]
    pub fn to_scene(self, local: Vec3) -> Vec3 {
        self.first * local.x + self.second * local.y + self.normal * local.z
    }

    /// A vector of the scene in this frame.
    #[inline(always)]
    pub fn to_local(self, vector: Vec3) -> Vec3 {
        Vec3::new(
            self.first.dot(vector),
            self.second.dot(vector),
            self.normal.dot(vector),
        )
    }
}

/// A direction above the plane z = 0 whose density is its cosine with z, by pi.
#[inline(always)]
pub fn cosine_direction([turn, area]: [f32; 2]) -> Vec3 {
    let radius = sqrt(area);
    let [x, y] = cos_sin_turns(turn);
    // Above 0, since `area` is below 1.
    Vec3::new(x * radius, y * radius, sqrt(1.0 - area))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_round() {
        for step in 0..=100_000_u32 {
            let turn = step as f32 / 100_000.0;
            let (sine, cosine) = (f64::from(turn) * std::f64::consts::TAU).sin_cos();
            let [x, y] = cos_sin_turns(turn).map(f64::from);
            let off = (x - cosine).abs().max((y - sine).abs());
            assert!(off < 4e-7, "{turn}: off by {off}");
        }
    }

    #[test]
    fn turns_are_those_of_their_points() {
        for step in 0..=100_000_u32 {
            let turn = f64::from(step) / 100_000.0;
            let (sine, cosine) = (turn * std::f64::consts::TAU).sin_cos();
            for size in [1e-18, 1.0, 3.7, 1e18] {
                let point = [(cosine * size) as f32, (sine * size) as f32];
                let found = atan2_turns(point);
                assert!((0.0..1.0).contains(&found), "{point:?}");
                let off = (f64::from(found) - turn).abs();
                assert!(off.min(1.0 - off) < 2e-7, "{turn}: {found}");
            }
        }
        assert_eq!(atan2_turns([0.0, 0.0]), 0.0);
        assert_eq!(atan2_turns([0.0, 2.0]), 0.25);
        assert_eq!(atan2_turns([-2.0, -0.0]), 0.5);
        assert_eq!(atan2_turns([1.0, -1e-30]), 0.0);
    }

    #[test]
    fn frames_are_right_angled() {
        for step in 0..2000 {
            let [x, y] = cos_sin_turns(step as f32 / 2000.0);
            for z in [-1.0, -0.999_999_9, -0.5, 0.0, 0.3, 1.0_f32] {
                let radius = (1.0 - z * z).max(0.0).sqrt();
                let normal = Vec3::new(x * radius, y * radius, z).normalize();
                let frame = Frame::new(normal);
                let vectors = [frame.first, frame.second, frame.normal];
                for (i, one) in vectors.iter().enumerate() {
                    for (j, other) in vectors.iter().enumerate() {
                        let expected = if i == j { 1.0 } else { 0.0 };
                        assert!((one.dot(*other) - expected).abs() < 1e-5, "{normal}");
                    }
                }
                let local = Vec3::new(0.2, -0.5, 0.7);
                assert!((frame.to_local(frame.to_scene(local)) - local).length() < 1e-5);
            }
        }
    }

    #[test]
    fn directions_fall_off_as_the_cosine() {
        // The mean of a cosine power n under this density is 2 / (n + 2).
        let count = 256;
        let mut sums = [0.0_f64; 3];
        for i in 0..count {
            for j in 0..count {
                let part = |i: u32| (i as f32 + 0.5) / count as f32;
                let direction = cosine_direction([part(i), part(j)]);
                assert!((direction.length() - 1.0).abs() < 1e-5);
                let cosine = f64::from(direction.z);
                for (power, sum) in sums.iter_mut().enumerate() {
                    *sum += cosine.powi(power as i32 + 1);
                }
            }
        }
        for (power, sum) in sums.iter().enumerate() {
            let mean = sum / f64::from(count * count);
            assert!((mean - 2.0 / (power as f64 + 3.0)).abs() < 1e-4);
        }
    }
}
