//! An iteration over contiguous blocks.
//!
//! A group of lanes takes a vertex, four neighbours a lane at a time (16 bytes,
//! which a block always has whole). Hubs are divided among warps; the one that finishes last ends
//! the vertex.

use super::hub::PART;
use super::{Iteration, Part, RankArguments, Ranks, simt, solo};
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::reduce::group_sum;

/// An iteration.
pub struct RankStep;

impl RankStep {
    /// Sums a part of a hub; true in the lane that is to end the vertex, with
    /// the sum of all parts.
    ///
    /// # Safety
    ///
    /// `part` is one of the parts that `RankStart` listed.
    #[inline(always)]
    unsafe fn sum_part<W: Warp>(warp: W, ranks: &Ranks, part: Part) -> Option<f64> {
        // SAFETY: parts are lists of vertices with that many neighbours.
        unsafe {
            let record = *ranks.incoming.add(part.vertex as usize);
            let first = part.number * PART;
            let end = if record.degree - first > PART {
                first + PART
            } else {
                record.degree
            };
            let lane = warp.lane();
            let (entries, contributions) = (record.entries(), ranks.contributions);
            let sum = if W::IS_SOLO {
                solo::pull(entries.add(first as usize), end - first, contributions)
            } else {
                simt::pull(entries, first, end, lane, W::LANES, contributions)
            };
            let sum = group_sum(warp, sum, W::LANES);
            if lane != 0 {
                return None;
            }
            ranks.end_part(part, sum)
        }
    }

    /// Sums the parts of hubs.
    ///
    /// # Safety
    ///
    /// `iteration` is one over the same arguments.
    #[inline(always)]
    unsafe fn hubs<W: Warp>(warp: W, ranks: &Ranks, iteration: &mut Iteration) {
        // SAFETY: counted by an earlier launch.
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
}

impl PlainKernel for RankStep {
    type Arguments = RankArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, ranks: RankArguments) {
        // SAFETY: the kernel's contract.
        let ranks = unsafe { Ranks::new(ranks) };
        // SAFETY: steps are from 1 on.
        let Some(mut iteration) = (unsafe { Iteration::begin(warp, ranks) }) else {
            return;
        };
        // SAFETY: over these arguments.
        unsafe {
            Self::hubs(warp, &ranks, &mut iteration);
            if W::IS_SOLO {
                solo::others(warp, &ranks, &mut iteration);
            } else {
                simt::others(warp, &ranks, &mut iteration);
            }
        }
        iteration.end(warp);
    }
}
