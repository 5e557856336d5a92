//! The memory that a graph takes of its pool, and its maximum.

use heapwood_device::graph::store::Vertex;
use heapwood_results::graph::StoredGraph;

use super::store::Store;
use crate::backend::BackendError;

/// Bytes that a graph takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemoryUse {
    /// Bytes of its entries, 4 each, or 8 with a weight.
    pub payload_bytes: u64,
    /// Usable bytes of the blocks: as granted if `tells_granted`, else a lower bound, in which some
    /// or all blocks count as requested.
    pub allocated_bytes: u64,
    /// The maximum of `allocated_bytes`: batches allocate before they free. Exact if it is
    /// requested after each batch; else blocks that batches freed in between count too.
    pub high_water_bytes: u64,
    /// Whether the allocator tells how large all of its blocks are.
    pub tells_granted: bool,
    /// The memory of blocks, records and handles, divided by that of a CSR of the same graph:
    /// [`StoredGraph::memory_per_csr`]. None unless `tells_granted`.
    pub memory_per_csr: Option<f64>,
}

const _: () = assert!(size_of::<Vertex>() as u64 == StoredGraph::RECORD_BYTES);

impl MemoryUse {
    /// Internal fragmentation: the part of the allocated bytes that holds no entries, 0 to 1.
    /// It is what the store keeps for growth, handles of linked pages, and what the allocator
    /// rounds requests up to; none if the allocator does not tell that.
    pub fn internal_fragmentation(&self) -> Option<f64> {
        self.tells_granted.then(|| match self.allocated_bytes {
            0 => 0.0,
            bytes => 1.0 - self.payload_bytes as f64 / bytes as f64,
        })
    }
}

impl Store<'_> {
    /// Bytes that the graph takes now, and the most so far.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn memory_use(&self) -> Result<MemoryUse, BackendError> {
        let mut sum = MemoryUse {
            tells_granted: self.device.heap.tells_granted(),
            ..MemoryUse::default()
        };
        let shape = self.shape();
        for store in 0..shape.stores() {
            let measured = self.device.measure(store)?;
            sum.payload_bytes += measured.payload_bytes;
            sum.allocated_bytes += measured.granted_bytes;
        }
        let stored = StoredGraph {
            stores: shape.stores() as u64,
            vertices: u64::from(shape.vertices),
            records: u64::from(shape.limit),
            handle_bytes: shape.handle_bytes as u64,
            payload_bytes: sum.payload_bytes,
        };
        let ratio = stored.memory_per_csr(sum.allocated_bytes);
        sum.memory_per_csr = sum.tells_granted.then_some(ratio);
        sum.high_water_bytes = self.peak.settle(sum.allocated_bytes);
        Ok(sum)
    }

    /// Entries in one direction: edges of a directed graph, and nearly twice those
    /// of an undirected one.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn entries(&self) -> Result<u64, BackendError> {
        Ok(self.device.measure(0)?.entries)
    }
}
