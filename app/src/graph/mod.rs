//! Dynamic graphs on a backend: the store and what is computed on it.

mod algorithms;
mod batches;
mod device_store;
mod error;
mod limits;
mod memory;
mod read;
mod settle;
mod store;
mod traffic;
pub mod verify;
mod vertices;

pub use algorithms::{Components, Ranks, Search, Triangles};
pub use batches::{Draw, Pattern};
pub use error::StoreError;
pub use heapwood_device::graph::plan::{Change, Counts, Layout, Method, RankOptions};
pub use limits::Limits;
pub use memory::MemoryUse;
pub use store::{Edge, Options, Store, Update};
pub use traffic::rank_iteration;
