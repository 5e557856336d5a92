//! The host's side of a store: how its memory is divided, and the launches of each
//! operation, which run on any backend in the order given.
//!
//! A graph is one buffer of [`Shape::bytes`] and the blocks in a heap. An operation takes a
//! workspace whose layout is computed here, and leaves its results in it.

mod csr;
mod draw;
mod query;
mod shape;
mod vertices;

pub use csr::{Csr, CsrSpace, graph_hash};
pub use shape::{Graph, Layout, Measured, Shape, Weighting};
pub use vertices::VertexList;
