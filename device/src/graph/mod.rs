//! A dynamic graph: a store of adjacency that batches of edges change, and algorithms on
//! the present graph.
//!
//! [`store`] keeps the neighbours of each vertex in ascending order, each once, in blocks
//! from an allocator. A directed graph is two such stores, of out- and of in-neighbours.
//! [`batch`] plans the launches that change a store and what is kept beside it.
//! An algorithm has a folder: `mod` with its arguments and their contract, `simt` and, where
//! a lane alone does better with other code, `solo`, and `plan`, the host's side: the layout
//! of the workspace, the launches, and what the results mean. [`chunks`] divides rows of
//! very different lengths among warps.

#[cfg(not(target_arch = "nvptx64"))]
pub mod batch;
pub mod betweenness;
pub mod bfs;
pub mod chunks;
pub mod clustering;
pub mod communities;
pub mod components;
pub mod kcore;
pub mod pagerank;
pub mod pairs;
pub mod paths;
pub mod store;
pub mod triangles;
