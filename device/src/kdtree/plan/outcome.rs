//! The result of a build, read from the header of its workspace.

use std::fmt;

use super::limits::Limits;
use crate::kdtree::bounds::{Bounds, from_key};
use crate::kdtree::thresholds::MAX_COORDINATE;
use crate::kdtree::workspace::header::{
    DONE, Failure, HEADER_BYTES, Statistic, Word, statistic, word,
};

/// Statistics of the allocations of a build, with `Options::collect`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Requests served.
    pub allocations: u64,
    /// Blocks freed.
    pub frees: u64,
    /// Mean size of requests, in bytes.
    pub mean_bytes: f64,
    /// Standard deviation of sizes, in bytes.
    pub deviation_bytes: f64,
    /// Unused part of blocks, averaged over requests (equation 2).
    pub internal_fragmentation: f64,
    /// Bytes granted in blocks that were never freed.
    pub live_bytes: u64,
    /// The maximum number of bytes granted at a time.
    pub peak_bytes: u64,
}

/// The sizes and the bounds of a finished tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BuildResult {
    /// Nodes, leaves among them.
    pub nodes: u32,
    /// Leaves, empty ones among them.
    pub leaves: u32,
    /// References of all leaves.
    pub references: u32,
    /// Depth of the deepest leaf; the root's is 0.
    pub depth: u32,
    /// Leaves that a larger budget of references would have split.
    pub limited_leaves: u32,
    /// Leaves that a larger limit of depth would have split.
    pub cut_leaves: u32,
    /// Bounds of the scene, which are the root's box.
    pub bounds: Bounds,
    /// The use of each capacity of the build's workspace. They follow from the tree
    /// and the lanes of a warp, so that a workspace of just these suffices for the same build.
    pub used: Limits,
    /// Statistics of allocations; all 0 if they were not collected.
    pub statistics: Statistics,
}

/// Why there is no tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// The allocator returned null.
    OutOfMemory {
        /// The request, in bytes.
        bytes: u64,
    },
    /// The workspace has too little capacity for nodes; plan again with
    /// `Limits::doubled`.
    NodeLimit,
    /// The same for references of leaves.
    ReferenceLimit,
    /// The same for tasks.
    TaskLimit,
    /// The allocator granted memory that was in use: blocks do not hold the references that
    /// were counted for them.
    Overwritten,
    /// A coordinate is not finite or too large.
    BadCoordinate,
    /// The tree would have more references than the bound on duplication allows;
    /// build again with `Options::bounded`. An allocator that grants memory in
    /// use may cause this, too, if it served more than its pool.
    Explodes {
        /// An upper bound on the bytes served, if statistics were collected.
        served: Option<u64>,
    },
    /// The kernels did not run to their end.
    Incomplete,
}

impl BuildError {
    /// Whether larger limits may help.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::NodeLimit | Self::ReferenceLimit | Self::TaskLimit
        )
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfMemory { bytes } => write!(
                f,
                "k-d tree: the pool cannot serve a request of {bytes} bytes; enlarge it"
            ),
            Self::NodeLimit => write!(f, "k-d tree: more nodes than the workspace has room for"),
            Self::ReferenceLimit => write!(
                f,
                "k-d tree: more leaf references than the workspace has room for"
            ),
            Self::TaskLimit => write!(f, "k-d tree: more tasks than the workspace has room for"),
            Self::Overwritten => write!(
                f,
                "k-d tree: a block does not hold the references that were counted for it: the \
                 allocator granted memory in use; enlarge the pool, or use another allocator"
            ),
            Self::BadCoordinate => write!(
                f,
                "k-d tree: a coordinate is not a number or beyond {MAX_COORDINATE:e}; scale the scene"
            ),
            Self::Explodes { .. } => write!(
                f,
                "k-d tree: more references than the bound on duplication allows"
            ),
            Self::Incomplete => write!(f, "k-d tree: the build did not end"),
        }
    }
}

impl std::error::Error for BuildError {}

/// Reads the header: the first bytes of the workspace after the last step.
pub fn outcome(header: &[u8; HEADER_BYTES]) -> Result<BuildResult, BuildError> {
    let short = |word: Word| {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&header[4 * word.index()..][..4]);
        u32::from_ne_bytes(bytes)
    };
    let long = |statistic: Statistic| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&header[4 * statistic.index()..][..8]);
        u64::from_ne_bytes(bytes)
    };
    let state = short(word::STATE);
    if state != DONE {
        return Err(match Failure::of_state(state) {
            Some(Failure::OutOfMemory) => BuildError::OutOfMemory {
                bytes: long(statistic::FAILED),
            },
            Some(Failure::NodeLimit) => BuildError::NodeLimit,
            Some(Failure::ReferenceLimit) => BuildError::ReferenceLimit,
            Some(Failure::TaskLimit) => BuildError::TaskLimit,
            Some(Failure::Overwritten) => BuildError::Overwritten,
            Some(Failure::BadCoordinate) => BuildError::BadCoordinate,
            Some(Failure::Explodes) => {
                // Allocators round up to 16 bytes where they may overwrite.
                let served = long(statistic::BYTES) + 16 * long(statistic::ALLOCATIONS);
                BuildError::Explodes {
                    served: (served > 0).then_some(served),
                }
            }
            None => BuildError::Incomplete,
        });
    }
    let allocations = long(statistic::ALLOCATIONS);
    let requests = allocations.max(1) as f64;
    let mean = long(statistic::BYTES) as f64 / requests;
    let variance = long(statistic::SQUARES) as f64 / requests - mean * mean;
    Ok(BuildResult {
        nodes: short(word::NODES),
        leaves: short(word::LEAVES),
        references: short(word::REFERENCES),
        depth: short(word::DEPTH),
        limited_leaves: short(word::LIMITED),
        cut_leaves: short(word::CUT_OFF),
        bounds: Bounds {
            min: [0, 1, 2].map(|axis| from_key(!short(word::min_coordinate(axis)))),
            max: [0, 1, 2].map(|axis| from_key(short(word::max_coordinate(axis)))),
        },
        used: Limits {
            nodes: short(word::NODES),
            references: short(word::REFERENCES),
            tasks: short(word::TASKS),
            large_nodes: short(word::LARGE_NODES),
            chunks: short(word::CHUNKS),
        },
        statistics: Statistics {
            allocations,
            frees: long(statistic::FREES),
            mean_bytes: mean,
            deviation_bytes: variance.max(0.0).sqrt(),
            internal_fragmentation: long(statistic::WASTE) as f64 / 2f64.powi(32) / requests,
            live_bytes: long(statistic::LIVE),
            peak_bytes: long(statistic::PEAK),
        },
    })
}
