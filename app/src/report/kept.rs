//! What results say about trees in files.

use serde::{Deserialize, Serialize};

use super::build_options::BuildOptions;
use crate::size::display;
use crate::tree::HostTree;

/// A file that a tree was written to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedReport {
    /// The file.
    pub file: String,
    /// Its size.
    pub bytes: u64,
}

impl SavedReport {
    /// A name and a value for people.
    pub fn line(&self) -> (&'static str, String) {
        let Self { file, bytes } = self;
        ("saved", format!("{file}, {}", display(*bytes)))
    }
}

/// A tree that came from a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptReport {
    /// The file.
    pub file: String,
    /// Reading and checking it, in milliseconds.
    pub load_ms: f64,
    /// How it was built.
    pub options: BuildOptions,
    /// Nodes, leaves among them.
    pub nodes: u32,
    /// Leaves.
    pub leaves: u32,
    /// Depth of the deepest leaf.
    pub max_depth: u32,
    /// References of all leaves.
    pub references: u32,
    /// Fingerprint of nodes and references, 16 hexadecimal digits.
    pub tree_hash: String,
}

impl KeptReport {
    /// For the tree of `file`, which was read in so many milliseconds.
    pub fn new(tree: &HostTree, file: &str, load_ms: f64) -> Self {
        let shape = tree.shape();
        Self {
            file: file.to_owned(),
            load_ms,
            options: BuildOptions::new(&shape.options, None),
            nodes: shape.nodes,
            leaves: shape.leaves,
            max_depth: shape.depth,
            references: shape.references,
            tree_hash: tree.hash().to_string(),
        }
    }
}
