//! How a ray meets a triangle.
//!
//! The intersection is that of Woop, Benthin and Wald, "Watertight Ray/Triangle
//! Intersection" (JCGT 2013), section 3: the scene is sheared so that the ray
//! becomes the third axis, and the signs of three edge functions decide.
//! Triangles that share an edge compute it from the same products, so no ray
//! slips through between them: rounding never inverts the sign of an edge function, but may make
//! it 0, which counts for both.
//!
//! Corners, edge functions and `t` are computed in `f64`, from coordinates that were not rounded.
//! In `f32` the corners of a ground of 1e6 are off by 0.06, and rays that begin a millimetre above
//! it hit it on their way up. `f32` only rejects triangles that are surely missed, which are most:
//! see [`Ray::surely_misses`].
//!
//! Invariant, on which the traversal rests: a hit at `t` is reported only if
//! the triangle has a point within the ray's margin of `origin + t * direction`
//! in every coordinate. That point is the combination of the corners whose
//! weights are the edge functions. Let u = 2^-24 and S be the largest coordinate
//! of the ray's origin and of the scene.
//!
//! - Sheared corners are off by at most 2^-50 S, which is nothing here.
//! - An edge function is off by 2^-52 of its products, and with [`EDGE_ON`] by 2^-21 of the sum
//!   of all three. That moves the point along the triangle by at most 32 u S.
//! - The rounding of `t` to `f32` moves it by at most 4 u S.
//!
//! The sign of `t` is right unless the origin is within 2^-48 S of the triangle's plane.

use cuda_std::hint::opaque;
use glam::Vec2;

use super::ray::{Ray, larger};
use crate::kdtree::bounds::Triangle;

/// The minimum that the error of a corner in `f32` is taken for. Its square is a normal number, so
/// that the bound on edge functions does not vanish.
const MIN_ERROR: f32 = 1e-18;
/// A triangle is seen edge-on if the sum of its edge functions is at most this part of the
/// products that they are differences of: 2^-31.
const EDGE_ON: f64 = 1.0 / (1_u64 << 31) as f64;

/// A corner in the sheared frame, where the ray is the third axis.
#[derive(Clone, Copy)]
struct Corner {
    /// Times the direction's largest coordinate, so that nothing is divided by it.
    x: f64,
    /// Times the same.
    y: f64,
    /// Along the third axis from the ray's origin.
    depth: f64,
}

impl Corner {
    /// That of a point, seen from another one along a direction; all three are permuted.
    #[inline(always)]
    fn sheared([x, y, z]: [f32; 3], from: [f64; 3], along: [f64; 3]) -> Self {
        let depth = f64::from(z) - from[2];
        Self {
            x: (f64::from(x) - from[0]) * along[2] - along[0] * depth,
            y: (f64::from(y) - from[1]) * along[2] - along[1] * depth,
            depth,
        }
    }
}

impl Ray {
    /// The parameter at which the ray hits the triangle, from 0 to the largest
    /// `f32`; for one that [leaves](Self::spawn) a surface, 0 also stands for a little
    /// before. Both sides count, and edges and corners belong to it. A triangle that is seen
    /// edge-on is not hit, nor is a needle: its width is below some 4e-9 of its length.
    ///
    /// On a GPU the triangle is one in memory, here and below: a copy that is indexed by the ray's
    /// axes would be in local memory.
    #[inline(always)]
    pub fn hit(&self, triangle: &Triangle) -> Option<f32> {
        if self.surely_misses(triangle) {
            return None;
        }
        // Few triangles come here, so the cost of `f64` does not matter.
        self.exact_hit(triangle)
    }

    /// The same by `f64` alone: `None` if [`surely_misses`](Self::surely_misses).
    #[inline(always)]
    pub(super) fn exact_hit(&self, triangle: &Triangle) -> Option<f32> {
        let [a, b, c] = self.sheared(triangle);
        let (u, v, w) = (edge(c, b), edge(a, c), edge(b, a));
        let all_positive = u >= 0.0 && v >= 0.0 && w >= 0.0;
        let all_negative = u <= 0.0 && v <= 0.0 && w <= 0.0;
        if !(all_positive || all_negative) {
            return None;
        }
        // No less than all products of the edge functions together.
        let across = a.x.abs() + b.x.abs() + c.x.abs();
        let products = across * (a.y.abs() + b.y.abs() + c.y.abs());
        let sum = u + v + w;
        let weighted = u * a.depth + v * b.depth + w * c.depth;
        let size = sum.abs();
        if size <= EDGE_ON * products {
            return None;
        }
        // The parameter is the quotient of these: a product is sooner there to reject with.
        let divisor = size * widened(self.direction[2]).abs();
        let is_turned = (sum < 0.0) != (self.direction[2] < 0.0);
        let distance = if is_turned { -weighted } else { weighted };
        if distance < widened(self.earliest) * divisor {
            return None;
        }
        let t = distance / divisor;
        let t = if t > 0.0 { t as f32 } else { 0.0 };
        (t <= f32::MAX).then_some(t)
    }

    /// The weights of a triangle's corners, of sum 1, at the point where the ray's line
    /// passes through it; a third each where the triangle is seen edge-on.
    #[inline(always)]
    pub fn weights(&self, triangle: &Triangle) -> [f64; 3] {
        let [a, b, c] = self.sheared(triangle);
        let (u, v, w) = (edge(c, b), edge(a, c), edge(b, a));
        let sum = u + v + w;
        if sum == 0.0 {
            return [1.0 / 3.0; 3];
        }
        [u / sum, v / sum, w / sum]
    }

    /// Whether the ray passes a triangle by so much that rounding to `f32` does not matter.
    ///
    /// A sheared coordinate is off by at most e = 12 u S: its two differences, the shear
    /// and their product are rounded. With m the sum of the six, as magnitudes, an edge function
    /// is off by at most 2 e m + 2 e^2, its own rounding included. That is below E (m + E) with
    /// E = 32 u S.
    #[inline(always)]
    pub(super) fn surely_misses(&self, triangle: &Triangle) -> bool {
        let a = self.rounded_corner(triangle, 0);
        let b = self.rounded_corner(triangle, 1);
        let c = self.rounded_corner(triangle, 2);
        let sum = (a.x.abs() + a.y.abs()) + (b.x.abs() + b.y.abs()) + (c.x.abs() + c.y.abs());
        let error = 0.25 * self.margin + MIN_ERROR;
        let bound = error * (sum + error);
        let edge = |p: Vec2, q: Vec2| p.x * q.y - p.y * q.x;
        let (u, v, w) = (edge(c, b), edge(a, c), edge(b, a));
        let positive = larger(larger(u, v), w);
        let negative = larger(larger(-u, -v), -w);
        // Whether both are above the bound.
        let less = if positive < negative {
            positive
        } else {
            negative
        };
        less > bound
    }

    /// Corner `index` of a triangle, which has corners 0 to 2, its coordinates permuted.
    #[inline(always)]
    fn permuted(&self, triangle: &Triangle, index: usize) -> [f32; 3] {
        let [x, y, z] = self.axes;
        let corner = core::ptr::from_ref(&triangle[index]).cast::<f32>();
        // SAFETY: the axes are 0 to 2, so these are numbers of the corner.
        unsafe {
            [
                corner.add(opaque(x) as usize).read(),
                corner.add(opaque(y) as usize).read(),
                corner.add(opaque(z) as usize).read(),
            ]
        }
    }

    /// Corner `index` (0 to 2) of a triangle across the ray, in `f32`.
    #[inline(always)]
    fn rounded_corner(&self, triangle: &Triangle, index: usize) -> Vec2 {
        let [x, y, z] = self.permuted(triangle, index);
        let depth = z - self.start[2];
        Vec2::new(
            x - self.start[0] - self.shear[0] * depth,
            y - self.start[1] - self.shear[1] * depth,
        )
    }

    /// The corners of a triangle in the sheared frame.
    #[inline(always)]
    fn sheared(&self, triangle: &Triangle) -> [Corner; 3] {
        let ([x, y, z], [along_x, along_y, along_z]) = (self.start, self.direction);
        let from = [widened(x), widened(y), widened(z)];
        let along = [widened(along_x), widened(along_y), widened(along_z)];
        [
            Corner::sheared(self.permuted(triangle, 0), from, along),
            Corner::sheared(self.permuted(triangle, 1), from, along),
            Corner::sheared(self.permuted(triangle, 2), from, along),
        ]
    }
}

/// A number of the ray in `f64`, converted for each triangle: kept for all of them, the numbers
/// would take 16 registers of a traversal on a GPU.
#[inline(always)]
fn widened(number: f32) -> f64 {
    f64::from(f32::from_bits(opaque(number.to_bits())))
}

/// The edge function of two corners: on which side of the line through them
/// the ray passes. Rounding keeps the order of the products or makes them equal.
#[inline(always)]
fn edge(p: Corner, q: Corner) -> f64 {
    p.x * q.y - p.y * q.x
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::kdtree::bounds::Bounds;

    /// Numbers from -1 to 1 (splitmix64).
    fn numbers() -> impl FnMut() -> f32 {
        let mut state = 0_u64;
        move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 40) as f32 / (1 << 23) as f32 - 1.0
        }
    }

    #[test]
    fn f32_rejects_no_triangle_that_f64_hits() {
        let mut number = numbers();
        let (mut rejected, mut hit) = (0, 0);
        for scale in [1.0, 1e-21, 1e18, 1e6] {
            let bounds = Bounds {
                min: [-2.0 * scale; 3],
                max: [2.0 * scale; 3],
            };
            for size in [1e-7, 1e-4, 0.01, 1.0] {
                for turn in 0..20_000 {
                    let middle = [number(), number(), number()];
                    let mut triangle =
                        [0; 3].map(|_| middle.map(|x| (x + size * number()) * scale));
                    let [a, b, c] = triangle.map(Vec3::from_array);
                    // A needle, which is thin however it is seen.
                    if turn % 4 == 0 {
                        triangle[2] = (a + (b - a) * 0.7).to_array();
                    }
                    let (u, v) = match turn % 3 {
                        0 => (number(), number()),
                        1 => (0.0, number()),
                        _ => (0.5, 0.5),
                    };
                    let target = a + (b - a) * u + (c - a) * v;
                    let origin = Vec3::new(number(), number(), number()) * scale;
                    let direction = (target - origin) / scale;
                    let Some(ray) = Ray::new(origin, direction, &bounds) else {
                        continue;
                    };
                    let is_rejected = ray.surely_misses(&triangle);
                    let exact = ray.exact_hit(&triangle);
                    assert!(!is_rejected || exact.is_none(), "{ray:?} {triangle:?}");
                    rejected += u32::from(is_rejected);
                    hit += u32::from(exact.is_some());
                }
            }
        }
        assert!(rejected > 50_000 && hit > 50_000, "{rejected} {hit}");
    }
}
