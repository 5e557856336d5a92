//! Core numbers of an undirected graph: the k-core is its largest part in which each vertex has k
//! neighbours (Seidman 1983), and the core number of a vertex the greatest k whose core has it.
//!
//! Peeling (Matula and Beck 1983), a level k at a time, as ParK does (Dasari, Ranjan and Zubair 2014).
//! A vertex that has k neighbours left is *peeled*: it gets the core number k and counts no longer as
//! a neighbour, so that others come down to k. Once none has k neighbours left, the least number that
//! a vertex has is the next k. A self-loop makes no neighbour.
//!
//! A launch is a step: it measures the least number of neighbours left, or collects the vertices that
//! have it, or peels those that were enqueued. All warps decide alike which it is, by words that the
//! launch before has left, and a step after the last does nothing, so that the host
//! launches steps ahead.
//!
//! Nothing depends on the order of threads. Each edge of a peeled vertex takes one from the count of
//! its other end at most, whose count is therefore never below 0, and only the lane that brings it
//! down to k enqueues it.
//!
//! Traffic: for each level the counts twice; for each edge once 4 bytes of row and the sector of a
//! count.

mod peel;
#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;

pub use peel::{CoreStart, CoreStep};

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use crate::arguments;
use crate::graph::chunks::Chunk;
use crate::graph::store::{Vertex, VertexId};
use crate::kernel::Valid;

/// The core number of a vertex that was not peeled yet.
pub const UNPEELED: u32 = u32::MAX;

/// Entries of a chunk of the queue, as for a breadth-first search.
pub const CHUNK: u32 = 64;

/// Words of the header, by number. There are three records of steps: that which a step begins with,
/// the one that it makes, and one that is cleared.
pub mod word {
    /// The number of chunks that the step has enqueued.
    pub const CHUNKS: usize = 0;
    /// The position of the first of them.
    pub const BEGIN: usize = 1;
    /// The level.
    pub const LEVEL: usize = 2;
    /// The kind of the step.
    pub const KIND: usize = 3;
    /// The complement, in 32 bits, of the least number of neighbours that was measured; 0 if no
    /// vertex is left.
    pub const MIN_LEFT: usize = 4;
    /// Words of a record.
    pub const RECORD: usize = 5;
    /// Number of words.
    pub const COUNT: usize = 3 * RECORD;
}

arguments! {
    /// A computation of core numbers.
    pub struct CoreArguments {
        pointers {
            /// `vertices` records of neighbours.
            records: Vertex,
            /// For each vertex the neighbours that were not peeled.
            counts: u32,
            /// The core number of each vertex.
            cores: u32,
            /// Chunks of rows of peeled vertices, each enqueued once.
            queue: Chunk,
            /// `word::COUNT` words.
            header: u64,
        }
        integers {
            /// Vertices.
            vertices: u32,
            /// The number of this launch, from 1; 0 to start.
            launch: u32,
        }
    }
}

/// The kinds of steps. A start counts as a step that has peeled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepKind {
    /// Peels the vertices that were enqueued.
    Peel = 0,
    /// Measures the least number of neighbours.
    Measure = 1,
    /// Collects the vertices that have it.
    Collect = 2,
    /// Does nothing: no vertex is left.
    End = 3,
}

/// A computation whose contract holds.
type Cores = Valid<CoreArguments>;

/// A step, as the launch before has left it.
#[derive(Clone, Copy)]
struct Step {
    kind: StepKind,
    level: u32,
    /// The position in the queue of the first chunk.
    begin: u32,
    /// Chunks to peel.
    chunks: u32,
}

impl Cores {
    /// A word of the record that the launch `ahead` of this one begins with.
    #[inline(always)]
    fn record<const WORD: usize>(&self, ahead: u32) -> &AtomicU64 {
        const { assert!(WORD < word::RECORD) };
        let first = (self.launch + ahead) % 3 * word::RECORD as u32;
        // SAFETY: the header has the words of three records, accessed as atomic ones.
        unsafe { &*self.header.add(first as usize + WORD).cast::<AtomicU64>() }
    }

    /// Clears the words of a record.
    #[inline(always)]
    fn clear(&self, ahead: u32) {
        // Relaxed: no launch reads them before the next.
        self.record::<{ word::CHUNKS }>(ahead).store(0, Relaxed);
        self.record::<{ word::BEGIN }>(ahead).store(0, Relaxed);
        self.record::<{ word::LEVEL }>(ahead).store(0, Relaxed);
        self.record::<{ word::KIND }>(ahead).store(0, Relaxed);
        self.record::<{ word::MIN_LEFT }>(ahead).store(0, Relaxed);
    }

    /// A vertex, if there are so many.
    #[inline(always)]
    fn vertex(&self, index: u32) -> Option<VertexId> {
        // SAFETY: below their number.
        (index < self.vertices).then(|| unsafe { VertexId::new(index) })
    }

    /// The row of a vertex.
    #[inline(always)]
    fn row(&self, vertex: VertexId) -> Vertex {
        // SAFETY: each vertex has a record, which no thread writes to.
        unsafe { *self.records.add(vertex.index()) }
    }

    /// The number of neighbours that a vertex has left.
    #[inline(always)]
    fn count(&self, vertex: VertexId) -> &AtomicU32 {
        // SAFETY: each vertex has one, accessed as an atomic word.
        unsafe { &*self.counts.add(vertex.index()).cast::<AtomicU32>() }
    }

    /// The core number of a vertex.
    #[inline(always)]
    fn core(&self, vertex: VertexId) -> &AtomicU32 {
        // SAFETY: each vertex has one, accessed as an atomic word.
        unsafe { &*self.cores.add(vertex.index()).cast::<AtomicU32>() }
    }

    /// Whether a vertex is left, as it was before this launch or is now.
    #[inline(always)]
    fn is_left(&self, vertex: VertexId) -> bool {
        // Relaxed: the lane that enqueues the vertex is its only writer.
        self.core(vertex).load(Relaxed) == UNPEELED
    }

    /// The step of this launch.
    #[inline(always)]
    fn step(&self) -> Step {
        // Relaxed: written by the launch before.
        let chunks = self.record::<{ word::CHUNKS }>(0).load(Relaxed) as u32;
        let begin = self.record::<{ word::BEGIN }>(0).load(Relaxed) as u32;
        let level = self.record::<{ word::LEVEL }>(0).load(Relaxed) as u32;
        let kind = self.record::<{ word::KIND }>(0).load(Relaxed);
        let least = self.record::<{ word::MIN_LEFT }>(0).load(Relaxed) as u32;
        let (kind, level) = if kind == StepKind::End as u64 {
            (StepKind::End, level)
        } else if kind == StepKind::Measure as u64 {
            match least {
                0 => (StepKind::End, level),
                _ => (StepKind::Collect, !least),
            }
        } else if chunks > 0 {
            (StepKind::Peel, level)
        } else {
            (StepKind::Measure, level)
        };
        Step {
            kind,
            level,
            begin,
            chunks,
        }
    }
}
