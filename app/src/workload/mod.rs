//! The work that heapwood measures, from typed options to typed results.
//!
//! - [`tree`]: the k-d tree of a scene is built, by kernels over an allocator or on the cores of
//!   the CPU.
//! - [`frames`]: trees of a moving scene follow each other in one pool.
//! - [`graph`]: a graph is loaded, changed by a stream of updates, and computed on.
//! - [`graphalytics`]: the algorithms of a dataset of LDBC Graphalytics run, and their output is
//!   compared with that of the reference.
//! - [`gap`]: the kernels of the GAP benchmark suite run on a graph, trial by trial.
//! - [`agents`]: fish and sharks are born and die, each of them a block.
//! - [`particles`]: particles fly through a lattice of cells, in frames that are blocks.
//! - [`replay`]: the calls of a trace, over another allocator.
//! - [`workgen`]: threads produce amounts that they draw, and others consume them.
//! - [`steps`]: how these three go on and are measured.
//! - [`micro`]: allocators alone, in the papers' microbenchmarks.
//! - [`fragmentation`]: how much of a pool they grant, and where.
//! - [`host_pool`]: what the host obtains memory from, alone.
//! - [`compare`]: any of this over several allocators.
//!
//! [`crate::tree`] and [`crate::graph`] have the trees and the graphs themselves, to be
//! built, traced, rendered and searched without being measured.

pub mod agents;
pub mod compare;
pub mod fragmentation;
pub mod frames;
pub mod gap;
pub mod graph;
pub mod graphalytics;
pub mod heap_map;
pub mod host_pool;
pub mod micro;
pub mod particles;
pub mod replay;
pub mod sensitivity;
mod status;
pub mod steps;
pub mod tree;
pub mod workgen;

use status::measured;
pub use status::{BenchRow, Status, check_statuses};
