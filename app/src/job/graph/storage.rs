//! How a job keeps a graph: the allocator, and the layout over it.

use heapwood_device::graph::store::plan::Layout;
use serde::{Deserialize, Serialize};

use crate::allocators::{Spec, SpecError};
use crate::graph::{Input, Limits, Options};
use crate::size::Pool;
use crate::word;
use crate::workload::graph::{Algorithms, UpdateStream, Workload};

/// The allocator of a graph, and the layout over it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct StorageOptions {
    /// The allocator.
    #[serde(with = "word")]
    pub allocator: Spec,
    /// Whether every block is checked.
    pub check_heap: bool,
    /// Storage of neighbours.
    #[serde(with = "word")]
    pub layout: Layout,
}

impl StorageOptions {
    /// These algorithms on a graph that nothing changes. Batches would follow the rules by which the
    /// graph was read.
    ///
    /// # Errors
    ///
    /// An allocator that cannot be checked.
    pub(in crate::job) fn workload<'i>(
        &self,
        input: &'i Input,
        pool: Pool,
        algorithms: Algorithms,
    ) -> Result<Workload<'i>, SpecError> {
        Ok(Workload {
            input,
            store: Options {
                spec: self.allocator.checked_if(self.check_heap)?,
                pool,
                layout: self.layout,
                self_loops: input.options.keep_self_loops,
                parallel: input.options.parallel,
                limits: Limits::default(),
            },
            stream: UpdateStream::default(),
            events: None,
            algorithms,
        })
    }
}
