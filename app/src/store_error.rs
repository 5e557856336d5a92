//! Why a graph cannot be kept or changed. The error of the program holds it, so that it is no part
//! of `graph`, which uses that.

use heapwood_graphs::WeightKind;
use thiserror::Error;

use crate::backend::BackendError;
use crate::heap::{AllocatorName, HeapError};
use crate::max_pool::MaxPool;
use crate::size::display;

/// Why an operation on a graph did not succeed. The graph is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoreError {
    /// The allocator or the backend.
    #[error(transparent)]
    Heap(#[from] HeapError),
    /// The pool does not suffice.
    #[error(
        "the pool of {} is too small for {what} over {allocator}: a request of {} failed",
        display(*.pool), display(*.wanted)
    )]
    Pool {
        /// The operation that failed.
        what: &'static str,
        /// The allocator.
        allocator: AllocatorName,
        /// The pool, in bytes.
        pool: u64,
        /// The request that failed, in bytes.
        wanted: u64,
    },
    /// The allocator would go on over live blocks.
    #[error(
        "{allocator} has come to the end of the pool of {}, and would begin again at its front, \
         over the graph",
        display(*.pool)
    )]
    Overwriting {
        /// The allocator.
        allocator: &'static str,
        /// The pool, in bytes.
        pool: u64,
    },
    /// The graph needs more than the largest pool that can be had.
    #[error("the graph does not fit over {allocator} into a pool of {most}")]
    Full {
        /// The allocator.
        allocator: AllocatorName,
        /// That pool.
        most: MaxPool,
    },
    /// More than the store numbers.
    #[error("{count} {what} are more than a store can number, {limit}; use a smaller graph")]
    TooMany {
        /// The name of the objects that are too many.
        what: &'static str,
        /// Their number.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// A batch that is too large for its workspace.
    #[error("a batch of {edges} edges is too large")]
    Batch {
        /// Edges.
        edges: usize,
    },
    /// The algorithm is defined for undirected graphs, and the graph is directed.
    #[error("triangles are counted in undirected graphs, and this one is directed")]
    Directed,
    /// Rows come with the columns of another kind of graph.
    #[error("{}", match .directed {
        true => "a directed graph is kept with its in-neighbours: give its transposed rows as \
                 columns",
        false => "an undirected graph has no columns, since its rows hold each edge both ways: \
                  give none",
    })]
    Columns {
        /// Whether the graph is directed.
        directed: bool,
    },
    /// Rows come with columns of other numbers of vertices or edges.
    #[error(
        "a graph of {} vertices and {} edges has columns of as many, its transposed rows, not of {} \
         and {}",
        graph.0, graph.1, columns.0, columns.1
    )]
    OtherColumns {
        /// Vertices and edges of the graph.
        graph: (u32, u64),
        /// Those of the columns.
        columns: (u32, u64),
    },
    /// Ranks to begin with that are not one a vertex.
    #[error("{ranks} ranks to begin with do not suit a graph of {vertices} vertices")]
    Ranks {
        /// The ranks.
        ranks: usize,
        /// Vertices of the graph.
        vertices: u32,
    },
    /// A vertex that the graph does not have.
    #[error("there is no vertex {vertex} in a graph of {vertices} vertices, which count from 0")]
    Vertex {
        /// The vertex.
        vertex: u32,
        /// Vertices of the graph.
        vertices: u32,
    },
    /// The rows are none.
    #[error(
        "the rows of the graph are not sorted, reach beyond its edges or name vertices that do not exist"
    )]
    Rows,
    /// Edges come without weights, or with weights that the graph does not have.
    #[error("{}", match .graph {
        Some(_) => format!("{edges} need a weight for each edge: the graph is weighted"),
        None => format!("{edges} have weights, and the graph has none: leave them out"),
    })]
    Weights {
        /// The name of the edges.
        edges: &'static str,
        /// The weights of the graph.
        graph: Option<WeightKind>,
    },
    /// A word that is no weight.
    #[error(
        "weight {position} is {}: real weights are finite and not negative",
        f32::from_bits(*.bits)
    )]
    Weight {
        /// Its place among the weights, from 0.
        position: usize,
        /// Its bits, as an `f32`.
        bits: u32,
    },
    /// The algorithm needs weights.
    #[error("shortest paths are by weights, and the graph has none: search breadth-first")]
    Unweighted,
}

impl StoreError {
    /// Whether blocks were refused that a larger pool would have had.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Pool { .. } | Self::Overwriting { .. })
    }
}

impl From<BackendError> for StoreError {
    fn from(error: BackendError) -> Self {
        Self::Heap(error.into())
    }
}
