//! Builders of trees, their parameters, and the files of trees.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::cells::Line;
use crate::display;

/// The builders by name. Both build the same tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum BuilderKind {
    /// The kernels for GPUs, over an allocator; the CPU runs them too
    #[default]
    Kernels,
    /// Code for the cores of a CPU, without an allocator
    Cores,
}

impl fmt::Display for BuilderKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kernels => "kernels",
            Self::Cores => "cores",
        })
    }
}

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
    pub(crate) fn line(&self) -> Line {
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
