//! Inserting and deleting vertices.

use crate::graph::store::plan::{Graph, Layout};
use crate::graph::store::vertices::{
    LinkedVertexEdges, VertexArguments, VertexCount, VertexEdges, VertexMark, word,
};
use crate::launch::{Grid, Listed, PlannedLaunch};

/// Vertices to be deleted, in device memory.
#[derive(Clone, Copy, Debug)]
pub struct VertexList {
    /// The vertices; what does not exist is passed over.
    pub vertices: *mut u32,
    /// Their number, at least one.
    pub count: u32,
    /// [`VertexList::HEADER_WORDS`] words, 0 before the first launch: the edges
    /// of the vertices, after [`Graph::count_edges_of`]; two of no interest; and
    /// the vertices that were deleted, after [`Graph::mark_deleted`].
    pub header: *mut u64,
}

impl VertexList {
    /// Words of the header.
    pub const HEADER_WORDS: usize = word::COUNT;

    /// The edges of the vertices, by the header.
    pub fn edges(header: &[u64; Self::HEADER_WORDS]) -> u64 {
        header[word::EDGES]
    }

    /// The vertices that were deleted, by the header.
    pub fn deleted(header: &[u64; Self::HEADER_WORDS]) -> u64 {
        header[word::DELETED]
    }
}

impl Graph {
    /// Adds vertices without edges behind the last, if there is room; returns
    /// whether there was. Nothing need be launched.
    pub fn insert_vertices(&mut self, count: u32) -> bool {
        match self.shape.vertices.checked_add(count) {
            Some(vertices) if vertices <= self.shape.limit => {
                self.shape.vertices = vertices;
                true
            }
            _ => false,
        }
    }

    fn vertex_steps<K>(&self, list: &VertexList, edges: *mut u64) -> Vec<PlannedLaunch>
    where
        K: Listed<Arguments = VertexArguments>,
    {
        let steps = (0..self.shape.stores()).map(|store| {
            let arguments = VertexArguments {
                records: self.records(store),
                list: list.vertices,
                edges,
                header: list.header,
                absent: self.absent_word(),
                vertices: self.shape.vertices,
                count: list.count,
                incoming: store == 1,
            };
            PlannedLaunch::of::<K>(Grid::strided(list.count), arguments)
        });
        steps.collect()
    }

    /// The launches that count the edges of vertices which are to be deleted.
    pub fn count_edges_of(&self, list: &VertexList) -> Vec<PlannedLaunch> {
        self.vertex_steps::<VertexCount>(list, std::ptr::null_mut())
    }

    /// The launches that write as many edges as were counted: a batch to be
    /// deleted before the vertices are.
    pub fn edges_of(&self, list: &VertexList, edges: *mut u64) -> Vec<PlannedLaunch> {
        match self.shape.layout {
            Layout::Contiguous => self.vertex_steps::<VertexEdges>(list, edges),
            Layout::Linked => self.vertex_steps::<LinkedVertexEdges>(list, edges),
        }
    }

    /// The launches that delete vertices which have no edges any more. The
    /// caller adds the number deleted to `absent`.
    pub fn mark_deleted(&self, list: &VertexList) -> Vec<PlannedLaunch> {
        self.vertex_steps::<VertexMark>(list, std::ptr::null_mut())
    }
}
