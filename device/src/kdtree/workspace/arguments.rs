//! The arguments of the kernels of a build: tables in device memory, their capacities,
//! and how to build.

use super::entries::{LargeNode, NodeRecord, Task};
use crate::arguments;
use crate::kdtree::node::Node;

/// `flags` bit: clip triangles to nodes, not only their bounds.
pub const CLIP: u32 = 1;
/// `flags` bit: allocate at every split, down to the leaves.
pub const PER_SPLIT: u32 = 2;
/// `flags` bit: collect statistics of allocations.
pub const COLLECT: u32 = 4;
/// `flags` bit: nodes have budgets of references, which bound duplication.
pub const BOUNDED: u32 = 8;

arguments! {
    /// The memory that the kernels of a build work on. Each pointer is valid, has the alignment of
    /// its type and as many elements as the limit says; `header` and `kinds` are 0 before
    /// the first kernel.
    pub struct TreeArguments {
        pointers {
            /// Vertices of the triangles, 9 floats each.
            triangles: f32,
            /// `HEADER_BYTES`, 256-byte aligned.
            header: u32,
            /// Kind of each task, 0 until the task is there: `task_limit`.
            kinds: u32,
            /// The tasks: `task_limit`.
            tasks: Task,
            /// Nodes in the order of their creation: `node_limit`.
            records: NodeRecord,
            /// Large nodes, which many warps share: `large_node_limit`.
            large_nodes: LargeNode,
            /// `CHUNK_WORDS` for each chunk of a large node: `chunk_limit`.
            chunks: u32,
            /// References of leaves in the order of their creation: `reference_limit`.
            leaves: u32,
            /// The finished nodes: `node_limit`.
            nodes: Node,
            /// The finished references: `reference_limit`.
            references: u32,
        }
        integers {
            /// Number of triangles, at least 1.
            count: u32,
            /// Depth of the deepest possible leaf, at most `MAX_DEPTH`.
            max_depth: u32,
            /// `Costs::traversal`.
            traversal: f32,
            /// `Costs::intersection`.
            intersection: f32,
            /// `Costs::empty_bonus`.
            empty_bonus: f32,
            /// `CLIP`, `PER_SPLIT`, `COLLECT`, `BOUNDED`.
            flags: u32,
            /// Capacity for nodes.
            node_limit: u32,
            /// Capacity for leaf references.
            reference_limit: u32,
            /// Capacity for tasks.
            task_limit: u32,
            /// Capacity for large nodes.
            large_node_limit: u32,
            /// Capacity for chunks of large nodes.
            chunk_limit: u32,
        }
    }
}
