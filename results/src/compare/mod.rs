//! Rows of a comparison, a case each.

mod frames;
mod graph;
mod standing;
mod tree;

pub use graph::GraphRow;
pub use standing::Standing;
pub use tree::TreeRow;
