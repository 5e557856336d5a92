//! Machinery of the tests: warps in lockstep, and the allocators' contract.

pub mod conformance;
pub mod lockstep;
