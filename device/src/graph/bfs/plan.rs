//! The host's side of breadth-first search.

use super::quads::ROOM;
use super::{CHUNK, SearchArguments, SearchNarrow, SearchStart, SearchStep, word};
use crate::graph::chunks::{Chunk, max_chunks};
use crate::graph::store::plan::Graph;
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

/// Steps from one that searches narrow frontiers to the next. Those between go on with a frontier
/// that has become wide; where it has not, they search a few levels more slowly.
const PERIOD: u32 = 8;

/// The layout of the workspace of a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchSpace {
    entries: u32,
    depths: usize,
    bitmaps: [usize; 2],
    queue: usize,
    owners: usize,
    bytes: usize,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchState {
    /// Vertices that were reached, the source among them.
    pub reached: u32,
    /// The greatest depth.
    pub depth: u32,
    /// Whether there is nothing more to reach.
    pub ended: bool,
}

impl SearchSpace {
    /// Words at the front of the workspace, for [`SearchSpace::state`].
    pub const HEADER_WORDS: usize = word::COUNT;

    /// For a graph of that many vertices, and that many entries of out-neighbours.
    pub fn new(vertices: u32, entries: u64) -> Self {
        let vertices = vertices as usize;
        let bitmap = 4 * vertices.div_ceil(32);
        let chunks = max_chunks::<CHUNK>(vertices, entries);
        let mut layout = WorkspaceLayout::default();
        layout.reserve(8 * Self::HEADER_WORDS);
        Self {
            // No store has more than it can number.
            entries: u32::try_from(entries).unwrap_or(u32::MAX),
            depths: layout.reserve(4 * vertices),
            bitmaps: [layout.reserve(bitmap), layout.reserve(bitmap)],
            queue: layout.reserve(size_of::<Chunk>() * chunks),
            owners: layout.reserve(4 * 2 * ROOM as usize),
            bytes: layout.bytes(),
        }
    }

    /// Bytes of the workspace, 256-byte aligned. Nothing of it need be 0.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where in the workspace the depths begin, 32 bits for each vertex;
    /// `u32::MAX` is not reached.
    pub fn depths_offset(&self) -> usize {
        self.depths
    }

    /// How far the search has come after the launches of steps `1..=launched`: before its
    /// end, what it has reached but for the last level.
    pub fn state(header: &[u64; Self::HEADER_WORDS], launched: u32) -> SearchState {
        let first = ((launched + 1) % 3) as usize * word::FRONTIER + word::COUNTS;
        SearchState {
            reached: header[word::REACHED] as u32,
            depth: header[word::DEEPEST] as u32,
            ended: header[first..first + word::SPREAD]
                .iter()
                .all(|&count| count == 0),
        }
    }
}

impl Graph {
    fn search_arguments(
        &self,
        space: &SearchSpace,
        workspace: *mut u8,
        source: u32,
        step: u32,
    ) -> SearchArguments {
        let at = |offset: usize| workspace.wrapping_add(offset);
        SearchArguments {
            outgoing: self.contiguous_records(),
            incoming: self.contiguous_incoming(),
            depths: at(space.depths).cast(),
            queue: at(space.queue).cast(),
            even: at(space.bitmaps[0]).cast(),
            odd: at(space.bitmaps[1]).cast(),
            owners: at(space.owners).cast(),
            header: workspace.cast(),
            vertices: self.shape.vertices,
            entries: space.entries,
            source,
            step,
            padded: self.has_padded_rows(),
        }
    }

    /// The launch before the steps of a search.
    ///
    /// # Panics
    ///
    /// If the source is no vertex.
    pub fn search_start(
        &self,
        space: &SearchSpace,
        workspace: *mut u8,
        source: u32,
    ) -> PlannedLaunch {
        assert!(source < self.shape.vertices);
        let arguments = self.search_arguments(space, workspace, source, 0);
        PlannedLaunch::of::<SearchStart>(Grid::strided(self.shape.vertices), arguments)
    }

    /// The launch of a step, numbered from 1. One in `PERIOD` searches narrow frontiers, level
    /// after level; of the others a level is at most two. A step after the last that is needed
    /// does nothing.
    ///
    /// # Panics
    ///
    /// If the step is 0.
    pub fn search_step(&self, space: &SearchSpace, workspace: *mut u8, step: u32) -> PlannedLaunch {
        assert!(step > 0);
        let arguments = self.search_arguments(space, workspace, 0, step);
        if step % PERIOD == 1 {
            return PlannedLaunch::of::<SearchNarrow>(Grid::Blocks(1), arguments);
        }
        // A level is seldom a large part of the graph.
        let threads = self.shape.vertices.min(1 << 17);
        PlannedLaunch::of::<SearchStep>(Grid::strided(threads), arguments)
    }
}
