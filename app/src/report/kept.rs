//! How trees were built, and trees that came from files.

pub use heapwood_results::build::{BuildOptions, KeptReport, SavedReport};

use crate::allocators::Spec;
use crate::tree::{HostTree, Options};

/// How a tree was built: over an allocator, or on cores.
pub(super) fn build_options(options: &Options, spec: Option<&Spec>) -> BuildOptions {
    BuildOptions {
        traversal_cost: options.costs.traversal,
        intersection_cost: options.costs.intersection,
        empty_bonus: options.costs.empty_bonus,
        max_depth: options.max_depth,
        clip: options.clip,
        alloc_per_split: spec.is_some() && options.alloc_per_split,
        check_heap: spec.is_some_and(|spec| spec.is_checked()),
    }
}

/// The tree of `file`, which was read in so many milliseconds.
pub fn kept_report(tree: &HostTree, file: &str, load_ms: f64) -> KeptReport {
    let shape = tree.shape();
    KeptReport {
        file: file.to_owned(),
        load_ms,
        options: build_options(&shape.options, None),
        nodes: shape.nodes,
        leaves: shape.leaves,
        max_depth: shape.depth,
        references: shape.references,
        tree_hash: tree.hash().to_string(),
    }
}
