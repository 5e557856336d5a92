//! References for the k-d tree builder and traversal: an exact builder in O(N log N), traversal in
//! doubles, and brute force.

mod build;
mod trace;

pub use build::{REFERENCE, build, depth};
pub use trace::{Ray, brute_force, closest_hit};
