//! The search for the best split of a node, by all lanes of a warp.

use super::geometry::{Aabb, from_key, to_key};
use super::sah::{
    BINS, Bins, Costs, Heuristic, NO_CANDIDATE, axis_of, candidate, place_of, rank_of,
};
use super::scratch::{KEPT_STRIDE, Scratch};
use super::tables::{Partition, SUM_WORDS};
use crate::simt::Warp;

/// A split among bins.
#[derive(Clone, Copy)]
pub struct BinSplit {
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

/// Where the plane of a candidate lies, next to a bin or within it.
///
/// - `PLANE`: where the bin begins.
/// - `END_BEFORE`: at the last end before the bin.
/// - `START`: at the first start in the bin or behind it.
/// - The rest: if all ends up to this bin come before all starts from it on, or
///   with them, between the two; nothing of this bin crosses the plane, and
///   what lies in it goes to the side that is named.
const PLANE: u32 = 0;
const END_BEFORE: u32 = 1;
const START: u32 = 2;
const END_REST_BELOW: u32 = 3;
const END_REST_ABOVE: u32 = 4;
const START_REST_BELOW: u32 = 5;
const START_REST_ABOVE: u32 = 6;
/// Bits for a variant in a candidate's place, below the bin.
const VARIANT_BITS: u32 = 3;

/// The best split among the bins of the histogram in scratch memory, if one
/// beats a leaf. Collective.
///
/// Planes are moved to the nearest bounds where that is cheaper: it leaves no
/// empty space to be cut off further down. The partition stays that of the bins,
/// which is never short of a reference.
///
/// # Safety
///
/// The histogram is complete, of bins with this focus, and holds `count`
/// references, at least one.
#[inline(always)]
pub unsafe fn among_bins<W: Warp>(
    warp: W,
    scratch: Scratch,
    costs: Costs,
    space: Aabb,
    count: u32,
    focus: u32,
) -> Option<BinSplit> {
    let heuristic = Heuristic::new(costs, space);
    let bins = Bins::new(space, focus);
    accumulate_bounds(warp, scratch);
    // SAFETY: the indices below are within the histogram.
    let word = |index: u32| unsafe { *scratch.histogram(index) };
    // Where there is none, they are no numbers, and compare so.
    let last_end = |list: u32, bin: u32| from_key(word(SUM_WORDS + (3 + list) * BINS + bin));
    let first_start = |list: u32, bin: u32| from_key(!word(SUM_WORDS + list * BINS + bin));
    let position = |list: u32, bin: u32, variant: u32| match variant {
        PLANE => bins.plane(list, bin),
        END_BEFORE => last_end(list, bin - 1),
        END_REST_BELOW | END_REST_ABOVE => last_end(list, bin),
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
            // With nothing on one side, the planes below are at least as good.
            if bin > 0 && below > 0 && above > 0 {
                consider(list, bin, PLANE, below, above);
                consider(list, bin, END_BEFORE, below, above);
                consider(list, bin, START, below, above);
            }
            let above = above.wrapping_sub(end);
            let rest = word((6 + list) * BINS + bin);
            // Maxima leave out what lies beside the bin in focus, in outer bins.
            let complete = bins.is_whole() || (bin > 0 && bin < BINS - 1);
            let apart = complete && last_end(list, bin) <= first_start(list, bin);
            if apart && below + rest > 0 && above + rest > 0 {
                consider(list, bin, END_REST_BELOW, below + rest, above);
                consider(list, bin, END_REST_ABOVE, below, above + rest);
                consider(list, bin, START_REST_BELOW, below + rest, above);
                consider(list, bin, START_REST_ABOVE, below, above + rest);
            }
            started += warp.shuffle(W::FULL, starts, W::LANES - 1);
            ended += warp.shuffle(W::FULL, ends, W::LANES - 1);
            base += W::LANES;
        }
        list += 1;
    }
    // What is empty before the first start and behind the last end.
    let mut number = warp.lane();
    while bins.is_whole() && number < 6 {
        if number < 3 {
            consider(number, 0, START, 0, count);
        } else {
            consider(number - 3, BINS, END_BEFORE, count, 0);
        }
        number += W::LANES;
    }
    let least = warp.all_min64(best);
    if !heuristic.pays(least, count) {
        return None;
    }
    // Candidates differ, so exactly one lane has the least.
    let owner = warp.ballot(W::FULL, best == least).trailing_zeros();
    let list = axis_of(least);
    let bin = place_of(least) >> VARIANT_BITS;
    let variant = place_of(least) & ((1 << VARIANT_BITS) - 1);
    let rest = if variant >= END_REST_BELOW {
        Some(variant == END_REST_BELOW || variant == START_REST_BELOW)
    } else {
        None
    };
    Some(BinSplit {
        axis: bins.axis(list),
        partition: Partition::new(focus, list, bin, rest),
        position: position(list, bin, variant),
        below: warp.shuffle(W::FULL, best_below, owner),
        above: warp.shuffle(W::FULL, best_above, owner),
        cost: rank_of(least),
    })
}

/// Turns the maxima of the histogram's bins into those of all bins from theirs
/// on (starts) and up to theirs (ends). Collective.
#[inline(always)]
fn accumulate_bounds<W: Warp>(warp: W, scratch: Scratch) {
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
///
/// # Safety
///
/// `count` bounds are kept in scratch memory, and `axis` is below 3.
#[inline(always)]
unsafe fn tally(scratch: Scratch, count: u32, axis: u32, position: f32) -> (u32, u32, u32) {
    let (mut below, mut above, mut within) = (0, 0, 0);
    for index in 0..count {
        // SAFETY: the caller's promise.
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
