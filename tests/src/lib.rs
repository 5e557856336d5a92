//! Machinery of the tests: warps in lockstep, kernels on threads, trees and
//! traversal by other means, and triangles to try them on.

pub mod brute;
pub mod cpu;
pub mod gpu;
pub mod lockstep;
pub mod soup;
pub mod soups;
