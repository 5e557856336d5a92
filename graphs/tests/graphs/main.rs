//! Readers, writers and generators of graphs as another crate uses them.

mod files;
mod pairs;
mod robustness;
mod round_trips;
mod shipped;
mod weights;
