//! Runs of LDBC Graphalytics as a report.

pub use heapwood_results::graph::GraphalyticsReport;

use super::graph::graph_report;
use crate::Error;
use crate::backend::DeviceInfo;
use crate::graph::Store;
use crate::workload::graph::{Run, Workload};
use crate::workload::graphalytics::Benchmark;

/// Vertices of highest rank in the report, as many as `heapwood graph` lists.
const TOP: usize = 10;

/// Reports runs of a benchmark, at least one, that found the same. The store has the graph.
///
/// # Errors
///
/// When there is not enough memory.
///
/// # Panics
///
/// If there are no runs.
pub fn graphalytics_report(
    benchmark: &Benchmark,
    workload: &Workload,
    info: &DeviceInfo,
    (runs, store): (&[Run], &Store),
) -> Result<GraphalyticsReport, Error> {
    Ok(GraphalyticsReport {
        graph: graph_report(workload, info, runs, TOP),
        algorithms: benchmark.rows(runs, store)?,
    })
}
