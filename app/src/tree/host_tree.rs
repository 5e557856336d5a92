//! A tree in host memory, and its hash.

use std::fmt;

use heapwood_device::kdtree::metrics;
use heapwood_device::kdtree::node::Node;
use heapwood_device::kdtree::plan::{BuildResult, Options};
use heapwood_device::render::Bounds;

/// A tree in host memory. Every builder makes the same one of the same triangles and options.
#[derive(Clone, Debug)]
pub struct HostTree {
    /// Its nodes, in depth-first order.
    pub nodes: Vec<Node>,
    /// The references of its leaves: indices of triangles.
    pub references: Vec<u32>,
    /// The bounds of the scene, which are the root's box.
    pub bounds: Bounds,
    /// Leaves, empty ones among them.
    pub leaves: u32,
    /// Depth of the deepest leaf; the root's is 0.
    pub depth: u32,
    /// How it was built. `bounded` is set if nodes had budgets of references.
    pub options: Options,
}

/// The sizes of a tree, wherever it is.
#[derive(Clone, Copy, Debug)]
pub struct TreeShape {
    /// Nodes, leaves among them.
    pub nodes: u32,
    /// References of all leaves.
    pub references: u32,
    /// The bounds of the scene, which are the root's box.
    pub bounds: Bounds,
    /// Leaves, empty ones among them.
    pub leaves: u32,
    /// Depth of the deepest leaf; the root's is 0.
    pub depth: u32,
    /// How it was built, as in [`HostTree::options`].
    pub options: Options,
}

impl TreeShape {
    /// The sizes of a tree that kernels built with these options.
    pub(super) fn of(result: &BuildResult, options: Options) -> Self {
        Self {
            nodes: result.nodes,
            references: result.references,
            bounds: result.bounds,
            leaves: result.leaves,
            depth: result.depth,
            options,
        }
    }
}

impl HostTree {
    /// Its fingerprint.
    pub fn hash(&self) -> TreeHash {
        TreeHash(metrics::tree_hash(&self.nodes, &self.references))
    }

    /// Its sizes.
    pub fn shape(&self) -> TreeShape {
        TreeShape {
            // A builder makes fewer than 2^32 of either.
            nodes: self.nodes.len() as u32,
            references: self.references.len() as u32,
            bounds: self.bounds,
            leaves: self.leaves,
            depth: self.depth,
            options: self.options,
        }
    }
}

/// Trees are equal if rays find no difference: in nodes, references and bounds. Options that do
/// not change a tree may differ.
impl PartialEq for HostTree {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
            && self.references == other.references
            && self.bounds == other.bounds
    }
}

/// Fingerprint of a tree's nodes and references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeHash(pub u64);

impl fmt::Display for TreeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
