//! Why a graph cannot be kept or changed.

use heapwood_graphs::GraphError;
use thiserror::Error;

use crate::backend::BackendError;
use crate::heap::HeapError;
use crate::size::display;

/// Why an operation on a graph did not succeed. The graph is as it was before,
/// unless the allocator is at fault ([`StoreError::Overwritten`]).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoreError {
    /// The allocator or the backend.
    #[error(transparent)]
    Heap(#[from] HeapError),
    /// The pool does not suffice.
    #[error(
        "the pool of {} is too small for {what} over {allocator}: a request of {} failed; \
         use a larger --pool, or --pool auto",
        display(*.pool), display(*.wanted)
    )]
    Pool {
        /// What was to be done.
        what: &'static str,
        /// The allocator.
        allocator: &'static str,
        /// The pool, in bytes.
        pool: u64,
        /// The request that failed, in bytes.
        wanted: u64,
    },
    /// Live blocks may have been handed out again.
    #[error(
        "{allocator} has granted {} of a pool of {}, and will begin again at its front, over \
         the graph: use a larger --pool, or another allocator",
        display(*.granted), display(*.pool)
    )]
    Overwritten {
        /// The allocator.
        allocator: &'static str,
        /// The pool, in bytes.
        pool: u64,
        /// Granted since it was empty, in bytes.
        granted: u64,
    },
    /// More entries than the store numbers.
    #[error("{entries} entries are more than a store can number, 4294967295; use a smaller graph")]
    TooMany {
        /// Entries in one direction.
        entries: u64,
    },
    /// A batch that is too large for its workspace.
    #[error("a batch of {edges} edges is too large: use a --batch of at most 2^30")]
    Batch {
        /// Edges.
        edges: usize,
    },
    /// The rows are none.
    #[error("the rows of the graph are not sorted or name vertices that do not exist")]
    Rows,
}

impl From<BackendError> for StoreError {
    fn from(error: BackendError) -> Self {
        Self::Heap(error.into())
    }
}

impl From<StoreError> for crate::Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Heap(error) => error.into(),
            StoreError::Pool { .. } | StoreError::Overwritten { .. } => {
                Self::OutOfPool(error.to_string())
            }
            StoreError::Rows => Self::Verification(error.to_string()),
            StoreError::TooMany { .. } | StoreError::Batch { .. } => Self::Usage(error.to_string()),
        }
    }
}

impl From<GraphError> for crate::Error {
    fn from(error: GraphError) -> Self {
        match error {
            GraphError::Write { path, source } => Self::Write {
                path: path.into(),
                cause: source,
            },
            other => Self::Graph(other),
        }
    }
}
