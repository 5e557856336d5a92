//! The binned search: planes at and near the borders of bins. As in the kernels, but a vector
//! holds bins, not lanes of a warp.

use heapwood_device::kdtree::bins::{BINS, Bins};
use heapwood_device::kdtree::bounds::pick;
use heapwood_device::kdtree::sah::Heuristic;

use super::bins::{COUNT, Histogram, Histograms, Span, greater, lesser};
use super::wide::{Valued, Wide};

/// The rank of a split that does not pay.
pub const NEVER: u32 = f32::INFINITY.to_bits() >> 1;

// Where the plane of a candidate lies, as in the kernels' search; among equal costs the first
// variant wins.
const PLANE: usize = 0;
const END_BEFORE: usize = 1;
const START: usize = 2;
const END_PLANAR_BELOW: usize = 3;
const END_PLANAR_ABOVE: usize = 4;
const START_PLANAR_BELOW: usize = 5;
const START_PLANAR_ABOVE: usize = 6;
const VARIANTS: usize = 7;

/// A split between bins.
#[derive(Clone, Copy, Debug)]
pub struct BinnedSplit {
    /// The axis.
    pub axis: u32,
    /// The plane.
    pub position: f32,
    /// References below.
    pub below: u32,
    /// References above.
    pub above: u32,
    /// Rank of its cost.
    pub rank: u32,
    /// The list of bins.
    pub list: u32,
    /// The bin.
    pub bin: u32,
    /// Where triangles in the plane go, if they are apart.
    pub planar_below: Option<bool>,
}

impl BinnedSplit {
    /// Whether a reference that starts and ends in these bins goes below, and whether above.
    pub fn sides(&self, span: &Span) -> (bool, bool) {
        let list = self.list as usize % 3;
        let (start, end) = (span.starts[list], span.ends[list]);
        let bin_above = self.bin + u32::from(self.planar_below.is_some());
        let (below, above) = (u32::from(start) < self.bin, u32::from(end) >= bin_above);
        let planar = !below && !above;
        let planar_below = self.planar_below == Some(true);
        (
            below || (planar && planar_below),
            above || (planar && !planar_below),
        )
    }
}

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

/// The best split, if one is cheaper than a leaf, of a node with `count` references in these
/// histograms.
pub fn best_binned_split(
    node: &Valued,
    wide: Option<Wide>,
    bins: Bins,
    histograms: &Histograms,
) -> Option<BinnedSplit> {
    let (bounds, count) = (&node.bounds, node.count);
    let heuristic = Heuristic::new(node.costs, *bounds, count);
    let mut best: Option<BinnedSplit> = None;
    let mut least = NEVER;
    let mut candidates = Candidates::none();
    for list in 0..3 {
        let histogram = &histograms[list as usize];
        let axis = bins.axis(list);
        candidates.fill(bins, list, histogram, count);
        let (low, high) = (pick(bounds.min, axis), pick(bounds.max, axis));
        match wide {
            Some(wide) => wide.value(node, axis, &mut candidates),
            None => candidates.value(heuristic, axis, (low, high)),
        }
        let mut end = NEVER;
        let last = histogram
            .last
            .iter()
            .fold(f32::NEG_INFINITY, |a, &b| greater(a, b))
            + 0.0;
        if bins.is_whole() && last > low && last < high {
            end = heuristic.split(axis, last, count, 0).to_bits() >> 1;
        }
        let lowest = candidates
            .ranks
            .as_flattened()
            .iter()
            .fold(end, |a, &b| a.min(b));
        if lowest >= least {
            continue;
        }
        least = lowest;
        let mut found = BinnedSplit {
            axis,
            position: last,
            below: count,
            above: 0,
            rank: lowest,
            list,
            bin: BINS,
            planar_below: None,
        };
        'search: for bin in 0..COUNT {
            for variant in 0..VARIANTS {
                if candidates.ranks[variant][bin] == lowest {
                    found.position = candidates.positions[variant][bin];
                    found.below = candidates.below[variant][bin];
                    found.above = candidates.above[variant][bin];
                    found.bin = bin as u32;
                    if variant >= END_PLANAR_BELOW {
                        found.planar_below =
                            Some(variant == END_PLANAR_BELOW || variant == START_PLANAR_BELOW);
                    }
                    break 'search;
                }
            }
        }
        best = Some(found);
    }
    best
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
    fn fill(&mut self, bins: Bins, list: u32, histogram: &Histogram, count: u32) {
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
