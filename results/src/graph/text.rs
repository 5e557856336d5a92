//! Results of graphs for people, a name and a value a line, and for programs.

use super::{
    GraphReport, IncrementalReport, RoundMemory, StreamReport, UpdateReport, VertexUpdateReport,
};
use crate::cells::{self, median, option};
use crate::{Line, Report, Table, milliseconds};

/// The titles for programs: the graph, its algorithms, and an update. Times are medians.
const RECORDS: [&str; 49] = [
    "graph",
    "#vertices",
    "#edges_stored",
    "directed",
    "backend",
    "device",
    "allocator",
    "parameters",
    "layout",
    "#pool_bytes",
    "#init_ms",
    "#allocated_bytes",
    "#high_water_bytes",
    "#memory_per_csr",
    "#internal_fragmentation",
    "#external_fragmentation",
    "#vertices_final",
    "#edges_final",
    "#latency_p50_ms",
    "#latency_p99_ms",
    "#pagerank_iterations",
    "#pagerank_ms",
    "#triangles",
    "#triangles_ms",
    "#components",
    "#components_ms",
    "#bfs_reached",
    "#bfs_ms",
    "#sssp_reached",
    "#sssp_ms",
    "#problems",
    "#problem_ms",
    "#lcc_mean",
    "#lcc_ms",
    "#cdlp_communities",
    "#cdlp_ms",
    "#kcore_degeneracy",
    "#kcore_ms",
    "#betweenness_ms",
    "graph_hash",
    "commit",
    "kind",
    "pattern",
    "#round",
    "#edges",
    "#total_ms",
    "#sort_ms",
    "#apply_ms",
    "#per_second",
];

impl GraphReport {
    /// The cells of the graph and its algorithms.
    fn record(&self) -> Vec<String> {
        let (memory, found) = (&self.memory, &self.algorithms);
        let latency = self.stream.as_ref().map(|stream| &stream.latency_ms);
        let (ranks, triangles) = (found.ranks.as_ref(), found.triangles.as_ref());
        let (components, search) = (found.components.as_ref(), found.search.as_ref());
        let problem_ms = found.problems.as_ref().map(|problems| &problems.problem_ms);
        vec![
            self.graph.clone(),
            self.vertices.to_string(),
            self.edges_stored.to_string(),
            self.directed.to_string(),
            self.backend.clone(),
            self.device.clone(),
            self.allocator.clone(),
            cells::parameters(&self.parameters),
            self.layout.clone(),
            self.pool_bytes.to_string(),
            self.init_ms.median.to_string(),
            option(memory.allocated_bytes),
            option(memory.high_water_bytes),
            option(memory.memory_per_csr),
            option(memory.internal_fragmentation),
            option(memory.external_fragmentation),
            self.vertices_final.to_string(),
            self.edges_final.to_string(),
            option(latency.map(|latency| latency.p50)),
            option(latency.map(|latency| latency.p99)),
            option(ranks.map(|ranks| ranks.iterations)),
            median(ranks.map(|ranks| &ranks.ms)),
            option(triangles.map(|triangles| triangles.count)),
            median(triangles.map(|triangles| &triangles.ms)),
            option(components.map(|components| components.count)),
            median(components.map(|components| &components.ms)),
            option(search.map(|search| search.reached)),
            median(search.map(|search| &search.ms)),
            option(found.paths.as_ref().map(|paths| paths.reached)),
            median(found.paths.as_ref().map(|paths| &paths.ms)),
            option(found.problems.as_ref().map(|problems| problems.count)),
            option(problem_ms.map(|times| times.median)),
            option(found.clustering.as_ref().map(|found| found.mean)),
            median(found.clustering.as_ref().map(|found| &found.ms)),
            option(found.communities.as_ref().map(|found| found.count)),
            median(found.communities.as_ref().map(|found| &found.ms)),
            option(found.cores.as_ref().map(|found| found.degeneracy)),
            median(found.cores.as_ref().map(|found| &found.ms)),
            median(found.betweenness.as_ref().map(|found| &found.ms)),
            self.graph_hash.clone(),
            option(self.meta.commit.as_ref()),
        ]
    }

    /// Whether anything was to change the graph after it was loaded.
    fn is_changed(&self) -> bool {
        let is_updated = !self.updates.is_empty() || !self.vertex_updates.is_empty();
        is_updated || self.stream.is_some()
    }

    /// The report for people.
    fn lines(&self) -> Vec<Line> {
        let mut lines = self.load_lines();
        lines.extend(self.update_lines());
        if !self.vertex_updates.is_empty() {
            let present = format!("{} after all updates", self.vertices_final);
            lines.push(("vertices", present));
        }
        lines.extend(self.stream.iter().flat_map(StreamReport::lines));
        if self.is_changed() {
            let stored = format!("{} stored after all updates", self.edges_final);
            lines.push(("edges", stored));
        }
        let rounds = self.incremental.iter().flatten();
        lines.extend(rounds.flat_map(IncrementalReport::lines));
        lines.extend(self.algorithms.lines(self.vertices_final));
        lines.push(("graph hash", self.graph_hash.clone()));
        if let Some(verified) = &self.verified {
            lines.push(("verified", verified.join(", ")));
        }
        lines
    }

    /// A line an update, in the order in which they were made, and what each round of several
    /// has left.
    fn update_lines(&self) -> Vec<Line> {
        let vertices = |kind: &'static str| {
            let of_kind = self
                .vertex_updates
                .iter()
                .filter(move |update| update.kind == kind);
            of_kind.map(|update| (update.round, update.line()))
        };
        let edges = self
            .updates
            .iter()
            .map(|update| (update.round, update.line()));
        let mut lines: Vec<(u32, Line)> = vertices("insert")
            .chain(edges)
            .chain(vertices("delete"))
            .chain(self.memory.rounds.iter().flat_map(RoundMemory::lines))
            .collect();
        // The sort is stable: lines of one round keep their order.
        lines.sort_by_key(|(round, _)| *round);
        lines.into_iter().map(|(_, line)| line).collect()
    }

    /// The lines of the graph and its memory.
    pub(super) fn load_lines(&self) -> Vec<Line> {
        let direction = if self.directed {
            "directed"
        } else {
            "undirected"
        };
        let weights = self.weights.as_ref();
        let weights = weights.map_or(String::new(), |kind| format!(", {kind} weights"));
        let loops = if self.self_loops_kept {
            "kept"
        } else {
            "left out"
        };
        let numbered = if self.compact_ids {
            "with ids from"
        } else {
            "numbered from"
        };
        let memory = self.memory.lines(self.pool_bytes, self.is_changed());
        let mut lines = vec![
            (
                "graph",
                format!(
                    "{}, {direction}{weights}, {} vertices {numbered} {}",
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
        ];
        lines.extend(self.meta.link_line());
        lines.extend(memory);
        lines.push(("load", self.init_ms.to_string()));
        lines
    }
}

impl UpdateReport {
    /// The cells of an update.
    fn record(update: Option<&Self>) -> [String; 8] {
        let ms = update.map(|update| &update.ms);
        [
            option(update.map(|update| &update.kind)),
            option(update.and_then(|update| update.pattern.as_ref())),
            option(update.map(|update| update.round)),
            option(update.map(|update| update.edges)),
            median(ms.map(|ms| &ms.total)),
            median(ms.map(|ms| &ms.sort)),
            median(ms.map(|ms| &ms.apply)),
            option(update.and_then(|update| update.per_second)),
        ]
    }

    fn line(&self) -> Line {
        let (name, done) = match self.kind.as_str() {
            "insert" => ("insert", format!("{} inserted", self.inserted)),
            _ => ("delete", format!("{} deleted", self.deleted)),
        };
        let others = [
            (self.duplicates, "duplicates"),
            (self.reweighted, "reweighted"),
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
            self.ms.total,
            milliseconds(self.ms.sort.median),
        );
        (name, text)
    }
}

impl VertexUpdateReport {
    fn line(&self) -> Line {
        let (name, done) = match self.kind.as_str() {
            "insert" => ("insert", format!("{} inserted", self.inserted)),
            _ => (
                "delete",
                format!(
                    "{} deleted with {} stored edges",
                    self.deleted, self.entries_deleted
                ),
            ),
        };
        let missing = match self.missing {
            0 => String::new(),
            count => format!(", {count} missing"),
        };
        let text = format!(
            "round {}: {} vertices, {done}{missing}; {}",
            self.round, self.vertices, self.ms
        );
        (name, text)
    }
}

impl IncrementalReport {
    fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        if let Some(triangles) = &self.triangles {
            lines.push((
                "incremental",
                format!(
                    "round {}: {} triangles by the batches; {} to count anew",
                    self.round, triangles.count, triangles.recomputed_ms
                ),
            ));
        }
        if let Some(ranks) = &self.pagerank {
            lines.push((
                "incremental",
                format!(
                    "round {}: ranks by {} iterations, {}; anew by {}, {}; {:.1e} apart",
                    self.round,
                    ranks.iterations,
                    ranks.ms,
                    ranks.recomputed_iterations,
                    ranks.recomputed_ms,
                    ranks.difference
                ),
            ));
        }
        if let Some(components) = &self.components {
            lines.push((
                "incremental",
                format!(
                    "round {}: {} components from those before, {}; {} to label anew",
                    self.round, components.count, components.ms, components.recomputed_ms
                ),
            ));
        }
        if let Some(paths) = &self.paths {
            lines.push((
                "incremental",
                format!(
                    "round {}: distances from those before, {} raised, {} steps, {}; {} to find \
                     anew",
                    self.round, paths.raised, paths.steps, paths.ms, paths.recomputed_ms
                ),
            ));
        }
        lines
    }
}

impl Report for GraphReport {
    fn table(&self) -> Table {
        cells::table(self.lines())
    }

    /// A row an update of edges; one row without any.
    fn records(&self) -> Table {
        let mut table = Table::new(&RECORDS);
        let updates: Vec<Option<&UpdateReport>> = match self.updates.is_empty() {
            true => vec![None],
            false => self.updates.iter().map(Some).collect(),
        };
        for update in updates {
            let mut row = self.record();
            row.extend(UpdateReport::record(update));
            table.push(row);
        }
        table
    }

    fn text(&self) -> String {
        cells::text(&self.lines(), 12)
    }
}
