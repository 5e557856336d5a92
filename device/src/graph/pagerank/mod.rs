//! PageRank by power iteration, pulling over in-neighbours.
//!
//! An iteration is one launch. A vertex' new rank is the sum of its
//! in-neighbours' contributions (rank by out-degree), damped, plus what everybody gets:
//! the random jump and an equal part of the ranks of vertices without
//! out-edges. The change and the mass of such vertices are summed for the next
//! launch, which does nothing if the change was small enough: so the host may
//! launch iterations ahead and look at the sums later.
//!
//! Ranks and contributions are stored as `f32`; what is left is the rounding of stored
//! values, a digit of 24 bits at most. All sums are exact: those of contributions in `f64`
//! (see `contribution`), those over all vertices as integers. So ranks do not depend, in a single
//! bit, on the layout, the number of threads or the parts in which a graph is processed.
//!
//! In an undirected graph steps may be over-relaxed, which takes fewer of them: see
//! `relaxation`. The last step is plain.
//!
//! Traffic of an iteration: 4 bytes and the 32-byte sector of a contribution for each
//! edge, two records, and a rank and a contribution read and written for each vertex; an
//! over-relaxed one reads and writes the same. Linked pages are read whole, 64 bytes for up
//! to 15 edges, and with those of a hub's section its 32 bytes in the directory.

mod contribution;
mod hub;
mod linked;
#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;
pub mod relaxation;
mod simt;
mod solo;
mod start;
mod step;

pub use hub::{Hub, Part};
pub use linked::LinkedRankStep;
pub use start::{RankClear, RankStart};
pub use step::RankStep;

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::arguments;
use crate::graph::store::Vertex;
use crate::kernel::Valid;
use crate::simt::Warp;
use crate::simt::reduce::{all_sum64, from_fixed, to_fixed};
use contribution::NewRank;
use relaxation::Relaxation;

/// Words over which a sum is spread, so that warps do not queue for one.
pub const SLOTS: u32 = 16;
/// Words for an iteration: the sums of changes, then of the ranks of vertices without
/// out-edges; and two for how its steps were over-relaxed.
pub const SUM_WORDS: u32 = RELAXATION + 2;
/// The first of those two: the factor.
const RELAXATION: u32 = 2 * SLOTS;

arguments! {
    /// A computation of ranks.
    pub struct RankArguments {
        pointers {
            /// Records of the in-neighbours.
            incoming: Vertex,
            /// Records of the out-neighbours; the same in undirected graphs.
            outgoing: Vertex,
            /// A rank for each vertex.
            ranks: f32,
            /// A contribution for each vertex, of the iteration before.
            contributions: f32,
            /// A contribution for each vertex, of this iteration or the start.
            next: f32,
            /// `SUM_WORDS` words for the start and for each iteration.
            sums: u64,
            /// Vertices that are divided.
            hubs: Hub,
            /// Their parts.
            parts: Part,
            /// The number of hubs, and of parts.
            counts: u32,
        }
        integers {
            /// Vertices.
            vertices: u32,
            /// Vertices that were not deleted; at least one.
            present: u32,
            /// Number of this iteration, from 1; 0 to start.
            iteration: u32,
            /// Iterations that there are sums for.
            limit: u32,
            /// The probability of following an edge.
            damping: f64,
            /// The change, summed over vertices, at which to stop.
            tolerance: f64,
            /// Lanes for a vertex: a power of two.
            group: u32,
            /// Vertices of more neighbours are hubs.
            hub: u32,
            /// Neighbours of a hub for which there is a part, as a power of two.
            part_bits: u32,
            /// Whether to start from the ranks that are there.
            resume: bool,
            /// Whether steps are over-relaxed, in graphs whose out-neighbours are in-neighbours.
            accelerated: bool,
        }
    }
}

/// A computation whose contract holds.
type Ranks = Valid<RankArguments>;

impl Ranks {
    /// A word of an iteration.
    ///
    /// # Safety
    ///
    /// The iteration is at most the limit, and `slot` is below `SUM_WORDS`.
    #[inline(always)]
    unsafe fn word(&self, iteration: u32, slot: u32) -> &AtomicU64 {
        let at = iteration * SUM_WORDS + slot;
        // SAFETY: there are as many words, accessed as atomic ones while they may change.
        unsafe { &*self.sums.add(at as usize).cast::<AtomicU64>() }
    }

    /// A word of an iteration before this one, or of the start. Not an atomic load,
    /// which bypasses L1: all warps read the same words, which no thread changes any more.
    ///
    /// # Safety
    ///
    /// The iteration is one before this one, and `slot` is below `SUM_WORDS`.
    #[inline(always)]
    unsafe fn past(&self, iteration: u32, slot: u32) -> u64 {
        // SAFETY: the end of an earlier launch ordered all changes of this word before.
        unsafe { *self.sums.add((iteration * SUM_WORDS + slot) as usize) }
    }

    /// The change by an iteration, and the dangling mass after it. All
    /// lanes call this; each reads a part.
    ///
    /// # Safety
    ///
    /// The iteration is one before this one.
    #[inline(always)]
    unsafe fn totals<W: Warp>(&self, warp: W, iteration: u32) -> (f64, f64) {
        let (mut change, mut dangling) = (0_u64, 0_u64);
        let mut word = warp.lane();
        while word < RELAXATION {
            // SAFETY: a word of that iteration.
            let value = unsafe { self.past(iteration, word) };
            if word < SLOTS {
                change += value;
            } else {
                dangling += value;
            }
            word += W::LANES;
        }
        (
            from_fixed(all_sum64(warp, change)),
            from_fixed(all_sum64(warp, dangling)),
        )
    }

    /// Whether the ranks after iteration `last` are done, if its change is `change`. The change is
    /// the residual of the ranks before that iteration. A plain step shrinks the residual by the
    /// damping; an over-relaxed step may raise it.
    ///
    /// # Safety
    ///
    /// The iteration is one before this one.
    #[inline(always)]
    unsafe fn is_done(&self, last: u32, change: f64) -> bool {
        // SAFETY: a word of that iteration.
        let factor = || f64::from_bits(unsafe { self.past(last, RELAXATION) });
        last > 0 && change <= self.tolerance && factor() <= 1.0
    }

    /// How the steps of this iteration are relaxed, if the last one's change is `change`.
    /// All lanes call this.
    ///
    /// # Safety
    ///
    /// This iteration is one from 1 on.
    #[inline(always)]
    unsafe fn relaxation<W: Warp>(&self, warp: W, change: f64) -> Relaxation {
        // SAFETY: words of this iteration, and of those before.
        unsafe {
            let last = self.iteration - 1;
            let mut relaxation = Relaxation::NONE;
            // A change within the tolerance calls for a plain step, which may be the last.
            if self.accelerated && last > 0 && change > self.tolerance {
                let (before, _) = self.totals(warp, last - 1);
                let stored = |word: u32| f64::from_bits(self.past(last, RELAXATION + word));
                let past = Relaxation {
                    factor: stored(0) as f32,
                    shown: stored(1),
                };
                relaxation = past.next(change, before, self.damping);
            }
            if warp.thread() == 0 {
                // Relaxed: read by the next launch.
                let store = |word: u32, value: f64| {
                    self.word(self.iteration, RELAXATION + word)
                        .store(value.to_bits(), Relaxed);
                };
                store(0, f64::from(relaxation.factor));
                store(1, relaxation.shown);
            }
            relaxation
        }
    }
}

/// The terms that a lane adds to the sums, as integers.
#[derive(Clone, Copy)]
struct Tally {
    change: u64,
    dangling: u64,
}

impl Tally {
    const NONE: Self = Self {
        change: 0,
        dangling: 0,
    };

    /// Stores a vertex' new rank and contribution for the rank `exact` of a plain step,
    /// over-relaxed by `factor`; returns the change of the rank.
    ///
    /// # Safety
    ///
    /// The vertex exists and is this lane's.
    #[inline(always)]
    unsafe fn settle(&mut self, ranks: &Ranks, vertex: u32, exact: f64, factor: f32) -> f64 {
        let at = vertex as usize;
        // SAFETY: each vertex has these words, which only its lane accesses.
        unsafe {
            let degree = (*ranks.outgoing.add(at)).degree;
            let rank = *ranks.ranks.add(at);
            let given = NewRank::new(exact, degree);
            let new = if factor > 1.0 {
                // The replaced word is the contribution of two iterations ago.
                given.over_relaxed(rank, *ranks.next.add(at), factor)
            } else {
                given.plain(rank, *ranks.contributions.add(at))
            };
            *ranks.next.add(at) = new.contribution;
            *ranks.ranks.add(at) = new.rank;
            self.count_dangling(degree, new.rank);
            new.change
        }
    }

    /// Counts the rank of a vertex if it has no out-edges.
    #[inline(always)]
    fn count_dangling(&mut self, degree: u32, rank: f32) {
        if degree == 0 {
            self.dangling += to_fixed(rank.into());
        }
    }

    /// Adds the sums of a warp's lanes to those of an iteration.
    ///
    /// # Safety
    ///
    /// The iteration is at most the limit.
    #[inline(always)]
    unsafe fn add<W: Warp>(&self, warp: W, ranks: &Ranks, iteration: u32) {
        let change = all_sum64(warp, self.change);
        let dangling = all_sum64(warp, self.dangling);
        if warp.lane() == 0 {
            let slot = warp.warp() % SLOTS;
            // SAFETY: words of the iteration.
            let word = |slot| unsafe { ranks.word(iteration, slot) };
            // Relaxed: read by later launches.
            if change > 0 {
                word(slot).fetch_add(change, Relaxed);
            }
            if dangling > 0 {
                word(SLOTS + slot).fetch_add(dangling, Relaxed);
            }
        }
    }
}

/// A warp's part of an iteration.
pub struct Iteration {
    ranks: Ranks,
    damping: f64,
    /// The rank that every vertex gets.
    all: f64,
    /// By how much its steps are over-relaxed.
    factor: f32,
    tally: Tally,
}

impl Iteration {
    /// Begins, unless the change of the iteration before was small enough.
    ///
    /// # Safety
    ///
    /// The iteration is one from 1 on, up to the limit.
    #[inline(always)]
    pub unsafe fn begin<W: Warp>(warp: W, ranks: Ranks) -> Option<Self> {
        // SAFETY: the last one is before this one.
        unsafe {
            let last = ranks.iteration - 1;
            let (change, dangling) = ranks.totals(warp, last);
            if ranks.is_done(last, change) {
                return None;
            }
            let damping = ranks.damping;
            Some(Self {
                ranks,
                damping,
                all: (1.0 - damping + damping * dangling) / f64::from(ranks.present),
                factor: ranks.relaxation(warp, change).factor,
                tally: Tally::NONE,
            })
        }
    }

    /// Stores the rank of a vertex whose in-neighbours' contributions have this sum.
    ///
    /// # Safety
    ///
    /// The vertex exists and is this lane's.
    #[inline(always)]
    pub unsafe fn settle(&mut self, vertex: u32, sum: f64) {
        let exact = self.all + self.damping * sum;
        // SAFETY: such a vertex.
        let change = unsafe { self.tally.settle(&self.ranks, vertex, exact, self.factor) };
        self.tally.change += to_fixed(change.abs());
    }

    /// Ends it. All lanes call this.
    #[inline(always)]
    pub fn end<W: Warp>(&self, warp: W) {
        // SAFETY: `begin` asks for an iteration up to the limit.
        unsafe { self.tally.add(warp, &self.ranks, self.ranks.iteration) };
    }
}
