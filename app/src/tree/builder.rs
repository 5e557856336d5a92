//! The builders of trees.

pub use heapwood_results::build::Builder;
