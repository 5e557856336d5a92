//! The capacities of a build's workspace.

use super::options::Options;
use crate::kdtree::node::LIMIT;
use crate::kdtree::thresholds::{CHUNK, MAX_DEPTH, large_node};

/// The capacities of a build's workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nodes.
    pub nodes: u32,
    /// References of leaves.
    pub references: u32,
    /// Tasks; chunks of large nodes count up to three times.
    pub tasks: u32,
    /// Large nodes.
    pub large_nodes: u32,
    /// Chunks of large nodes.
    pub chunks: u32,
}

impl Limits {
    /// Capacities that suffice for usual scenes of this many triangles: somewhat more than
    /// scans, models of buildings and generated scenes were measured to take.
    ///
    /// To a depth of `shallow_depth` these take up to 8.6 nodes and 7.6 references a triangle;
    /// far below it scans take up to 30 nodes and 12.3 references. Scans have some
    /// 1.2 `levels` of chunks, and a large node has more chunks than fit into the largest node
    /// that is not large.
    pub fn for_triangles(triangles: u32, options: &Options) -> Self {
        let count = u64::from(triangles);
        // Each level of large nodes has about half as many references again.
        let large = large_node(triangles);
        let levels = u64::from((triangles / large).checked_ilog2().unwrap_or(0)) + 4;
        let chunks = count * levels * 3 / u64::from(CHUNK) / 2 + 64;
        let depth = options.max_depth.unwrap_or(MAX_DEPTH);
        let deeper = u64::from(depth.saturating_sub(shallow_depth(triangles))).min(11);
        let nodes = count * (10 + 2 * deeper) + 1024;
        // Of two children that are no leaves, one waits in the queue.
        let tasks = if options.alloc_per_split {
            nodes / 2 + 3 * chunks
        } else {
            count + 3 * chunks + 1024
        };
        let limit = |value: u64| value.min(u64::from(LIMIT)) as u32;
        Self {
            nodes: limit(nodes),
            references: limit(count * (8 + deeper / 2) + 1024),
            tasks: limit(tasks),
            large_nodes: limit(chunks / u64::from(large / CHUNK) + 64),
            chunks: limit(chunks),
        }
    }

    /// Twice these capacities; none if nodes and references cannot be numbered beyond
    /// these.
    pub fn doubled(self) -> Option<Self> {
        let double = |value: u32| (value.saturating_mul(2)).min(LIMIT);
        (self.nodes < LIMIT || self.references < LIMIT).then(|| Self {
            nodes: double(self.nodes),
            references: double(self.references),
            tasks: double(self.tasks),
            large_nodes: double(self.large_nodes),
            chunks: double(self.chunks),
        })
    }
}

/// 8 + 1.3 log2 N: a usual limit of the depth, which cuts trees of scans off.
fn shallow_depth(triangles: u32) -> u32 {
    (8.0 + 1.3 * f64::from(triangles.max(1)).log2()).round() as u32
}
