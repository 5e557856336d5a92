//! Building, tracing and rendering k-d trees on a backend. What is measured of them, run
//! by run, is [`workload::tree`](crate::workload::tree).
//!
//! ```
//! use heapwood::allocators::Spec;
//! use heapwood::backend::Cpu;
//! use heapwood::size::Pool;
//! use heapwood::tree::{self, Options, Ray, TreeBuilder};
//!
//! let backend = Cpu::new(None, None)?;
//! let triangles = [[[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]];
//! let builder = TreeBuilder::new(&backend, &triangles)?;
//! let ready = builder.prepare(&Spec::parse("cfmmalloc")?, Pool::Auto, Options::default())?;
//! let built = ready.build(false)?;
//! let ray = Ray { origin: [0.2, 0.2, 0.0], direction: [0.0, 0.0, 2.0] };
//! let hits = tree::trace(&ready, &built, &[ray])?;
//! assert_eq!((hits[0].triangle, hits[0].t), (0, 0.5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod image;
mod trace;

pub use build::{Built, Ready, TreeBuilder};
pub use heapwood_device::kdtree::plan::Options;
pub use heapwood_device::render::{Hit, Triangle};
pub use image::{Picture, render};
pub use trace::{Ray, trace};

use std::fmt;

use heapwood_device::kdtree::node::Node;
use heapwood_device::kdtree::plan::{self, BuildError, PlanError};
use heapwood_scenes::Scene;
use thiserror::Error;

use crate::backend::BackendError;
use crate::heap::{HeapError, MostPool, Refuser};
use crate::size::display;

/// The corners of the triangles of a scene, three of x, y and z for each.
pub fn triangles(scene: &Scene) -> Vec<Triangle> {
    let positions = scene.positions().into_iter();
    positions
        .map(|corners| corners.map(|corner| corner.to_array()))
        .collect()
}

/// A tree, copied from the backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Its nodes, in depth-first order.
    pub nodes: Vec<Node>,
    /// The references of its leaves: numbers of triangles.
    pub references: Vec<u32>,
}

impl Tree {
    /// Its fingerprint.
    pub fn hash(&self) -> TreeHash {
        TreeHash(plan::tree_hash(&self.nodes, &self.references))
    }
}

/// Fingerprint of a tree's nodes and references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeHash(pub u64);

impl fmt::Display for TreeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

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
        "the pool of {} is too small for {allocator}: {}; the root's references alone take {}; \
         use a larger --pool, or --pool auto",
        display(*.pool),
        match .wanted { Some(bytes) => format!("a request of {} failed", display(*bytes)),
                        None => "live blocks were overwritten".to_owned() },
        display(*.root)
    )]
    Pool {
        /// The allocator.
        allocator: Refuser,
        /// The pool, in bytes.
        pool: u64,
        /// The request that failed, in bytes; nothing if memory was allocated
        /// twice instead.
        wanted: Option<u64>,
        /// Bytes of the root's reference array.
        root: u64,
    },
    /// The tree needs more than the largest pool that can be had.
    #[error(
        "the tree does not fit over {allocator} into a pool of {most}: use another allocator, \
         a smaller scene, or more memory than --pool auto can find here"
    )]
    Full {
        /// The allocator.
        allocator: Refuser,
        /// That pool.
        most: MostPool,
    },
    /// The build went wrong otherwise.
    #[error(transparent)]
    Build(BuildError),
    /// Two builds of one scene differ, or a tree is not right.
    #[error("{0}")]
    Wrong(String),
}

impl From<BackendError> for TreeError {
    fn from(error: BackendError) -> Self {
        Self::Heap(error.into())
    }
}

impl From<TreeError> for crate::Error {
    fn from(error: TreeError) -> Self {
        match error {
            TreeError::Heap(error) => error.into(),
            TreeError::Plan(error) => Self::Usage(error.to_string()),
            TreeError::Pool { .. } | TreeError::Full { .. } => Self::OutOfPool(error.to_string()),
            TreeError::Build(error) => Self::Failed(error.to_string()),
            TreeError::Wrong(_) => Self::Verification(error.to_string()),
        }
    }
}
