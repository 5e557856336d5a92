//! The clauses of the allocators' contract. Each is a function over a heap that
//! was just initialised; a clause about an ability does nothing for allocators
//! that do not declare it.

mod blocks;
mod checked;
mod churn;
mod exhaustion;
mod state;
mod threads;

pub use blocks::{disjoint, sizes};
pub use checked::{double_frees, foreign_handles, overruns};
pub use churn::churn;
pub use exhaustion::{exhaustion, provided, recovery, reuse_across_sizes};
pub use state::{overwritten, reset, setup, walk};
pub use threads::{Slot, coalesced, concurrent, freed_by_others};
