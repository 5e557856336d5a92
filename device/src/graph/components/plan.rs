//! The host's side of labelling components.

use super::{
    ComponentArguments, ComponentCompress, ComponentEnd, ComponentJoin, ComponentJoinLong,
    ComponentLink, ComponentStart, LINKED, LONG, word,
};
use crate::graph::chunks::{Chunk, most_chunks};
use crate::graph::store::plan::{Graph, Shape};
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

/// The layout of the workspace of a computation of components.
#[derive(Clone, Copy, Debug)]
pub struct ComponentSpace {
    labels: usize,
    long: usize,
    bytes: usize,
}

impl ComponentSpace {
    /// For a graph of that shape, with that many entries in one direction.
    pub fn new(shape: &Shape, entries: u64) -> Self {
        // Each has more than a chunk of entries.
        let rows = (entries / u64::from(LONG)) as usize;
        let chunks = shape.stores() * most_chunks::<LONG>(rows, entries);
        let mut layout = WorkspaceLayout::default();
        layout.reserve(8 * word::WORDS);
        Self {
            labels: layout.reserve(4 * shape.vertices as usize),
            long: layout.reserve(size_of::<Chunk>() * chunks),
            bytes: layout.bytes(),
        }
    }

    /// Bytes of the workspace, 256-byte aligned. Nothing of it need be 0; its first 8 are
    /// the number of components after the last launch.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where in the workspace the labels begin, 32 bits for each vertex: the
    /// least vertex of its component, or `u32::MAX` if it was deleted.
    pub fn labels_offset(&self) -> usize {
        self.labels
    }
}

impl Graph {
    /// The launches that label connected components; in a directed graph those
    /// of the graph without directions.
    pub fn components(&self, space: &ComponentSpace, workspace: *mut u8) -> Vec<PlannedLaunch> {
        let incoming = self.contiguous_incoming();
        let outgoing = ComponentArguments {
            records: self.contiguous_records(),
            labels: workspace.wrapping_add(space.labels).cast(),
            long: workspace.wrapping_add(space.long).cast(),
            header: workspace.cast(),
            vertices: self.shape.vertices,
            first: LINKED,
            skips: !incoming.is_null(),
        };
        let grid = Grid::strided(self.shape.vertices);
        let mut launches = vec![
            PlannedLaunch::of::<ComponentStart>(grid, outgoing),
            PlannedLaunch::of::<ComponentLink>(grid, outgoing),
            PlannedLaunch::of::<ComponentCompress>(grid, outgoing),
            PlannedLaunch::of::<ComponentJoin>(grid, outgoing),
        ];
        if self.shape.directed && outgoing.skips {
            let incoming = ComponentArguments {
                records: incoming,
                first: 0,
                ..outgoing
            };
            launches.push(PlannedLaunch::of::<ComponentJoin>(grid, incoming));
        }
        // Enough to fill a device; how many chunks there are the host does not know.
        let chunks = Grid::strided(self.shape.vertices.min(1 << 17));
        launches.extend([
            PlannedLaunch::of::<ComponentJoinLong>(chunks, outgoing),
            PlannedLaunch::of::<ComponentEnd>(grid, outgoing),
        ]);
        launches
    }
}
