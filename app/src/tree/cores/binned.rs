//! The binned search: planes at and near the borders of bins. As in the kernels, but a vector
//! holds bins, not lanes of a warp.

use heapwood_device::kdtree::bins::{BINS, Bins};
use heapwood_device::kdtree::bounds::pick;
use heapwood_device::kdtree::sah::Heuristic;

use super::bins::{COUNT, Histograms, Span, count_each, greater};
use super::candidates::{Candidates, END_PLANAR_BELOW, NEVER, START_PLANAR_BELOW, VARIANTS};
use super::facets::Reference;
use super::wide::{Valued, Wide};

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

/// Counts the parts of references into bins, and notes in which ones each of them is.
pub fn count(
    wide: Option<Wide>,
    bins: Bins,
    references: &[Reference],
    spans: &mut [Span],
    sums: &mut Histograms,
) {
    match wide {
        Some(wide) => wide.count(bins, references, spans, sums),
        None => count_each(bins, references, spans, sums),
    }
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
