//! The vertices that a warp adds to the next frontier.
//!
//! Vertices wait in the warp's scratch memory until there are many: reserving positions in
//! the queue is an atomic addition to one word, which the L2 cache serves one after the
//! other.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::{CHUNK, Search, word};
use crate::graph::chunks::{Chunk, append};
use crate::graph::store::VertexId;
use crate::simt::reduce::has;
use crate::simt::{SCRATCH_BYTES, Warp, rank};

/// Vertices that the scratch memory has room for.
const ROOM: u32 = SCRATCH_BYTES as u32 / 4;

/// Vertices that are added between two calls of `make_room`, at the most: four a lane.
const ADDED: u32 = 128;

/// The part of the next frontier that a warp has found.
pub struct Next<'a> {
    search: &'a Search,
    /// Where in the queue the next frontier begins.
    begin: u32,
    /// Vertices in scratch memory.
    waiting: u32,
    /// Vertices that this warp has found.
    vertices: u32,
    /// Edges of the vertices that this lane has counted.
    edges: u32,
}

impl<'a> Next<'a> {
    /// Nothing as yet, of a frontier whose chunks begin at position `begin`.
    pub const fn new(search: &'a Search, begin: u32) -> Self {
        Self {
            search,
            begin,
            waiting: 0,
            vertices: 0,
            edges: 0,
        }
    }

    /// Adds the vertices of lanes that have `found` one, to be enqueued. All lanes call
    /// this.
    ///
    /// # Safety
    ///
    /// There is room, and `vertex` exists where one is found.
    #[inline(always)]
    pub unsafe fn add<W: Warp>(&mut self, warp: W, found: bool, vertex: u32) {
        let finds = warp.ballot(W::FULL, found);
        if has(finds, warp.lane()) {
            let position = self.waiting + rank(finds, warp.lane());
            // SAFETY: scratch memory has room for it, the caller says.
            unsafe {
                let waiting = warp.scratch().cast::<u32>();
                waiting.add(position as usize).write(vertex);
            }
        }
        self.waiting += finds.count_ones();
        self.vertices += finds.count_ones();
    }

    /// Counts a vertex that this lane has found and that is not to be enqueued.
    #[inline(always)]
    pub fn count_edges(&mut self, vertex: VertexId) {
        self.edges += self.search.outgoing(vertex).degree;
    }

    /// Counts so many vertices of all lanes that are not to be enqueued.
    #[inline(always)]
    pub fn count_vertices(&mut self, vertices: u32) {
        self.vertices += vertices;
    }

    /// Makes room for four more vertices of each lane. All lanes call this.
    ///
    /// # Safety
    ///
    /// As for `enqueue`.
    #[inline(always)]
    pub unsafe fn make_room<W: Warp>(&mut self, warp: W) {
        if self.waiting > ROOM - ADDED {
            // SAFETY: the vertices that wait are not added again.
            unsafe { self.enqueue(warp) };
        }
    }

    /// Enqueues the vertices that wait, and counts their edges. All lanes call this.
    ///
    /// # Safety
    ///
    /// No vertex is added twice in a search.
    #[inline(always)]
    pub unsafe fn enqueue<W: Warp>(&mut self, warp: W) {
        let search = self.search;
        // The lanes' vertices are written.
        warp.sync(W::FULL);
        let mut first = 0;
        while first < self.waiting {
            let mut row = Chunk::default();
            if first + warp.lane() < self.waiting {
                // SAFETY: below the number of those that wait, which exist.
                let vertex = unsafe {
                    let waiting = warp.scratch().cast::<u32>();
                    VertexId::new(*waiting.add((first + warp.lane()) as usize))
                };
                row = Chunk::row(vertex.number(), search.outgoing(vertex), 0);
            }
            self.edges += row.length;
            let chunks = search.of_frontier::<{ word::CHUNKS }>(1);
            // SAFETY: the queue has room for the chunks of all vertices, each once.
            unsafe {
                let queue = search.queue.add(self.begin as usize);
                append::<CHUNK, W>(warp, queue, chunks, row);
            }
            first += W::LANES;
        }
        self.waiting = 0;
        // They were read, before others take their place.
        warp.sync(W::FULL);
    }

    /// Adds what was counted to the counts of the next frontier. All lanes call this.
    #[inline(always)]
    pub fn add_counts<W: Warp>(&self, warp: W) {
        let edges = warp.all_sum(self.edges);
        if warp.lane() == 0 && self.vertices > 0 {
            let index = word::COUNTS + warp.warp() as usize % word::SPREAD;
            let counts = u64::from(self.vertices) << 32 | u64::from(edges);
            // SAFETY: one of the words that counts are spread over, accessed as an atomic one.
            let word = unsafe {
                let word = self.search.header.add(self.search.frontier(1) + index);
                &*word.cast::<AtomicU64>()
            };
            // Relaxed: the next launch reads the sum.
            word.fetch_add(counts, Relaxed);
        }
    }
}
