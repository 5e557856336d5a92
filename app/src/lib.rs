//! heapwood: GPU memory allocators, compared on real work.
//!
//! The library behind the program: backends that run the kernels of
//! `heapwood-device` on a GPU or on the CPU, the workloads, their measurement and
//! their reports. Only the command line prints, the module `cli` behind the feature of that name.
//! [`prelude`] has the names of most programs, and the first lines of some.

pub mod allocators;
pub mod backend;
pub mod cameras;
#[cfg(feature = "cli")]
pub mod cli;
pub mod cuda;
pub mod diff;
#[cfg(feature = "cli")]
mod duration;
mod encode;
mod error;
pub mod export;
pub mod generate;
pub mod graph;
pub mod heap;
pub mod job;
pub mod link;
pub mod max_pool;
pub mod meta;
pub mod output;
pub mod pool;
pub mod prelude;
pub mod process;
pub mod ptx;
mod random;
pub mod report;
pub mod size;
mod store_error;
mod student;
pub mod terminal;
pub mod tree;
mod word;
pub mod workload;

pub use encode::EncodeError;
pub use error::{Error, OptionError, UndecidedRanks};
pub use heapwood_graphs as graphs;
pub use heapwood_page as page;
pub use heapwood_results::samples;
pub use heapwood_scenes as scenes;
pub use heapwood_traces as traces;
