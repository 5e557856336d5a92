//! Graphs: the device's store run on the CPU, plain sets of edges to hold it
//! against, and graphs to try it on.

pub mod expected;
pub mod forms;
pub mod graphs;
mod model;
mod reference;
mod run;
mod runner;
mod store;

pub use model::{Model, pack};
pub use run::Ranks;
pub use runner::{Coroutines, Runner, Threads};
pub use store::{Csr, Exported, Store};
