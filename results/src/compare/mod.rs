//! Rows of a comparison, a case each.

mod compared;
mod frames;
mod graph;
mod sensitivity;
mod standing;
mod steps;
mod tree;

pub use compared::ComparedRow;
pub use graph::GraphRow;
pub use standing::Standing;
