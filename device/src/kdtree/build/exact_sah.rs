//! The exact search: planes at the bounds of a small node's triangles. Each lane values those
//! of an item of the batch, then those of a node.

use super::builder::Batch;
use super::items::{ItemRange, Items};
use super::scratch::item_word;
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

/// How many triangles of these items lie below, above and in a plane.
#[inline(always)]
fn count_sides(items: ItemRange, axis: u32, position: f32) -> (u32, u32, u32) {
    let (mut below, mut above, mut planar) = (0, 0, 0);
    for item in items.iter() {
        let (least, greatest) = item.along(axis);
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
/// The items are those of the batch, as `select_batch` made it.
#[inline(always)]
pub unsafe fn value_items<W: Warp>(warp: W, items: Items, costs: Costs, batch: Batch) {
    let mut shift = 0;
    while shift < 3 && items.count() << (shift + 1) <= W::LANES {
        shift += 1;
    }
    let candidates = items.count() << shift;
    let mut base = 0;
    while base < candidates {
        let index = base + warp.lane();
        let item = items.get(index >> shift);
        let number = item.map_or(0, |item| item_word::number(item.word()));
        let first = warp.shuffle(W::FULL, batch.first, number);
        let count = warp.shuffle(W::FULL, batch.count, number);
        let (mut best, mut sides) = (NO_CANDIDATE, 0);
        if let Some(item) = item {
            let heuristic = Heuristic::new(costs, item.node_bounds(), count);
            // SAFETY: lane `number` has the item's node, and these are the items of that node.
            let of_node = unsafe { items.range(first, count) };
            let mut list = index & ((1 << shift) - 1);
            while list < 6 {
                let axis = if list < 3 { list } else { list - 3 };
                let position = item.kept(list);
                if heuristic.is_inside(axis, position) {
                    let (below, above, planar) = count_sides(of_node, axis, position);
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
                        sides = item_word::sides(below + in_below, above + in_above, planar_below);
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
        // Of its lanes, the first one alone writes to the item.
        if let Some(item) = item
            && index & ((1 << shift) - 1) == 0
        {
            item.keep_plane(best, sides);
        }
        base += W::LANES;
    }
    warp.sync(W::FULL);
}

/// The best split of a node of the batch by the planes that `value_items` kept at its items, if one
/// is cheaper than a leaf.
#[inline(always)]
pub fn best_exact_split(items: ItemRange) -> Option<ExactSplit> {
    let (mut best, mut word) = (NO_CANDIDATE, 0);
    for item in items.iter() {
        let found = item.plane();
        if found < best {
            (best, word) = (found, item.word());
        }
    }
    pays(best).then(|| ExactSplit {
        axis: axis_of(best),
        position: from_key(plane_of(best)),
        below: item_word::below(word),
        above: item_word::above(word),
        planar_below: item_word::planar_below(word),
    })
}
