//! Results of `heapwood compare graph`.

use serde::Deserialize;

use super::{Meta, Samples};

/// A case of `heapwood compare graph`.
#[derive(Clone, Debug, Deserialize)]
pub struct GraphRow {
    /// The graph, also of a case that failed.
    pub graph: String,
    /// The allocator.
    pub allocator: String,
    /// `contiguous` or `linked`.
    pub layout: String,
    /// `ok`, or how it failed.
    pub status: String,
    /// What came of it.
    pub result: Option<GraphResult>,
}

/// A result of `heapwood graph`.
#[derive(Clone, Debug, Deserialize)]
pub struct GraphResult {
    /// The graph.
    pub graph: String,
    /// Its vertices.
    pub vertices: u32,
    /// Entries that were loaded.
    pub edges_stored: u64,
    /// Whether entries are one way.
    pub directed: bool,
    /// The allocator.
    pub allocator: String,
    /// Loading.
    pub init_ms: Samples,
    /// Bytes of blocks.
    pub memory: GraphMemory,
    /// Insertions and deletions.
    pub updates: Vec<Update>,
    /// PageRank.
    pub pagerank: Option<Ranks>,
    /// Triangles.
    pub triangles: Option<Count>,
    /// Fingerprint of the graph at the end.
    pub graph_hash: String,
    /// Machine and program.
    pub meta: Meta,
}

/// Bytes of blocks.
#[derive(Clone, Debug, Deserialize)]
pub struct GraphMemory {
    /// After loading; none if the allocator does not tell.
    pub loaded_bytes: Option<u64>,
    /// At the most; none likewise.
    pub high_water_bytes: Option<u64>,
    /// Part of the allocated bytes without entries, at the end.
    pub internal_fragmentation: Option<f64>,
    /// Part of the free bytes outside of the largest free block, at the end.
    pub external_fragmentation: Option<f64>,
    /// After each of several rounds.
    pub rounds: Option<RoundMemory>,
}

/// Bytes of blocks after each round.
#[derive(Clone, Debug, Deserialize)]
pub struct RoundMemory {
    /// As granted; none if the allocator does not tell.
    pub allocated_bytes: Option<Vec<u64>>,
}

/// Insertions or deletions.
#[derive(Clone, Debug, Deserialize)]
pub struct Update {
    /// `insert` or `delete`.
    pub kind: String,
    /// `uniform` or `pressure`, of random edges.
    pub pattern: Option<String>,
    /// Number of the round, from 1.
    #[serde(default)]
    pub round: u32,
    /// Edges.
    pub edges: u64,
    /// What it took.
    pub ms: UpdateTimes,
}

/// Times of an update.
#[derive(Clone, Debug, Deserialize)]
pub struct UpdateTimes {
    /// All of it.
    pub total: Samples,
    /// Everything after sorting.
    pub apply: Option<Samples>,
}

/// PageRank.
#[derive(Clone, Debug, Deserialize)]
pub struct Ranks {
    /// Iterations.
    pub iterations: u32,
    /// All of them.
    pub ms: Samples,
    /// Bytes that one of them moves at least, if they were counted.
    pub iteration_bytes: Option<u64>,
}

/// A count.
#[derive(Clone, Debug, Deserialize)]
pub struct Count {
    /// The number.
    pub count: u64,
    /// Counting.
    pub ms: Samples,
}
