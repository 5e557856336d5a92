//! The sizes of nodes at which the builder changes its method, and the limits of what
//! it can build.
//!
//! The thresholds depend on counts alone, never on lanes or occupancy, so that a scene
//! has one tree.

use crate::render::MAX_TRAVERSAL_DEPTH;

/// References of a small node, at most: one warp searches its split exactly.
pub const SMALL_NODE: u32 = 64;
/// References of a node above which it is large: many warps share it.
pub const LARGE_NODE: u32 = 2048;
/// References of a large node in a chunk, the part that one warp treats at a time.
pub const CHUNK: u32 = 512;
/// References of a large node above which a bin beside the best plane is refined:
/// searched again, in smaller bins. In such a node a plane that just misses a wall of a
/// building makes the tree some percent worse.
pub const REFINE: u32 = 16384;
/// The deepest tree that can be built. It keeps the stacks of traversal small and does not
/// decide quality: the areas of boxes so deep add nothing to the cost of a ray.
pub const MAX_DEPTH: u32 = 96;
const _: () = assert!(MAX_DEPTH as usize <= MAX_TRAVERSAL_DEPTH);
/// Largest magnitude of a coordinate, so that areas stay finite.
pub const MAX_COORDINATE: f32 = 1e18;
