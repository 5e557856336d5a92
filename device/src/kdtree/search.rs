//! The search for the best split of a node, by all lanes of a warp.

use super::geometry::{Aabb, from_key, to_key};
use super::sah::{BINS, Bins, Costs, Heuristic, NO_CANDIDATE, axis_of, candidate, place_of};
use super::scratch::{KEPT_STRIDE, Scratch};
use super::tables::SUM_WORDS;
use crate::warp::Warp;

/// A split among bins.
#[derive(Clone, Copy)]
pub struct BinSplit {
    /// The axis.
    pub axis: u32,
    /// The bin above the plane; 0 or `BINS` for a plane before or behind all
    /// references.
    pub bin: u32,
    /// The plane.
    pub position: f32,
    /// References below.
    pub below: u32,
    /// References above.
    pub above: u32,
}

/// The best split among the bins of the histogram in scratch memory, if one
/// beats a leaf. Collective.
///
/// # Safety
///
/// The histogram is complete and holds `count` references.
#[inline(always)]
pub unsafe fn among_bins<W: Warp>(
    warp: W,
    scratch: Scratch,
    costs: Costs,
    space: Aabb,
    count: u32,
) -> Option<BinSplit> {
    let heuristic = Heuristic::new(costs, space);
    let bins = Bins::new(space);
    // SAFETY: the indices below are within the histogram.
    let word = |index: u32| unsafe { *scratch.histogram(index) };
    let mut best = NO_CANDIDATE;
    let (mut best_below, mut best_above) = (0, 0);
    let mut axis = 0;
    while axis < 3 {
        let (mut started, mut ended) = (0, 0);
        let mut base = 0;
        while base < BINS {
            let bin = base + warp.lane();
            let start = word(axis * BINS + bin);
            let end = word((3 + axis) * BINS + bin);
            let starts = warp.all_inclusive_sum(start);
            let ends = warp.all_inclusive_sum(end);
            let below = started + starts - start;
            let above = count.wrapping_sub(ended + ends - end);
            let position = bins.plane(axis, bin);
            // Planes with nothing on one side are not as good as the extent's.
            if bin > 0 && below > 0 && above > 0 && heuristic.is_inside(axis, position) {
                let found = candidate(heuristic.split(axis, position, below, above), axis, bin);
                if found < best {
                    (best, best_below, best_above) = (found, below, above);
                }
            }
            started += warp.shuffle(W::FULL, starts, W::LANES - 1);
            ended += warp.shuffle(W::FULL, ends, W::LANES - 1);
            base += W::LANES;
        }
        axis += 1;
    }
    // The planes that cut off what is empty before or behind everything: below
    // bin 0, and above the last.
    let mut number = warp.lane();
    while number < 6 {
        let (axis, bin) = if number < 3 {
            (number, 0)
        } else {
            (number - 3, BINS)
        };
        let position = extent(scratch, axis, bin);
        if heuristic.is_inside(axis, position) {
            let (below, above) = if bin == 0 { (0, count) } else { (count, 0) };
            let found = candidate(heuristic.split(axis, position, below, above), axis, bin);
            if found < best {
                (best, best_below, best_above) = (found, below, above);
            }
        }
        number += W::LANES;
    }
    let least = warp.all_min64(best);
    if !heuristic.pays(least, count) {
        return None;
    }
    // Candidates differ, so exactly one lane has the least.
    let owner = warp.ballot(W::FULL, best == least).trailing_zeros();
    let (axis, bin) = (axis_of(least), place_of(least));
    Some(BinSplit {
        axis,
        bin,
        position: if bin == 0 || bin == BINS {
            extent(scratch, axis, bin)
        } else {
            bins.plane(axis, bin)
        },
        below: warp.shuffle(W::FULL, best_below, owner),
        above: warp.shuffle(W::FULL, best_above, owner),
    })
}

/// Where everything counted begins (`bin` 0) or ends on an axis.
#[inline(always)]
fn extent(scratch: Scratch, axis: u32, bin: u32) -> f32 {
    let place = SUM_WORDS + if bin == 0 { axis } else { 3 + axis };
    // SAFETY: the histogram has six words behind the sums.
    let word = unsafe { *scratch.histogram(place) };
    from_key(if bin == 0 { !word } else { word })
}

/// A split of a small node.
#[derive(Clone, Copy)]
pub struct ExactSplit {
    /// The axis.
    pub axis: u32,
    /// The plane.
    pub position: f32,
    /// References below, among those of the subtree's root.
    pub below: u64,
    /// References above.
    pub above: u64,
}

/// Triangles below, above and in a plane, of `count` with kept bounds.
#[inline(always)]
unsafe fn tally(scratch: Scratch, count: u32, axis: u32, position: f32) -> (u32, u32, u32) {
    let (mut below, mut above, mut within) = (0, 0, 0);
    for index in 0..count {
        // SAFETY: `count` bounds are kept.
        let (lo, hi) = unsafe {
            (
                *scratch.kept(axis * KEPT_STRIDE + index),
                *scratch.kept((3 + axis) * KEPT_STRIDE + index),
            )
        };
        below += u32::from(lo < position);
        above += u32::from(hi > position);
        within += u32::from(lo == position && hi == position);
    }
    (below, above, within)
}

/// The best split at the bounds of a triangle, if one beats a leaf, for a node
/// whose `members` have their bounds kept in ascending order. Collective.
///
/// # Safety
///
/// `members` has at least one bit set, the bounds of all are kept, and `order`
/// holds their places.
#[inline(always)]
pub unsafe fn exactly<W: Warp>(
    warp: W,
    scratch: Scratch,
    costs: Costs,
    space: Aabb,
    members: u64,
) -> Option<ExactSplit> {
    let heuristic = Heuristic::new(costs, space);
    let count = members.count_ones();
    let mut best = NO_CANDIDATE;
    let mut number = warp.lane();
    while number < 6 * count {
        // Candidate `number` is bound `list` (as kept) of a reference.
        let mut list = 0;
        let mut reference = number;
        while reference >= count {
            reference -= count;
            list += 1;
        }
        let axis = if list < 3 { list } else { list - 3 };
        // SAFETY: the bound of a member is kept.
        let position = unsafe { *scratch.kept(list * KEPT_STRIDE + reference) };
        if heuristic.is_inside(axis, position) {
            // SAFETY: as above.
            let (below, above, within) = unsafe { tally(scratch, count, axis, position) };
            let cost = super::geometry::min(
                heuristic.split(axis, position, below + within, above),
                heuristic.split(axis, position, below, above + within),
            );
            let found = candidate(cost, axis, to_key(position));
            best = if found < best { found } else { best };
        }
        number += W::LANES;
    }
    let best = warp.all_min64(best);
    if !heuristic.pays(best, count) {
        return None;
    }
    let (axis, position) = (axis_of(best), from_key(place_of(best)));
    // SAFETY: as above.
    let (below, above, within) = unsafe { tally(scratch, count, axis, position) };
    let within_below = heuristic.split(axis, position, below + within, above)
        <= heuristic.split(axis, position, below, above + within);
    let mut split = ExactSplit {
        axis,
        position,
        below: 0,
        above: 0,
    };
    let mut base = 0;
    while base < count {
        let index = base + warp.lane();
        if index < count {
            // SAFETY: as above; places are below 64.
            unsafe {
                let lo = *scratch.kept(axis * KEPT_STRIDE + index);
                let hi = *scratch.kept((3 + axis) * KEPT_STRIDE + index);
                let bit = 1 << (*scratch.order().add(index as usize) & 63);
                let within = lo == position && hi == position;
                if lo < position || (within && within_below) {
                    split.below |= bit;
                }
                if hi > position || (within && !within_below) {
                    split.above |= bit;
                }
            }
        }
        base += W::LANES;
    }
    split.below = all_or64(warp, split.below);
    split.above = all_or64(warp, split.above);
    Some(split)
}

/// The union of all lanes' bits.
#[inline(always)]
fn all_or64<W: Warp>(warp: W, bits: u64) -> u64 {
    let (mut low, mut high) = (bits as u32, (bits >> 32) as u32);
    let mut step = W::LANES / 2;
    while step > 0 {
        low |= warp.all_shuffle_xor(low, step);
        high |= warp.all_shuffle_xor(high, step);
        step /= 2;
    }
    u64::from(high) << 32 | u64::from(low)
}
