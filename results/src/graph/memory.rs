//! The pool memory that a graph uses, at the end and round by round.

use serde::{Deserialize, Serialize};

use crate::{Line, display};

/// Memory of a graph.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MemoryReport {
    /// Of entries, 4 bytes each; of directed graphs in both directions.
    pub payload_bytes: u64,
    /// Of blocks, as granted, after loading; null if the allocator does not tell how large all of
    /// its blocks are.
    pub loaded_bytes: Option<u64>,
    /// Of blocks, as granted, at the end; null likewise.
    pub allocated_bytes: Option<u64>,
    /// The most of the latter after any batch; null likewise.
    pub high_water_bytes: Option<u64>,
    /// The memory of blocks, records and handles after loading, divided by that of a CSR of the
    /// graph; null likewise. [`StoredGraph`](super::StoredGraph) defines both.
    pub loaded_memory_per_csr: Option<f64>,
    /// The same at the end, beside a CSR of the graph at the end; null likewise.
    pub memory_per_csr: Option<f64>,
    /// Part of the allocated bytes that holds no entries at the end, 0 to 1; null likewise.
    pub internal_fragmentation: Option<f64>,
    /// Part of the pool's free bytes outside of the largest free block at the end, 0 to 1; null
    /// if the allocator cannot be walked, or nothing is free.
    pub external_fragmentation: Option<f64>,
    /// The same bytes after each round, if there are several.
    pub rounds: Option<RoundMemory>,
}

/// Memory after each round: a list for each figure, with an entry for each round. Those of many
/// rounds stand in a few lists, not in an object each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoundMemory {
    /// Of entries.
    pub payload_bytes: Vec<u64>,
    /// Of blocks, as granted; null if the allocator does not tell how large all of them are.
    pub allocated_bytes: Option<Vec<u64>>,
    /// The most of the latter so far; null likewise.
    pub high_water_bytes: Option<Vec<u64>>,
}

impl MemoryReport {
    /// The memory at the end, for people. A graph that `is_changed` has another ratio to its CSR
    /// than the one that was loaded.
    pub(super) fn lines(&self, pool_bytes: u64, is_changed: bool) -> [Line; 3] {
        let part =
            |part: Option<f64>| part.map_or("unknown".to_owned(), |part| format!("{part:.4}"));
        let ratio = match (self.loaded_memory_per_csr, self.memory_per_csr) {
            (Some(loaded), Some(end)) if is_changed => {
                format!("{loaded:.2} after loading, {end:.2} after all updates")
            }
            (_, end) => end.map_or("unknown".to_owned(), |end| format!("{end:.2}")),
        };
        [
            (
                "memory",
                format!(
                    "{} of edges in {}, of a pool of {}",
                    display(self.payload_bytes),
                    blocks(self.allocated_bytes, self.high_water_bytes, "at most"),
                    display(pool_bytes)
                ),
            ),
            (
                "",
                format!(
                    "fragmentation {} internal, {} external",
                    part(self.internal_fragmentation),
                    part(self.external_fragmentation)
                ),
            ),
            ("memory / CSR", ratio),
        ]
    }
}

/// Bytes of blocks and the most of them, for people.
fn blocks(allocated: Option<u64>, most: Option<u64>, when: &str) -> String {
    match (allocated, most) {
        (Some(allocated), Some(most)) => {
            let (allocated, most) = (display(allocated), display(most));
            format!("{allocated} of blocks, {most} {when}")
        }
        _ => "blocks of unknown sizes".to_owned(),
    }
}

impl RoundMemory {
    /// A line a round, with its number.
    pub(super) fn lines(&self) -> impl Iterator<Item = (u32, Line)> {
        (1..).zip(&self.payload_bytes).map(|(round, &payload)| {
            let of = |list: &Option<Vec<u64>>| {
                let list = list.as_ref();
                list.and_then(|list| list.get(round as usize - 1).copied())
            };
            let (allocated, most) = (of(&self.allocated_bytes), of(&self.high_water_bytes));
            let text = format!(
                "round {round}: {} of edges in {}",
                display(payload),
                blocks(allocated, most, "at most so far")
            );
            (round, ("memory", text))
        })
    }
}
