//! Machinery of the tests: warps in lockstep.

pub mod lockstep;
