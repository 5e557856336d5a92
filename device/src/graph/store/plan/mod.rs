//! The host's side of a store: its memory and the launches of its operations.

mod csr;
mod query;
mod shape;
mod update;
mod vertices;

pub use csr::{Csr, CsrSpace, graph_hash};
pub use shape::{Graph, Layout, Measured, Shape};
pub use update::{Batch, Change, Counts, UpdateError, UpdateSpace};
pub use vertices::VertexList;
