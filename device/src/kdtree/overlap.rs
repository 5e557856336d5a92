//! Whether a triangle meets the inside of a box, exactly.
//!
//! A triangle and a box that do not meet are separated along one of 13 directions: the axes
//! of the box, the normal of the triangle, and the products of axes and edges
//! (Akenine-Möller 2001). The side of a separating plane that a corner of the box is on is
//! the sign of a determinant of floats. It is computed in doubles where their error cannot
//! change the sign, else exactly (Shewchuk 1997).

/// Corners of a triangle, as doubles that are floats.
pub(super) type Corners = [[f64; 3]; 3];

/// A box without its faces. A side may be infinite.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenBox {
    min: [f64; 3],
    max: [f64; 3],
}

impl OpenBox {
    /// All of space.
    pub(super) const SPACE: Self = Self {
        min: [f64::NEG_INFINITY; 3],
        max: [f64::INFINITY; 3],
    };

    /// The part below or above a plane that goes through the box.
    pub(super) fn side(mut self, axis: usize, position: f64, above: bool) -> Self {
        if above {
            self.min[axis] = position;
        } else {
            self.max[axis] = position;
        }
        self
    }

    /// The corner farthest along a direction with known signs. An axis that the
    /// direction is perpendicular to does not matter: there it is at `other`.
    fn farthest<const N: usize>(
        &self,
        axes: [usize; N],
        direction: [f64; N],
        other: [f64; N],
    ) -> [f64; N] {
        core::array::from_fn(|k| {
            if direction[k] > 0.0 {
                self.max[axes[k]]
            } else if direction[k] < 0.0 {
                self.min[axes[k]]
            } else {
                other[k]
            }
        })
    }
}

/// A triangle whose corners are floats.
pub(super) struct Facet {
    corners: Corners,
    /// The signs of the normal's coordinates.
    normal: [f64; 3],
}

impl Facet {
    pub(super) fn new(corners: Corners) -> Self {
        let normal = core::array::from_fn(|axis| {
            let [a, b, c] = corners.map(|corner| [corner[(axis + 1) % 3], corner[(axis + 2) % 3]]);
            orientation(a, b, c)
        });
        Self { corners, normal }
    }

    /// The smallest and the largest coordinate on an axis.
    pub(super) fn extent(&self, axis: usize) -> (f64, f64) {
        let [a, b, c] = self.corners.map(|corner| corner[axis]);
        (a.min(b).min(c), a.max(b).max(c))
    }

    /// Whether the triangle, which meets the inside of a box and reaches over a plane through
    /// it, meets the inside of one part too: `part` is above the plane or below it.
    ///
    /// The separating axis of now was none before, so a corner in the new face is the farthest of
    /// the part on the triangle's side.
    pub(super) fn meets_side(&self, part: &OpenBox, axis: usize, above: bool) -> bool {
        let is_new = |along: f64| if above { along < 0.0 } else { along > 0.0 };
        // Planes through an edge and along another axis, and their normals that point to the
        // triangle: both if the triangle is seen from its side.
        for other in [(axis + 1) % 3, (axis + 2) % 3] {
            let axes = [axis, other];
            let seen = self.corners.map(|corner| [corner[axis], corner[other]]);
            let third = 3 - axis - other;
            let is_rotated = (axis + 1) % 3 == other;
            let turn = if is_rotated { 1.0 } else { -1.0 } * self.normal[third];
            for edge in 0..3 {
                let (a, b) = (seen[edge], seen[(edge + 1) % 3]);
                for side in [1.0, -1.0] {
                    let inwards = [side * (a[1] - b[1]), side * (b[0] - a[0])];
                    if turn * side < 0.0 || !is_new(inwards[0]) {
                        continue;
                    }
                    // An infinite corner is on the triangle's side.
                    let corner = part.farthest(axes, inwards, a);
                    if corner[1].is_finite() && side * orientation(a, b, corner) <= 0.0 {
                        return false;
                    }
                }
            }
        }
        // The triangle's plane.
        for side in [1.0, -1.0] {
            let normal = self.normal.map(|n| side * n);
            if !is_new(normal[axis]) {
                continue;
            }
            let corner = part.farthest([0, 1, 2], normal, self.corners[0]);
            let is_finite = corner.iter().all(|x| x.is_finite());
            if is_finite && side * height(&self.corners, corner) <= 0.0 {
                return false;
            }
        }
        true
    }
}

/// Half an ulp of 1.
const EPSILON: f64 = f64::EPSILON / 2.0;

/// The sign of twice the area of a triangle in the plane: positive if it is counterclockwise.
fn orientation(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let left = (b[0] - a[0]) * (c[1] - a[1]);
    let right = (b[1] - a[1]) * (c[0] - a[0]);
    let difference = left - right;
    // Shewchuk's bound is 3 and a little more.
    if difference.abs() >= 4.0 * EPSILON * (left.abs() + right.abs()) {
        return difference;
    }
    let mut sum = Sum::<6>::new();
    for (p, q) in [(a, b), (b, c), (c, a)] {
        // Products of two floats are doubles.
        sum.add(p[0] * q[1]);
        sum.add(-p[1] * q[0]);
    }
    sum.sign()
}

/// The sign of how far a point is from the plane of a triangle, along its normal.
fn height([a, b, c]: &Corners, point: [f64; 3]) -> f64 {
    let minus = |p: &[f64; 3]| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
    let (u, v, w) = (minus(b), minus(c), minus(&point));
    let (mut volume, mut permanent) = (0.0, 0.0);
    for (k, along) in w.into_iter().enumerate() {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (left, right) = (u[i] * v[j], u[j] * v[i]);
        volume += along * (left - right);
        permanent += along.abs() * (left.abs() + right.abs());
    }
    // Shewchuk's bound is 7 and a little more.
    if volume.abs() >= 8.0 * EPSILON * permanent {
        return volume;
    }
    let mut sum = Sum::<48>::new();
    for (sign, p, q, r) in [
        (1.0, b, c, &point),
        (-1.0, a, c, &point),
        (1.0, a, b, &point),
        (-1.0, a, b, c),
    ] {
        for (k, &along) in r.iter().enumerate() {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            sum.add_product(sign * p[i] * q[j], along);
            sum.add_product(-sign * p[j] * q[i], along);
        }
    }
    sum.sign()
}

/// An exact sum of up to `N` doubles: parts of ascending magnitude that do not overlap.
struct Sum<const N: usize> {
    parts: [f64; N],
    count: usize,
}

impl<const N: usize> Sum<N> {
    fn new() -> Self {
        Self {
            parts: [0.0; N],
            count: 0,
        }
    }

    /// Adds a number (Shewchuk's `grow-expansion`, without zeros).
    fn add(&mut self, number: f64) {
        let (mut carry, mut kept) = (number, 0);
        for index in 0..self.count {
            let part = self.parts[index];
            let sum = carry + part;
            let added = sum - carry;
            let error = (carry - (sum - added)) + (part - added);
            carry = sum;
            if error != 0.0 {
                self.parts[kept] = error;
                kept += 1;
            }
        }
        if carry != 0.0 {
            self.parts[kept] = carry;
            kept += 1;
        }
        self.count = kept;
    }

    /// Adds a product of a double and a float.
    fn add_product(&mut self, double: f64, float: f64) {
        // 27 bits and the others: the product of each with the 24 of a float is exact.
        let high = f64::from_bits(double.to_bits() & !((1 << 26) - 1));
        self.add(high * float);
        self.add((double - high) * float);
    }

    /// A number with the sign of the sum.
    fn sign(&self) -> f64 {
        match self.count {
            0 => 0.0,
            count => self.parts[count - 1],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{height, orientation};

    /// 1 and two of its neighbours among the floats.
    const NEAR: [f64; 3] = [1.0 - EPSILON, 1.0, 1.0 + 2.0 * EPSILON];
    const EPSILON: f64 = f32::EPSILON as f64 / 2.0;

    #[test]
    fn signs_are_those_of_integers() {
        // In units of `EPSILON` next to 1 and far away, where doubles lose the difference.
        let integer = |x: f64| (x / EPSILON) as i128;
        for far in [1.0, 8192.0, 16_777_216.0] {
            let points: Vec<[f64; 2]> = NEAR
                .iter()
                .flat_map(|&x| NEAR.map(|y| [x * far, y]))
                .chain([[0.0, 0.0], [far, 1.0], [2.0 * far, 2.0]])
                .collect();
            for &a in &points {
                for &b in &points {
                    for &c in &points {
                        let [a_, b_, c_] = [a, b, c].map(|p| p.map(integer));
                        let expected =
                            (b_[0] - a_[0]) * (c_[1] - a_[1]) - (b_[1] - a_[1]) * (c_[0] - a_[0]);
                        let found = orientation(a, b, c);
                        assert_eq!(found > 0.0, expected > 0, "{a:?} {b:?} {c:?}");
                        assert_eq!(found < 0.0, expected < 0, "{a:?} {b:?} {c:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn heights_are_those_of_integers() {
        let integer = |x: f64| (x / EPSILON) as i128;
        let points: Vec<[f64; 3]> = (0..27)
            .map(|n| [NEAR[n % 3], NEAR[n / 3 % 3], NEAR[n / 9]])
            .chain([[0.0; 3], [2.0; 3], [4.0, 2.0, 0.0]])
            .collect();
        for (index, &a) in points.iter().enumerate() {
            for &b in &points[index..] {
                for &c in points.iter().step_by(3) {
                    for &p in points.iter().skip(1).step_by(2) {
                        let [a_, b_, c_, p_] = [a, b, c, p].map(|p| p.map(integer));
                        let minus = |p: [i128; 3]| [p[0] - a_[0], p[1] - a_[1], p[2] - a_[2]];
                        let (u, v, w) = (minus(b_), minus(c_), minus(p_));
                        let expected: i128 = (0..3)
                            .map(|k| {
                                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                                w[k] * (u[i] * v[j] - u[j] * v[i])
                            })
                            .sum();
                        let found = height(&[a, b, c], p);
                        assert_eq!(found > 0.0, expected > 0, "{a:?} {b:?} {c:?} {p:?}");
                        assert_eq!(found < 0.0, expected < 0, "{a:?} {b:?} {c:?} {p:?}");
                    }
                }
            }
        }
    }
}
