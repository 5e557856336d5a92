//! Graphs: plain sets of edges to hold stores against, and graphs to try them on.

pub mod demand;
pub mod expected;
pub mod forms;
pub mod graphs;
mod model;
mod reference;
pub mod search;
pub mod sort;
pub mod vertex_updates;
pub mod weighted;

pub use model::Model;
