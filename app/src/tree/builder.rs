//! The builders of trees.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What builds a tree. Both build the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Builder {
    /// The kernels for GPUs, over an allocator; the CPU runs them too
    #[default]
    Kernels,
    /// Code for the cores of a CPU, without an allocator
    Cores,
}

impl fmt::Display for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kernels => "kernels",
            Self::Cores => "cores",
        })
    }
}
