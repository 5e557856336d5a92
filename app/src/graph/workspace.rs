//! The memory in which batches are worked on, which is kept from one to the next.

use heapwood_device::graph::batch::UpdateSpace;
use heapwood_device::graph::triangles::delta::plan::CopySpace;

use crate::backend::{BackendError, Memory};

/// Memory for batches up to a size.
pub(super) struct Workspace {
    pub space: UpdateSpace,
    pub memory: Memory,
    /// The edges, and behind them their weights if there are any.
    pub edges: Memory,
    /// For copies of rows, once triangles were counted in linked pages.
    pub copies: Option<(CopySpace, Memory)>,
}

impl Workspace {
    /// The header of a store after a batch.
    pub fn header(&self, store: usize) -> Result<[u64; UpdateSpace::HEADER_WORDS], BackendError> {
        let offset = self.space.header_offset(store) as u64;
        self.memory.download_array(offset)
    }
}
