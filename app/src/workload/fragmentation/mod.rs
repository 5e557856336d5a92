//! How much of a pool an allocator grants, and which addresses, as Winter et al. measure it
//! (Ouroboros 2020, section 6.1.3 and Figure 3).
//!
//! - Range: blocks of one size are allocated at once on an empty heap. The addresses that they
//!   cover are compared with the fewest that could hold them.
//! - Fill: such blocks are allocated until none is granted any more.
//! - Growth: in each step all threads allocate, then every second block of these is freed, so
//!   that half of what is allocated stays; until a request is refused.
//!
//! ```
//! use heapwood::allocators::Spec;
//! use heapwood::backend::{Choice, Options};
//! use heapwood::job::Runner;
//! use heapwood::workload::fragmentation::Case;
//!
//! let backend = Options { choice: Choice::Cpu, ..Options::default() };
//! let case = Case {
//!     allocator: Spec::parse("ouroboros-p-va")?,
//!     pool_bytes: 8 << 20,
//!     threads: 100,
//!     bytes: 64,
//!     most_steps: 10_000,
//!     backend: backend.clone(),
//! };
//! let row = Runner::in_this_process(&backend)?.run(&case)?;
//! assert!(row.fill.is_some_and(|fill| fill.pool_share > 0.8));
//! assert!(row.growth.is_some_and(|growth| growth.exhausted));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod measure;
mod row;

use serde::{Deserialize, Serialize};

pub use heapwood_results::fragmentation::{Fill, FragmentationRow as Row, Growth, Range, Step};
pub use measure::measure;
pub use row::verdict;

use crate::allocators::Spec;
use crate::backend::{self, DeviceInfo};
use crate::word;

/// A case: an allocator and a size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Case {
    /// The allocator.
    #[serde(with = "word")]
    pub allocator: Spec,
    /// Its pool, in bytes.
    pub pool_bytes: u64,
    /// Threads that allocate a block each at a time.
    pub threads: u32,
    /// Bytes of a block, at least 1.
    pub bytes: u64,
    /// Most steps of growth.
    pub most_steps: u32,
    /// Where, once decided.
    pub backend: backend::Options,
}

impl Case {
    /// Its row before anything is measured.
    pub fn row(&self, info: &DeviceInfo) -> Row {
        row::new(self, info)
    }
}
