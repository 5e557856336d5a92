//! Where a ray meets a surface, and where rays that leave it begin.
//!
//! Let u = 2^-24 and M be the largest coordinate of a point, or 2^-20 of that of the scene where
//! that is more. The point is computed in `f64` and rounded to `f32` twice, as it is and moved
//! along the normal, so it is off by at most 3.5 u M. Rays leave from [`ray_epsilon`], 16 u M,
//! beside the surface. A hit far below that is decided right, since rays meet triangles in `f64`
//! (see `intersect`).
//!
//! No surface shadows itself: a ray that leaves at the side of the normal meets the plane of
//! its triangle, if at all, 12 u M before it begins. Hits count from 7 u M before. So neither the
//! triangle nor one in its plane is hit, nor one behind it.
//!
//! Nothing leaks: beside an edge that two triangles share, rounding may put the point behind
//! the other one. The point is drawn towards the middle of its triangle by 16 u M, or an eighth
//! of the way if that is less. Unless the triangle is narrow that is more than rounding; what
//! remains is within the reach in which surfaces before the origin count ([`Ray::spawn`]).

use glam::Vec3;

use super::ray::{Ray, max_abs_component, ray_epsilon};
use super::shade;
use crate::kdtree::bounds::{Bounds, Triangle};

/// The most by which a point is drawn to the middle of its triangle, as a part of the way.
const INWARDS: f32 = 0.125;

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

/// The point of a triangle with these weights of its corners, of sum 1.
#[inline(always)]
pub fn point_of([a, b, c]: &Triangle, weights: [f64; 3]) -> [f64; 3] {
    let [u, v, w] = weights;
    let coordinate = |axis: usize| {
        let (a, b, c) = (a[axis], b[axis], c[axis]);
        f64::from(a) * u + f64::from(b) * v + f64::from(c) * w
    };
    [coordinate(0), coordinate(1), coordinate(2)]
}

/// A point as rays have it.
#[inline(always)]
pub fn rounded([x, y, z]: [f64; 3]) -> Vec3 {
    Vec3::new(x as f32, y as f32, z as f32)
}

impl SurfacePoint {
    /// Where `ray` hits a triangle, which on a GPU is one in memory, as in [`Ray::hit`].
    #[inline(always)]
    pub fn hit(ray: &Ray, triangle: &Triangle) -> Self {
        Self::hit_and_weights(ray, triangle).0
    }

    /// The same, and the weights of the triangle's corners at the hit.
    #[inline(always)]
    pub fn hit_and_weights(ray: &Ray, triangle: &Triangle) -> (Self, [f32; 3]) {
        let weights = ray.weights(triangle);
        let [x, y, z] = point_of(triangle, weights);
        let [to_x, to_y, to_z] = point_of(triangle, [1.0 / 3.0; 3]);
        let way = [to_x - x, to_y - y, to_z - z];
        let part = ray.epsilon(rounded([x, y, z])) / max_abs_component(rounded(way));
        let part = f64::from(if part < INWARDS { part } else { INWARDS });
        let [way_x, way_y, way_z] = way;
        let point = rounded([x + way_x * part, y + way_y * part, z + way_z * part]);
        let [u, v, w] = weights;
        let weights = [u as f32, v as f32, w as f32];
        (Self::seen(triangle, point, ray.direction()), weights)
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

    /// Where rays begin that leave at the side of the normal.
    #[inline(always)]
    pub fn offset_origin(&self, bounds: &Bounds) -> Vec3 {
        self.point + self.normal * ray_epsilon(self.point, bounds)
    }

    /// The same at the other side.
    #[inline(always)]
    pub fn offset_origin_behind(&self, bounds: &Bounds) -> Vec3 {
        self.point - self.normal * ray_epsilon(self.point, bounds)
    }

    /// Where rays from `origin` end that arrive at the side of the normal: beside the surface by
    /// more than the rounding of the way from there.
    #[inline(always)]
    pub fn offset_target(&self, origin: Vec3, bounds: &Bounds) -> Vec3 {
        let (here, there) = (ray_epsilon(self.point, bounds), ray_epsilon(origin, bounds));
        self.point + self.normal * if here < there { there } else { here }
    }
}
