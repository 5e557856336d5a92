//! A block of memory for the neighbours of each vertex: how a batch changes it.

pub mod commit;
mod in_place;
mod long;
pub mod prepare;
pub mod relocate;
pub mod weights;
