//! Why a tree cannot be built.

use heapwood_device::kdtree::plan::{BuildError, PlanError};
use thiserror::Error;

use super::file::TreeFileError;
use crate::backend::BackendError;
use crate::heap::{AllocatorName, DeviceHeap, HeapError};
use crate::max_pool::MaxPool;
use crate::size::display;

/// Why there is no tree.
#[derive(Debug, Error)]
pub enum TreeError {
    /// The allocator or the backend.
    #[error(transparent)]
    Heap(#[from] HeapError),
    /// The build cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The pool does not suffice.
    #[error(
        "the pool of {} is too small for {allocator}: {}; the root's references alone take {}",
        display(*.pool),
        match .wanted { Some(bytes) => format!("a request of {} failed", display(*bytes)),
                        None => "live blocks were overwritten".to_owned() },
        display(*.root)
    )]
    Pool {
        /// The allocator.
        allocator: AllocatorName,
        /// The pool, in bytes.
        pool: u64,
        /// The request that failed, in bytes; none if the allocator granted memory in use
        /// instead.
        wanted: Option<u64>,
        /// Bytes of the root's reference array.
        root: u64,
    },
    /// The tree needs more than the largest possible pool.
    #[error("the tree does not fit over {allocator} into a pool of {most}")]
    Full {
        /// The allocator.
        allocator: AllocatorName,
        /// That pool.
        most: MaxPool,
    },
    /// The build failed for another reason.
    #[error(transparent)]
    Build(BuildError),
    /// A frame of a moving scene.
    #[error("frame {number} ({name}): {error}")]
    Frame {
        /// Its number, from 1.
        number: usize,
        /// Its scene.
        name: String,
        /// The error of the frame.
        error: Box<TreeError>,
    },
    /// The allocator does not free, and there are several frames.
    #[error("{0} cannot free the tree of a frame when the next one is there")]
    CannotFree(String),
    /// A file that has no tree of the scene.
    #[error(transparent)]
    File(#[from] TreeFileError),
    /// Two builds of one scene differ, or a tree is wrong.
    #[error("{0}")]
    Wrong(String),
}

impl TreeError {
    /// The error of a build over a heap, whose root takes so many bytes.
    pub(super) fn of_build(heap: &DeviceHeap, error: BuildError, root: u64) -> Self {
        if let Err(error) = heap.check_grants() {
            return error.into();
        }
        let wanted = match error {
            BuildError::OutOfMemory { bytes } => Some(bytes),
            BuildError::Overwritten if heap.may_overwrite() => None,
            other => return Self::Build(other),
        };
        Self::Pool {
            allocator: heap.allocator_name(),
            pool: heap.pool_bytes(),
            wanted,
            root,
        }
    }
}

impl From<BackendError> for TreeError {
    fn from(error: BackendError) -> Self {
        Self::Heap(error.into())
    }
}
