//! An iteration over contiguous blocks by the lanes of a warp, but for hubs.

use super::{Iteration, Ranks};
use crate::simt::Warp;
use crate::simt::reduce::{group_sum, has};
use crate::simt::rows::Rows;
use crate::simt::tail::Four;

/// The sum of the contributions of this lane's neighbours among `first..end`: every
/// `group`th four from `lane`.
///
/// # Safety
///
/// The neighbours are those of the block, up to its degree; `first` is a multiple of four.
#[inline(always)]
pub unsafe fn pull(
    entries: *const u32,
    first: u32,
    end: u32,
    lane: u32,
    group: u32,
    contributions: *const f32,
) -> f64 {
    let mut sum = 0.0;
    let mut at = first + 4 * lane;
    while at < end {
        // SAFETY: blocks are 16-byte aligned and requested in units of that, so
        // four entries are there if one is; neighbours are vertices.
        unsafe {
            let Four(four) = *entries.add(at as usize).cast::<Four>();
            let left = end - at;
            let contribution = |index: u32, neighbour: u32| {
                if index < left {
                    *contributions.add(neighbour as usize)
                } else {
                    0.0
                }
            };
            let (one, two) = (contribution(0, four[0]), contribution(1, four[1]));
            let (three, last) = (contribution(2, four[2]), contribution(3, four[3]));
            sum += (f64::from(one) + f64::from(two)) + (f64::from(three) + f64::from(last));
        }
        at += 4 * group;
    }
    sum
}

/// Sums the other vertices, a group of lanes each.
///
/// # Safety
///
/// `iteration` is one over the same arguments.
#[inline(always)]
pub unsafe fn others<W: Warp>(warp: W, ranks: &Ranks, iteration: &mut Iteration) {
    let group = if ranks.group < W::LANES {
        ranks.group
    } else {
        W::LANES
    };
    // Groups are a power of two, so a shift divides.
    let shift = group.trailing_zeros();
    let (position, lane) = (warp.lane() >> shift, warp.lane() & (group - 1));
    let rows = Rows::new(warp, ranks.vertices, W::LANES >> shift);
    let mut row = rows.first;
    while row < rows.end {
        let vertex = row + position;
        let mut sum = 0.0;
        let mut mine = false;
        if vertex < rows.end {
            // SAFETY: below the number of vertices.
            unsafe {
                let record = *ranks.incoming.add(vertex as usize);
                if record.degree <= ranks.hub && !record.is_absent() {
                    mine = lane == 0;
                    let entries = record.entries();
                    sum = pull(entries, 0, record.degree, lane, group, ranks.contributions);
                }
            }
        }
        let settled = warp.ballot(W::FULL, mine);
        let sum = group_sum(warp, sum, group);
        if has(settled, warp.lane()) {
            // SAFETY: a vertex of the graph, and this lane's.
            unsafe { iteration.settle(vertex, sum) };
        }
        row += rows.step;
    }
}
