//! Machinery of the tests: warps in lockstep, the allocators' contract, kernels
//! on threads, trees and traversal by other means, and triangles to try them on.

pub mod brute;
pub mod conformance;
pub mod cpu;
pub mod fences;
pub mod gpu;
pub mod graph;
pub mod judge;
pub mod lanes;
pub mod lockstep;
pub mod oracle;
pub mod rays;
pub mod runs;
pub mod soup;
pub mod soups;
pub mod vector;
pub mod weaken;
