//! The host's side of a build: the workspace and its layout, the launches, and the
//! result in the header.
//!
//! A build takes one buffer of [`Plan::bytes`], whose first
//! [`Plan::zero_bytes`] are 0, the triangles in device memory, and a heap that
//! `init` has made empty. Then the kernels of [`Plan::launches`] are launched one
//! after the other, and the header is read from the front of the buffer.

mod limits;
mod options;
mod outcome;

pub use limits::Limits;
pub use options::{Options, Quality};
pub use outcome::{BuildError, BuildResult, Statistics, outcome};

use super::build::{Build, BuildLargeNodes, BuildSubtrees};
use super::node::{LIMIT, Node};
use super::prepare::{Fill, Prepare};
use super::relayout::Relayout;
use super::thresholds::MAX_DEPTH;
use super::workspace::arguments::{BOUNDED, CLIP, COLLECT, PER_SPLIT, TreeArguments};
use super::workspace::entries::{CHUNK_WORDS, LargeNode, NodeRecord, Task};
use super::workspace::header::HEADER_BYTES;
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

pub use super::sah::Costs;
pub use super::workspace::header::HEADER_BYTES as RESULT_BYTES;

/// Why a build cannot be planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// There are no triangles.
    NoTriangles,
    /// More triangles than can be numbered.
    TooManyTriangles {
        /// The most.
        limit: u32,
    },
    /// The depth limit is beyond what the builder can do.
    TooDeep {
        /// The most.
        limit: u32,
    },
}

impl std::fmt::Display for PlanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoTriangles => write!(f, "k-d tree: the scene has no triangles"),
            Self::TooManyTriangles { limit } => {
                write!(f, "k-d tree: more than {limit} triangles; split the scene")
            }
            Self::TooDeep { limit } => {
                write!(f, "k-d tree: the depth limit must be at most {limit}")
            }
        }
    }
}

impl std::error::Error for PlanError {}

/// The layout of a build's workspace, and its launches.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    triangles: u32,
    options: Options,
    limits: Limits,
    offsets: [usize; 9],
    bytes: usize,
}

const KINDS: usize = 1;
const TASKS: usize = 2;
const NODES: usize = 7;
const REFERENCES: usize = 8;

impl Plan {
    /// Lays out a workspace for a build.
    pub fn new(triangles: u32, options: Options, limits: Limits) -> Result<Self, PlanError> {
        if triangles == 0 {
            return Err(PlanError::NoTriangles);
        }
        if triangles > LIMIT {
            return Err(PlanError::TooManyTriangles { limit: LIMIT });
        }
        if options.max_depth.is_some_and(|depth| depth > MAX_DEPTH) {
            return Err(PlanError::TooDeep { limit: MAX_DEPTH });
        }
        let sizes = [
            HEADER_BYTES,
            4 * limits.tasks as usize,
            size_of::<Task>() * limits.tasks as usize,
            size_of::<NodeRecord>() * limits.nodes as usize,
            size_of::<LargeNode>() * limits.large_nodes as usize,
            4 * CHUNK_WORDS as usize * limits.chunks as usize,
            4 * limits.references as usize,
            size_of::<Node>() * limits.nodes as usize,
            4 * limits.references as usize,
        ];
        let mut layout = WorkspaceLayout::default();
        let offsets = sizes.map(|size| layout.reserve(size));
        Ok(Self {
            triangles,
            options,
            limits,
            offsets,
            bytes: layout.bytes(),
        })
    }

    /// Bytes of the workspace, which is 256-byte aligned.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes at the front of the workspace that are 0 before the first launch.
    pub fn zero_bytes(&self) -> usize {
        self.offsets[TASKS]
    }

    /// Bytes of the root's reference array, the unit of `--pool 200x`.
    pub fn root_bytes(&self) -> u64 {
        u64::from(self.triangles) * 4
    }

    /// The limits of this plan.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The offset of the finished nodes in the workspace, in bytes.
    pub fn nodes_offset(&self) -> usize {
        self.offsets[NODES]
    }

    /// The offset of the finished references in the workspace, in bytes.
    pub fn references_offset(&self) -> usize {
        self.offsets[REFERENCES]
    }

    /// The launches of the build, in order, for a workspace and triangles (9
    /// floats each) at these device addresses.
    pub fn launches(&self, workspace: *mut u8, triangles: *mut f32) -> Vec<PlannedLaunch> {
        let at = |table: usize| workspace.wrapping_add(self.offsets[table]);
        let options = &self.options;
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        let arguments = TreeArguments {
            triangles,
            header: at(0).cast(),
            kinds: at(KINDS).cast(),
            tasks: at(TASKS).cast(),
            records: at(3).cast(),
            large_nodes: at(4).cast(),
            chunks: at(5).cast(),
            leaves: at(6).cast(),
            nodes: at(NODES).cast(),
            references: at(REFERENCES).cast(),
            count: self.triangles,
            max_depth: options.max_depth.unwrap_or(MAX_DEPTH),
            traversal: options.costs.traversal,
            intersection: options.costs.intersection,
            empty_bonus: options.costs.empty_bonus,
            flags: flag(options.clip, CLIP)
                | flag(options.alloc_per_split, PER_SPLIT)
                | flag(options.collect, COLLECT)
                | flag(options.bounded, BOUNDED),
            node_limit: self.limits.nodes,
            reference_limit: self.limits.references,
            task_limit: self.limits.tasks,
            large_node_limit: self.limits.large_nodes,
            chunk_limit: self.limits.chunks,
        };
        let threads = Grid::Strided(self.triangles);
        let wide = Grid::Strided(self.triangles.saturating_mul(4));
        let mut launches = vec![
            PlannedLaunch::of::<Prepare>(threads, arguments),
            PlannedLaunch::of::<Fill>(threads, arguments),
        ];
        let persistent = Grid::Persistent;
        if options.alloc_per_split {
            launches.push(PlannedLaunch::of::<Build>(persistent, arguments));
        } else {
            launches.push(PlannedLaunch::of::<BuildLargeNodes>(persistent, arguments));
            launches.push(PlannedLaunch::of::<BuildSubtrees>(persistent, arguments));
        }
        launches.push(PlannedLaunch::of::<Relayout>(wide, arguments));
        launches
    }
}
