//! The options of a build in results.

use serde::{Deserialize, Serialize};

use crate::allocators::Spec;
use crate::tree::Options;

/// How the tree was built.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BuildOptions {
    /// Cost of a step down the tree.
    pub traversal_cost: f32,
    /// Cost of an intersection with a triangle, in the same unit.
    pub intersection_cost: f32,
    /// Part of the cost that is saved if a side of a split is empty, 0 to 1.
    pub empty_bonus: f32,
    /// Depth limit, null for that of the machine.
    pub max_depth: Option<u32>,
    /// Whether triangles are clipped to nodes.
    pub clip: bool,
    /// Whether every split allocates.
    pub alloc_per_split: bool,
    /// Whether blocks were checked.
    pub check_heap: bool,
}

impl BuildOptions {
    /// Those of builds over an allocator, or without one.
    pub fn new(options: &Options, spec: Option<&Spec>) -> Self {
        Self {
            traversal_cost: options.costs.traversal,
            intersection_cost: options.costs.intersection,
            empty_bonus: options.costs.empty_bonus,
            max_depth: options.max_depth,
            clip: options.clip,
            alloc_per_split: spec.is_some() && options.alloc_per_split,
            check_heap: spec.is_some_and(|spec| spec.allocator.checked),
        }
    }
}
