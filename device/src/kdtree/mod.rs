//! SAH k-d trees: building them over an allocator, and the finished tree.
//!
//! The builder follows the workload of Vinkler and Havran 2014 (section 7, [DS]):
//! a warp is the unit of computation, only one lane of it allocates, and
//! splitting a node allocates the children's reference arrays and frees the
//! parent's. Three kernels surround the persistent one:
//!
//! 1. `Prepare`: bounds of the scene, root's block; `Fill`: its references.
//! 2. `Build`: the tree, node by node, in any order.
//! 3. `Relayout`: the same tree in depth-first order, always the same bytes.

pub mod budget;
pub mod build;
pub mod geometry;
mod large;
mod leaf;
mod members;
mod memory;
pub mod node;
mod queue;
pub mod relayout;
pub mod sah;
mod scan;
mod scratch;
mod search;
pub mod setup;
pub mod tables;
mod turn;

#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;
