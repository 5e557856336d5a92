//! Before the first iteration: the sums are cleared, then the ranks are set to start
//! from, with what the first iteration is to know of them.

use core::sync::atomic::Ordering::Relaxed;

use super::{RankArguments, Ranks, SUM_WORDS, Tally};
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::rows::Rows;

/// Clears the sums of all iterations.
pub struct RankClear;

impl PlainKernel for RankClear {
    type Arguments = RankArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, ranks: RankArguments) {
        // SAFETY: the kernel's contract.
        let ranks = unsafe { Ranks::new(ranks) };
        let mut word = warp.thread();
        while word < (ranks.limit + 1) * SUM_WORDS {
            // SAFETY: below the number of words.
            unsafe { ranks.sums.add(word as usize).write(0) };
            word += warp.threads();
        }
        if warp.thread() == 0 {
            ranks.count::<0>().store(0, Relaxed);
            ranks.count::<1>().store(0, Relaxed);
        }
    }
}

/// Sets the ranks to start from, and lists the hubs.
pub struct RankStart;

impl PlainKernel for RankStart {
    type Arguments = RankArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, ranks: RankArguments) {
        // SAFETY: the kernel's contract.
        let ranks = unsafe { Ranks::new(ranks) };
        let even = 1.0 / ranks.present as f32;
        let mut tally = Tally::NONE;
        let rows = Rows::new(warp, ranks.vertices, W::LANES);
        let mut vertex = rows.first + warp.lane();
        while vertex < rows.end {
            // SAFETY: below the number of vertices.
            unsafe {
                let at = vertex as usize;
                let record = *ranks.incoming.add(at);
                if record.is_absent() {
                    *ranks.ranks.add(at) = 0.0;
                    *ranks.contributions.add(at) = 0.0;
                    *ranks.next.add(at) = 0.0;
                } else {
                    if !ranks.resume {
                        *ranks.ranks.add(at) = even;
                    }
                    *ranks.contributions.add(at) = 0.0;
                    tally.settle(&ranks, vertex, f64::from(*ranks.ranks.add(at)), 1.0);
                }
                if record.degree > ranks.hub {
                    ranks.list(vertex, record.degree);
                }
            }
            vertex += rows.step;
        }
        // SAFETY: iteration 0 is the start.
        unsafe { tally.add(warp, &ranks, 0) };
    }
}
