//! Graphs: the device's store run on the CPU, and plain sets of edges to hold
//! it against.

mod model;
mod runner;
mod store;

pub use model::{Model, pack};
pub use runner::{Coroutines, Runner, Threads};
pub use store::{Csr, Store};
