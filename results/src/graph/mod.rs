//! The results of keeping, changing and searching a graph.

mod algorithms;
mod csr;
mod events;
mod gap;
mod graphalytics;
mod memory;
mod problems;
mod text;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Meta, Samples};

pub use algorithms::{
    AlgorithmReports, BetweennessReport, ClusteringReport, CommunityReport, CoreReport,
    CountReport, PathReport, RankReport, Ranked, Scored, SearchReport, WayReport,
};
pub use csr::StoredGraph;
pub use events::{BatchReport, StreamReport};
pub use gap::{GapReport, KernelReport, TrialReport, TrialResult};
pub use graphalytics::{Comparison, DatasetRow, GraphalyticsReport};
pub use memory::{MemoryReport, RoundMemory};
pub use problems::{ProblemReport, ProblemTimes, ProblemsReport, WeightSum};

/// The result of `heapwood graph`; the keys are stable, what was not asked for
/// is null. Vertices are numbered as in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GraphReport {
    /// The graph's name.
    pub graph: String,
    /// Vertices.
    pub vertices: u32,
    /// The number of the first one.
    pub first_vertex: u64,
    /// Whether the numbers of the file may have gaps; if not, the others follow the first.
    pub compact_ids: bool,
    /// Edges in the file.
    pub edges_read: u64,
    /// Entries after both directions of undirected edges were made.
    pub edges_symmetrized: u64,
    /// Entries in the rows that are loaded.
    pub edges_stored: u64,
    /// Edges of the file from a vertex to itself.
    pub self_loops: u64,
    /// Whether those are stored.
    pub self_loops_kept: bool,
    /// Entries that were there already.
    pub duplicates: u64,
    /// Whether an edge says nothing about the opposite direction.
    pub directed: bool,
    /// The kind of the weights, `integer` or `real`; null if there are none.
    #[serde(default)]
    pub weights: Option<String>,
    /// `cpu` or `cuda`.
    pub backend: String,
    /// The product.
    pub device: String,
    /// The allocator.
    pub allocator: String,
    /// All of its parameters.
    pub parameters: BTreeMap<String, String>,
    /// Whether blocks were checked.
    pub check_heap: bool,
    /// `contiguous` or `linked`.
    pub layout: String,
    /// Bytes of the allocator's pool, at the end.
    pub pool_bytes: u64,
    /// Times that all was repeated, samples of every time.
    pub runs: u32,
    /// Making the heap and loading the graph.
    pub init_ms: Samples,
    /// The memory of the graph after all updates.
    pub memory: MemoryReport,
    /// Insertions and deletions of edges, round by round.
    pub updates: Vec<UpdateReport>,
    /// Insertions and deletions of vertices, round by round: insertions before the edges of the
    /// round, deletions after them.
    pub vertex_updates: Vec<VertexUpdateReport>,
    /// Events and the time of their batches.
    pub stream: Option<StreamReport>,
    /// The incremental results after each round. A stream has those after its last batch, whose
    /// number they carry.
    pub incremental: Option<Vec<IncrementalReport>>,
    /// Vertices after all updates, without those that were deleted.
    pub vertices_final: u32,
    /// Entries after all updates.
    pub edges_final: u64,
    /// The results of algorithms after all updates, one key per algorithm.
    #[serde(flatten)]
    pub algorithms: AlgorithmReports,
    /// Fingerprint of the graph after all updates.
    pub graph_hash: String,
    /// The results that an independent implementation confirmed.
    pub verified: Option<Vec<String>>,
    /// Machine, program and input.
    pub meta: Meta,
}

impl GraphReport {
    /// The time to change the graph, in milliseconds: medians, summed over all updates and the
    /// batches of a stream. Without updates it is the time to load the graph. Algorithms do not
    /// count, because they allocate nothing.
    pub fn changes_ms(&self) -> f64 {
        let edges = self.updates.iter().map(|update| &update.ms.total);
        let vertices = self.vertex_updates.iter().map(|update| &update.ms);
        let updates = edges.chain(vertices).map(|ms| ms.median);
        let stream = self.stream.iter().map(StreamReport::batches_ms);
        let changes = updates.chain(stream).reduce(|sum, ms| sum + ms);
        changes.unwrap_or(self.init_ms.median)
    }
}

/// The insertions or the deletions of a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UpdateReport {
    /// `insert` or `delete`.
    pub kind: String,
    /// How edges were drawn, `uniform` or `pressure`; null for those of a file.
    pub pattern: Option<String>,
    /// Number of the round.
    pub round: u32,
    /// Edges of all batches.
    pub edges: u64,
    /// Batches.
    #[serde(default)]
    pub batches: u64,
    /// Edges that were inserted.
    #[serde(default)]
    pub inserted: u64,
    /// Edges that were there already, or twice in a batch.
    #[serde(default)]
    pub duplicates: u64,
    /// Edges that were there with another weight.
    #[serde(default)]
    pub reweighted: u64,
    /// Edges that were deleted.
    #[serde(default)]
    pub deleted: u64,
    /// Edges to delete that were not there.
    #[serde(default)]
    pub missing: u64,
    /// Edges whose ends are no vertices, and loops unless they are kept.
    #[serde(default)]
    pub rejected: u64,
    /// Milliseconds of all batches.
    pub ms: UpdateTimes,
    /// Edges a second, of the median.
    pub per_second: Option<f64>,
}

/// The vertices that were inserted or deleted in a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VertexUpdateReport {
    /// `insert` or `delete`.
    pub kind: String,
    /// Number of the round.
    pub round: u32,
    /// Vertices to insert or to delete.
    pub vertices: u64,
    /// Vertices that were inserted.
    pub inserted: u64,
    /// Vertices that were deleted.
    pub deleted: u64,
    /// Vertices to delete that were not there any more, or were listed twice.
    pub missing: u64,
    /// Entries that went with vertices.
    pub entries_deleted: u64,
    /// Vertices afterwards, without those that were deleted.
    pub present: u32,
    /// All of it, in milliseconds; insertions take time only if records have to grow.
    pub ms: Samples,
}

/// Times of updates; what `incremental` adds to batches is among them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UpdateTimes {
    /// All of it.
    pub total: Samples,
    /// Sorting.
    #[serde(default)]
    pub sort: Samples,
    /// Everything after that: the sum of what follows.
    #[serde(default)]
    pub apply: Samples,
    /// Comparing the batch with the graph.
    #[serde(default)]
    pub classify: Samples,
    /// Requesting blocks; with linked pages, also filling them.
    #[serde(default)]
    pub allocate: Samples,
    /// Filling new blocks, and changing others in place.
    #[serde(default)]
    pub copy: Samples,
    /// Freeing blocks; with linked pages, also closing gaps.
    #[serde(default)]
    pub free: Samples,
    /// Finding the weights of edges, and writing them.
    #[serde(default)]
    pub weights: Samples,
    /// Counting the triangles that were made or destroyed, if that was asked.
    #[serde(default)]
    pub triangles: Samples,
    /// Joining and marking components, if that was asked.
    #[serde(default)]
    pub components: Samples,
}

/// The results of a round that are derived from those of the round before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IncrementalReport {
    /// Number of the round.
    pub round: u32,
    /// Triangles by the batches' counts.
    pub triangles: Option<IncrementalCount>,
    /// Ranks from those before.
    pub pagerank: Option<IncrementalRanks>,
    /// Components from those before.
    pub components: Option<IncrementalComponents>,
    /// Distances of shortest paths from those before; the same when found anew.
    #[serde(rename = "sssp", default)]
    pub paths: Option<IncrementalPaths>,
}

/// Triangles that the batches have counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IncrementalCount {
    /// In the graph; the same when counted anew.
    pub count: u64,
    /// Counting anew.
    pub recomputed_ms: Samples,
}

/// Components from those before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IncrementalComponents {
    /// Their number; the same when counted anew.
    pub count: u64,
    /// Joining and marking them by batches of edges, and bringing labels up to date.
    pub ms: Samples,
    /// Labelling them anew.
    pub recomputed_ms: Samples,
}

/// Distances from those before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IncrementalPaths {
    /// Vertices whose distance no longer held, because an edge of the tree was deleted or got a
    /// greater weight.
    pub raised: u64,
    /// Steps of the search.
    pub steps: u64,
    /// Bringing distances and the tree up to date.
    pub ms: Samples,
    /// Finding them anew, without a tree.
    pub recomputed_ms: Samples,
}

/// Ranks that were computed from others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IncrementalRanks {
    /// Iterations from the ranks before.
    pub iterations: u32,
    /// Those iterations.
    pub ms: Samples,
    /// Iterations from equal ranks.
    pub recomputed_iterations: u32,
    /// Those iterations.
    pub recomputed_ms: Samples,
    /// Difference of both, summed over vertices.
    pub difference: f64,
}
