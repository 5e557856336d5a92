//! The bytes that an iteration of PageRank moves at least, to hold its time against
//! the rate at which a device copies memory (`heapwood devices --bandwidth`).

use heapwood_device::graph::store::Vertex;
use heapwood_graphs::Csr;
use rayon::prelude::*;

/// Neighbours whose contributions (`f32`) lie in one sector, the 32 bytes that a GPU reads
/// at the least.
const SECTOR_CONTRIBUTIONS: u32 = 8;

/// Bytes of a sector.
const SECTOR: u64 = 4 * SECTOR_CONTRIBUTIONS as u64;

/// Bytes of a vertex beside its neighbours: its record, its rank read and written,
/// its old contribution read and its new one written.
const VERTEX: u64 = size_of::<Vertex>() as u64 + 4 * 4;

/// The bytes of an iteration over contiguous rows of in-neighbours: 4 for each
/// neighbour, the sectors of the contributions of a row's neighbours (each once a row: no
/// cache is counted on beyond that), and the words of the vertices.
pub fn rank_iteration(incoming: &Csr) -> u64 {
    let row = |ends: &[u64]| {
        let row = &incoming.targets[ends[0] as usize..ends[1] as usize];
        let sectors = row.chunk_by(|a, b| a / SECTOR_CONTRIBUTIONS == b / SECTOR_CONTRIBUTIONS);
        4 * row.len() as u64 + SECTOR * sectors.count() as u64
    };
    let rows: u64 = incoming.offsets.par_windows(2).map(row).sum();
    // The out-degree of a directed graph is in a record of its own.
    let records = if incoming.directed {
        size_of::<Vertex>() as u64
    } else {
        0
    };
    rows + (VERTEX + records) * u64::from(incoming.vertices())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_are_counted_once_a_row() {
        let mut rows = Csr {
            offsets: vec![0, 3, 3, 5],
            targets: vec![1, 7, 8, 1, 2],
            weights: None,
            directed: false,
        };
        assert_eq!(rank_iteration(&rows), 5 * 4 + 3 * 32 + 3 * 32);
        rows.directed = true;
        assert_eq!(rank_iteration(&rows), 5 * 4 + 3 * 32 + 3 * 48);
    }
}
