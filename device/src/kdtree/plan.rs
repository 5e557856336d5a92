//! The host's side of a build: options, how the workspace is divided, the
//! launches, and what the header says afterwards.
//!
//! A build takes one buffer of [`Plan::bytes`], whose first
//! [`Plan::zero_bytes`] are 0, the triangles in device memory, and a heap that
//! `init` has made empty. Then the kernels of [`Plan::steps`] are launched one
//! after the other, and the header is read from the front of the buffer.

mod check;
mod outcome;

pub use check::{Fault, check, sah_cost, tree_hash};
pub use outcome::{BuildError, BuildResult, Statistics, outcome};

use super::build::Build;
use super::node::{LIMIT, Node};
use super::relayout::Relayout;
use super::setup::{Fill, Prepare};
use super::tables::{
    BOUNDED, CHUNK, CHUNK_WORDS, CLIP, COLLECT, HEADER_BYTES, LARGE, Large, MAX_DEPTH, PER_SPLIT,
    Record, SMALL, Task, TreeArguments,
};
use crate::launch::{Call, Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

pub use super::sah::Costs;
pub use super::tables::HEADER_BYTES as RESULT_BYTES;

/// How a tree is built.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Constants of the surface area heuristic.
    pub costs: Costs,
    /// Depth of the deepest leaf that may arise; [`default_depth`] if none.
    pub max_depth: Option<u32>,
    /// Clip triangles to the nodes ("perfect splits"), not only their bounds.
    pub clip: bool,
    /// Allocate at every split, down to the leaves, as the paper's builder
    /// does; else small subtrees are finished without allocation.
    pub alloc_per_split: bool,
    /// References of the largest such subtree, 64 at most. The tree is the same
    /// for all values; larger ones leave less work for other warps.
    pub finish: u32,
    /// Keep statistics of allocations, which costs time.
    pub collect: bool,
    /// Give nodes budgets of references. The tree is the scene's only if a build
    /// without ends in [`BuildError::Explodes`].
    pub bounded: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            costs: Costs {
                traversal: 1.0,
                intersection: 5.0,
                empty_bonus: 0.5,
            },
            max_depth: None,
            clip: true,
            alloc_per_split: false,
            finish: 8,
            collect: false,
            bounded: false,
        }
    }
}

/// The usual limit of depth for a number of triangles: 8 + 1.3 log2 N.
pub fn default_depth(triangles: u32) -> u32 {
    let depth = (8.0 + 1.3 * f64::from(triangles.max(1)).log2()).round();
    (depth as u32).min(MAX_DEPTH)
}

/// How much of everything a build has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nodes.
    pub nodes: u32,
    /// References of leaves.
    pub references: u32,
    /// Tasks; chunks of large nodes count up to three times.
    pub tasks: u32,
    /// Large nodes.
    pub larges: u32,
    /// Chunks of large nodes.
    pub chunks: u32,
}

impl Limits {
    /// Room that suffices for usual scenes of this many triangles.
    pub fn for_triangles(triangles: u32, options: &Options) -> Self {
        let count = u64::from(triangles);
        // Each level of large nodes has about half as many references again.
        let levels = u64::from((triangles / LARGE).checked_ilog2().unwrap_or(0)) + 4;
        let chunks = count * levels * 3 / u64::from(CHUNK) / 2 + 64;
        let nodes = count * 16 + 1024;
        let tasks = if options.alloc_per_split {
            nodes + 3 * chunks
        } else {
            count + 3 * chunks + 1024
        };
        let limit = |value: u64| value.min(u64::from(LIMIT)) as u32;
        Self {
            nodes: limit(nodes),
            references: limit(count * 16 + 1024),
            tasks: limit(tasks),
            larges: limit(chunks / u64::from(LARGE / CHUNK) + 64),
            chunks: limit(chunks),
        }
    }

    /// Twice as much of everything, or none if nodes cannot be numbered any
    /// more.
    pub fn doubled(self) -> Option<Self> {
        let double = |value: u32| (value.saturating_mul(2)).min(LIMIT);
        (self.nodes < LIMIT || self.references < LIMIT).then(|| Self {
            nodes: double(self.nodes),
            references: double(self.references),
            tasks: double(self.tasks),
            larges: double(self.larges),
            chunks: double(self.chunks),
        })
    }
}

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

/// A workspace divided among the tables of a build.
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
    /// Divides a workspace for a build.
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
            size_of::<Record>() * limits.nodes as usize,
            size_of::<Large>() * limits.larges as usize,
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

    /// Bytes at the front of the workspace that are 0 before the first step.
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

    /// Where in the workspace the finished nodes begin, in bytes.
    pub fn nodes_offset(&self) -> usize {
        self.offsets[NODES]
    }

    /// Where in the workspace the finished references begin, in bytes.
    pub fn references_offset(&self) -> usize {
        self.offsets[REFERENCES]
    }

    /// The launches of the build, in order, for a workspace and triangles (9
    /// floats each) at these device addresses.
    pub fn steps(&self, workspace: *mut u8, triangles: *mut f32) -> [PlannedLaunch; 4] {
        let at = |table: usize| workspace.wrapping_add(self.offsets[table]);
        let options = &self.options;
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        let arguments = TreeArguments {
            triangles,
            header: at(0).cast(),
            kinds: at(KINDS).cast(),
            tasks: at(TASKS).cast(),
            records: at(3).cast(),
            larges: at(4).cast(),
            chunks: at(5).cast(),
            leaves: at(6).cast(),
            nodes: at(NODES).cast(),
            references: at(REFERENCES).cast(),
            count: self.triangles,
            max_depth: options
                .max_depth
                .unwrap_or_else(|| default_depth(self.triangles)),
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
            large_limit: self.limits.larges,
            chunk_limit: self.limits.chunks,
            finish: if options.alloc_per_split {
                0
            } else {
                options.finish.min(SMALL)
            },
        };
        let threads = Grid::Strided(self.triangles);
        let wide = Grid::Strided(self.triangles.saturating_mul(4));
        [
            (Call::of::<Prepare>(arguments), threads),
            (Call::of::<Fill>(arguments), threads),
            (Call::of::<Build>(arguments), Grid::Persistent),
            (Call::of::<Relayout>(arguments), wide),
        ]
        .map(|(call, grid)| PlannedLaunch { call, grid })
    }
}
