//! A graph as a file or a generator gives it: edges in their order, with loops
//! and duplicates.

use crate::Weights;

/// Edges between vertices that are numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeList {
    /// Number of vertices; every id in `edges` is below it.
    pub vertices: u32,
    /// Edges as they were read. An undirected edge stands here once, with its
    /// ends in either order.
    pub edges: Vec<[u32; 2]>,
    /// The weights of the edges in their order, if they have any.
    pub weights: Option<Weights>,
    /// Whether an edge leads from its first end to its second only.
    pub directed: bool,
}

impl EdgeList {
    /// The first edge with an end that is no vertex, by its place in the list.
    pub fn first_out_of_range(&self) -> Option<usize> {
        let outside = |edge: &[u32; 2]| edge.iter().any(|&end| end >= self.vertices);
        self.edges.iter().position(outside)
    }
}
