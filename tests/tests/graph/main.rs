//! The graph store and its algorithms, beside sets of edges and simple algorithms.

mod algorithms;
mod betweenness;
mod components;
mod draws;
mod failures;
mod hubs;
mod limits;
mod loads;
mod narrow;
mod sort;
mod traversal;
mod triangles;
mod updates;
mod weights;
