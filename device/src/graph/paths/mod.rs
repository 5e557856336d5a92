//! Shortest paths: the least sum of weights from a vertex to each one.
//!
//! Near and far (Davidson, Baxter, Garland and Owens 2014). A vertex whose distance became less is
//! *near* if the distance is below a bound, else *far*. A step relaxes the edges of all near
//! vertices, until there are none. Then the bound rises, and a step divides the far vertices anew.
//! A small `delta`, by which the bound rises, relaxes few edges twice; a large one takes fewer steps,
//! each with more to do (`plan`).
//!
//! A launch is a step. All warps decide alike which it is, by words that the launch before has left,
//! and a step after the last does nothing, so that the host launches steps ahead. A launch takes longer
//! to begin than a few vertices take; so a warp goes on with the vertices that it has made near itself,
//! some times over, before it leaves them to the next step.
//!
//! A distance is a word of 64 bits: the sum of integers, or the bits of an `f32`, which order as the
//! numbers do. The sums of `f32` are rounded at each edge. Rounded addition is monotone and a weight
//! is not negative, so that a greater distance of a vertex never makes a smaller one of a neighbour.
//! The relaxation has one least fixed point then, whichever order edges are relaxed in: the least
//! rounded sum over all paths, equal in bits on every backend.
//!
//! Without weights, each edge has length 1. Such a search goes on where a breadth-first search has come
//! to a stop (`start`): where levels are narrow and many, warps that need not meet at each level take
//! less time than those that must.
//!
//! Traffic: for each edge of a near vertex 8 bytes of row and the sector of a distance; for each vertex
//! that becomes near its record, and if it is left to the next step, its record again, a stamp and 8
//! bytes twice.

mod edge;
mod found;
mod front;
#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;
mod sample;
mod start;
mod step;
pub mod tree;

pub use sample::{SampleArguments, WeightSample};
pub use start::{PathContinue, PathStart};
pub use step::PathStep;

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use crate::arguments;
use crate::graph::store::{Vertex, VertexId};
use crate::kernel::Valid;

/// The distance of a vertex that was not reached.
pub const UNREACHED: u64 = u64::MAX;

/// No step has this number; that of the start is 0.
const NO_STEP: u32 = u32::MAX;

/// Entries of a row that one lane takes from the queue, at the most.
pub const CHUNK: u32 = 64;

/// Words of the header, by number.
///
/// A frontier has words: there are three, that which a step begins with, the one that it makes, and
/// one that is cleared. So has a pile, the far vertices between two divisions.
pub mod word {
    /// The number of chunks of near vertices.
    pub const NEAR: usize = 0;
    /// The bound below which vertices are near.
    pub const BOUND: usize = 1;
    /// Divisions before.
    pub const DIVISIONS: usize = 2;
    /// The number of the step, from 1.
    pub const STEP: usize = 3;
    /// Steps before that have relaxed edges.
    pub const RELAXED: usize = 4;
    /// Words of a frontier.
    pub const FRONTIER: usize = 5;
    /// The first word of the piles.
    pub const PILES: usize = 3 * FRONTIER;
    /// The number of far vertices.
    pub const FAR: usize = 0;
    /// The complement of a distance that no far vertex is below.
    pub const MIN_DISTANCE: usize = 1;
    /// Words of a pile.
    pub const PILE: usize = 2;
    /// The number of vertices whose distance was raised.
    pub const RAISED: usize = PILES + 3 * PILE;
    /// 1 if changes have become too large for a word.
    pub const OVERFLOWS: usize = RAISED + 1;
    /// The first of three words: whether vertices have yet to climb after a launch, after the one
    /// before, and one that is cleared.
    pub const CLIMBS: usize = OVERFLOWS + 1;
    /// Number of words.
    pub const COUNT: usize = CLIMBS + 3;
}

arguments! {
    /// A search for shortest paths.
    pub struct SsspArguments {
        pointers {
            /// `vertices` records of out-neighbours, with weights if there are any.
            outgoing: Vertex,
            /// A distance for each vertex.
            distances: u64,
            /// For each vertex the last step that has enqueued it.
            stamps: u32,
            /// For each vertex 1 if it is in the pile, else 0.
            piled: u32,
            /// `2 * chunks` words: chunks of near vertices of steps of even and of odd number, each
            /// a vertex and, in the high half, the number of the chunk in its row.
            near: u64,
            /// `2 * vertices` words: far vertices after divisions of even and of odd number.
            far: u32,
            /// `word::COUNT` words.
            header: u64,
            /// For `PathContinue`, the depths that a breadth-first search has found, one for each
            /// vertex.
            depths: u32,
        }
        integers {
            /// Vertices.
            vertices: u32,
            /// The most chunks that all rows have.
            chunks: u32,
            /// The vertex to start from.
            source: u32,
            /// The number of this launch, from 1; 0 to start.
            launch: u32,
            /// By how much the bound rises: an integer, or the bits of an `f32`.
            delta: u32,
            /// Whether weights are the bits of an `f32`.
            is_real: bool,
            /// Whether weights do not count, and each edge has length 1.
            is_unweighted: bool,
            /// For `PathContinue`, the least depth of a vertex that is near.
            depth: u32,
        }
    }
}

/// A search whose contract holds.
type Paths = Valid<SsspArguments>;

impl Paths {
    /// A word of the header.
    #[inline(always)]
    fn word(&self, index: u32) -> &AtomicU64 {
        // SAFETY: all callers stay below the number of words, which kernels access as atomic ones.
        unsafe { &*self.header.add(index as usize).cast::<AtomicU64>() }
    }

    /// A word of the frontier that the launch `ahead` of this one begins with.
    #[inline(always)]
    fn frontier<const WORD: usize>(&self, ahead: u32) -> &AtomicU64 {
        const { assert!(WORD < word::FRONTIER) };
        self.word((self.launch + ahead) % 3 * word::FRONTIER as u32 + WORD as u32)
    }

    /// A word of the pile after so many divisions.
    #[inline(always)]
    fn pile<const WORD: usize>(&self, divisions: u32) -> &AtomicU64 {
        const { assert!(WORD < word::PILE) };
        self.word(word::PILES as u32 + divisions % 3 * word::PILE as u32 + WORD as u32)
    }

    /// The distance of a vertex.
    #[inline(always)]
    fn distance(&self, vertex: VertexId) -> &AtomicU64 {
        // SAFETY: each vertex has one, accessed as an atomic word.
        unsafe { &*self.distances.add(vertex.index()).cast::<AtomicU64>() }
    }

    /// The row of a vertex' out-neighbours.
    #[inline(always)]
    fn row(&self, vertex: VertexId) -> Vertex {
        // SAFETY: each vertex has a record, which no thread writes to.
        unsafe { *self.outgoing.add(vertex.index()) }
    }

    /// The row of a vertex' out-neighbours, by one access of 16 bytes; of the first vertex if there is
    /// none.
    #[inline(always)]
    fn row_at_once(&self, vertex: Option<VertexId>) -> Vertex {
        let index = vertex.map_or(0, VertexId::index);
        // SAFETY: each vertex has a record, which no thread writes to; a search has a vertex.
        unsafe { Vertex::read_at_once(self.outgoing.add(index)) }
    }

    /// The weight of an entry that lies so many words before it.
    ///
    /// # Safety
    ///
    /// The entry is one of the graph, and no thread writes to its row.
    #[inline(always)]
    unsafe fn weight_of(&self, entry: *const u32, to_weight: u32) -> u32 {
        if self.is_unweighted {
            1
        } else {
            // SAFETY: each entry of a graph with weights has one.
            unsafe { *entry.add(to_weight as usize) }
        }
    }

    /// The distance behind an edge.
    #[inline(always)]
    fn sum(&self, distance: u64, weight: u32) -> u64 {
        if self.is_real {
            let sum = f32::from_bits(distance as u32) + f32::from_bits(weight);
            sum.to_bits().into()
        } else {
            // Paths have fewer than 2^31 edges.
            distance + u64::from(weight)
        }
    }

    /// The bound above `from`: greater, too, where `delta` is lost in rounding.
    #[inline(always)]
    fn next_bound(&self, from: u64) -> u64 {
        let sum = self.sum(from, self.delta);
        if sum > from { sum } else { from + 1 }
    }

    /// The last step that has enqueued a vertex.
    #[inline(always)]
    fn stamp_of(&self, vertex: VertexId) -> &AtomicU32 {
        // SAFETY: each vertex has a stamp, accessed as an atomic word.
        unsafe { &*self.stamps.add(vertex.index()).cast::<AtomicU32>() }
    }

    /// Forgets when a vertex was enqueued.
    #[inline(always)]
    fn clear_stamp(&self, vertex: VertexId) {
        // Relaxed: this warp's own enqueueing, or that of later launches, comes behind it.
        self.stamp_of(vertex).store(NO_STEP, Relaxed);
    }

    /// Whether this lane is the one that enqueues the vertex in a step.
    #[inline(always)]
    fn stamp(&self, vertex: VertexId, step: u32) -> bool {
        let stamp = self.stamp_of(vertex);
        // Relaxed: the exchange alone decides which lane enqueues the vertex.
        stamp.load(Relaxed) != step && stamp.swap(step, Relaxed) != step
    }

    /// The word that says whether a vertex is in the pile.
    #[inline(always)]
    fn piled(&self, vertex: VertexId) -> &AtomicU32 {
        // SAFETY: each vertex has one, accessed as an atomic word.
        unsafe { &*self.piled.add(vertex.index()).cast::<AtomicU32>() }
    }

    /// The chunks that a step begins with.
    #[inline(always)]
    fn near(&self, step: u32) -> *mut u64 {
        self.near
            .wrapping_add((step % 2) as usize * self.chunks as usize)
    }

    /// The pile after so many divisions.
    #[inline(always)]
    fn far(&self, divisions: u32) -> *mut u32 {
        self.far
            .wrapping_add((divisions % 2) as usize * self.vertices as usize)
    }
}
