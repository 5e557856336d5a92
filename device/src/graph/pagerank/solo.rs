//! An iteration over contiguous blocks in scalar code, but for hubs.
//!
//! The loop is bound by branch mispredictions and memory latency. A vertex's degree is
//! unpredictable, so its last neighbours are processed under a tail mask instead of in a
//! scalar tail loop, and blocks are prefetched some vertices ahead. Ranks are settled in
//! batches, by a loop that the compiler vectorizes.

use core::array;

use super::contribution::{NewRank, Outgoing};
use super::{Iteration, Ranks};
use crate::simt::Warp;
use crate::simt::prefetch::{PREFETCH_DISTANCE, prefetch};
use crate::simt::reduce::to_fixed;
use crate::simt::rows::Rows;
use crate::simt::tail::{Four, TAIL_MASKS};

/// Vertices that are settled as one batch, in vector registers.
const BATCH: usize = 16;

/// The sum of the contributions of `end` neighbours. The last load of four words may include words behind the last
/// neighbour, which count as 0.
///
/// # Safety
///
/// The neighbours are those of a block from a multiple of four on: to its end, or to
/// another multiple; there is a vertex 0.
#[inline(always)]
pub unsafe fn pull(entries: *const u32, end: u32, contributions: *const f32) -> f64 {
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
            let contribution = |index: usize| f64::from(*contributions.add(four[index] as usize));
            sum += (contribution(0) + contribution(1)) + (contribution(2) + contribution(3));
        }
        at += 4;
    }
    // SAFETY: blocks are requested in units of 16 bytes, so four entries are there
    // if one is; there are masks for up to four; what is no neighbour is 0, a vertex.
    unsafe {
        let Four(four) = *entries.add(at as usize).cast::<Four>();
        let Four(mask) = *TAIL_MASKS.as_ptr().add((end - at) as usize);
        let contribution = |index: usize| {
            let contribution = *contributions.add(four[index] as usize);
            f64::from(f32::from_bits(contribution.to_bits() & mask[index]))
        };
        sum + ((contribution(0) + contribution(1)) + (contribution(2) + contribution(3)))
    }
}

/// The sum of a vertex that is in this warp's rows up to `end`; nothing if it is a
/// hub or was deleted.
///
/// # Safety
///
/// The vertex exists, and `end` is at most their number.
#[inline(always)]
unsafe fn pull_one(ranks: &Ranks, vertex: u32, end: u32) -> Option<f64> {
    // SAFETY: below the number of vertices.
    unsafe {
        if vertex + PREFETCH_DISTANCE < end {
            prefetch((*ranks.incoming.add((vertex + PREFETCH_DISTANCE) as usize)).address);
        }
        let record = *ranks.incoming.add(vertex as usize);
        let other = record.degree <= ranks.hub && !record.is_absent();
        other.then(|| pull(record.entries(), record.degree, ranks.contributions))
    }
}

impl Iteration {
    /// Stores the ranks of vertices from `first` on whose in-neighbours' contributions have
    /// these sums: what [`Iteration::settle`] does for one.
    ///
    /// # Safety
    ///
    /// The vertices exist and are this lane's.
    #[inline(always)]
    unsafe fn settle_batch(&mut self, first: u32, sums: &[f64; BATCH]) {
        let (factor, contributions, next) =
            (self.factor, self.ranks.contributions, self.ranks.next);
        // SAFETY: such vertices; the steps read what belongs to a vertex.
        unsafe {
            // A loop for each kind of step, with no question in it.
            if factor > 1.0 {
                self.settle_by(first, sums, |at, given, rank| {
                    given.over_relaxed(rank, *next.add(at), factor)
                });
            } else {
                self.settle_by(first, sums, |at, given, rank| {
                    given.plain(rank, *contributions.add(at))
                });
            }
        }
    }

    /// The same with steps made by `step` from the number of a vertex, what it is given
    /// and its rank.
    ///
    /// # Safety
    ///
    /// As above.
    #[inline(always)]
    unsafe fn settle_by(
        &mut self,
        first: u32,
        sums: &[f64; BATCH],
        step: impl Fn(usize, NewRank, f32) -> Outgoing,
    ) {
        let ranks = &self.ranks;
        let at = first as usize;
        // SAFETY: these vertices exist.
        let degree = |index: usize| unsafe { (*ranks.outgoing.add(at + index)).degree };
        let degrees: [u32; BATCH] = array::from_fn(degree);
        let (mut new, mut contributions) = ([0.0; BATCH], [0.0; BATCH]);
        let mut changes = [0.0; BATCH];
        // SAFETY: words of these vertices; arrays of `f32` are aligned as one is.
        unsafe {
            let old = *ranks.ranks.add(at).cast::<[f32; BATCH]>();
            for index in 0..BATCH {
                let exact = self.all + self.damping * sums[index];
                let given = NewRank::new(exact, degrees[index]);
                let made = step(at + index, given, old[index]);
                (new[index], contributions[index]) = (made.rank, made.contribution);
                changes[index] = made.change.abs();
            }
            ranks.ranks.add(at).cast::<[f32; BATCH]>().write(new);
            ranks
                .next
                .add(at)
                .cast::<[f32; BATCH]>()
                .write(contributions);
        }
        for index in 0..BATCH {
            self.tally.change += to_fixed(changes[index]);
            self.tally.count_dangling(degrees[index], new[index]);
        }
    }
}

/// Settles the vertices of this warp that are no hubs.
///
/// # Safety
///
/// `iteration` is one over the same arguments; the warp has one lane.
#[inline(always)]
pub unsafe fn others<W: Warp>(warp: W, ranks: &Ranks, iteration: &mut Iteration) {
    let rows = Rows::new(warp, ranks.vertices, 1);
    let mut first = rows.first;
    while first < rows.end {
        // How many from `first` on have sums.
        let mut sums = [0.0; BATCH];
        let mut found = 0;
        // SAFETY: the vertices are in this warp's rows.
        unsafe {
            while found < BATCH && first + (found as u32) < rows.end {
                let Some(sum) = pull_one(ranks, first + found as u32, rows.end) else {
                    break;
                };
                sums[found] = sum;
                found += 1;
            }
            if found == BATCH {
                iteration.settle_batch(first, &sums);
                first += BATCH as u32;
                continue;
            }
            // Fewer: the rows end, or behind them is one that has none.
            for (vertex, &sum) in (first..).zip(&sums[..found]) {
                iteration.settle(vertex, sum);
            }
            first += found as u32 + 1;
        }
    }
}
