//! Workloads in which the allocator decides: objects come and go in each step, and little else is
//! done.
//!
//! - [`agents`]: a sea of fish and sharks, each a block.
//! - [`particles`]: particles that fly through a lattice, in blocks of some KiB.
//! - [`replay`]: the calls of a trace.
//! - [`workgen`]: threads that produce as much data as each draws, and others that consume it.
//!
//! The result of a step does not depend on the order of threads, nor on the allocator: conflicts are
//! decided by random numbers that are hashes of the place and the step. So any run can be compared
//! with a sequential reference.

pub mod agents;
pub mod particles;
mod random;
pub mod replay;
mod tally;
pub mod workgen;

pub use random::{draw, mix64};
pub use tally::{Counts, TALLY_WORDS};
