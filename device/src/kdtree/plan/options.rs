//! How a tree is built.

use crate::kdtree::sah::Costs;
use crate::kdtree::thresholds::MAX_DEPTH;

/// How a tree is built.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Constants of the surface area heuristic.
    pub costs: Costs,
    /// Depth of the deepest possible leaf; [`default_depth`] if none.
    pub max_depth: Option<u32>,
    /// Clip triangles to the nodes ("perfect splits"), not only their bounds.
    pub clip: bool,
    /// Allocate at every split, down to the leaves, as the paper's builder
    /// does; else small subtrees are finished without allocation.
    pub alloc_per_split: bool,
    /// References of the largest such subtree, 64 at most. The tree is the same
    /// for all values; larger ones leave less work for other warps.
    pub finish: u32,
    /// Collect statistics of allocations, which costs time.
    pub collect: bool,
    /// Give nodes budgets of references. Build so only if a build without budgets ends in
    /// [`BuildError::Explodes`](super::outcome::BuildError::Explodes): the tree may be another.
    pub bounded: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            costs: Costs {
                traversal: 1.0,
                intersection: 5.0,
                empty_bonus: 0.5,
            },
            max_depth: None,
            clip: true,
            alloc_per_split: false,
            finish: 8,
            collect: false,
            bounded: false,
        }
    }
}

/// The usual limit of depth for a number of triangles: 8 + 1.3 log2 N.
pub fn default_depth(triangles: u32) -> u32 {
    let depth = (8.0 + 1.3 * f64::from(triangles.max(1)).log2()).round();
    (depth as u32).min(MAX_DEPTH)
}
