//! The surface area heuristic: costs, candidate planes and how they compare.
//!
//! A plane at `p` sends a triangle whose bounds, clipped to the node, are `min..max`
//! below if `min < p` and above if `max > p`. A triangle that lies in the plane goes
//! to one side: below in a binned search, to the cheaper one (below if equal) in an
//! exact search. So a triangle that only touches a box from outside is not in it, and
//! a hit in a plane between two boxes is found in one of them: traversal must accept
//! hits of a leaf's triangles wherever they lie on the ray.

use super::bounds::{Bounds, Point, pick};
use super::clip::unit_of;

/// The constants of the heuristic.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// Of a step of traversal.
    pub traversal: f32,
    /// Of a ray-triangle test.
    pub intersection: f32,
    /// Part of the children's cost that an empty child saves.
    pub empty_bonus: f32,
}

/// The factor of areas of a box and of its parts, the inverse of a length. With it, areas times
/// counts do not overflow, and areas underflow only where lengths do.
#[inline(always)]
pub fn area_unit(bounds: Bounds) -> f32 {
    let [x, y, z] = bounds.size();
    unit_of(x + y + z)
}

/// The area of a box's face across an axis and half the face's circumference, both times `unit`.
#[inline(always)]
pub fn face_and_girth(size: Point, axis: u32, unit: f32) -> (f32, f32) {
    let [x, y, z] = size;
    let (one, other) = match axis {
        0 => (y, z),
        1 => (z, x),
        _ => (x, y),
    };
    (one * unit * other, (one + other) * unit)
}

/// The expected cost of a node as a function of its split.
#[derive(Clone, Copy)]
pub struct Heuristic {
    costs: Costs,
    bounds: Bounds,
    /// The factor of areas.
    unit: f32,
    half_area: f32,
    /// Cost of the node as a leaf.
    leaf: f32,
}

impl Heuristic {
    /// For a node with this box and so many triangles.
    #[inline(always)]
    pub fn new(costs: Costs, bounds: Bounds, count: u32) -> Self {
        let unit = area_unit(bounds);
        Self {
            costs,
            bounds,
            unit,
            half_area: bounds.half_area(unit),
            leaf: costs.intersection * count as f32,
        }
    }

    /// Whether the plane lies strictly inside the box.
    #[inline(always)]
    pub fn is_inside(self, axis: u32, position: f32) -> bool {
        position > pick(self.bounds.min, axis) && position < pick(self.bounds.max, axis)
    }

    /// Cost of a split with these numbers of triangles below and above, by which splits
    /// are compared; infinite if it does not pay. A split pays if it is cheaper than a leaf
    /// without the bonus, which only steers the choice among those that do: with it, a slab
    /// of any thickness would pay.
    #[inline(always)]
    pub fn split(self, axis: u32, position: f32, below: u32, above: u32) -> f32 {
        // Half the area of a box: that of the face in the plane, and what the sides around it
        // have for each unit of the extent on the axis.
        let (face, girth) = face_and_girth(self.bounds.size(), axis, self.unit);
        let area_below = face + (position - pick(self.bounds.min, axis)) * girth;
        let area_above = face + (pick(self.bounds.max, axis) - position) * girth;
        let bonus = if below == 0 || above == 0 {
            1.0 - self.costs.empty_bonus
        } else {
            1.0
        };
        let expected = (area_below * below as f32 + area_above * above as f32) / self.half_area;
        let plain = self.costs.traversal + self.costs.intersection * expected;
        // Also where the cost is not a number.
        if plain < self.leaf {
            self.costs.traversal + bonus * self.costs.intersection * expected
        } else {
            f32::INFINITY
        }
    }
}

/// Whether there is a split that pays: the cheapest candidate, if not `NO_CANDIDATE`.
#[inline(always)]
pub fn pays(candidate: u64) -> bool {
    candidate != NO_CANDIDATE && cost_of(candidate) < f32::INFINITY
}

/// Compares above every candidate.
pub const NO_CANDIDATE: u64 = u64::MAX;

/// A candidate split as a number. The least is the cheapest; among equal costs the one
/// of the lowest axis (or list of bins), then of the lowest `plane`. The last bit of the
/// cost gives way to the axis.
#[inline(always)]
pub fn candidate(cost: f32, axis: u32, plane: u32) -> u64 {
    u64::from(cost.to_bits() >> 1) << 34 | u64::from(axis) << 32 | u64::from(plane)
}

/// The rank of a candidate's cost among costs, whatever the axis and plane.
#[inline(always)]
pub fn rank_of(candidate: u64) -> u32 {
    (candidate >> 34) as u32
}

/// The cost of a candidate, within the last bit.
#[inline(always)]
fn cost_of(candidate: u64) -> f32 {
    f32::from_bits(rank_of(candidate) << 1)
}

/// The axis, or list of bins, of a candidate.
#[inline(always)]
pub fn axis_of(candidate: u64) -> u32 {
    (candidate >> 32) as u32 & 3
}

/// The plane of a candidate, as the search numbers planes.
#[inline(always)]
pub fn plane_of(candidate: u64) -> u32 {
    candidate as u32
}
