//! Dynamic graphs on a backend: the store and what is computed on it.

pub mod algorithms;
mod batches;
mod device_store;
mod edges;
mod input;
mod kept_labels;
mod kept_workspace;
mod labels;
mod limits;
mod loading;
mod memory;
mod options;
mod peak;
mod phase_times;
mod read;
mod store;
pub mod verify;
mod vertex_list;
mod vertices;
mod workspace;

pub use crate::store_error::StoreError;
pub use algorithms::pagerank::rank_iteration;
pub use algorithms::paths::{Distances, PathOptions, Way};
pub use algorithms::results::*;
pub use batches::{Draw, Pattern, WeightRange};
pub use edges::{Edge, EdgeBatch, EdgeSlice};
pub use heapwood_device::graph::batch::{Change, Counts, Phase};
pub use heapwood_device::graph::pagerank::plan::{Method, RankOptions};
pub use heapwood_device::graph::store::plan::{Layout, Weighting};
pub use input::Input;
pub use limits::Limits;
pub use memory::MemoryUse;
pub use options::Options;
pub use phase_times::PhaseTimes;
pub use store::{Store, Update};
pub use vertices::VertexDeletion;
