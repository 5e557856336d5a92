//! What a graph takes of its pool, at the end and round by round.

use serde::{Deserialize, Serialize};

use crate::{Line, display};

/// Memory of a graph.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MemoryReport {
    /// Of entries, 4 bytes each; of directed graphs in both directions.
    pub payload_bytes: u64,
    /// Of blocks, as granted, after loading.
    pub loaded_bytes: u64,
    /// Of blocks, as granted, at the end.
    pub allocated_bytes: u64,
    /// The most of the latter after any batch.
    pub high_water_bytes: u64,
    /// Part of the allocated bytes that holds no entries at the end, 0 to 1; null if the allocator
    /// does not tell how large its blocks are, so that they count as requested.
    pub internal_fragmentation: Option<f64>,
    /// Part of the pool's free bytes outside of the largest free block at the end, 0 to 1; null
    /// if the allocator cannot be walked, or nothing is free.
    pub external_fragmentation: Option<f64>,
    /// The same bytes after each round, if there are several.
    pub rounds: Option<RoundMemory>,
}

/// Memory after each round: a list for each figure, with a place for each round. Those of many
/// rounds stand in a few lists, not in an object each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RoundMemory {
    /// Of entries.
    pub payload_bytes: Vec<u64>,
    /// Of blocks, as granted.
    pub allocated_bytes: Vec<u64>,
    /// The most of the latter so far.
    pub high_water_bytes: Vec<u64>,
}

impl MemoryReport {
    /// The memory at the end, for people.
    pub(super) fn lines(&self, pool_bytes: u64) -> [Line; 2] {
        let part =
            |part: Option<f64>| part.map_or("unknown".to_owned(), |part| format!("{part:.4}"));
        [
            (
                "memory",
                format!(
                    "{} of edges in {} of blocks, {} at most, of a pool of {}",
                    display(self.payload_bytes),
                    display(self.allocated_bytes),
                    display(self.high_water_bytes),
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
        ]
    }
}

impl RoundMemory {
    /// A line a round, with its number.
    pub(super) fn lines(&self) -> impl Iterator<Item = (u32, Line)> {
        let bytes = self.payload_bytes.iter().zip(&self.allocated_bytes);
        let rounds = (1..).zip(bytes.zip(&self.high_water_bytes));
        rounds.map(|(round, ((&payload, &allocated), &most))| {
            let text = format!(
                "round {round}: {} of edges in {} of blocks, {} at most so far",
                display(payload),
                display(allocated),
                display(most)
            );
            (round, ("memory", text))
        })
    }
}
