//! The binned search: planes at and near the borders of bins, valued by all lanes of a
//! warp.

use super::scratch::Scratch;
use crate::kdtree::bins::{BINS, Bins, SUM_WORDS};
use crate::kdtree::bounds::{Bounds, from_key};
use crate::kdtree::partition::Partition;
use crate::kdtree::sah::{
    Costs, Heuristic, NO_CANDIDATE, axis_of, candidate, pays, plane_of, rank_of,
};
use crate::simt::Warp;

/// A split between bins.
#[derive(Clone, Copy)]
pub struct BinnedSplit {
    /// The axis.
    pub axis: u32,
    /// Which references go where.
    pub partition: Partition,
    /// The plane.
    pub position: f32,
    /// References below.
    pub below: u32,
    /// References above.
    pub above: u32,
    /// Rank of its cost.
    pub cost: u32,
}

/// Where the plane of a candidate lies, beside a bin or within it.
///
/// - `PLANE`: where the bin begins.
/// - `END_BEFORE`: at the last end before the bin.
/// - `START`: at the first start in the bin or behind it.
/// - The planar variants are candidates if no end up to this bin lies behind a start from
///   it on. They lie at the last such end or at the first such start. Nothing in this bin
///   crosses the plane, and triangles in the plane go to the side in the variant's name.
const PLANE: u32 = 0;
const END_BEFORE: u32 = 1;
const START: u32 = 2;
const END_PLANAR_BELOW: u32 = 3;
const END_PLANAR_ABOVE: u32 = 4;
const START_PLANAR_BELOW: u32 = 5;
const START_PLANAR_ABOVE: u32 = 6;
/// Bits for a variant in a candidate's number of the plane, below the bin.
const VARIANT_BITS: u32 = 3;

/// Whether a planar variant sends triangles in the plane below.
#[inline(always)]
fn goes_below(variant: u32) -> bool {
    variant == END_PLANAR_BELOW || variant == START_PLANAR_BELOW
}

/// The best split by the histogram in scratch memory, if one is cheaper than a leaf.
/// Collective.
///
/// Planes are moved to the nearest bounds where that is cheaper: then no empty space is
/// left to be cut off further down. The partition stays that of the bins, which never
/// leaves out a reference that a side needs.
///
/// # Safety
///
/// The warp alone uses the histogram. It is complete, of the bins that refine this bin or none, and
/// holds `count` references, at least one.
#[inline(always)]
pub unsafe fn best_binned_split<W: Warp>(
    warp: W,
    scratch: Scratch,
    costs: Costs,
    bounds: Bounds,
    count: u32,
    refined: u32,
) -> Option<BinnedSplit> {
    let heuristic = Heuristic::new(costs, bounds, count);
    let bins = Bins::new(bounds, refined);
    // SAFETY: the warp alone uses the histogram.
    unsafe { accumulate_bounds(warp, scratch) };
    // SAFETY: the indices below are within the histogram.
    let word = |index: u32| unsafe { *scratch.histogram(index) };
    // Without any they are NaN, and no comparison is true.
    let last_end = |list: u32, bin: u32| from_key(word(SUM_WORDS + (3 + list) * BINS + bin));
    let first_start = |list: u32, bin: u32| from_key(!word(SUM_WORDS + list * BINS + bin));
    let position = |list: u32, bin: u32, variant: u32| match variant {
        PLANE => bins.plane(list, bin),
        END_BEFORE => last_end(list, bin - 1),
        END_PLANAR_BELOW | END_PLANAR_ABOVE => last_end(list, bin),
        _ => first_start(list, bin),
    };
    let mut best = NO_CANDIDATE;
    let (mut best_below, mut best_above) = (0, 0);
    let mut consider = |list: u32, bin: u32, variant: u32, below: u32, above: u32| {
        let axis = bins.axis(list);
        let position = position(list, bin, variant);
        if heuristic.is_inside(axis, position) {
            let cost = heuristic.split(axis, position, below, above);
            let found = candidate(cost, list, bin << VARIANT_BITS | variant);
            if found < best {
                (best, best_below, best_above) = (found, below, above);
            }
        }
    };
    let mut list = 0;
    while list < 3 {
        let (mut started, mut ended) = (0, 0);
        let mut base = 0;
        while base < BINS {
            let bin = base + warp.lane();
            let start = word(list * BINS + bin);
            let end = word((3 + list) * BINS + bin);
            let starts = warp.all_inclusive_sum(start);
            let ends = warp.all_inclusive_sum(end);
            let below = started + starts - start;
            let above = count.wrapping_sub(ended + ends - end);
            // With nothing on one side, the planes that cut off empty space are at least as
            // cheap.
            let parts = bin > 0 && below > 0 && above > 0;
            let rest = above.wrapping_sub(end);
            let planar = word((6 + list) * BINS + bin);
            // The maxima of outer bins leave out what lies beside the refined bin.
            let complete = bins.is_whole() || (bin > 0 && bin < BINS - 1);
            let apart = complete && last_end(list, bin) <= first_start(list, bin);
            let parts_planar = apart && below + planar > 0 && rest + planar > 0;
            // A loop, so that the cost is compiled once.
            let mut variant = if parts { PLANE } else { END_PLANAR_BELOW };
            let last = if parts_planar {
                START_PLANAR_ABOVE
            } else {
                START
            };
            while variant <= last {
                let (mut below, mut above) = (below, above);
                if variant >= END_PLANAR_BELOW {
                    let planar_below = goes_below(variant);
                    below += if planar_below { planar } else { 0 };
                    above = rest + if planar_below { 0 } else { planar };
                }
                consider(list, bin, variant, below, above);
                variant += 1;
            }
            started += warp.shuffle(W::FULL, starts, W::LANES - 1);
            ended += warp.shuffle(W::FULL, ends, W::LANES - 1);
            base += W::LANES;
        }
        list += 1;
    }
    // The planes that cut off empty space: at the first start and at the last end.
    let mut number = warp.lane();
    while bins.is_whole() && number < 6 {
        let below = number >= 3;
        let (list, bin) = if below {
            (number - 3, BINS)
        } else {
            (number, 0)
        };
        let variant = if below { END_BEFORE } else { START };
        let (below, above) = if below { (count, 0) } else { (0, count) };
        consider(list, bin, variant, below, above);
        number += W::LANES;
    }
    let least = warp.all_min64(best);
    if !pays(least) {
        return None;
    }
    // Candidates differ, so exactly one lane has the least.
    let owner = warp.ballot(W::FULL, best == least).trailing_zeros();
    let list = axis_of(least);
    let bin = plane_of(least) >> VARIANT_BITS;
    let variant = plane_of(least) & ((1 << VARIANT_BITS) - 1);
    let planar_below = if variant >= END_PLANAR_BELOW {
        Some(goes_below(variant))
    } else {
        None
    };
    Some(BinnedSplit {
        axis: bins.axis(list),
        partition: Partition::new(refined, list, bin, planar_below),
        position: position(list, bin, variant),
        below: warp.shuffle(W::FULL, best_below, owner),
        above: warp.shuffle(W::FULL, best_above, owner),
        cost: rank_of(least),
    })
}

/// Replaces the maxima of each bin by those of all bins from it on (starts) and up to it
/// (ends). Collective.
///
/// # Safety
///
/// The warp alone uses the histogram.
#[inline(always)]
unsafe fn accumulate_bounds<W: Warp>(warp: W, scratch: Scratch) {
    let mut list = 0;
    while list < 6 {
        let mut most = 0;
        let mut base = 0;
        while base < BINS {
            let bin = base + warp.lane();
            let bin = if list < 3 { BINS - 1 - bin } else { bin };
            let word = scratch.histogram(SUM_WORDS + list * BINS + bin);
            // SAFETY: the index is within the histogram.
            let mut value = unsafe { *word };
            let mut step = 1;
            while step < W::LANES {
                let before = warp.all_shuffle_up(value, step);
                value = if before > value { before } else { value };
                step *= 2;
            }
            value = if most > value { most } else { value };
            // SAFETY: as above; each lane has a word of its own.
            unsafe { word.write(value) };
            most = warp.shuffle(W::FULL, value, W::LANES - 1);
            base += W::LANES;
        }
        list += 1;
    }
    warp.sync(W::FULL);
}
