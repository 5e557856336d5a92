//! SAH k-d trees: building them over an allocator, and the finished tree.

pub mod node;
