//! The results of keeping, changing and searching a graph.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::milliseconds;
use crate::meta::Meta;
use crate::samples::Samples;
use crate::size::display;

/// The result of `heapwood graph`; the keys are stable, what was not asked for
/// is null. Vertices are numbered as in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GraphReport {
    /// The graph's name.
    pub graph: String,
    /// Vertices.
    pub vertices: u32,
    /// The number of the first one.
    pub first_vertex: u32,
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
    /// What the graph takes after all updates.
    pub memory: MemoryReport,
    /// Insertions and deletions, round by round.
    pub updates: Vec<UpdateReport>,
    /// What was carried along from round to round.
    pub incremental: Option<Vec<FollowReport>>,
    /// Entries after all updates.
    pub edges_final: u64,
    /// PageRank.
    pub pagerank: Option<RankReport>,
    /// Triangles.
    pub triangles: Option<CountReport>,
    /// Connected components.
    pub components: Option<CountReport>,
    /// Breadth-first search.
    pub bfs: Option<SearchReport>,
    /// Fingerprint of the graph after all updates.
    pub graph_hash: String,
    /// What an independent implementation agrees on.
    pub verified: Option<Vec<String>>,
    /// Machine, program and input.
    pub meta: Meta,
}

/// Memory of a graph.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MemoryReport {
    /// Of entries, 4 bytes each; of directed graphs in both directions.
    pub payload_bytes: u64,
    /// Of blocks, as granted.
    pub allocated_bytes: u64,
    /// The most of the latter after any batch.
    pub high_water_bytes: u64,
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
    pub batches: u64,
    /// Edges that were inserted.
    pub inserted: u64,
    /// Edges that were there already, or twice in a batch.
    pub duplicates: u64,
    /// Edges that were deleted.
    pub deleted: u64,
    /// Edges to delete that were not there.
    pub missing: u64,
    /// Edges whose ends are no vertices, and loops unless they are kept.
    pub rejected: u64,
    /// Milliseconds of all batches.
    pub ms: UpdateTimes,
    /// Edges a second, of the median.
    pub per_second: Option<f64>,
}

/// Times of updates; counting triangles for `incremental` is among them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UpdateTimes {
    /// All of it.
    pub total: Samples,
    /// Sorting.
    pub sort: Samples,
    /// Everything after that.
    pub apply: Samples,
}

/// What is known after a round from what was known before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FollowReport {
    /// Number of the round.
    pub round: u32,
    /// Triangles by the batches' counts.
    pub triangles: Option<FollowedCount>,
    /// Ranks from those before.
    pub pagerank: Option<FollowedRanks>,
}

/// Triangles that the batches have counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FollowedCount {
    /// In the graph; the same when counted anew.
    pub count: u64,
    /// Counting anew.
    pub recomputed_ms: Samples,
}

/// Ranks that were computed from others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FollowedRanks {
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

/// PageRank.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RankReport {
    /// Iterations.
    pub iterations: u32,
    /// Whether the last change was within the tolerance.
    pub converged: bool,
    /// The change of the last iteration, summed over vertices.
    pub residual: f64,
    /// The sum of all ranks.
    pub sum: f64,
    /// All iterations.
    pub ms: Samples,
    /// Vertices of highest rank.
    pub top: Vec<Ranked>,
}

/// A vertex and its rank.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ranked {
    /// Its number in the file.
    pub vertex: u32,
    /// Its rank.
    pub rank: f32,
}

/// A number of something.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CountReport {
    /// The number.
    pub count: u64,
    /// Counting.
    pub ms: Samples,
}

/// A breadth-first search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SearchReport {
    /// The number of the vertex that it starts from.
    pub source: u32,
    /// Vertices that were reached, the source among them.
    pub reached: u32,
    /// The greatest depth.
    pub depth: u32,
    /// The search.
    pub ms: Samples,
}

impl GraphReport {
    /// The report for people.
    pub fn text(&self) -> String {
        let mut lines = self.load_lines();
        lines.extend(self.updates.iter().map(UpdateReport::line));
        if !self.updates.is_empty() {
            let stored = format!("{} stored after all updates", self.edges_final);
            lines.push(("edges", stored));
        }
        let followed = self.incremental.iter().flatten();
        lines.extend(followed.flat_map(FollowReport::lines));
        lines.extend(self.algorithm_lines());
        lines.push(("graph hash", self.graph_hash.clone()));
        if let Some(verified) = &self.verified {
            lines.push(("verified", verified.join(", ")));
        }
        let line = |(name, value): &(&str, String)| format!("{name:<12}  {value}\n");
        lines.iter().map(line).collect()
    }

    fn load_lines(&self) -> Vec<(&'static str, String)> {
        let direction = if self.directed {
            "directed"
        } else {
            "undirected"
        };
        let loops = if self.self_loops_kept {
            "kept"
        } else {
            "left out"
        };
        let memory = &self.memory;
        vec![
            (
                "graph",
                format!(
                    "{}, {direction}, {} vertices numbered from {}",
                    self.graph, self.vertices, self.first_vertex
                ),
            ),
            (
                "edges",
                format!(
                    "{} read, {} symmetrized, {} stored; {} self loops {loops}, {} duplicates \
                     left out",
                    self.edges_read,
                    self.edges_symmetrized,
                    self.edges_stored,
                    self.self_loops,
                    self.duplicates
                ),
            ),
            ("backend", format!("{}, {}", self.backend, self.device)),
            (
                "allocator",
                format!("{}, {} adjacency", self.allocator, self.layout),
            ),
            (
                "memory",
                format!(
                    "{} of edges in {} of blocks, {} at most, of a pool of {}",
                    display(memory.payload_bytes),
                    display(memory.allocated_bytes),
                    display(memory.high_water_bytes),
                    display(self.pool_bytes)
                ),
            ),
            ("load", time(&self.init_ms)),
        ]
    }

    fn algorithm_lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        if let Some(ranks) = &self.pagerank {
            let end = if ranks.converged { "" } else { " (the limit)" };
            lines.push((
                "pagerank",
                format!(
                    "{} iterations{end}, residual {:.1e}, sum {:.6}; {}",
                    ranks.iterations,
                    ranks.residual,
                    ranks.sum,
                    time(&ranks.ms)
                ),
            ));
            let width = ranks.top.iter().map(|top| top.vertex.to_string().len());
            let width = width.max().unwrap_or(0);
            for top in &ranks.top {
                lines.push(("", format!("{:>width$}  {:.4e}", top.vertex, top.rank)));
            }
        }
        let counts = [
            ("triangles", &self.triangles),
            ("components", &self.components),
        ];
        for (name, count) in counts {
            if let Some(count) = count {
                lines.push((name, format!("{}; {}", count.count, time(&count.ms))));
            }
        }
        if let Some(search) = &self.bfs {
            lines.push((
                "search",
                format!(
                    "{} of {} vertices reached from {}, depth {}; {}",
                    search.reached,
                    self.vertices,
                    search.source,
                    search.depth,
                    time(&search.ms)
                ),
            ));
        }
        lines
    }
}

impl UpdateReport {
    fn line(&self) -> (&'static str, String) {
        let (name, done) = match self.kind.as_str() {
            "insert" => ("insert", format!("{} inserted", self.inserted)),
            _ => ("delete", format!("{} deleted", self.deleted)),
        };
        let others = [
            (self.duplicates, "duplicates"),
            (self.missing, "missing"),
            (self.rejected, "rejected"),
        ];
        let others = others.iter().filter(|(count, _)| *count > 0);
        let others: String = others
            .map(|(count, what)| format!(", {count} {what}"))
            .collect();
        let batches = match self.batches {
            1 => String::new(),
            count => format!(" in {count} batches"),
        };
        let speed = self.per_second.map_or(String::new(), |speed| {
            format!(", {:.2} million/s", speed * 1e-6)
        });
        let text = format!(
            "round {}: {} {} edges{batches}, {done}{others}; {}, of which {} to sort{speed}",
            self.round,
            self.edges,
            self.pattern.as_deref().unwrap_or("given"),
            time(&self.ms.total),
            milliseconds(self.ms.sort.median),
        );
        (name, text)
    }
}

impl FollowReport {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        if let Some(triangles) = &self.triangles {
            lines.push((
                "follow",
                format!(
                    "round {}: {} triangles by the batches; {} to count anew",
                    self.round,
                    triangles.count,
                    time(&triangles.recomputed_ms)
                ),
            ));
        }
        if let Some(ranks) = &self.pagerank {
            lines.push((
                "follow",
                format!(
                    "round {}: ranks by {} iterations, {}; anew by {}, {}; {:.1e} apart",
                    self.round,
                    ranks.iterations,
                    time(&ranks.ms),
                    ranks.recomputed_iterations,
                    time(&ranks.recomputed_ms),
                    ranks.difference
                ),
            ));
        }
        lines
    }
}

/// The median, and the range of several samples.
fn time(samples: &Samples) -> String {
    let median = milliseconds(samples.median);
    if samples.samples.len() == 1 {
        return format!("{median} ms");
    }
    let (least, most) = samples.range();
    format!(
        "{median} ms ({} to {})",
        milliseconds(least),
        milliseconds(most)
    )
}
