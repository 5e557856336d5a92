//! Axis-aligned boxes, the only box type of device code, and floats as keys that
//! compare as integers.
//!
//! Minima and maxima are comparisons, so that CPU and GPU agree on every bit.

/// Coordinates of a point.
pub type Point = [f32; 3];

/// Three corners.
pub type Triangle = [Point; 3];

/// A closed axis-aligned box; nodes have one, and so have triangles clipped to nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Bounds {
    /// The smallest coordinate on each axis.
    pub min: Point,
    /// The largest coordinate on each axis.
    pub max: Point,
}

/// The smaller value; `b` if they do not compare.
#[inline(always)]
pub fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The larger value; `b` if they do not compare.
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

/// y, z, x.
#[inline(always)]
pub(super) fn rotate(point: Point) -> Point {
    [point[1], point[2], point[0]]
}

/// `f` of each axis.
#[inline(always)]
pub(super) fn zip(a: Point, b: Point, f: impl Fn(f32, f32) -> f32) -> Point {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])]
}

/// The key of a float: keys compare as unsigned integers as the floats do. -0 and +0
/// have one key.
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

impl Bounds {
    /// The box that contains nothing.
    pub const EMPTY: Self = Self {
        min: [f32::INFINITY; 3],
        max: [f32::NEG_INFINITY; 3],
    };

    /// The bounds of a triangle.
    #[inline(always)]
    pub fn of(triangle: &Triangle) -> Self {
        let [a, b, c] = *triangle;
        Self { min: a, max: a }.with(b).with(c)
    }

    /// The smallest box around this one and a point.
    #[inline(always)]
    pub fn with(self, point: Point) -> Self {
        Self {
            min: zip(point, self.min, min),
            max: zip(point, self.max, max),
        }
    }

    /// The smallest box around this one and another.
    #[inline(always)]
    pub fn union(self, other: Self) -> Self {
        Self {
            min: zip(other.min, self.min, min),
            max: zip(other.max, self.max, max),
        }
    }

    /// The box whose corners are those of this one, moved to the nearest points of
    /// `within`.
    #[inline(always)]
    pub fn clamped(self, within: Self) -> Self {
        Self {
            min: zip(zip(self.min, within.min, max), within.max, min),
            max: zip(zip(self.max, within.max, min), within.min, max),
        }
    }

    /// Its extent on each axis.
    #[inline(always)]
    pub fn size(self) -> Point {
        zip(self.max, self.min, |hi, lo| hi - lo)
    }

    /// Half the surface area times `unit`, the inverse of a length. Without it, the product of
    /// two lengths may over- or underflow.
    #[inline(always)]
    pub fn half_area(self, unit: f32) -> f32 {
        let [x, y, z] = self.size();
        let (in_y, in_z) = (y * unit, z * unit);
        x * in_y + in_y * z + in_z * x
    }

    /// Whether the box has no area, so that no split of it has a cost.
    #[inline(always)]
    pub fn is_flat(self) -> bool {
        let [x, y, z] = self.size().map(|size| size > 0.0);
        u32::from(x) + u32::from(y) + u32::from(z) < 2
    }

    /// The part on one side of a plane: above it if `above`, else below it.
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
            min: replace(self.min, above),
            max: replace(self.max, !above),
        }
    }

    /// The box with its axes rotated: y, z, x.
    #[inline(always)]
    pub(super) fn rotated(self) -> Self {
        Self {
            min: rotate(self.min),
            max: rotate(self.max),
        }
    }
}
