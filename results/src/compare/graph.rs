//! Graphs that were kept, changed and computed on, compared.

use serde::{Deserialize, Serialize};

use super::Standing;
use crate::cells::{or_dash, status};
use crate::graph::GraphReport;
use crate::{Outcome, Report, Table, display, milliseconds};

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
    #[serde(default)]
    pub options: Vec<String>,
    /// The report of the case or its error.
    #[serde(flatten)]
    pub outcome: Outcome<GraphReport>,
}

impl Report for [GraphRow] {
    /// A row a case; times in milliseconds, updates in millions of edges a second, and the latency
    /// of batches of a stream. A star is at the fastest of each layout that frees.
    fn table(&self) -> Table {
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
            "#memory / CSR",
            "#pool",
            "status",
        ]);
        for row in self {
            let result = row.outcome.result.as_ref();
            let speeds = || {
                let updates = result.into_iter().flat_map(|result| &result.updates);
                updates.filter_map(|update| update.per_second)
            };
            let speed =
                |speed: Option<f64>| or_dash(speed.map(|speed| format!("{:.1}", speed * 1e-6)));
            let bytes =
                |of: fn(&GraphReport) -> Option<u64>| or_dash(result.and_then(of).map(display));
            let stream = result.and_then(|result| result.stream.as_ref());
            let latency = stream.map(|stream| &stream.latency_ms);
            let ratio = result.and_then(|result| result.memory.memory_per_csr);
            let pagerank = result.and_then(|result| result.algorithms.ranks.as_ref());
            let triangles = result.and_then(|result| result.algorithms.triangles.as_ref());
            table.push(vec![
                row.allocator.clone(),
                row.layout.clone(),
                or_dash(result.map(|result| milliseconds(result.changes_ms()))),
                or_dash(row.standing.shown_ratio()),
                row.standing.mark(),
                or_dash(result.map(|result| milliseconds(result.init_ms.median))),
                speed(speeds().reduce(f64::min)),
                speed(speeds().reduce(f64::max)),
                or_dash(latency.map(|latency| milliseconds(latency.p50))),
                or_dash(latency.map(|latency| milliseconds(latency.p99))),
                or_dash(pagerank.map(|ranks| milliseconds(ranks.ms.median))),
                or_dash(triangles.map(|count| milliseconds(count.ms.median))),
                bytes(|result| result.memory.allocated_bytes),
                bytes(|result| result.memory.high_water_bytes),
                or_dash(ratio.map(|ratio| format!("{ratio:.2}"))),
                bytes(|result| Some(result.pool_bytes)),
                status(row.outcome.status, row.outcome.error.as_deref()),
            ]);
        }
        table
    }
}
