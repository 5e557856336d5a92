//! The result of a build: a tree, with time and counts of the build.

use heapwood_device::heap::State;
use heapwood_device::kdtree::plan::BuildResult;

/// A tree that was built, on the host or on a backend, with time and counts of the build.
#[derive(Clone, Debug)]
pub struct Built<Tree, Stats = BuildStats> {
    /// The tree.
    pub tree: Tree,
    /// Time and counts of the build.
    pub stats: Stats,
}

/// Time and counts of a build, by any builder.
#[derive(Clone, Debug, Default)]
pub struct BuildStats {
    /// The build, in milliseconds: all kernels together, or the time of the threads. For a file,
    /// reading and checking it.
    pub build_ms: f64,
    /// Leaves that a larger budget of references would have split; 0 for a file.
    pub limited_leaves: u32,
    /// Leaves that a larger limit of depth would have split; 0 for a file.
    pub cut_leaves: u32,
    /// More of a build by kernels.
    pub kernels: Option<KernelStats>,
}

/// Times, sizes and heap of a build by kernels.
#[derive(Clone, Debug)]
pub struct KernelStats {
    /// Initialisation of the heap, in milliseconds.
    pub init_ms: f64,
    /// All kernels of the build together, in milliseconds.
    pub build_ms: f64,
    /// Sizes of the tree, and what the build took of the workspace.
    pub result: BuildResult,
    /// Bytes of the workspace that the build took.
    pub workspace_used_bytes: u64,
    /// The heap after the build.
    pub state: State,
}

impl<Tree> Built<Tree, KernelStats> {
    /// The same as of any builder.
    pub fn into_any(self) -> Built<Tree> {
        Built {
            tree: self.tree,
            stats: self.stats.into(),
        }
    }
}

impl From<KernelStats> for BuildStats {
    fn from(stats: KernelStats) -> Self {
        Self {
            build_ms: stats.build_ms,
            limited_leaves: stats.result.limited_leaves,
            cut_leaves: stats.result.cut_leaves,
            kernels: Some(stats),
        }
    }
}
