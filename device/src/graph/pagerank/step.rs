//! An iteration over contiguous blocks.
//!
//! A group of lanes takes a vertex, four neighbours a lane at a time (16 bytes,
//! which a block always has whole). Vertices of more than [`PART`] neighbours
//! are divided among warps; the one that finishes last ends the vertex.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::{Iteration, PART, Part, RankArguments, alone};
use crate::graph::reduce::{from_fixed, group_sum, has, to_fixed};
use crate::graph::rows::Rows;
use crate::graph::store::Four;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

/// The sum of the contributions of the neighbours `first..end`, of which this lane
/// takes every `group`th four from `lane`.
///
/// # Safety
///
/// The neighbours are those of the block, up to its degree; `first` is a multiple of four.
#[inline(always)]
unsafe fn pull(
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

/// An iteration.
pub struct RankStep;

impl RankStep {
    /// Sums a part of a hub; true in the lane that is to end the vertex, with
    /// the sum of all parts.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, `part` is one of the parts that `RankStart` listed, and
    /// all lanes of the warp make the call.
    #[inline(always)]
    unsafe fn sum_part<W: Warp>(warp: W, ranks: &RankArguments, part: Part) -> Option<f64> {
        // SAFETY: parts are lists of vertices with that many neighbours.
        unsafe {
            let record = *ranks.incoming.add(part.vertex as usize);
            let end = if record.degree - part.first > PART {
                part.first + PART
            } else {
                record.degree
            };
            let lane = warp.lane();
            let (entries, first, contributions) =
                (record.entries(), part.first, ranks.contributions);
            let sum = if W::LANES == 1 {
                alone::pull(entries.add(first as usize), end - first, contributions)
            } else {
                pull(entries, first, end, lane, W::LANES, contributions)
            };
            let sum = group_sum(warp, sum, W::LANES);
            if lane != 0 {
                return None;
            }
            let hub = ranks.hubs.add(part.hub as usize);
            let total = &*(&raw const (*hub).sum).cast::<AtomicU64>();
            let done = &*(&raw const (*hub).done).cast::<AtomicU32>();
            // Relaxed: ordered by the counter. AcqRel: whoever comes last sees
            // all sums.
            total.fetch_add(to_fixed(sum), Relaxed);
            if done.fetch_add(1, AcqRel) + 1 < (*hub).parts {
                return None;
            }
            // Relaxed, twice: for the next launch; nobody else comes.
            done.store(0, Relaxed);
            Some(from_fixed(total.swap(0, Relaxed)))
        }
    }

    /// Sums the parts of hubs.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, `iteration` is one over the same arguments, and all
    /// lanes of the warp make the call.
    #[inline(always)]
    unsafe fn hubs<W: Warp>(warp: W, ranks: &RankArguments, iteration: &mut Iteration) {
        // SAFETY: the arguments' contract; counted by an earlier launch.
        let parts = unsafe { *ranks.counts.add(1) };
        let mut index = warp.warp();
        while index < parts {
            // SAFETY: below the number of parts.
            unsafe {
                let part = *ranks.parts.add(index as usize);
                if let Some(sum) = Self::sum_part(warp, ranks, part) {
                    iteration.settle(part.vertex, sum);
                }
            }
            index += warp.warps();
        }
    }

    /// Sums the other vertices, a group of lanes each.
    ///
    /// # Safety
    ///
    /// As for `hubs`.
    #[inline(always)]
    unsafe fn others<W: Warp>(warp: W, ranks: &RankArguments, iteration: &mut Iteration) {
        let group = if ranks.group < W::LANES {
            ranks.group
        } else {
            W::LANES
        };
        // Groups are a power of two, so a shift divides.
        let shift = group.trailing_zeros();
        let (place, lane) = (warp.lane() >> shift, warp.lane() & (group - 1));
        let rows = Rows::new(warp, ranks.vertices, W::LANES >> shift);
        let mut row = rows.first;
        while row < rows.end {
            let vertex = row + place;
            let mut sum = 0.0;
            let mut mine = false;
            if vertex < rows.end {
                // SAFETY: below the number of vertices.
                unsafe {
                    let record = *ranks.incoming.add(vertex as usize);
                    if record.degree <= PART && !record.is_absent() {
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
}

impl PlainKernel for RankStep {
    type Arguments = RankArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, ranks: RankArguments) {
        // SAFETY: the kernel's contract.
        let Some(mut iteration) = (unsafe { Iteration::begin(warp, ranks) }) else {
            return;
        };
        // SAFETY: the arguments' contract.
        unsafe {
            Self::hubs(warp, &ranks, &mut iteration);
            if W::LANES == 1 {
                alone::others(warp, &ranks, &mut iteration);
            } else {
                Self::others(warp, &ranks, &mut iteration);
            }
        }
        iteration.end(warp);
    }
}
