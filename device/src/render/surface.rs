//! Where a ray meets a surface, and where rays that leave it begin.
//!
//! With u = 2^-24 and S the largest coordinate of the scene, a point that is computed on a
//! triangle is off by some 5 u S, and a hit is reported only within 20 u S of the triangle in
//! each coordinate (see `ray`). Rays leave from a margin, 128 u S, beside the surface.
//!
//! No surface shadows itself: a ray that leaves at the side of the normal meets the plane of
//! its triangle, if at all, 128 u S before it begins. Hits count from 32 u S before, and
//! rounding takes 35 u S at most. So neither the triangle nor one in its plane is hit, nor one
//! behind it.
//!
//! Nothing leaks: beside an edge that two triangles share, rounding may put the point behind
//! the other one. The point is drawn towards the middle of its triangle by 2^-14 of the way,
//! which is more than rounding for triangles of a hundredth of the scene or more; what remains
//! is within the reach in which surfaces before the origin count ([`Ray::leaving`]).

use glam::Vec3;

use super::ray::{Ray, scene_margin};
use super::shade;
use crate::kdtree::bounds::{Bounds, Triangle};

/// By how much a point is drawn to the middle of its triangle.
const INWARDS: f32 = 1.0 / (1 << 14) as f32;

/// A point on a triangle, seen from one side.
#[derive(Clone, Copy, Debug)]
pub struct SurfacePoint {
    /// The point.
    pub point: Vec3,
    /// The unit normal at the side from which it is seen; 0 for a triangle without area.
    pub normal: Vec3,
    /// Whether that is the side from which the corners run counterclockwise.
    pub is_front: bool,
}

/// The point of a triangle with these weights of its corners, within its bounds.
#[inline(always)]
pub fn point_of(triangle: &Triangle, weights: [f32; 3]) -> Vec3 {
    let [a, b, c] = triangle;
    let coordinate = |axis: usize| {
        let (a, b, c) = (a[axis], b[axis], c[axis]);
        let at = a * weights[0] + b * weights[1] + c * weights[2];
        let low = if a < b { a } else { b };
        let low = if low < c { low } else { c };
        let high = if a > b { a } else { b };
        let high = if high > c { high } else { c };
        let at = if at < low { low } else { at };
        if at > high { high } else { at }
    };
    Vec3::new(coordinate(0), coordinate(1), coordinate(2))
}

impl SurfacePoint {
    /// Where `ray` hits a triangle.
    ///
    /// # Safety
    ///
    /// `triangle` points to a triangle that may be read. On a GPU it is one in memory, since a
    /// copy that is indexed by the ray's axes would be in local memory.
    #[inline(always)]
    pub unsafe fn hit(ray: &Ray, triangle: *const Triangle) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::hit_and_weights(ray, triangle).0 }
    }

    /// The same, and the weights of the triangle's corners at the hit.
    ///
    /// # Safety
    ///
    /// As for `hit`.
    #[inline(always)]
    pub unsafe fn hit_and_weights(ray: &Ray, triangle: *const Triangle) -> (Self, [f32; 3]) {
        // SAFETY: the caller's promise.
        let (weights, triangle) = unsafe { (ray.weights(triangle), triangle.read()) };
        let [u, v, w] = weights;
        let inwards = |weight: f32| weight + (1.0 / 3.0 - weight) * INWARDS;
        let point = point_of(&triangle, [inwards(u), inwards(v), inwards(w)]);
        (Self::seen(&triangle, point, ray.direction()), weights)
    }

    /// A point of a triangle that is seen along `direction`.
    #[inline(always)]
    pub fn seen(triangle: &Triangle, point: Vec3, direction: Vec3) -> Self {
        let normal = shade::normal(triangle);
        let is_front = normal.dot(direction) <= 0.0;
        Self {
            point,
            normal: if is_front { normal } else { -normal },
            is_front,
        }
    }

    /// Where rays begin that leave at the side of the normal, or end that arrive there.
    #[inline(always)]
    pub fn beside(&self, bounds: &Bounds) -> Vec3 {
        self.point + self.normal * scene_margin(bounds)
    }

    /// The same at the other side.
    #[inline(always)]
    pub fn behind(&self, bounds: &Bounds) -> Vec3 {
        self.point - self.normal * scene_margin(bounds)
    }
}
