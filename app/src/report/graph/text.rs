//! Results of graphs for people: a name and a value a line.

use super::{
    GraphReport, IncrementalReport, RoundMemory, StreamReport, UpdateReport, VertexUpdateReport,
};
use crate::graph::algorithms::Line;
use crate::report::milliseconds;

impl GraphReport {
    /// The report for people.
    pub fn text(&self) -> String {
        let mut lines = self.load_lines();
        lines.extend(self.update_lines());
        if !self.vertex_updates.is_empty() {
            let present = format!("{} after all updates", self.vertices_final);
            lines.push(("vertices", present));
        }
        lines.extend(self.stream.iter().flat_map(StreamReport::lines));
        let is_changed = !self.updates.is_empty() || !self.vertex_updates.is_empty();
        if is_changed || self.stream.is_some() {
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
        let line = |(name, value): &Line| format!("{name:<12}  {value}\n");
        lines.iter().map(line).collect()
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
        // What is of a round stays in its order.
        lines.sort_by_key(|(round, _)| *round);
        lines.into_iter().map(|(_, line)| line).collect()
    }

    fn load_lines(&self) -> Vec<Line> {
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
        let numbered = if self.compact_ids {
            "with ids from"
        } else {
            "numbered from"
        };
        let [memory, fragmentation] = self.memory.lines(self.pool_bytes);
        let mut lines = vec![
            (
                "graph",
                format!(
                    "{}, {direction}, {} vertices {numbered} {}",
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
        lines.extend([memory, fragmentation, ("load", self.init_ms.to_string())]);
        lines
    }
}

impl UpdateReport {
    fn line(&self) -> Line {
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
        lines
    }
}
