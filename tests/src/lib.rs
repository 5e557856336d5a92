//! Machinery of the tests: warps in lockstep, the allocators' contract, kernels
//! on threads, trees and traversal by other means, and triangles to try them on.

pub mod brute;
pub mod buffer;
pub mod clipping;
pub mod conformance;
pub mod cornell;
pub mod delegated;
pub mod dirty;
pub mod fences;
pub mod gpu;
pub mod graph;
pub mod judge;
pub mod lockstep;
pub mod oracle;
pub mod pictured;
pub mod random;
pub mod rays;
pub mod runs;
pub mod shapes;
pub mod soup;
pub mod soups;
pub mod stage;
pub mod trees;
pub mod vector;
pub mod weaken;
