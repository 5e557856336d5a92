//! The host's side of graphs, all of it: how memory is divided, and the launches of each
//! operation, which run on any backend in the order given.
//!
//! A graph is one buffer of [`Shape::bytes`] and the blocks in a heap. An
//! operation takes a workspace whose layout is computed here, and leaves its
//! results in it.

pub use super::bfs::plan::{SearchSpace, SearchState};
pub use super::components::plan::ComponentSpace;
pub use super::pagerank::plan::{Method, RankOptions, RankSpace, RankState};
pub use super::store::plan::{
    Batch, Change, Counts, Csr, CsrSpace, Graph, Layout, Measured, Shape, UpdateError, UpdateSpace,
    VertexList, graph_hash,
};
pub use super::triangles::plan::TriangleSpace;
