//! Betweenness centrality: how many of the shortest paths from some sources lead through a vertex,
//! by the number of edges (Brandes 2001).
//!
//! A search by levels counts the shortest paths to each vertex: the sum of the counts of its
//! in-neighbours one level above. Then the levels are gone back. A vertex' *dependency* is its count
//! times the sum of `(1 + dependency) / count` over its out-neighbours one level below, and is added to
//! its score.
//!
//! Sums are pulled along rows in an order that the row alone defines (`sums`), never added to by several
//! threads. So the scores are equal in bits on every backend. Counts grow exponentially with the depth,
//! and have an exponent of their own (`scaled`).
//!
//! A launch is a step: a level forward or back, or the sums of the rows of a level that were divided
//! among warps. All warps decide alike which it is, by words that the launch before has left, and a step
//! after the last does nothing, so that the host launches steps ahead.
//!
//! Traffic: for each edge three times 4 bytes of row and the sector of a depth, and twice that of a count
//! where depths follow each other.

#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;
mod scaled;
mod step;
mod sums;

pub use scaled::Scaled;
pub use step::{BetweennessStart, BetweennessStep};

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use crate::arguments;
use crate::graph::chunks::Chunk;
use crate::graph::store::{Vertex, VertexId};
use crate::kernel::Valid;

/// The depth of a vertex that was not reached.
pub const UNREACHED: u32 = u32::MAX;

/// Entries of a chunk of a queue, which one lane or one warp sums.
pub const CHUNK: u32 = 256;

/// Words of the header, by number. There are three records of steps: that which a step begins with,
/// the one that it makes, and one that is cleared.
pub mod word {
    /// The number of chunks of out-neighbours that the level ahead has.
    pub const CHUNKS: usize = 0;
    /// The position of the first of them.
    pub const BEGIN: usize = 1;
    /// The same of in-neighbours, in a directed graph.
    pub const INCOMING: usize = 2;
    /// The position of the first of them.
    pub const INCOMING_BEGIN: usize = 3;
    /// The level of the step.
    pub const LEVEL: usize = 4;
    /// The kind of the step.
    pub const KIND: usize = 5;
    /// 1 if a row of the level has several chunks.
    pub const DIVIDED: usize = 6;
    /// Words of a record.
    pub const RECORD: usize = 7;
    /// Number of words.
    pub const COUNT: usize = 3 * RECORD;
}

arguments! {
    /// The search from a source.
    pub struct BetweennessArguments {
        pointers {
            /// `vertices` records of out-neighbours.
            outgoing: Vertex,
            /// The same of in-neighbours; those of an undirected graph are the same.
            incoming: Vertex,
            /// A depth for each vertex.
            depths: u32,
            /// The number of shortest paths to each vertex that was reached.
            counts: Scaled,
            /// For each vertex that was reached `(1 + dependency) / count`.
            quotients: Scaled,
            /// The sums of chunks, by the positions of these.
            partial: Scaled,
            /// The score of each vertex.
            scores: f64,
            /// Chunks of out-neighbours of all levels, each once.
            queue: Chunk,
            /// The same of in-neighbours, in a directed graph.
            incoming_queue: Chunk,
            /// For each level and one more the position of its first chunk.
            begins: u32,
            /// The same of in-neighbours, in a directed graph.
            incoming_begins: u32,
            /// `word::COUNT` words.
            header: u64,
        }
        integers {
            /// Vertices.
            vertices: u32,
            /// The vertex to start from.
            source: u32,
            /// The number of this launch, from 1; 0 to start.
            launch: u32,
            /// Whether in-neighbours are others than out-neighbours.
            directed: bool,
            /// Whether the start makes the scores 0.
            is_first: bool,
        }
    }
}

/// A search whose contract holds.
type Paths = Valid<BetweennessArguments>;

/// The chunks of a level.
#[derive(Clone, Copy)]
struct Chunks {
    queue: *mut Chunk,
    /// The position of the first one.
    begin: u32,
    /// Their number.
    count: u32,
}

impl Chunks {
    /// The chunk of a lane at a place among them; one without entries behind the last.
    ///
    /// # Safety
    ///
    /// Launches before have enqueued them.
    #[inline(always)]
    unsafe fn get(&self, place: u32) -> Chunk {
        if place < self.count {
            // SAFETY: below their number.
            unsafe { *self.queue.add((self.begin + place) as usize) }
        } else {
            Chunk::default()
        }
    }
}

impl Paths {
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
        self.record::<{ word::INCOMING }>(ahead).store(0, Relaxed);
        self.record::<{ word::INCOMING_BEGIN }>(ahead)
            .store(0, Relaxed);
        self.record::<{ word::LEVEL }>(ahead).store(0, Relaxed);
        self.record::<{ word::KIND }>(ahead).store(0, Relaxed);
        self.record::<{ word::DIVIDED }>(ahead).store(0, Relaxed);
    }

    /// The depth of a vertex.
    #[inline(always)]
    fn depth(&self, vertex: VertexId) -> &AtomicU32 {
        // SAFETY: each vertex has one, accessed as an atomic word.
        unsafe { &*self.depths.add(vertex.index()).cast::<AtomicU32>() }
    }

    /// The row of a vertex' out-neighbours.
    #[inline(always)]
    fn outgoing(&self, vertex: VertexId) -> Vertex {
        // SAFETY: each vertex has a record, which no thread writes to.
        unsafe { *self.outgoing.add(vertex.index()) }
    }

    /// The row of a vertex' in-neighbours.
    #[inline(always)]
    fn incoming(&self, vertex: VertexId) -> Vertex {
        // SAFETY: as above.
        unsafe { *self.incoming.add(vertex.index()) }
    }

    /// The chunks of a level's out-neighbours, once the next level is known.
    #[inline(always)]
    fn outgoing_chunks(&self, level: u32) -> Chunks {
        // SAFETY: launches before have left the positions of the level and the next one.
        unsafe {
            let begin = *self.begins.add(level as usize);
            Chunks {
                queue: self.queue,
                begin,
                count: *self.begins.add(level as usize + 1) - begin,
            }
        }
    }

    /// The chunks along which a level's counts are summed, once the next level is known.
    #[inline(always)]
    fn counted_chunks(&self, level: u32) -> Chunks {
        if !self.directed {
            return self.outgoing_chunks(level);
        }
        // SAFETY: as above.
        unsafe {
            let begin = *self.incoming_begins.add(level as usize);
            Chunks {
                queue: self.incoming_queue,
                begin,
                count: *self.incoming_begins.add(level as usize + 1) - begin,
            }
        }
    }
}
