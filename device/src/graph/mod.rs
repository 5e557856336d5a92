//! A dynamic graph: adjacency in blocks from an allocator, batches of edge
//! updates, and algorithms on the present graph.
//!
//! A vertex has a record and, if it has edges, one block with its neighbours in
//! ascending order, each once (the layout that Winter and others 2020 call
//! OuroGraph, section 6.2). A directed graph is two such stores, of out- and of
//! in-neighbours. A batch goes through these steps, none of which waits for
//! another warp; the launches between them are the only barriers:
//!
//! 1. [`sort`]: edges become keys, source above target, and are sorted.
//! 2. [`classify`]: which keys change the graph, and where; the others are
//!    counted and left out.
//! 3. [`prepare`] and [`relocate`]: new blocks for vertices whose blocks do not
//!    fit any more, filled with the merged adjacency. The store is untouched.
//! 4. [`commit`]: if every request was served, records are switched over, old
//!    blocks freed and the other vertices changed in place, where nothing can
//!    fail; else the new blocks are freed and the store is as before.

mod ahead;
pub mod bfs;
pub mod classify;
pub mod commit;
pub mod components;
pub mod copy;
pub mod delta;
mod flat;
pub mod keys;
pub mod linked;
pub mod load;
pub mod measure;
pub mod pagerank;
pub mod prepare;
pub mod query;
mod reduce;
pub mod relocate;
mod rows;
pub mod scan;
pub mod sort;
pub mod store;
pub mod triangles;
pub mod update;
pub mod vertices;
pub mod view;

#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;
