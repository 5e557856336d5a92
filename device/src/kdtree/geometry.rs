//! Boxes and triangles: the part of a triangle inside a box, as its bounds.
//!
//! The bounds are conservative: every point of the triangle that lies in the
//! box lies within them. Rounding is answered by a margin (2^-20 of the scene's
//! greatest coordinate, 16 times what one operation can lose), by which boxes
//! are enlarged before clipping; the result is cut down to the box and to the
//! triangle's own bounds again, so that vertices stay exact.
//!
//! Loops over axes rotate the coordinates instead of indexing them, which keeps
//! everything in registers.

/// Coordinates of a point.
pub type Point = [f32; 3];

/// An axis-aligned box, closed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Aabb {
    /// Least coordinates.
    pub lo: Point,
    /// Greatest coordinates.
    pub hi: Point,
}

/// The lesser value; `b` if they do not compare.
#[inline(always)]
pub fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The greater value; `b` if they do not compare.
#[inline(always)]
pub fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The component of `axis` (0, 1 or 2).
#[inline(always)]
pub fn pick(point: Point, axis: u32) -> f32 {
    match axis {
        0 => point[0],
        1 => point[1],
        _ => point[2],
    }
}

#[inline(always)]
fn rotate(point: Point) -> Point {
    [point[1], point[2], point[0]]
}

#[inline(always)]
fn zip(a: Point, b: Point, f: impl Fn(f32, f32) -> f32) -> Point {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])]
}

/// A float's bits, mapped so that they compare as unsigned integers; -0 and +0
/// map to the same.
#[inline(always)]
pub fn to_key(x: f32) -> u32 {
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 1 {
        !bits
    } else {
        bits | 1 << 31
    }
}

/// The float with this key.
#[inline(always)]
pub fn from_key(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 {
        key & !(1 << 31)
    } else {
        !key
    })
}

impl Aabb {
    /// Contains nothing.
    pub const EMPTY: Self = Self {
        lo: [f32::INFINITY; 3],
        hi: [f32::NEG_INFINITY; 3],
    };

    /// The least box around this one and a point.
    #[inline(always)]
    pub fn with(self, point: Point) -> Self {
        Self {
            lo: zip(point, self.lo, min),
            hi: zip(point, self.hi, max),
        }
    }

    /// The nearest points of `within` to both corners.
    #[inline(always)]
    pub fn clamped(self, within: Self) -> Self {
        Self {
            lo: zip(zip(self.lo, within.lo, max), within.hi, min),
            hi: zip(zip(self.hi, within.hi, min), within.lo, max),
        }
    }

    /// Half the surface area.
    #[inline(always)]
    pub fn half_area(self) -> f32 {
        let size = zip(self.hi, self.lo, |hi, lo| hi - lo);
        size[0] * size[1] + size[1] * size[2] + size[2] * size[0]
    }

    /// The part on one side of a plane: above it if `above`, else below.
    #[inline(always)]
    pub fn side(self, axis: u32, position: f32, above: bool) -> Self {
        let replace = |point: Point, here: bool| {
            [
                if here && axis == 0 {
                    position
                } else {
                    point[0]
                },
                if here && axis == 1 {
                    position
                } else {
                    point[1]
                },
                if here && axis == 2 {
                    position
                } else {
                    point[2]
                },
            ]
        };
        Self {
            lo: replace(self.lo, above),
            hi: replace(self.hi, !above),
        }
    }

    #[inline(always)]
    fn rotated(self) -> Self {
        Self {
            lo: rotate(self.lo),
            hi: rotate(self.hi),
        }
    }
}

/// The bounds of a triangle.
#[inline(always)]
pub fn bounds(triangle: &[Point; 3]) -> Aabb {
    Aabb::EMPTY
        .with(triangle[0])
        .with(triangle[1])
        .with(triangle[2])
}

/// The margin that answers rounding in a scene within these bounds.
#[inline(always)]
pub fn margin(bounds: Aabb) -> f32 {
    let mut most = 0.0;
    for axis in 0..3 {
        most = max(max(-bounds.lo[axis], bounds.hi[axis]), most);
    }
    most * (1.0 / 1_048_576.0)
}

/// Bounds of the part of a triangle inside `space`. If rounding leaves nothing
/// of the triangle, what its bounds have in common with the box.
#[inline(always)]
pub fn clipped(triangle: &[Point; 3], space: Aabb, margin: f32) -> Aabb {
    let own = bounds(triangle);
    let most = own.clamped(space);
    if most == own {
        return own;
    }
    let mut part = Aabb::EMPTY;
    let [mut a, mut b, mut c] = *triangle;
    for _ in 0..3 {
        part = with_edge(part, a, b, space, margin);
        (a, b, c) = (b, c, a);
    }
    let (mut space, mut own) = (space, own);
    for _ in 0..3 {
        part = with_box_edges(part, [a, b, c], own, space, margin);
        (a, b, c) = (rotate(a), rotate(b), rotate(c));
        (part, own, space) = (part.rotated(), own.rotated(), space.rotated());
    }
    if part.lo[0] <= part.hi[0] {
        part.clamped(most)
    } else {
        most
    }
}

/// Adds the part of the edge from `a` to `b` inside the enlarged box. An end
/// that is a vertex is added by the edge that starts there.
#[inline(always)]
fn with_edge(part: Aabb, a: Point, b: Point, space: Aabb, margin: f32) -> Aabb {
    let (mut enter, mut leave) = (0.0, 1.0);
    let along = zip(b, a, |b, a| b - a);
    for axis in 0..3 {
        let below = space.lo[axis] - margin - a[axis];
        let above = space.hi[axis] + margin - a[axis];
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
    if enter > leave {
        return part;
    }
    // The vertex itself is exact, and so is a coordinate that does not change.
    let fuzz = |at: f32| {
        along.map(|along| {
            if along == 0.0 || at == 0.0 {
                0.0
            } else {
                margin * 0.25
            }
        })
    };
    let point = |at: f32| zip(a, along, |a, along| a + along * at);
    let mut part = part
        .with(zip(point(enter), fuzz(enter), |x, fuzz| x - fuzz))
        .with(zip(point(enter), fuzz(enter), |x, fuzz| x + fuzz));
    if leave < 1.0 {
        part = part
            .with(zip(point(leave), fuzz(leave), |x, fuzz| x - fuzz))
            .with(zip(point(leave), fuzz(leave), |x, fuzz| x + fuzz));
    }
    part
}

/// Adds the points in which the four edges of the box that run along the third
/// axis meet the inside of the triangle.
#[inline(always)]
fn with_box_edges(part: Aabb, [a, b, c]: [Point; 3], own: Aabb, space: Aabb, margin: f32) -> Aabb {
    let covers = |axis: usize, x: f32| own.lo[axis] - margin <= x && x <= own.hi[axis] + margin;
    // A box edge meets the triangle within its bounds, or not at all.
    let (left, right) = (covers(0, space.lo[0]), covers(0, space.hi[0]));
    let (below, above) = (covers(1, space.lo[1]), covers(1, space.hi[1]));
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
    // A point nearer than the margin to an edge counts as inside.
    let reach = own.hi[0] - own.lo[0] + own.hi[1] - own.lo[1];
    let tolerance = -margin * reach;
    let slack = margin + (own.hi[2] - own.lo[2]) * 4.0 * margin * reach / area;
    let mut part = part;
    for corner in 0..4 {
        let (x, in_x) = if corner & 1 == 0 {
            (space.lo[0], left)
        } else {
            (space.hi[0], right)
        };
        let (y, in_y) = if corner & 2 == 0 {
            (space.lo[1], below)
        } else {
            (space.hi[1], above)
        };
        if !(in_x && in_y) {
            continue;
        }
        let weight = |u: Point, v: Point| cross(u[0] - x, u[1] - y, v[0] - x, v[1] - y);
        let (at_a, at_b, at_c) = (weight(b, c), weight(c, a), weight(a, b));
        if at_a < tolerance || at_b < tolerance || at_c < tolerance {
            continue;
        }
        let z = a[2] + (at_b * (b[2] - a[2]) + at_c * (c[2] - a[2])) / area;
        if z + slack < space.lo[2] || z - slack > space.hi[2] {
            continue;
        }
        part = part.with([x, y, z - slack]).with([x, y, z + slack]);
    }
    part
}
