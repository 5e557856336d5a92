//! SAH k-d trees: building them over an allocator, and the finished tree.
//!
//! The builder follows the workload of Vinkler and Havran 2014 (section 7, DS):
//! a warp is the unit of computation, and
//! splitting a node allocates the children's reference arrays and frees the
//! parent's.
//!
//! 1. `Prepare` computes the scene's bounds and allocates the root's block; `Fill`
//!    writes its references.
//! 2. `BuildLargeNodes` builds the upper part of the tree, node by node, in any order, and
//!    `BuildSubtrees` the rest: two persistent kernels, each short enough that its instructions
//!    stay in the caches. Where smaller nodes allocate as well, `Build` does all of it, and one
//!    lane of a warp allocates, as in the paper.
//! 3. `Relayout` writes the same tree in depth-first order, always the same bytes.
//!
//! [`keep`] moves a finished tree into blocks of the heap, where it outlives the next build.
//! [`plan`] has the host's side: which launches make a tree. [`check`] and [`metrics`]
//! look at the finished one.

pub mod bins;
mod blocks;
pub mod bounds;
pub mod budget;
pub mod build;
pub mod clip;
pub mod keep;
pub mod node;
mod partition;
pub mod prepare;
mod queue;
pub mod relayout;
pub mod sah;
pub mod thresholds;
pub mod workspace;

#[cfg(not(target_arch = "nvptx64"))]
pub mod check;
#[cfg(not(target_arch = "nvptx64"))]
pub mod metrics;
#[cfg(not(target_arch = "nvptx64"))]
mod overlap;
#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;
