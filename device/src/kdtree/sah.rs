//! The surface area heuristic: costs, candidate planes and how they compare.
//!
//! A plane at `p` sends a triangle with bounds `lo..hi` (clipped to the node)
//! below if `lo < p`, above if `hi > p`. A triangle that lies in the plane goes
//! to one side: below among bins, the cheaper one (below if equal) in an exact
//! search. So a triangle that only touches a box from outside is not in it, and
//! a hit in a plane between two boxes is found in one of them: traversal must
//! accept hits of a leaf's triangles wherever they lie on the ray.

use super::geometry::{Aabb, Point, pick};

/// Bins of an axis of a node that is not searched exactly.
pub const BINS: u32 = 32;

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

/// The expected cost of a node as a function of its split.
#[derive(Clone, Copy)]
pub struct Heuristic {
    costs: Costs,
    space: Aabb,
    half_area: f32,
}

impl Heuristic {
    /// For a node with this box.
    #[inline(always)]
    pub fn new(costs: Costs, space: Aabb) -> Self {
        Self {
            costs,
            space,
            half_area: space.half_area(),
        }
    }

    /// Whether a split can be valued at all.
    #[inline(always)]
    pub fn is_flat(self) -> bool {
        self.half_area.is_nan() || self.half_area <= 0.0
    }

    /// Whether the plane lies strictly inside the box.
    #[inline(always)]
    pub fn is_inside(self, axis: u32, position: f32) -> bool {
        position > pick(self.space.lo, axis) && position < pick(self.space.hi, axis)
    }

    /// Cost of a split with these numbers of triangles below and above.
    #[inline(always)]
    pub fn split(self, axis: u32, position: f32, below: u32, above: u32) -> f32 {
        let area_below = self.space.side(axis, position, false).half_area();
        let area_above = self.space.side(axis, position, true).half_area();
        let bonus = if below == 0 || above == 0 {
            1.0 - self.costs.empty_bonus
        } else {
            1.0
        };
        let expected = (area_below * below as f32 + area_above * above as f32) / self.half_area;
        self.costs.traversal + bonus * self.costs.intersection * expected
    }

    /// Whether a split beats a leaf with `count` triangles.
    #[inline(always)]
    pub fn pays(self, candidate: u64, count: u32) -> bool {
        candidate != NO_CANDIDATE && cost_of(candidate) < self.costs.intersection * count as f32
    }
}

/// Compares above every candidate.
pub const NO_CANDIDATE: u64 = u64::MAX;

/// A candidate split as a number: the least is the cheapest, then the one of
/// the lowest axis (or list of bins) and `place`. The last bit of the cost gives
/// way to the axis.
#[inline(always)]
pub fn candidate(cost: f32, axis: u32, place: u32) -> u64 {
    u64::from(cost.to_bits() >> 1) << 34 | u64::from(axis) << 32 | u64::from(place)
}

/// The rank of a candidate's cost among costs, whatever the axis and place.
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

/// The place of a candidate.
#[inline(always)]
pub fn place_of(candidate: u64) -> u32 {
    candidate as u32
}

/// The focus of bins that lie across a whole box.
pub const WHOLE: u32 = 3 * BINS;

/// Parts of a bin in focus. The outer bins of each list stand for what lies
/// beside it, so that planes between lists have a bin on either side.
const PARTS: u32 = 3 * (BINS - 2);

/// Three lists of bins with equidistant planes: plane `k` of `1..BINS` bounds bin
/// `k` of a list from below. Bins are exact with respect to `plane`, whatever
/// rounding does.
///
/// Either each list lies along an axis, across a box. Or all of them lie along
/// one axis, one behind the other, and divide one bin of the box again: the bin
/// in focus.
#[derive(Clone, Copy)]
pub struct Bins {
    lo: Point,
    step: Point,
    /// The bin in focus, `BINS` to an axis, or `WHOLE`.
    focus: u32,
}

impl Bins {
    /// Across this box, or across one of those bins.
    #[inline(always)]
    pub fn new(space: Aabb, focus: u32) -> Self {
        let step = |axis: usize| (space.hi[axis] - space.lo[axis]) * (1.0 / BINS as f32);
        let whole = Self {
            lo: space.lo,
            step: [step(0), step(1), step(2)],
            focus,
        };
        if focus == WHOLE {
            return whole;
        }
        let lo = whole.plane(focus / BINS, focus % BINS);
        let step = pick(whole.step, focus / BINS) * (1.0 / PARTS as f32);
        let list = |list: u32| lo + step * ((list * (BINS - 2)) as f32 - 1.0);
        Self {
            lo: [list(0), list(1), list(2)],
            step: [step; 3],
            focus,
        }
    }

    /// The axis of a list.
    #[inline(always)]
    pub fn axis(self, list: u32) -> u32 {
        if self.is_whole() {
            list
        } else {
            self.focus / BINS
        }
    }

    /// Whether the bins cover the whole box.
    #[inline(always)]
    pub fn is_whole(self) -> bool {
        self.focus == WHOLE
    }

    /// Whether bounds lie in the first bin of each list, as those do that end
    /// before the bin in focus, and whether in the last bin of each.
    #[inline(always)]
    pub fn beside(self, part: Aabb) -> (bool, bool) {
        if self.is_whole() {
            return (false, false);
        }
        let axis = self.axis(0);
        let before = pick(part.hi, axis) <= self.plane(0, 1);
        let behind = pick(part.lo, axis) > self.plane(2, BINS - 1);
        (before, behind)
    }

    /// Position of plane `k`.
    #[inline(always)]
    pub fn plane(self, list: u32, k: u32) -> f32 {
        pick(self.lo, list) + pick(self.step, list) * k as f32
    }

    /// The bins in which bounds start and end: the bounds are below plane `k`
    /// in part if `start < k`, above in part if `end >= k`.
    #[inline(always)]
    pub fn of(self, list: u32, lo: f32, hi: f32) -> (u32, u32) {
        let end = self.last_below(list, hi);
        let start = if lo == hi {
            end
        } else {
            let mut bin = self.near(list, lo);
            while bin > 0 && self.plane(list, bin) > lo {
                bin -= 1;
            }
            while bin < BINS - 1 && self.plane(list, bin + 1) <= lo {
                bin += 1;
            }
            bin
        };
        (start, end)
    }

    /// The last plane strictly below `x`, or 0.
    #[inline(always)]
    fn last_below(self, list: u32, x: f32) -> u32 {
        let mut bin = self.near(list, x);
        while bin > 0 && self.plane(list, bin) >= x {
            bin -= 1;
        }
        while bin < BINS - 1 && self.plane(list, bin + 1) < x {
            bin += 1;
        }
        bin
    }

    /// About the bin of `x`; a list without extent has bin 0 only.
    #[inline(always)]
    fn near(self, list: u32, x: f32) -> u32 {
        let bin = ((x - pick(self.lo, list)) / pick(self.step, list)) as u32;
        if bin < BINS { bin } else { BINS - 1 }
    }
}
