//! A finished tree in host memory, and its hash.

use std::fmt;

use heapwood_device::kdtree::metrics;
use heapwood_device::kdtree::node::Node;

/// A tree, copied from the backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Its nodes, in depth-first order.
    pub nodes: Vec<Node>,
    /// The references of its leaves: numbers of triangles.
    pub references: Vec<u32>,
}

impl Tree {
    /// Its fingerprint.
    pub fn hash(&self) -> TreeHash {
        TreeHash(metrics::tree_hash(&self.nodes, &self.references))
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
