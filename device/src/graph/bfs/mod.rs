//! Breadth-first search: the distance of each vertex from one.
//!
//! Direction-optimizing (Beamer, Asanović and Patterson 2012). While the frontier has few
//! edges, it is a queue of chunks of rows, whose entries the warps share, and whoever
//! exchanges a neighbour's depth first enqueues it (`top_down`). While it has many, it is
//! a bitmap, and each vertex that was not reached looks for one of its in-neighbours in it,
//! up to the first (`bottom_up`).
//!
//! A launch is a step: a level, or the change from one form of the frontier to the other.
//! All warps decide alike which it is, by counts that the launch before has left (`level`).
//! A step after the last level does nothing, so the host launches steps ahead and does not
//! synchronise at each level. One step in some is of another kernel, by which one block
//! searches levels in a row as long as frontiers are narrow (`narrow`).
//!
//! Traffic: top-down, for each edge of the frontier 4 bytes and the 32-byte sector of a
//! depth, after a chunk of 16 bytes, four dependent accesses to the exchange; and for each
//! vertex found its record and its chunk. Bottom-up, for each vertex 4 bytes, and if it was
//! not reached its record, a 32-byte sector of entries and, in L1 or L2, one of the bitmap
//! for every eight that are looked at, four dependent accesses. A change of form reads 4
//! bytes for each vertex. On a Kronecker graph of 2^20 vertices and 31.4 million entries
//! two levels are bottom-up and look at 0.6 million entries, and top-down reads 0.4 million:
//! about 0.1 GB in eleven launches. Top-down alone would read 1.1 GB, mostly from L2.

mod bottom_up;
mod count;
mod level;
mod narrow;
mod next;
#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;
mod quads;
mod step;
mod top_down;

pub use narrow::SearchNarrow;
pub use step::{SearchStart, SearchStep};

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use crate::arguments;
use crate::graph::chunks::Chunk;
use crate::graph::store::{Vertex, VertexId};
use crate::kernel::Valid;
use crate::simt::Warp;

/// The depth of a vertex that was not reached.
pub const UNREACHED: u32 = u32::MAX;

/// Entries of a chunk of the queue: a warp that takes a chunk a lane reads no more than
/// 2,048, and all chunks of a search take a quarter byte an entry.
pub const CHUNK: u32 = 64;

/// Words of the header, by number. It has three blocks of words, each of a frontier: the
/// one that a step begins with, the one that it makes, and one that is cleared for the step
/// after it. Two words of the search follow.
pub mod word {
    /// The first of `SPREAD` words whose sum is the number of vertices of the frontier,
    /// times 2^32, and that of its edges.
    pub const COUNTS: usize = 0;
    /// Words over which counts are spread, so that warps do not queue for one.
    pub const SPREAD: usize = 32;
    /// The number of chunks in the queue.
    pub const CHUNKS: usize = COUNTS + SPREAD;
    /// The position of the first of them.
    pub const BEGIN: usize = CHUNKS + 1;
    /// The depth of the vertices of the frontier.
    pub const DEPTH: usize = CHUNKS + 2;
    /// 1 if the frontier is a bitmap, 0 if it is in the queue.
    pub const MARKED: usize = CHUNKS + 3;
    /// Entries but for those of the vertices of all levels before.
    pub const UNEXPLORED: usize = CHUNKS + 4;
    /// Edges of the frontier before.
    pub const BEFORE: usize = CHUNKS + 5;
    /// Words of a frontier.
    pub const FRONTIER: usize = CHUNKS + 6;
    /// Vertices that were reached, in all levels that have made a next one.
    pub const REACHED: usize = 3 * FRONTIER;
    /// The greatest depth of a vertex.
    pub const DEEPEST: usize = REACHED + 1;
    /// Number of words.
    pub const COUNT: usize = REACHED + 2;
}

arguments! {
    /// A search.
    pub struct SearchArguments {
        pointers {
            /// `vertices` records of out-neighbours.
            outgoing: Vertex,
            /// The same of in-neighbours; null if there are none, where the search is
            /// top-down throughout.
            incoming: Vertex,
            /// A depth for each vertex.
            depths: u32,
            /// Chunks, of the frontiers one behind the other: every vertex is enqueued
            /// once at the most.
            queue: Chunk,
            /// A bit for each vertex, in words: the frontiers of even depth.
            even: u32,
            /// The same for frontiers of odd depth.
            odd: u32,
            /// The vertices whose rows the quads of narrow frontiers are of: `2 * quads::ROOM`
            /// words.
            owners: u32,
            /// `word::COUNT` words.
            header: u64,
        }
        integers {
            /// Vertices.
            vertices: u32,
            /// Entries of all vertices' rows of out-neighbours.
            entries: u32,
            /// The vertex to start from.
            source: u32,
            /// The number of this step, from 1; 0 to start.
            step: u32,
            /// Whether rows are 16-byte aligned and have zeroes up to a multiple of four.
            padded: bool,
        }
    }
}

/// A search whose contract holds.
type Search = Valid<SearchArguments>;

impl Search {
    /// A word of the search.
    #[inline(always)]
    fn header<const INDEX: usize>(&self) -> &AtomicU64 {
        const { assert!(INDEX >= word::REACHED && INDEX < word::COUNT) };
        // SAFETY: the header has a word of this index, accessed as an atomic one.
        unsafe { &*self.header.add(INDEX).cast::<AtomicU64>() }
    }

    /// The first word of the frontier that the step `ahead` of this one begins with.
    #[inline(always)]
    fn frontier(&self, ahead: u32) -> usize {
        ((self.step + ahead) % 3) as usize * word::FRONTIER
    }

    /// A word of that frontier.
    #[inline(always)]
    fn of_frontier<const WORD: usize>(&self, ahead: u32) -> &AtomicU64 {
        const { assert!(WORD < word::FRONTIER) };
        // SAFETY: the header has the words of three frontiers, accessed as atomic ones.
        unsafe {
            let word = self.header.add(self.frontier(ahead) + WORD);
            &*word.cast::<AtomicU64>()
        }
    }

    /// Clears words of the header, a warp together.
    ///
    /// # Safety
    ///
    /// `first + count` is at most `word::COUNT`.
    #[inline(always)]
    unsafe fn clear<W: Warp>(&self, warp: W, first: usize, count: usize) {
        let mut index = warp.lane() as usize;
        while index < count {
            // SAFETY: a word of the header, accessed as an atomic one.
            let word = unsafe { &*self.header.add(first + index).cast::<AtomicU64>() };
            word.store(0, Relaxed);
            index += W::LANES as usize;
        }
    }

    /// A vertex, if there are so many.
    #[inline(always)]
    fn vertex(&self, index: u32) -> Option<VertexId> {
        // SAFETY: below their number.
        (index < self.vertices).then(|| unsafe { VertexId::new(index) })
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

    /// The row of a vertex' out-neighbours, by one access of 16 bytes; of the first vertex if
    /// there is none.
    #[inline(always)]
    fn outgoing_at_once(&self, vertex: Option<VertexId>) -> Vertex {
        let index = vertex.map_or(0, VertexId::index);
        // SAFETY: each vertex has a record, which no thread writes to; a search has a vertex.
        unsafe { Vertex::read_at_once(self.outgoing.add(index)) }
    }

    /// The bitmap of frontiers of this depth: a word for 32 vertices.
    #[inline(always)]
    fn bitmap(&self, depth: u32) -> *mut u32 {
        if depth.is_multiple_of(2) {
            self.even
        } else {
            self.odd
        }
    }

    /// Words of a bitmap.
    #[inline(always)]
    fn words(&self) -> u32 {
        self.vertices.div_ceil(32)
    }
}
