//! A block of memory for the neighbours of each vertex: how a batch changes it.

pub mod commit;
pub mod prepare;
pub mod relocate;
