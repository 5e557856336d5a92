//! The host's side of labelling components.

use super::{ComponentArguments, ComponentEnd, ComponentJoin, ComponentStart};
use crate::graph::store::plan::Graph;
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

/// The layout of the workspace of a computation of components.
#[derive(Clone, Copy, Debug)]
pub struct ComponentSpace {
    labels: usize,
    bytes: usize,
}

impl ComponentSpace {
    /// For a graph of that many vertices.
    pub fn new(vertices: u32) -> Self {
        let mut layout = WorkspaceLayout::default();
        layout.reserve(8);
        Self {
            labels: layout.reserve(4 * vertices as usize),
            bytes: layout.bytes(),
        }
    }

    /// Bytes of the workspace, 256-byte aligned. Its first 8 are 0 before the
    /// first launch, and the number of components after the last.
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
    pub fn components(&self, space: &ComponentSpace, workspace: *mut u8) -> [PlannedLaunch; 3] {
        let arguments = ComponentArguments {
            records: self.contiguous_records(),
            labels: workspace.wrapping_add(space.labels).cast(),
            count: workspace.cast(),
            vertices: self.shape.vertices,
        };
        let threads = self.shape.vertices;
        [
            PlannedLaunch::of::<ComponentStart>(Grid::strided(threads), arguments),
            PlannedLaunch::of::<ComponentJoin>(Grid::strided(threads), arguments),
            PlannedLaunch::of::<ComponentEnd>(Grid::strided(threads), arguments),
        ]
    }
}
