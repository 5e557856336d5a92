//! Graphs that were kept, changed and computed on, compared.

use serde::{Deserialize, Serialize};

use super::{Origin, Row, Standing, cell, status};
use crate::report::graph::GraphReport;
use crate::report::{Table, milliseconds};
use crate::size::display;
use crate::workload::compare::Outcome;

/// The result of an allocator and a layout.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GraphRow {
    /// The graph's name.
    pub graph: String,
    /// The allocator, as on the command line.
    pub allocator: String,
    /// `contiguous` or `linked`.
    pub layout: String,
    /// Its changes beside those of the others in the same layout.
    #[serde(flatten)]
    pub standing: Standing,
    /// The options that all cases have in common, as given to `heapwood graph`.
    pub options: Vec<String>,
    /// What became of the case.
    #[serde(flatten)]
    pub outcome: Outcome<GraphReport>,
}

impl Row for GraphRow {
    type Result = GraphReport;

    fn case(&self) -> String {
        format!("{}, {}", self.allocator, self.layout)
    }

    fn allocator(&self) -> &str {
        &self.allocator
    }

    fn group(&self) -> &str {
        &self.layout
    }

    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn standing_mut(&mut self) -> &mut Standing {
        &mut self.standing
    }

    fn time(result: &GraphReport) -> f64 {
        result.changes_ms()
    }

    fn options(&self) -> &[String] {
        &self.options
    }

    fn outcome(&self) -> &Outcome<GraphReport> {
        &self.outcome
    }

    fn hash(result: &GraphReport) -> &str {
        &result.graph_hash
    }

    const DIFFER: &'static str = "ended with different graphs";

    fn table(rows: &[Self]) -> Table {
        table(rows)
    }

    fn origin(result: &GraphReport) -> Origin {
        Origin {
            input: result.graph.clone(),
            backend: result.backend.clone(),
            device: result.device.clone(),
            meta: result.meta.clone(),
        }
    }
}

/// A row a case; times in milliseconds, updates in millions of edges a second, and the latency of
/// batches of a stream. A star is at the fastest of each layout that frees.
fn table(rows: &[GraphRow]) -> Table {
    let mut table = Table::new(&[
        "allocator",
        "layout",
        "#changes ms",
        "#ratio",
        "fastest",
        "#load ms",
        "#slowest M/s",
        "#fastest M/s",
        "#p50 ms",
        "#p99 ms",
        "#pagerank ms",
        "#triangles ms",
        "#blocks",
        "#most",
        "#pool",
        "status",
    ]);
    for row in rows {
        let result = row.outcome.result.as_ref();
        let speeds = || {
            let updates = result.into_iter().flat_map(|result| &result.updates);
            updates.filter_map(|update| update.per_second)
        };
        let speed = |speed: Option<f64>| cell(speed.map(|speed| format!("{:.1}", speed * 1e-6)));
        let bytes = |of: fn(&GraphReport) -> Option<u64>| cell(result.and_then(of).map(display));
        let stream = result.and_then(|result| result.stream.as_ref());
        let latency = stream.map(|stream| &stream.latency_ms);
        let pagerank = result.and_then(|result| result.algorithms.ranks.as_ref());
        let triangles = result.and_then(|result| result.algorithms.triangles.as_ref());
        table.push(vec![
            row.allocator.clone(),
            row.layout.clone(),
            cell(result.map(|result| milliseconds(result.changes_ms()))),
            cell(row.standing.shown_ratio()),
            row.standing.mark(),
            cell(result.map(|result| milliseconds(result.init_ms.median))),
            speed(speeds().reduce(f64::min)),
            speed(speeds().reduce(f64::max)),
            cell(latency.map(|latency| milliseconds(latency.p50))),
            cell(latency.map(|latency| milliseconds(latency.p99))),
            cell(pagerank.map(|ranks| milliseconds(ranks.ms.median))),
            cell(triangles.map(|count| milliseconds(count.ms.median))),
            bytes(|result| result.memory.allocated_bytes),
            bytes(|result| result.memory.high_water_bytes),
            bytes(|result| Some(result.pool_bytes)),
            status(&row.outcome),
        ]);
    }
    table
}
