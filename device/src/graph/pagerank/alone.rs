//! An iteration over contiguous blocks by a lane alone, but for hubs.
//!
//! What takes time is guessing wrong and waiting for memory. The number of
//! neighbours is a guess, so the last ones are taken by a mask instead of a
//! branch; and blocks are fetched some vertices ahead.

use super::{Iteration, PART, RankArguments};
use crate::graph::ahead::{AHEAD, fetch};
use crate::graph::rows::Rows;
use crate::graph::store::{Four, PRESENT};
use crate::warp::Warp;

/// The sum of the shares of the neighbours `0..end`, added up in the order in which
/// lanes together would. Of the last four it reads what is behind the last
/// neighbour too, and takes it for nothing.
///
/// # Safety
///
/// The neighbours are those of the block, up to its degree; there is a vertex 0.
#[inline(always)]
unsafe fn pull(entries: *const u32, end: u32, shares: *const f32) -> f64 {
    if end == 0 {
        return 0.0;
    }
    let mut sum = 0.0;
    let mut at = 0;
    // From one to four are last.
    let last = (end - 1) & !3;
    while at < last {
        // SAFETY: blocks are 16-byte aligned; neighbours are vertices.
        unsafe {
            let Four(four) = *entries.add(at as usize).cast::<Four>();
            let share = |index: usize| f64::from(*shares.add(four[index] as usize));
            sum += (share(0) + share(1)) + (share(2) + share(3));
        }
        at += 4;
    }
    // SAFETY: blocks are requested in units of 16 bytes, so four entries are there
    // if one is; there are masks for up to four; what is no neighbour becomes
    // vertex 0.
    unsafe {
        let Four(four) = *entries.add(at as usize).cast::<Four>();
        let Four(mask) = *PRESENT.as_ptr().add((end - at) as usize);
        let share = |index: usize| {
            let share = *shares.add((four[index] & mask[index]) as usize);
            f64::from(f32::from_bits(share.to_bits() & mask[index]))
        };
        sum + ((share(0) + share(1)) + (share(2) + share(3)))
    }
}

/// Settles the vertices of this warp that are no hubs.
///
/// # Safety
///
/// The arguments' contract; the warp has one lane.
#[inline(always)]
pub unsafe fn others<W: Warp>(warp: W, ranks: &RankArguments, iteration: &mut Iteration) {
    let rows = Rows::new(warp, ranks.vertices, 1);
    let mut vertex = rows.first;
    while vertex < rows.end {
        // SAFETY: below the number of vertices.
        unsafe {
            if vertex + AHEAD < rows.end {
                fetch((*ranks.incoming.add((vertex + AHEAD) as usize)).address);
            }
            let record = *ranks.incoming.add(vertex as usize);
            if record.degree <= PART && !record.is_absent() {
                let sum = pull(record.entries(), record.degree, ranks.shares);
                iteration.settle(vertex, sum);
            }
        }
        vertex += rows.step;
    }
}
