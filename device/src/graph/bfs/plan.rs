//! The host's side of breadth-first search.

use super::{SearchArguments, SearchLevel, SearchStart, word};
use crate::graph::store::plan::Graph;
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

/// The layout of the workspace of a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchSpace {
    depths: usize,
    lists: [usize; 2],
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

    /// For a graph of that many vertices.
    pub fn new(vertices: u32) -> Self {
        let vertices = vertices as usize;
        let mut layout = WorkspaceLayout::default();
        layout.reserve(4 * Self::HEADER_WORDS);
        Self {
            depths: layout.reserve(4 * vertices),
            lists: [layout.reserve(4 * vertices), layout.reserve(4 * vertices)],
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

    /// How far the search has come after the launches of levels `0..launched`.
    pub fn state(header: &[u32; Self::HEADER_WORDS], launched: u32) -> SearchState {
        SearchState {
            reached: header[word::REACHED],
            depth: header[word::DEPTH],
            ended: header[(launched % 3) as usize] == 0,
        }
    }
}

impl Graph {
    fn search_arguments(
        &self,
        space: &SearchSpace,
        workspace: *mut u8,
        source: u32,
        depth: u32,
    ) -> SearchArguments {
        let list = |ahead: u32| {
            let offset = space.lists[((depth + ahead) % 2) as usize];
            workspace.wrapping_add(offset).cast()
        };
        SearchArguments {
            records: self.contiguous_records(),
            depths: workspace.wrapping_add(space.depths).cast(),
            level: list(0),
            next: list(1),
            header: workspace.cast(),
            vertices: self.shape.vertices,
            source,
            depth,
        }
    }

    /// The launch before the levels of a search.
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

    /// The launch of a level, numbered from 0. One after the last that is
    /// needed does nothing.
    pub fn search_level(
        &self,
        space: &SearchSpace,
        workspace: *mut u8,
        depth: u32,
    ) -> PlannedLaunch {
        let arguments = self.search_arguments(space, workspace, 0, depth);
        // A level is seldom a large part of the graph.
        let threads = self.shape.vertices.min(1 << 17);
        PlannedLaunch::of::<SearchLevel>(Grid::strided(threads), arguments)
    }
}
