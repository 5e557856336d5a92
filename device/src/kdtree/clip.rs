//! Clipping: the part of a triangle inside a box, as its bounds.
//!
//! The bounds are conservative: they contain every point of the triangle that lies in
//! the box. They are widened by what rounding may have changed, but only where a
//! coordinate was rounded: vertices stay exact, and so do coordinates that do not
//! change along an edge. Otherwise triangles that meet in a plane would be found on
//! both sides of it. Each box clips the original triangle, so errors do not add up.
//!
//! Loops over axes rotate the coordinates instead of indexing them, which keeps
//! everything in registers.

use super::bounds::{Bounds, Point, Triangle, max, min, rotate, zip};

/// The relative error of one operation, at most, and a little more.
const ULP: f32 = 1.0 / 8_388_608.0;

/// Bounds of the part of a triangle inside `bounds`. If rounding leaves nothing
/// of the triangle, what its bounds have in common with the box.
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
    if part.min[0] <= part.max[0] {
        part.clamped(most)
    } else {
        most
    }
}

/// Adds the part of the edge from `a` to `b` inside the box. An end that is a
/// vertex is added by the edge that starts there.
#[inline(always)]
fn with_edge(part: Bounds, a: Point, b: Point, bounds: Bounds) -> Bounds {
    let (mut enter, mut leave) = (0.0, 1.0);
    let along = zip(b, a, |b, a| b - a);
    for axis in 0..3 {
        let below = bounds.min[axis] - a[axis];
        let above = bounds.max[axis] - a[axis];
        if along[axis] == 0.0 {
            if below > 0.0 || above < 0.0 {
                return part;
            }
        } else {
            // A quotient that is no number cuts nothing off: conservative.
            let first = below / along[axis];
            let second = above / along[axis];
            let (near, far) = if along[axis] > 0.0 {
                (first, second)
            } else {
                (second, first)
            };
            enter = max(near, enter);
            leave = min(far, leave);
        }
    }
    if enter > leave + 8.0 * ULP {
        return part;
    }
    let mut part = with_point(part, a, along, enter);
    if leave < 1.0 {
        part = with_point(part, a, along, leave);
    }
    part
}

/// Adds the point at `t` from `a`, and what rounding may have moved it by. The
/// vertex itself is exact, and so is a coordinate that does not change.
#[inline(always)]
fn with_point(part: Bounds, a: Point, along: Point, t: f32) -> Bounds {
    let point = zip(a, along, |a, along| a + along * t);
    let error = zip(point, along, |x, along| {
        if along == 0.0 || t == 0.0 {
            0.0
        } else {
            (max(along, -along) * 4.0 + max(x, -x)) * ULP
        }
    });
    part.with(zip(point, error, |x, error| x - error))
        .with(zip(point, error, |x, error| x + error))
}

/// Adds the points in which the four edges of the box that run along the third
/// axis meet the inside of the triangle.
#[inline(always)]
fn with_box_edges(part: Bounds, [a, b, c]: Triangle, own: Bounds, bounds: Bounds) -> Bounds {
    let covers = |axis: usize, x: f32| own.min[axis] <= x && x <= own.max[axis];
    // A box edge meets the triangle within its bounds, or not at all.
    let (left, right) = (covers(0, bounds.min[0]), covers(0, bounds.max[0]));
    let (below, above) = (covers(1, bounds.min[1]), covers(1, bounds.max[1]));
    if !((left || right) && (below || above)) {
        return part;
    }
    let cross = |ux: f32, uy: f32, vx: f32, vy: f32| ux * vy - uy * vx;
    // Twice the area of the triangle seen along the third axis. If it is 0, the
    // box edge can meet the triangle only in a segment, whose ends lie on edges
    // of the triangle or in corners, which the other axes find.
    let signed = cross(b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]);
    if signed == 0.0 {
        return part;
    }
    let (b, c, area) = if signed < 0.0 {
        (c, b, -signed)
    } else {
        (b, c, signed)
    };
    // What rounding may change an area by, as differences of coordinates have
    // small relative errors.
    let error = (own.max[0] - own.min[0]) * (own.max[1] - own.min[1]) * 8.0 * ULP;
    let depth = own.max[2] - own.min[2];
    let mut part = part;
    for corner in 0..4 {
        let (x, in_x) = if corner & 1 == 0 {
            (bounds.min[0], left)
        } else {
            (bounds.max[0], right)
        };
        let (y, in_y) = if corner & 2 == 0 {
            (bounds.min[1], below)
        } else {
            (bounds.max[1], above)
        };
        if !(in_x && in_y) {
            continue;
        }
        let weight = |u: Point, v: Point| cross(u[0] - x, u[1] - y, v[0] - x, v[1] - y);
        let (at_a, at_b, at_c) = (weight(b, c), weight(c, a), weight(a, b));
        if at_a < -error || at_b < -error || at_c < -error {
            continue;
        }
        let z = a[2] + (at_b * (b[2] - a[2]) + at_c * (c[2] - a[2])) / area;
        let slack = if depth == 0.0 {
            0.0
        } else {
            depth * 4.0 * (error / area) + max(z, -z) * 2.0 * ULP
        };
        if z + slack < bounds.min[2] || z - slack > bounds.max[2] {
            continue;
        }
        part = part.with([x, y, z - slack]).with([x, y, z + slack]);
    }
    part
}
