//! The exact search: a small node's planes at the bounds of its triangles, all of them
//! valued by all lanes of a warp.

use super::scratch::{BOUNDS_STRIDE, Scratch};
use crate::kdtree::bounds::{Bounds, from_key, min, to_key};
use crate::kdtree::sah::{Costs, Heuristic, NO_CANDIDATE, axis_of, candidate, pays, plane_of};
use crate::simt::Warp;

/// A split of a small node.
#[derive(Clone, Copy)]
pub struct ExactSplit {
    /// The axis.
    pub axis: u32,
    /// The plane.
    pub position: f32,
    /// References below, as a mask of those of the subtree's root.
    pub below: u64,
    /// References above, likewise.
    pub above: u64,
}

/// How many triangles lie below, above and in a plane, of `count` whose bounds are kept.
///
/// # Safety
///
/// The bounds of `count` references are kept in scratch memory, and `axis` is below 3.
#[inline(always)]
unsafe fn count_sides(scratch: Scratch, count: u32, axis: u32, position: f32) -> (u32, u32, u32) {
    let (mut below, mut above, mut planar) = (0, 0, 0);
    for index in 0..count {
        // SAFETY: the caller's promise.
        let (least, greatest) = unsafe {
            (
                *scratch.bounds(axis * BOUNDS_STRIDE + index),
                *scratch.bounds((3 + axis) * BOUNDS_STRIDE + index),
            )
        };
        below += u32::from(least < position);
        above += u32::from(greatest > position);
        planar += u32::from(least == position && greatest == position);
    }
    (below, above, planar)
}

/// The best split at the bounds of a triangle, if one is cheaper than a leaf, for a node
/// with the references of `mask`. Collective.
///
/// # Safety
///
/// `mask` has at least one bit set. `Scratch::order` holds the indices of its references,
/// ascending, and their bounds are kept in this order. All lanes of the warp make the call.
#[inline(always)]
pub unsafe fn best_exact_split<W: Warp>(
    warp: W,
    scratch: Scratch,
    costs: Costs,
    bounds: Bounds,
    mask: u64,
) -> Option<ExactSplit> {
    let count = mask.count_ones();
    let heuristic = Heuristic::new(costs, bounds, count);
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
        // SAFETY: the bounds of all references are kept.
        let position = unsafe { *scratch.bounds(list * BOUNDS_STRIDE + reference) };
        if heuristic.is_inside(axis, position) {
            // SAFETY: as above.
            let (below, above, planar) = unsafe { count_sides(scratch, count, axis, position) };
            let cost = min(
                heuristic.split(axis, position, below + planar, above),
                heuristic.split(axis, position, below, above + planar),
            );
            let found = candidate(cost, axis, to_key(position));
            best = if found < best { found } else { best };
        }
        number += W::LANES;
    }
    let best = warp.all_min64(best);
    if !pays(best) {
        return None;
    }
    let (axis, position) = (axis_of(best), from_key(plane_of(best)));
    // SAFETY: as above.
    let (below, above, planar) = unsafe { count_sides(scratch, count, axis, position) };
    let planar_below = heuristic.split(axis, position, below + planar, above)
        <= heuristic.split(axis, position, below, above + planar);
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
            // SAFETY: as above; indices are below 64.
            unsafe {
                let least = *scratch.bounds(axis * BOUNDS_STRIDE + index);
                let greatest = *scratch.bounds((3 + axis) * BOUNDS_STRIDE + index);
                let bit = 1 << (*scratch.order().add(index as usize) & 63);
                let planar = least == position && greatest == position;
                if least < position || (planar && planar_below) {
                    split.below |= bit;
                }
                if greatest > position || (planar && !planar_below) {
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

/// The union of all lanes' bits. Collective.
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
