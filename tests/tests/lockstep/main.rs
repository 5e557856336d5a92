//! The lockstep machine, and what it finds in weakened device code.

mod faults;
mod machine;
mod memory;
mod races;
mod weakened;
