//! Candidates of the binned search in one list of bins, and what they cost.

use heapwood_device::kdtree::bins::Bins;
use heapwood_device::kdtree::sah::Heuristic;

use super::bins::{COUNT, Histogram, greater, lesser};

/// The rank of a split that does not pay.
pub const NEVER: u32 = f32::INFINITY.to_bits() >> 1;

// Where the plane of a candidate lies, as in the kernels' search; among equal costs the first
// variant wins.
const PLANE: usize = 0;
const END_BEFORE: usize = 1;
const START: usize = 2;
/// The first variant whose triangles are apart, and go below if they lie in the plane.
pub const END_PLANAR_BELOW: usize = 3;
const END_PLANAR_ABOVE: usize = 4;
/// The other one whose triangles in the plane go below.
pub const START_PLANAR_BELOW: usize = 5;
const START_PLANAR_ABOVE: usize = 6;
/// Variants of the planes at a bin.
pub const VARIANTS: usize = 7;

/// Candidates of a list, by variant and bin.
pub struct Candidates {
    /// Their planes; not a number where there is no candidate.
    pub positions: [[f32; COUNT]; VARIANTS],
    /// References below.
    pub below: [[u32; COUNT]; VARIANTS],
    /// References above.
    pub above: [[u32; COUNT]; VARIANTS],
    /// Ranks of their costs; `NEVER` for those that do not pay.
    pub ranks: [[u32; COUNT]; VARIANTS],
}

impl Candidates {
    /// Without any.
    pub fn none() -> Self {
        Self {
            positions: [[f32::NAN; COUNT]; VARIANTS],
            below: [[0; COUNT]; VARIANTS],
            above: [[0; COUNT]; VARIANTS],
            ranks: [[NEVER; COUNT]; VARIANTS],
        }
    }

    /// Takes the candidates of a list of bins. Those that are none have a position that is no
    /// number.
    pub fn fill(&mut self, bins: Bins, list: u32, histogram: &Histogram, count: u32) {
        let mut last_end = f32::NEG_INFINITY;
        let mut first_start = [f32::INFINITY; COUNT];
        let mut first = f32::INFINITY;
        for bin in (0..COUNT).rev() {
            first = lesser(first, histogram.first[bin]);
            first_start[bin] = first + 0.0;
        }
        let (mut started, mut ended) = (0, 0);
        #[expect(
            clippy::needless_range_loop,
            reason = "a bin is more than an index here"
        )]
        for bin in 0..COUNT {
            let (below, above) = (started, count.wrapping_sub(ended));
            started += histogram.starts[bin];
            ended += histogram.ends[bin];
            let splits = bin > 0 && below > 0 && above > 0;
            let or_none = |is: bool, x: f32| if is { x } else { f32::NAN };
            self.positions[PLANE][bin] = or_none(splits, bins.plane(list, bin as u32));
            self.positions[END_BEFORE][bin] = or_none(splits, last_end);
            self.positions[START][bin] = or_none(splits, first_start[bin]);
            for variant in [PLANE, END_BEFORE, START] {
                self.below[variant][bin] = below;
                self.above[variant][bin] = above;
            }
            let above = count.wrapping_sub(ended);
            let planar = histogram.planar[bin];
            last_end = greater(last_end, histogram.last[bin]) + 0.0;
            let complete = bins.is_whole() || (bin > 0 && bin < COUNT - 1);
            let apart = complete
                && last_end <= first_start[bin]
                && last_end > f32::NEG_INFINITY
                && first_start[bin] < f32::INFINITY
                && below + planar > 0
                && above.wrapping_add(planar) > 0;
            self.positions[END_PLANAR_BELOW][bin] = or_none(apart, last_end);
            self.positions[END_PLANAR_ABOVE][bin] = or_none(apart, last_end);
            self.positions[START_PLANAR_BELOW][bin] = or_none(apart, first_start[bin]);
            self.positions[START_PLANAR_ABOVE][bin] = or_none(apart, first_start[bin]);
            for variant in [END_PLANAR_BELOW, START_PLANAR_BELOW] {
                self.below[variant][bin] = below + planar;
                self.above[variant][bin] = above;
            }
            for variant in [END_PLANAR_ABOVE, START_PLANAR_ABOVE] {
                self.below[variant][bin] = below;
                self.above[variant][bin] = above.wrapping_add(planar);
            }
        }
        // The plane that cuts off the empty space before the first start; that behind the last
        // end has no bin.
        if bins.is_whole() {
            self.positions[START][0] = first_start[0];
            self.below[START][0] = 0;
            self.above[START][0] = count;
        }
    }

    /// Finds what they cost.
    pub fn value(&mut self, heuristic: Heuristic, axis: u32, (low, high): (f32, f32)) {
        for variant in 0..VARIANTS {
            for bin in 0..COUNT {
                let x = self.positions[variant][bin];
                let (below, above) = (self.below[variant][bin], self.above[variant][bin]);
                let rank = heuristic.split(axis, x, below, above).to_bits() >> 1;
                self.ranks[variant][bin] = if x > low && x < high { rank } else { NEVER };
            }
        }
    }
}
