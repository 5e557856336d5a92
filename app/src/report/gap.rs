//! Trials of the GAP benchmark suite as a report.

pub use heapwood_results::graph::{GapReport, KernelReport};

use super::graph::graph_report;
use crate::backend::DeviceInfo;
use crate::workload::gap::GapBenchmark;
use crate::workload::graph::{Run, Workload};

/// Reports the kernels of a benchmark, on a graph that was loaded by a run.
pub fn gap_report(
    benchmark: &GapBenchmark,
    workload: &Workload,
    info: &DeviceInfo,
    (loading, kernels): (&Run, Vec<KernelReport>),
) -> GapReport {
    let mut graph = graph_report(workload, info, std::slice::from_ref(loading), 0);
    if let Some(verified) = &mut graph.verified {
        verified.extend(kernels.iter().map(|kernel| kernel.kernel.clone()));
    }
    GapReport {
        graph,
        read_ms: benchmark.read_ms,
        kernels,
    }
}
