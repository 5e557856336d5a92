//! The memory of a dynamic graph beside that of a static one: `memory / CSR`.

/// The numbers of a graph that its records and its CSR follow from, at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredGraph {
    /// Stores: 1, or 2 of a directed graph, which has a store of in-neighbours too.
    pub stores: u64,
    /// Vertices, with those that were deleted: their numbers have empty rows in a CSR.
    pub vertices: u64,
    /// Vertices that each store has records for, `vertices` or more.
    pub records: u64,
    /// Bytes of a handle of the allocator; each record has one beside it.
    pub handle_bytes: u64,
    /// Bytes of the entries of all stores, 4 each.
    pub payload_bytes: u64,
}

impl StoredGraph {
    /// Bytes of a record without its handle.
    pub const RECORD_BYTES: u64 = 16;

    /// The memory of the graph divided by that of its CSR. The memory is `block_bytes`, those of
    /// the blocks of all stores as granted, and the records with their handles. The CSR has, for
    /// each store, 4 bytes an entry and 4 bytes for each of `vertices + 1` offsets.
    pub fn memory_per_csr(&self, block_bytes: u64) -> f64 {
        let record_bytes = self.records * (Self::RECORD_BYTES + self.handle_bytes);
        let offset_bytes = 4 * (self.vertices + 1);
        let memory_bytes = block_bytes + self.stores * record_bytes;
        let csr_bytes = self.payload_bytes + self.stores * offset_bytes;
        memory_bytes as f64 / csr_bytes as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_of_blocks_and_records_and_a_csr_of_entries_and_offsets() {
        let undirected = StoredGraph {
            stores: 1,
            vertices: 9,
            records: 9,
            handle_bytes: 4,
            payload_bytes: 40,
        };
        // 60 + 9 * 20 beside 40 + 10 * 4.
        assert_eq!(undirected.memory_per_csr(60), 3.0);
        // 128 + 2 * 12 * 24 beside 96 + 2 * 10 * 4.
        let directed = StoredGraph {
            stores: 2,
            records: 12,
            handle_bytes: 8,
            payload_bytes: 96,
            ..undirected
        };
        assert_eq!(directed.memory_per_csr(128), 4.0);
    }

    #[test]
    fn a_graph_without_vertices_has_an_offset() {
        let empty = StoredGraph {
            stores: 1,
            vertices: 0,
            records: 1,
            handle_bytes: 4,
            payload_bytes: 0,
        };
        assert_eq!(empty.memory_per_csr(0), 5.0);
    }
}
