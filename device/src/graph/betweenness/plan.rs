//! The host's side of betweenness centrality.

use super::step::StepKind;
use super::{BetweennessArguments, BetweennessStart, BetweennessStep, CHUNK, Scaled, word};
use crate::graph::chunks::{Chunk, max_chunks};
use crate::graph::store::plan::Graph;
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

/// The layout of the workspace of a computation of betweenness.
#[derive(Clone, Copy, Debug)]
pub struct BetweennessSpace {
    depths: usize,
    counts: usize,
    quotients: usize,
    partial: usize,
    scores: usize,
    queues: [usize; 2],
    begins: [usize; 2],
    bytes: usize,
}

/// A search of a computation: from a source, the first of them or another.
#[derive(Clone, Copy, Debug)]
pub struct BetweennessSource {
    /// The vertex.
    pub vertex: u32,
    /// Whether scores begin at 0.
    pub is_first: bool,
}

impl BetweennessSpace {
    /// Words at the front of the workspace, for [`BetweennessSpace::has_ended`].
    pub const HEADER_WORDS: usize = word::COUNT;

    /// For a graph of that many vertices, and that many entries of out-neighbours.
    pub fn new(vertices: u32, entries: u64, directed: bool) -> Self {
        let vertices = vertices as usize;
        let chunks = max_chunks::<CHUNK>(vertices, entries);
        let queue = size_of::<Chunk>() * chunks;
        // The last level and one more.
        let begins = 4 * (vertices + 1);
        let if_directed = |bytes| if directed { bytes } else { 0 };
        let mut layout = WorkspaceLayout::default();
        layout.reserve(8 * Self::HEADER_WORDS);
        Self {
            depths: layout.reserve(4 * vertices),
            counts: layout.reserve(size_of::<Scaled>() * vertices),
            quotients: layout.reserve(size_of::<Scaled>() * vertices),
            partial: layout.reserve(size_of::<Scaled>() * chunks),
            scores: layout.reserve(8 * vertices),
            queues: [queue, if_directed(queue)].map(|bytes| layout.reserve(bytes)),
            begins: [begins, if_directed(begins)].map(|bytes| layout.reserve(bytes)),
            bytes: layout.bytes(),
        }
    }

    /// Bytes of the workspace, 256-byte aligned, with any content.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where in the workspace the scores begin, an `f64` for each vertex.
    pub fn scores_offset(&self) -> usize {
        self.scores
    }

    /// Whether all dependencies are known after the launches of steps `1..=launched`.
    pub fn has_ended(header: &[u64; Self::HEADER_WORDS], launched: u32) -> bool {
        let record = (launched as usize + 1) % 3 * word::RECORD;
        header[record + word::KIND] == StepKind::End as u64
    }
}

impl Graph {
    fn betweenness_arguments(
        &self,
        space: &BetweennessSpace,
        workspace: *mut u8,
        source: BetweennessSource,
        launch: u32,
    ) -> BetweennessArguments {
        let at = |offset: usize| workspace.wrapping_add(offset);
        let incoming = self.contiguous_incoming();
        assert!(!incoming.is_null(), "in-neighbours are read too");
        BetweennessArguments {
            outgoing: self.contiguous_records(),
            incoming,
            depths: at(space.depths).cast(),
            counts: at(space.counts).cast(),
            quotients: at(space.quotients).cast(),
            partial: at(space.partial).cast(),
            scores: at(space.scores).cast(),
            queue: at(space.queues[0]).cast(),
            incoming_queue: at(space.queues[1]).cast(),
            begins: at(space.begins[0]).cast(),
            incoming_begins: at(space.begins[1]).cast(),
            header: workspace.cast(),
            vertices: self.shape.vertices,
            source: source.vertex,
            launch,
            directed: self.shape.directed,
            is_first: source.is_first,
        }
    }

    /// The launch before the steps of a search from a source.
    ///
    /// # Panics
    ///
    /// If the source is no vertex, or in-neighbours are not contiguous.
    pub fn betweenness_start(
        &self,
        space: &BetweennessSpace,
        workspace: *mut u8,
        source: BetweennessSource,
    ) -> PlannedLaunch {
        assert!(source.vertex < self.shape.vertices);
        let arguments = self.betweenness_arguments(space, workspace, source, 0);
        PlannedLaunch::of::<BetweennessStart>(Grid::strided(self.shape.vertices), arguments)
    }

    /// The launch of a step from the source, numbered from 1. A step after the last that is needed
    /// does nothing.
    ///
    /// # Panics
    ///
    /// If the step is 0, or in-neighbours are not contiguous.
    pub fn betweenness_step(
        &self,
        space: &BetweennessSpace,
        workspace: *mut u8,
        source: BetweennessSource,
        step: u32,
    ) -> PlannedLaunch {
        assert!(step > 0);
        let arguments = self.betweenness_arguments(space, workspace, source, step);
        // A level is seldom a large part of the graph.
        let threads = self.shape.vertices.min(1 << 17);
        PlannedLaunch::of::<BetweennessStep>(Grid::strided(threads), arguments)
    }
}
