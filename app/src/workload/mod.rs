//! What heapwood measures: the work, from typed options to typed results.
//!
//! - [`graph`]: a graph is loaded, changed by a stream of updates, and computed on.
//! - [`micro`]: allocators alone, in the papers' microbenchmarks.
//! - Trees are built, measured, traced and rendered by [`tree`](crate::tree).

pub mod graph;
pub mod micro;
