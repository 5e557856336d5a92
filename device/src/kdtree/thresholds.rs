//! The sizes of nodes at which the builder changes its method, and the limits of what
//! it can build.
//!
//! The thresholds depend on counts alone, never on lanes or occupancy, so that a scene
//! has one tree.

/// References of a small node, at most: one warp searches its split exactly.
pub const SMALL_NODE: u32 = 64;
/// References of a node above which it is large in a scene of any size: many warps share it.
pub const LARGE_NODE: u32 = 2048;
/// The same in a scene of up to `SMALL_SCENE` triangles, where the passes of one warp over larger
/// nodes are what the others wait for. The tree is the same for all limits.
const LARGE_IN_SMALL_SCENE: u32 = 512;
/// Triangles of a small scene, at most: some hundred for each warp of a GPU.
const SMALL_SCENE: u32 = 1 << 18;
/// Items of a small subtree after which a warp gives the rest of it to others: subtrees of long
/// triangles may have thousands of nodes. In a large scene there are enough subtrees for all
/// warps, and giving costs an allocation for each node.
const SHARE: u32 = 4096;
/// The same in a scene of up to `SMALL_SCENE` triangles.
const SHARE_IN_SMALL_SCENE: u32 = 1024;
/// References of a large node in a chunk, the part that one warp treats at a time.
pub const CHUNK: u32 = 256;
/// References of a large node above which a bin beside the best plane is refined:
/// searched again, in smaller bins. In such a node a plane that just misses a wall of a
/// building makes the tree some percent worse.
pub const REFINE: u32 = 16384;
/// The deepest tree that can be built or traversed. It keeps the stacks of traversal small and does
/// not decide quality: the areas of boxes so deep add nothing to the cost of a ray.
pub const MAX_DEPTH: u32 = 96;
/// Largest magnitude of a coordinate, so that areas stay finite.
pub const MAX_COORDINATE: f32 = 1e18;

/// Items of a small subtree after which a warp gives the rest of it to others, in a scene of so
/// many triangles.
#[inline(always)]
pub fn share(triangles: u32) -> u32 {
    if triangles > SMALL_SCENE {
        SHARE
    } else {
        SHARE_IN_SMALL_SCENE
    }
}

/// References of a node above which it is large, in a scene of so many triangles.
#[inline(always)]
pub fn large_node(triangles: u32) -> u32 {
    if triangles > SMALL_SCENE {
        LARGE_NODE
    } else {
        LARGE_IN_SMALL_SCENE
    }
}
