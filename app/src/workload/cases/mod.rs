//! Cases of a benchmark over an allocator, each measured in this process or in one of its own.
//!
//! A case can be written down, so that another process measures it. Whatever happens to it is
//! in its row.

mod process;
mod runner;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use process::{child_main, run_in_child};
pub use runner::Runner;

use super::Status;
use crate::allocators::Spec;
use crate::backend::{Backend, DeviceInfo, Options};

/// A case: what is measured over which allocator, and where.
pub trait BenchCase: Serialize + DeserializeOwned {
    /// What the hidden command `case` calls cases of this benchmark.
    const KIND: &'static str;

    /// Its result.
    type Row: BenchRow;

    /// The allocator, as on the command line.
    fn allocator(&self) -> &str;

    /// The backend, once decided.
    fn backend(&self) -> &Options;

    /// The row of which nothing is known yet.
    fn row(&self, spec: &Spec, info: &DeviceInfo) -> Self::Row;

    /// Measures it. Whatever happens is in the row.
    fn measure(&self, backend: &dyn Backend, spec: &Spec) -> Self::Row;
}

/// The result of a case.
pub trait BenchRow: Serialize + DeserializeOwned {
    /// How the case ended.
    fn status(&self) -> Status;

    /// This row, ended in this way.
    #[must_use]
    fn ended(self, status: Status, why: impl ToString) -> Self;
}
