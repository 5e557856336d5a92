//! What heapwood measures: the work, from typed options to typed results.
//!
//! - [`tree`]: the k-d tree of a scene is built, by kernels over an allocator or on the cores of
//!   the CPU.
//! - [`frames`]: trees of a moving scene follow each other in one pool.
//! - [`graph`]: a graph is loaded, changed by a stream of updates, and computed on.
//! - [`micro`]: allocators alone, in the papers' microbenchmarks.
//! - [`fragmentation`]: how much of a pool they grant, and where.
//! - [`host_pool`]: what the host obtains memory from, alone.
//! - [`linking`]: the user's own allocator is linked once, before cases over it.
//! - [`cases`]: how a case of these is measured, in a process of its own or here.
//! - [`compare`]: any of this over several allocators, each in a process of its own.
//!
//! [`crate::tree`] and [`crate::graph`] have the trees and the graphs themselves, to be
//! built, traced, rendered and searched without being measured.

pub mod cases;
pub mod compare;
pub mod fragmentation;
pub mod frames;
pub mod graph;
pub mod host_pool;
pub mod linking;
pub mod micro;
mod status;
pub mod tree;

pub use status::{Status, check_statuses};
