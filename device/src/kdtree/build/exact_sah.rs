//! The exact search: planes at the bounds of a small node's triangles. Each lane values those
//! of an item of the batch, then those of a node.

use super::builder::Batch;
use super::scratch::{BOUNDS_STRIDE, Scratch, item};
use crate::kdtree::bounds::{from_key, to_key};
use crate::kdtree::sah::{Costs, Heuristic, NO_CANDIDATE, axis_of, candidate, pays, plane_of};
use crate::simt::Warp;

/// A split of a small node.
#[derive(Clone, Copy)]
pub struct ExactSplit {
    /// The axis.
    pub axis: u32,
    /// The plane.
    pub position: f32,
    /// References below.
    pub below: u32,
    /// References above.
    pub above: u32,
    /// Whether triangles in the plane go below.
    pub planar_below: bool,
}

impl ExactSplit {
    /// Whether a triangle with these bounds on the axis goes below, and whether above.
    #[inline(always)]
    pub fn sides(axis_bounds: (f32, f32), position: f32, planar_below: bool) -> (bool, bool) {
        let (least, greatest) = axis_bounds;
        let planar = least == position && greatest == position;
        (
            least < position || (planar && planar_below),
            greatest > position || (planar && !planar_below),
        )
    }
}

/// The bounds of an item along an axis.
///
/// # Safety
///
/// They are kept in scratch memory, and `axis` is below 3.
#[inline(always)]
pub unsafe fn along(scratch: Scratch, axis: u32, item: u32) -> (f32, f32) {
    // SAFETY: scratch memory keeps the item's bounds, and `axis` is below 3.
    unsafe {
        (
            *scratch.bounds(axis * BOUNDS_STRIDE + item),
            *scratch.bounds((3 + axis) * BOUNDS_STRIDE + item),
        )
    }
}

/// How many triangles lie below, above and in a plane, of `count` items from `first` on.
///
/// # Safety
///
/// The bounds of these items are kept in scratch memory, and `axis` is below 3.
#[inline(always)]
unsafe fn count_sides(
    scratch: Scratch,
    (first, count): (u32, u32),
    axis: u32,
    position: f32,
) -> (u32, u32, u32) {
    let (mut below, mut above, mut planar) = (0, 0, 0);
    for item in first..first + count {
        // SAFETY: the caller's promise.
        let (least, greatest) = unsafe { along(scratch, axis, item) };
        below += u32::from(least < position);
        above += u32::from(greatest > position);
        planar += u32::from(least == position && greatest == position);
    }
    (below, above, planar)
}

/// The cost of a plane, with the triangles in it at the cheaper side, and whether that is
/// below.
#[inline(always)]
fn cheaper_side(
    heuristic: Heuristic,
    axis: u32,
    position: f32,
    (below, above, planar): (u32, u32, u32),
) -> (f32, bool) {
    let mut best = heuristic.split(axis, position, below + planar, above);
    let mut planar_below = true;
    if planar > 0 {
        let cost = heuristic.split(axis, position, below, above + planar);
        if cost < best {
            (best, planar_below) = (cost, false);
        }
    }
    (best, planar_below)
}

/// Values the planes at the bounds of each item of the batch. Few items get several lanes
/// each, which value some of the six bounds. Keeps the best plane of each item. Collective.
///
/// # Safety
///
/// The batch is as `select_batch` made it, of the topmost of `stacked` nodes, and the bounds
/// of its items are kept. All lanes of the warp make the call.
#[inline(always)]
pub unsafe fn value_items<W: Warp>(
    warp: W,
    scratch: Scratch,
    costs: Costs,
    batch: Batch,
    stacked: u32,
) {
    let mut shift = 0;
    while shift < 3 && batch.items << (shift + 1) <= W::LANES {
        shift += 1;
    }
    let candidates = batch.items << shift;
    let mut base = 0;
    while base < candidates {
        let index = base + warp.lane();
        let place = index >> shift;
        let active = index < candidates;
        let mut number = 0;
        if active {
            // SAFETY: the caller's promise.
            number = item::number(unsafe { *scratch.item(place) });
        }
        let first = warp.shuffle(W::FULL, batch.first, number);
        let count = warp.shuffle(W::FULL, batch.count, number);
        let (mut best, mut sides) = (NO_CANDIDATE, 0);
        if active {
            // SAFETY: the caller's promise.
            let bounds = unsafe { (*scratch.stack(stacked - 1 - number)).bounds };
            let heuristic = Heuristic::new(costs, bounds, count);
            let mut list = index - (place << shift);
            while list < 6 {
                let axis = if list < 3 { list } else { list - 3 };
                // SAFETY: as above.
                let position = unsafe { *scratch.bounds(list * BOUNDS_STRIDE + place) };
                if heuristic.is_inside(axis, position) {
                    // SAFETY: as above.
                    let (below, above, planar) =
                        unsafe { count_sides(scratch, (first, count), axis, position) };
                    let (cost, planar_below) =
                        cheaper_side(heuristic, axis, position, (below, above, planar));
                    let found = candidate(cost, axis, to_key(position));
                    if found < best {
                        let (in_below, in_above) = if planar_below {
                            (planar, 0)
                        } else {
                            (0, planar)
                        };
                        best = found;
                        sides = item::sides(below + in_below, above + in_above, planar_below);
                    }
                }
                list += 1 << shift;
            }
        }
        // The lanes of an item are neighbours.
        let mut step = 1;
        while step < 1 << shift {
            let low = warp.all_shuffle_xor(best as u32, step);
            let high = warp.all_shuffle_xor((best >> 32) as u32, step);
            let other = warp.all_shuffle_xor(sides, step);
            let found = u64::from(high) << 32 | u64::from(low);
            if found < best {
                (best, sides) = (found, other);
            }
            step *= 2;
        }
        // All lanes of the item have read it.
        warp.sync(W::FULL);
        if active && index == place << shift {
            // SAFETY: as above; of its lanes this one alone writes to the item.
            unsafe {
                scratch.candidate(place).write(best);
                let word = scratch.item(place);
                word.write(*word | sides);
            }
        }
        base += W::LANES;
    }
    warp.sync(W::FULL);
}

/// The best split of this lane's node of the batch, if one is cheaper than a leaf.
///
/// # Safety
///
/// `value_items` has valued the batch, and the lane has a node of it.
#[inline(always)]
pub unsafe fn best_exact_split(scratch: Scratch, batch: Batch) -> Option<ExactSplit> {
    let (mut best, mut word) = (NO_CANDIDATE, 0);
    for place in batch.first..batch.first + batch.count {
        // SAFETY: the caller's promise.
        let found = unsafe { *scratch.candidate(place) };
        if found < best {
            best = found;
            // SAFETY: as above.
            word = unsafe { *scratch.item(place) };
        }
    }
    pays(best).then(|| ExactSplit {
        axis: axis_of(best),
        position: from_key(plane_of(best)),
        below: item::below(word),
        above: item::above(word),
        planar_below: item::planar_below(word),
    })
}
