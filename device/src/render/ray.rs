//! A ray, and where it crosses thick planes; how it meets triangles is in the module `intersect`.
//!
//! Let u = 2^-24 and S be the largest coordinate of the ray's origin and of the scene. Planes are
//! thickened by [`Ray::margin`], 128 u S. Hits need 40 u S of it, with 4 u S for hits
//! before the origin. The rest is a reserve for the rounding in [`Ray::crossing`], some 8 u S,
//! and for a builder that clips triangles in `f32`.
//!
//! A ray that leaves a surface ([`Ray::spawn`]) begins beside it: see the module
//! `surface`.

use glam::Vec3;

use super::axis_ray::AxisRay;
use crate::kdtree::bounds::Bounds;

/// The margin of planes as a part of the largest coordinate: 128 u.
const MARGIN: f32 = 1.0 / (1 << 17) as f32;
/// The offset of an origin relative to its largest coordinate: 16 u.
const EPSILON: f32 = 1.0 / (1 << 20) as f32;
/// The part of the scene's largest coordinate that an origin has at least for this purpose: with
/// it [`ray_epsilon`] is above all errors of `f64`.
const MIN_ORIGIN: f32 = 1.0 / (1 << 20) as f32;
/// Bound of coordinates and directions, which keeps products finite.
const MAX_LENGTH: f32 = 1e18;

/// A ray with all that its intersections need.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    along: AxisRay,
    pub(super) margin: f32,
    /// The axes of the sheared frame, a cyclic permutation of 0, 1, 2. The last
    /// is the one along which the direction is longest.
    pub(super) axes: [u32; 3],
    /// The origin, permuted.
    pub(super) start: [f32; 3],
    /// The direction, permuted.
    pub(super) direction: [f32; 3],
    /// The shear of x and y in `f32`.
    pub(super) shear: [f32; 2],
    /// The least parameter of a hit, at most 0: what is hit before 0 is hit at 0.
    pub(super) earliest: f32,
    /// The triangle that the ray leaves, or `u32::MAX`.
    pub(super) excluded_triangle: u32,
}

/// By how much a ray's origin at `point` of a scene within `bounds` is moved off a surface.
///
/// It is 16 times the rounding of the point's largest coordinate, and does not depend on how far
/// the scene reaches, except that the origin of a scene of 1e6 counts as a point at 1.
#[inline(always)]
pub(super) fn ray_epsilon(point: Vec3, bounds: &Bounds) -> f32 {
    epsilon(point, max_coordinate(bounds))
}

/// The same in a scene whose largest coordinate is `scale`.
#[inline(always)]
fn epsilon(point: Vec3, scale: f32) -> f32 {
    EPSILON * larger(max_abs_component(point), MIN_ORIGIN * scale)
}

#[inline(always)]
fn max_coordinate(bounds: &Bounds) -> f32 {
    larger(
        max_abs_component(bounds.min.into()),
        max_abs_component(bounds.max.into()),
    )
}

/// The larger of two numbers that are not NaN: one instruction on every target.
#[inline(always)]
pub(super) fn larger(a: f32, b: f32) -> f32 {
    if cfg!(target_arch = "nvptx64") {
        a.max(b)
    } else if a < b {
        b
    } else {
        a
    }
}

#[inline(always)]
pub(super) fn max_abs_component(v: Vec3) -> f32 {
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
        if !((1.0 / MAX_LENGTH..=MAX_LENGTH).contains(&length) && distance <= MAX_LENGTH) {
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
        let scale = larger(max_abs_component(origin), max_coordinate(bounds));
        Some(Self {
            along: AxisRay::new(
                origin,
                Vec3::new(1.0 / direction.x, 1.0 / direction.y, 1.0 / direction.z),
            ),
            margin: scale * MARGIN,
            axes,
            start,
            direction: along,
            shear: [along[0] / along[2], along[1] / along[2]],
            earliest: 0.0,
            excluded_triangle: u32::MAX,
        })
    }

    /// As [`new`](Self::new), for a ray that begins beside a surface, where
    /// [`SurfacePoint::offset_origin`](super::surface::SurfacePoint::offset_origin) has put it: a
    /// quarter of the offset counts as hit at 0 behind its origin.
    ///
    /// The origin may be so near to another surface that rounding decides on which side of it
    /// the ray begins. Rounding puts the origin at most 3.5 u M beyond the surface, where M is the
    /// origin's largest coordinate, and 4 u M along the direction's largest axis count. A ray
    /// that meets such a surface at less than some 30 degrees may slip through.
    #[inline(always)]
    pub fn spawn(origin: Vec3, direction: Vec3, bounds: &Bounds) -> Option<Self> {
        let mut ray = Self::new(origin, direction, bounds)?;
        // In the direction's own measure.
        ray.earliest = -0.25 * ray_epsilon(origin, bounds) / max_abs_component(direction);
        Some(ray)
    }

    /// The same for a ray that leaves the triangle of this number, which trees do not test. A
    /// plane is not met twice, and every ray that leaves a large triangle finds it again in its
    /// first leaf, where it takes `f64` to miss it.
    #[inline(always)]
    pub fn excluding_triangle(self, triangle: u32) -> Self {
        Self {
            excluded_triangle: triangle,
            ..self
        }
    }

    /// The direction, as given.
    #[inline(always)]
    pub fn direction(&self) -> Vec3 {
        let [x, y, z] = self.direction;
        match self.axes[2] {
            0 => Vec3::new(z, x, y),
            1 => Vec3::new(y, z, x),
            _ => Vec3::new(x, y, z),
        }
    }

    /// How far from the ray a point that counts as hit may be, in every
    /// coordinate: what planes and boxes must be thickened by.
    #[inline(always)]
    pub fn margin(&self) -> f32 {
        self.margin
    }

    /// As [`ray_epsilon`] for a point of this ray; the ray's origin belongs to the scene here.
    #[inline(always)]
    pub(super) fn epsilon(&self, point: Vec3) -> f32 {
        epsilon(point, self.margin * (1.0 / MARGIN))
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
}
