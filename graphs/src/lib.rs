//! Graphs in memory: read from files of five formats or generated, as lists of
//! edges and as rows.
//!
//! [`load`] and [`generate`] give an [`EdgeList`], [`Csr::build`] makes rows of
//! it, [`save`] writes them. A [`Csr`] is ready for the dynamic store: every row
//! is sorted and without duplicates, an undirected graph holds each edge in both
//! directions, and what was added or left out on the way is counted in
//! [`CsrStatistics`]. Edges may have [`Weights`].
//!
//! ```
//! use heapwood_graphs::{Csr, CsrOptions, EdgeList};
//!
//! let list = EdgeList {
//!     vertices: 3,
//!     edges: vec![[0, 1], [1, 2], [2, 2]],
//!     weights: None,
//!     directed: false,
//! };
//! let (csr, statistics) = Csr::build(list, CsrOptions::default());
//! assert_eq!(csr.row(1), [0, 2]);
//! assert_eq!((statistics.edges_stored, statistics.self_loops), (4, 1));
//! println!("graph {:016x}", csr.graph_hash());
//! ```

mod csr;
mod edges;
mod error;
mod format;
pub mod generate;
mod hash;
mod ids;
mod read;
mod rows;
mod weights;
mod write;

pub use csr::{Csr, CsrOptions, CsrStatistics, Degrees, Direction, Parallel, UnknownParallel};
pub use edges::EdgeList;
pub use error::{GraphError, LineProblem, WeightProblem};
pub use format::{Format, UnknownFormat};
pub use heapwood_files::ReadError;
pub use ids::Ids;
pub use read::{Dataset, DatasetAlgorithm, ReferenceValues};
pub use read::{EventList, Events, SignedEdge, TimedEdge, load_events};
pub use read::{Loaded, Note, Numbering, ReadOptions, ReadWeights, UnknownWeights, load};
pub use read::{Problems, load_coordinates, load_problems};
pub use read::{files_read, load_sources, load_vertices, read_graph};
pub use weights::{WeightKind, Weights};
pub use write::{check_weights, output_format, save, save_with_ids};

/// Most vertices that a graph may have.
///
/// A few bytes of text can name any id; rows take 16 bytes for each vertex up to
/// the largest. This many take 4 GiB.
pub const MAX_VERTICES: u32 = 1 << 28;
