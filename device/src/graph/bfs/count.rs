//! Counts of the threads of a block, over the levels of a launch.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::level::Level;
use super::{Search, word};
use crate::graph::chunks::Chunk;
use crate::simt::{Block, Warp};

/// The part of one thread, in registers: sums over threads are made once, at the end.
#[derive(Clone, Copy)]
pub struct Count {
    /// Vertices of the newest frontier.
    vertices: u32,
    /// Their edges.
    edges: u32,
    /// Edges of the frontier before.
    before: u32,
    /// Vertices of all frontiers but the newest.
    reached: u32,
    /// Edges of all frontiers but the newest.
    explored: u32,
}

impl Count {
    /// One thread counts the frontier that the block begins with. A level at least follows.
    #[inline(always)]
    pub fn new<W: Warp>(block: Block<W>, level: &Level) -> Self {
        let own = u32::from(block.thread() == 0);
        Self {
            vertices: own * level.vertices,
            edges: own * level.edges,
            before: 0,
            reached: 0,
            explored: 0,
        }
    }

    /// Another frontier begins.
    #[inline(always)]
    pub fn advance(&mut self) {
        self.reached += self.vertices;
        self.explored += self.edges;
        self.before = self.edges;
        (self.vertices, self.edges) = (0, 0);
    }

    /// Counts a vertex that this thread has found, by its row, which is returned.
    #[inline(always)]
    pub fn add(&mut self, row: Chunk) -> Chunk {
        self.vertices += 1;
        self.edges += row.length;
        row
    }

    /// Leaves what the next step must know of the newest frontier, `levels` behind the first one.
    /// All threads of the block call this.
    #[inline(always)]
    pub fn pass_on<W: Warp>(&self, warp: W, search: &Search, level: &Level, levels: u32) {
        // In 64 bits: words wrap round to their sums, in whichever order warps add to them.
        let sum = |value: u32| u64::from(warp.all_sum(value));
        let counts = sum(self.vertices) << 32 | sum(self.edges);
        let (before, reached, explored) = (sum(self.before), sum(self.reached), sum(self.explored));
        // Relaxed, here and below: the next launch reads them.
        let add = |word: &AtomicU64, value: u64| {
            word.fetch_add(value, Relaxed);
        };
        let unexplored = search.of_frontier::<{ word::UNEXPLORED }>(1);
        if warp.lane() == 0 {
            add(search.of_frontier::<{ word::COUNTS }>(1), counts);
            add(search.of_frontier::<{ word::BEFORE }>(1), before);
            add(search.header::<{ word::REACHED }>(), reached);
            add(unexplored, explored.wrapping_neg());
        }
        if Block::of(warp).thread() == 0 {
            add(
                unexplored,
                u64::from(level.unexplored.wrapping_add(level.edges)),
            );
            let set = |word: &AtomicU64, value: u32| word.store(u64::from(value), Relaxed);
            set(
                search.of_frontier::<{ word::DEPTH }>(1),
                level.depth + levels,
            );
            set(
                search.of_frontier::<{ word::BEGIN }>(1),
                level.begin + level.chunks,
            );
            set(
                search.header::<{ word::DEEPEST }>(),
                level.depth + levels - 1,
            );
        }
    }
}
