//! A ray, and its intersection with a triangle and with thick planes.
//!
//! The intersection is that of Woop, Benthin and Wald, "Watertight Ray/Triangle
//! Intersection" (JCGT 2013), section 3: the scene is sheared so that the ray
//! becomes the third axis, and the signs of three edge functions decide.
//! Triangles that share an edge compute it from the same products, so no ray
//! slips through between them.
//!
//! Most triangles are rejected in `f32`, where rounding never inverts a sign but may
//! lose it. The others are decided in `f64`: products of `f32`
//! are exact there, so each edge function is off by one rounding only, however
//! thin the triangle looks from the ray.
//!
//! Invariant, on which the traversal rests: a hit at `t` is reported only if
//! the triangle has a point within [`Ray::margin`] of `origin + t * direction`
//! in every coordinate. That point is the combination of the corners whose
//! weights are the edge functions. With u = 2^-24 and S the largest coordinate
//! of the ray's origin and of the scene, shearing moves it by at most 12 u S,
//! and the rounding of `t` by 8 u S. The margin is 128 u S, which leaves a reserve
//! for the rounding in [`Ray::crossing`] (some 8 u S) and for a builder that
//! clips triangles in `f32`.
//!
//! A ray that leaves a surface ([`Ray::leaving`]) begins a margin beside it: see the module
//! `surface`.

use glam::Vec3;

use super::along::Along;
use crate::kdtree::bounds::{Bounds, Triangle};

/// The margin of planes as a part of the largest coordinate: 128 u.
const MARGIN: f32 = 1.0 / (1 << 17) as f32;
/// Bound of coordinates and directions, which keeps products finite.
const LARGEST: f32 = 1e18;

/// A ray with all that its intersections need.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    along: Along,
    direction: Vec3,
    margin: f32,
    /// The axes of the sheared frame, a cyclic permutation of 0, 1, 2. The last
    /// is the one along which the direction is longest.
    axes: [usize; 3],
    /// The origin, permuted.
    start: [f32; 3],
    /// What shears x and y and scales z.
    shear: [f32; 3],
    /// The least parameter of a hit, at most 0: what is hit before 0 is hit at 0.
    earliest: f32,
}

/// A corner in the sheared frame, where the ray is the third axis.
#[derive(Clone, Copy)]
struct Corner {
    x: f32,
    y: f32,
    z: f32,
}

/// The margin of a scene within `bounds`: that of rays that begin in it.
#[inline(always)]
pub fn scene_margin(bounds: &Bounds) -> f32 {
    MARGIN * larger(largest(bounds.min.into()), largest(bounds.max.into()))
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

#[inline(always)]
fn largest(v: Vec3) -> f32 {
    larger(larger(v.x.abs(), v.y.abs()), v.z.abs())
}

impl Ray {
    /// The ray from `origin` along `direction` (of any length) in a scene within
    /// `bounds`, which are finite.
    ///
    /// None for a ray that hits nothing: one with a NaN or an infinity, with an
    /// origin beyond 1e18, or whose direction is longer than 1e18 or shorter
    /// than 1e-18 (as a sum of coordinates).
    #[inline(always)]
    pub fn new(origin: Vec3, direction: Vec3, bounds: &Bounds) -> Option<Self> {
        // Sums pass a NaN on, which a maximum may lose.
        let length = direction.x.abs() + direction.y.abs() + direction.z.abs();
        let distance = origin.x.abs() + origin.y.abs() + origin.z.abs();
        if !((1.0 / LARGEST..=LARGEST).contains(&length) && distance <= LARGEST) {
            return None;
        }
        let (x, y, z) = (direction.x.abs(), direction.y.abs(), direction.z.abs());
        let (axes, start, along) = if x >= y && x >= z {
            (
                [1, 2, 0],
                [origin.y, origin.z, origin.x],
                [direction.y, direction.z, direction.x],
            )
        } else if y >= z {
            (
                [2, 0, 1],
                [origin.z, origin.x, origin.y],
                [direction.z, direction.x, direction.y],
            )
        } else {
            (
                [0, 1, 2],
                [origin.x, origin.y, origin.z],
                [direction.x, direction.y, direction.z],
            )
        };
        let scale = larger(
            largest(origin),
            larger(largest(bounds.min.into()), largest(bounds.max.into())),
        );
        Some(Self {
            along: Along::new(
                origin,
                Vec3::new(1.0 / direction.x, 1.0 / direction.y, 1.0 / direction.z),
            ),
            direction,
            margin: scale * MARGIN,
            axes,
            start,
            shear: [along[0] / along[2], along[1] / along[2], 1.0 / along[2]],
            earliest: 0.0,
        })
    }

    /// As [`new`](Self::new), for a ray that begins beside a surface, where
    /// [`SurfacePoint::beside`](super::surface::SurfacePoint::beside) has put it: a quarter of
    /// the margin behind its origin counts as hit at 0.
    ///
    /// The origin may be so near to another surface that rounding decides on which side of it
    /// the ray begins. It does not slip through: wherever rounding puts the origin, the
    /// surface is at most 20 u S away, and 32 u S count.
    #[inline(always)]
    pub fn leaving(origin: Vec3, direction: Vec3, bounds: &Bounds) -> Option<Self> {
        let mut ray = Self::new(origin, direction, bounds)?;
        // In the direction's own measure.
        ray.earliest = -0.25 * ray.margin / largest(direction);
        Some(ray)
    }

    /// The direction, as given.
    #[inline(always)]
    pub fn direction(&self) -> Vec3 {
        self.direction
    }

    /// How far from the ray a point that counts as hit may be, in every
    /// coordinate: what planes and boxes must be thickened by.
    #[inline(always)]
    pub fn margin(&self) -> f32 {
        self.margin
    }

    /// The parameters at which the ray crosses the two faces of the plane at `position` on
    /// `axis` (0 to 2), thickened by the margin: of the lower face, of the upper face, and
    /// whether it crosses the lower one first.
    ///
    /// A parameter is infinite for a ray along the plane, and may be NaN for
    /// one that also starts in a face: compare so that a NaN leads to a visit.
    #[inline(always)]
    pub fn crossing(&self, axis: u32, position: f32) -> (f32, f32, bool) {
        let (origin, inverse) = self.along.on(axis);
        (
            (position - self.margin - origin) * inverse,
            (position + self.margin - origin) * inverse,
            inverse >= 0.0,
        )
    }

    /// The parameters between which the ray, from its origin on, is in the box
    /// thickened by the margin. It misses the box if the first is greater.
    #[inline(always)]
    pub fn span(&self, bounds: &Bounds) -> (f32, f32) {
        let mut enter = 0.0;
        let mut leave = f32::INFINITY;
        let sides = [
            (0, bounds.min[0], bounds.max[0]),
            (1, bounds.min[1], bounds.max[1]),
            (2, bounds.min[2], bounds.max[2]),
        ];
        for (axis, lower, upper) in sides {
            let (below, _, forward) = self.crossing(axis, lower);
            let (_, above, _) = self.crossing(axis, upper);
            let (first, last) = if forward {
                (below, above)
            } else {
                (above, below)
            };
            enter = if first > enter { first } else { enter };
            leave = if last < leave { last } else { leave };
        }
        (enter, leave)
    }

    /// The parameter at which the ray hits the triangle, from 0 to the largest
    /// `f32`; for one that [leaves](Self::leaving) a surface, 0 also stands for a little
    /// before. Both sides count, edges and corners belong to it, and a triangle
    /// seen edge-on is not hit.
    ///
    /// # Safety
    ///
    /// `triangle` points to a triangle that may be read.
    #[inline(always)]
    pub unsafe fn hit(&self, triangle: *const Triangle) -> Option<f32> {
        // SAFETY: the caller's promise.
        let (a, b, c) = unsafe {
            (
                self.corner(triangle, 0),
                self.corner(triangle, 1),
                self.corner(triangle, 2),
            )
        };
        let (u, v, w) = (EdgeSign::of(c, b), EdgeSign::of(a, c), EdgeSign::of(b, a));
        let some_positive = u.positive | v.positive | w.positive;
        let some_negative = u.negative | v.negative | w.negative;
        if some_positive & some_negative {
            return None;
        }

        // Few triangles come here, so the cost of `f64` does not matter.
        let (u, v, w) = (edge(c, b), edge(a, c), edge(b, a));
        let all_positive = u >= 0.0 && v >= 0.0 && w >= 0.0;
        let all_negative = u <= 0.0 && v <= 0.0 && w <= 0.0;
        if !(all_positive || all_negative) {
            return None;
        }
        // Seen edge-on, all three are 0 and `t` is NaN, which no range contains.
        let weighted = u * f64::from(a.z) + v * f64::from(b.z) + w * f64::from(c.z);
        let t = (weighted / (u + v + w)) as f32 + 0.0;
        let is_before = t < 0.0 && t >= self.earliest;
        let t = if is_before { 0.0 } else { t };
        (0.0..=f32::MAX).contains(&t).then_some(t)
    }

    /// The weights of a triangle's corners, of sum 1, at the point where the ray's line
    /// passes through it; a third each where the triangle is seen edge-on.
    ///
    /// # Safety
    ///
    /// As for `hit`.
    #[inline(always)]
    pub unsafe fn weights(&self, triangle: *const Triangle) -> [f32; 3] {
        // SAFETY: the caller's promise.
        let (a, b, c) = unsafe {
            (
                self.corner(triangle, 0),
                self.corner(triangle, 1),
                self.corner(triangle, 2),
            )
        };
        let (u, v, w) = (edge(c, b), edge(a, c), edge(b, a));
        let sum = u + v + w;
        if sum == 0.0 {
            return [1.0 / 3.0; 3];
        }
        [(u / sum) as f32, (v / sum) as f32, (w / sum) as f32]
    }

    /// Corner `index` (0 to 2) of a triangle in the sheared frame.
    ///
    /// # Safety
    ///
    /// As for `hit`.
    #[inline(always)]
    unsafe fn corner(&self, triangle: *const Triangle, index: usize) -> Corner {
        let [x, y, z] = self.axes;
        let corner = triangle.cast::<f32>().wrapping_add(3 * index);
        // SAFETY: the axes are 0 to 2, so these are numbers of the triangle.
        let (x, y, z) = unsafe {
            (
                corner.add(x).read(),
                corner.add(y).read(),
                corner.add(z).read(),
            )
        };
        let depth = z - self.start[2];
        Corner {
            x: x - self.start[0] - self.shear[0] * depth,
            y: y - self.start[1] - self.shear[1] * depth,
            z: self.shear[2] * depth,
        }
    }
}

/// The sign of an edge function, as far as `f32` decides it.
struct EdgeSign {
    positive: bool,
    negative: bool,
}

impl EdgeSign {
    #[inline(always)]
    fn of(p: Corner, q: Corner) -> Self {
        // Rounding keeps the order of the products or makes them equal.
        let (first, second) = (p.x * q.y, p.y * q.x);
        Self {
            positive: first > second,
            negative: first < second,
        }
    }
}

/// The edge function of two corners: on which side of the line through them
/// the ray passes. Both products are exact, so the sign is right.
#[inline(always)]
fn edge(p: Corner, q: Corner) -> f64 {
    f64::from(p.x) * f64::from(q.y) - f64::from(p.y) * f64::from(q.x)
}
