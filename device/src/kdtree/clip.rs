//! Clipping: the part of a triangle inside a box, as its bounds.
//!
//! The bounds are conservative: they contain every point of the triangle that lies in
//! the box. They are widened by what rounding may have changed, but only where a
//! coordinate was rounded: vertices stay exact, and so do coordinates that do not
//! change along an edge. Otherwise triangles that meet in a plane would be found on
//! both sides of it. Each box clips the original triangle, so errors do not add up.
//!
//! No overflow, and no underflow that matters, whatever the size of a triangle in its scene:
//! lengths are added, and divided by lengths. Where lengths are multiplied, each axis is in a
//! [unit](unit_of) of the triangle's own.
//!
//! Loops over axes rotate the coordinates instead of indexing them, which keeps
//! everything in registers.

use super::bounds::{Bounds, Point, Triangle, max, min, rotate, zip};

/// The relative error of one operation, at most, and a little more.
pub const ULP: f32 = 1.0 / 8_388_608.0;

/// More than the error of products that underflow, also after a division by an area of 2^-20:
/// 2^-126. It vanishes in sums with what is above 2^-102.
pub const UNDERFLOW: f32 = f32::MIN_POSITIVE;

/// The smallest positive number: subnormal.
pub const MIN_SUBNORMAL: f32 = f32::from_bits(1);

/// Bounds of the part of a triangle inside `bounds`, in which `min <= max` on every axis. If
/// rounding leaves nothing of the triangle, what its bounds have in common with the box.
#[inline(always)]
pub fn clipped(triangle: &Triangle, bounds: Bounds) -> Bounds {
    let own = Bounds::of(triangle);
    let most = own.clamped(bounds);
    if most == own {
        return own;
    }
    let mut part = Bounds::EMPTY;
    let [mut a, mut b, mut c] = *triangle;
    for _ in 0..3 {
        part = with_edge(part, a, b, bounds);
        (a, b, c) = (b, c, a);
    }
    let (mut bounds, mut own) = (bounds, own);
    for _ in 0..3 {
        part = with_box_edges(part, [a, b, c], own, bounds);
        (a, b, c) = (rotate(a), rotate(b), rotate(c));
        (part, own, bounds) = (part.rotated(), own.rotated(), bounds.rotated());
    }
    // Points are added with all of their coordinates, so one axis stands for all.
    if part.min[0] <= part.max[0] {
        part.clamped(most)
    } else {
        most
    }
}

/// Adds the part of the edge from `a` to `b` inside the box: where it enters, and where it
/// leaves if `b` is outside. A vertex inside is added by the edge that starts there.
///
/// Whether `b` is outside is read off its coordinates: the quotient at which the edge leaves
/// rounds to 1 if `b` is outside by little. In the same way it underflows to 0 if `a` is inside
/// by little, so whether `a` lies in the face is read off a difference.
#[inline(always)]
fn with_edge(part: Bounds, a: Point, b: Point, bounds: Bounds) -> Bounds {
    let (mut enter, mut leave) = (0.0, 1.0);
    let (mut ends_outside, mut starts_in_face) = (false, false);
    let along = zip(b, a, |b, a| b - a);
    for axis in 0..3 {
        let below = bounds.min[axis] - a[axis];
        let above = bounds.max[axis] - a[axis];
        ends_outside |= b[axis] < bounds.min[axis] || b[axis] > bounds.max[axis];
        if along[axis] == 0.0 {
            if below > 0.0 || above < 0.0 {
                return part;
            }
        } else {
            let (near, far) = if along[axis] > 0.0 {
                (below, above)
            } else {
                (above, below)
            };
            starts_in_face |= far == 0.0;
            enter = max(near / along[axis], enter);
            leave = min(far / along[axis], leave);
        }
    }
    if enter > leave + 8.0 * ULP {
        return part;
    }
    if leave == 0.0 && !starts_in_face {
        leave = MIN_SUBNORMAL;
    }
    let mut part = part;
    // A loop, so that a point is compiled once.
    let (mut t, mut other) = (enter, leave);
    for _ in 0..1 + u32::from(ends_outside) {
        part = with_point(part, a, along, t);
        (t, other) = (other, t);
    }
    part
}

/// Adds the point at `t` from `a`, and what rounding may have moved it by. The
/// vertex itself is exact, and so is a coordinate that does not change.
///
/// With u = 2^-24, `t` is off by 3 u of itself, and the product by 5 u `along`; the sum is
/// rounded once. Where a quotient underflows to 0, the vertex lies outside of the box, and
/// the edge from there on stands for the part inside.
#[inline(always)]
fn with_point(part: Bounds, a: Point, along: Point, t: f32) -> Bounds {
    let point = zip(a, along, |a, along| a + along * t);
    let error = zip(point, along, |x, along| {
        if along == 0.0 || t == 0.0 {
            0.0
        } else {
            x.abs() * ULP + (along.abs() * (4.0 * ULP) + UNDERFLOW)
        }
    });
    part.union(Bounds {
        min: zip(point, error, |x, error| x - error),
        max: zip(point, error, |x, error| x + error),
    })
}

/// The power of two that brings a length below 2^127 into [1, 2); 2^127 for one below 2^-126.
///
/// Multiplying by it is exact, but for what is 2^126 times smaller than the length.
#[inline(always)]
pub fn unit_of(length: f32) -> f32 {
    f32::from_bits((254 << 23) - (length.to_bits() & 0xff << 23))
}

/// Adds the points in which the four edges of the box that run along the third
/// axis meet the inside of the triangle.
#[inline(always)]
fn with_box_edges(part: Bounds, [a, b, c]: Triangle, own: Bounds, bounds: Bounds) -> Bounds {
    let covers = |axis: usize, x: f32| own.min[axis] <= x && x <= own.max[axis];
    // A box edge meets the triangle within its bounds, or not at all.
    let covers_one = |axis: usize| covers(axis, bounds.min[axis]) || covers(axis, bounds.max[axis]);
    if !(covers_one(0) && covers_one(1)) {
        return part;
    }
    let size = zip(own.max, own.min, |hi, lo| hi - lo);
    // Seen along the third axis, the triangle is a segment. A box edge can meet it only in a
    // segment, whose ends lie on edges of the triangle or in corners of the box, which the
    // other axes find.
    if size[0] == 0.0 || size[1] == 0.0 {
        return part;
    }
    let unit = [unit_of(size[0]), unit_of(size[1])];
    let same = |p: Point, q: Point| p[0] == q[0] && p[1] == q[1];
    let is_doubled = same(a, b) || same(b, c) || same(c, a);
    let scaled = |p: Point| [p[0] * unit[0], p[1] * unit[1], p[2]];
    let (a, b, c) = (scaled(a), scaled(b), scaled(c));
    let cross = |ux: f32, uy: f32, vx: f32, vy: f32| ux * vy - uy * vx;
    // Twice the area of the triangle seen along the third axis.
    let signed = cross(b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]);
    let (b, c, area) = if signed < 0.0 {
        (c, b, -signed)
    } else {
        (b, c, signed)
    };
    // Rounding changes an area by at most half of this: two products of differences,
    // each with three relative errors of 2^-24, and their difference.
    let extent = (size[0] * unit[0]) * (size[1] * unit[1]);
    let error = extent * (8.0 * ULP);
    // The sign of so small an area is not known: the triangle is steep. So is one whose extents
    // are denormal numbers; the inverse of other areas is at most 2^20.
    let is_steep = area <= error || extent < 1.0;
    if is_steep && is_doubled {
        // A segment, as above.
        return part;
    }
    // A box edge beside a side of the triangle misses it. For a steep one that takes two sides,
    // which differ; it may be met anywhere within its bounds.
    let (most, inverse, slack) = if is_steep {
        (error, 1.0, f32::INFINITY)
    } else {
        let inverse = 1.0 / area;
        (
            f32::NEG_INFINITY,
            inverse,
            size[2] * 4.0 * (error * inverse),
        )
    };
    let (to_b, to_c) = (b[2] - a[2], c[2] - a[2]);
    let mut part = part;
    for corner in 0..4 {
        let x = if corner & 1 == 0 {
            bounds.min[0]
        } else {
            bounds.max[0]
        };
        let y = if corner & 2 == 0 {
            bounds.min[1]
        } else {
            bounds.max[1]
        };
        if !(covers(0, x) && covers(1, y)) {
            continue;
        }
        let (at_x, at_y) = (x * unit[0], y * unit[1]);
        let weight = |u: Point, v: Point| cross(u[0] - at_x, u[1] - at_y, v[0] - at_x, v[1] - at_y);
        let (at_a, at_b, at_c) = (weight(b, c), weight(c, a), weight(a, b));
        if min(min(at_a, at_b), at_c) < -error && max(max(at_a, at_b), at_c) > most {
            continue;
        }
        let z = a[2] + (at_b * to_b + at_c * to_c) * inverse;
        let slack = if size[2] == 0.0 {
            0.0
        } else {
            slack + z.abs() * (2.0 * ULP) + UNDERFLOW
        };
        if z + slack < bounds.min[2] || z - slack > bounds.max[2] {
            continue;
        }
        part = part.union(Bounds {
            min: [x, y, z - slack],
            max: [x, y, z + slack],
        });
    }
    part
}
