//! The store of a graph: adjacency in blocks from an allocator, and batches of edge
//! updates.
//!
//! A vertex has a record and, if it has edges, one block with its neighbours in
//! ascending order, each once (the layout that Winter and others 2020 call
//! OuroGraph, section 6.2), or a chain of [`linked`] pages. A batch goes through these
//! steps, where no warp waits for another one; the launches between them are the only
//! barriers:
//!
//! 1. [`sort`]: edges become [`keys`], source above target, and are sorted.
//! 2. [`classify`]: which keys change the graph, and where; the others are
//!    counted and left out.
//! 3. [`contiguous::prepare`] and [`contiguous::relocate`]: new blocks for vertices whose
//!    blocks do not fit any more, filled with the merged adjacency. The store is untouched.
//! 4. [`contiguous::commit`]: if every request was served, records are switched over and
//!    the other vertices changed in place, where nothing can fail, and then old blocks are
//!    freed; else the new blocks are freed and the store is as before.
//!
//! In a weighted graph, [`weights`] finds the weight of each key behind step 1, and writes it behind
//! step 4.
//!
//! The owner of a store makes its heap empty in the end. Where that cannot be done, [`release`]
//! frees the blocks.

pub mod changes;
pub mod classify;
pub mod contiguous;
pub mod copy;
pub mod draw;
pub mod keys;
pub mod linked;
pub mod load;
pub mod measure;
#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;
pub mod provide;
pub mod query;
pub mod release;
mod runs;
pub mod scan;
pub mod sort;
pub mod update;
mod vertex;
pub mod vertices;
pub mod view;
pub mod weights;

pub use vertex::{
    ABSENT, Vertex, VertexId, block_bytes, capacity_for, capacity_of, lower_bound, obtain,
    obtain_coalesced,
};
