//! Ground truth for traversal of scenes of many triangles: as by `brute`, but
//! triangles that follow each other have a box, and are left out where a ray does
//! not come near it.
//!
//! The boxes are grown by 128 times the error of a hit (`render::intersect`), so that what
//! is left out is no question of rounding.

use glam::Vec3;
use heapwood_device::render::{Bounds, Hit, Triangle};

use crate::brute::{RayFloats, bounds_of, closest};

/// Triangles with a box of their own.
const RUN: usize = 32;
/// The margin of boxes, as a fraction of the largest coordinate.
const MARGIN: f32 = 1.0 / 1024.0;

/// Triangles and their boxes.
pub struct Runs<'a> {
    runs: Vec<(&'a [Triangle], Bounds)>,
    bounds: Bounds,
}

impl<'a> Runs<'a> {
    /// The runs of a scene within `bounds`.
    pub fn new(triangles: &'a [Triangle], bounds: &Bounds) -> Self {
        let runs = triangles.chunks(RUN);
        Self {
            runs: runs.map(|run| (run, bounds_of(run))).collect(),
            bounds: *bounds,
        }
    }

    /// The closest hit.
    pub fn closest(&self, ray: &RayFloats) -> Hit {
        let [ox, oy, oz, dx, dy, dz] = *ray;
        let (origin, direction) = (Vec3::new(ox, oy, oz), Vec3::new(dx, dy, dz));
        let [min, max] = [self.bounds.min, self.bounds.max].map(Vec3::from_array);
        let scene = Vec3::max(min.abs(), max.abs());
        let margin = MARGIN * origin.abs().max(scene).max_element();
        let mut best = Hit::NONE;
        for (index, (run, bounds)) in self.runs.iter().enumerate() {
            let lower = Vec3::from_array(bounds.min) - origin - margin;
            let upper = Vec3::from_array(bounds.max) - origin + margin;
            if meets(direction, lower, upper) {
                let hit = closest(run, &self.bounds, ray);
                if hit.is_some() {
                    best = best.or_closer((index * RUN) as u32 + hit.triangle, hit.t);
                }
            }
        }
        best
    }
}

/// Whether a ray from 0 comes into a box.
fn meets(direction: Vec3, lower: Vec3, upper: Vec3) -> bool {
    let (mut near, mut far) = (0.0, f32::INFINITY);
    for axis in 0..3 {
        if direction[axis] != 0.0 {
            let a = lower[axis] / direction[axis];
            let b = upper[axis] / direction[axis];
            near = f32::max(near, a.min(b));
            far = f32::min(far, a.max(b));
        } else if lower[axis] > 0.0 || upper[axis] < 0.0 {
            return false;
        }
    }
    near <= far
}
