//! Runs of a graph workload as a report.

mod events;
mod memory;

pub use heapwood_results::graph::*;

use crate::backend::DeviceInfo;
use crate::graph::algorithms::ReportContext;
use crate::graph::{Layout, Phase};
use crate::meta;
use crate::samples::Samples;
use crate::workload::graph::{self, Results, Run, Workload};

use events::stream_report;
use memory::memory_report;

/// Reports runs, at least one, that found the same; of ranks the `top` highest.
///
/// # Panics
///
/// If there are no runs.
pub fn graph_report(
    workload: &Workload,
    info: &DeviceInfo,
    runs: &[Run],
    top: usize,
) -> GraphReport {
    let first = &runs[0];
    let (input, store) = (workload.input, &workload.store);
    let statistics = &input.statistics;
    let results: Vec<&Results> = runs.iter().map(|run| &run.results).collect();
    let context = ReportContext {
        input,
        as_loaded: store.layout == Layout::Contiguous
            && workload.stream.rounds == 0
            && workload.events.is_none(),
        top,
    };
    let algorithms = workload.algorithms.report(&results, &context);
    let mut about = meta::over(meta::of_device(info), &store.spec, info);
    about.seed = Some(workload.stream.seed);
    about.input_hash = Some(format!("{:016x}", input.rows.graph_hash()));
    GraphReport {
        graph: input.name.clone(),
        vertices: input.rows.vertices(),
        first_vertex: input.ids.first(),
        compact_ids: input.ids.are_listed(),
        edges_read: statistics.edges_read,
        edges_symmetrized: statistics.edges_symmetrized,
        edges_stored: statistics.edges_stored,
        self_loops: statistics.self_loops,
        self_loops_kept: input.options.keep_self_loops,
        duplicates: statistics.duplicates,
        directed: input.rows.directed,
        weights: input.rows.weight_kind().map(|kind| kind.to_string()),
        backend: info.backend.to_owned(),
        device: info.device.clone(),
        allocator: store.spec.label(),
        parameters: store.spec.parameters(),
        check_heap: store.spec.is_checked(),
        layout: store.layout.name().to_owned(),
        pool_bytes: first.pool_bytes,
        runs: runs.len() as u32,
        init_ms: samples(runs, |run| run.init_ms),
        memory: memory_report(first),
        updates: (0..first.updates.len())
            .map(|index| update(runs, index))
            .collect(),
        vertex_updates: (0..first.vertex_updates.len())
            .map(|index| vertex_update(runs, index))
            .collect(),
        stream: stream_report(workload, runs),
        incremental: workload.algorithms.incremental.then(|| {
            let rounds = 0..first.rounds.len();
            rounds.map(|round| incremental(runs, round)).collect()
        }),
        vertices_final: first.vertices,
        edges_final: first.entries,
        algorithms,
        graph_hash: format!("{:016x}", first.hash),
        verified: input.edges.as_ref().map(|_| first.verified.clone()),
        meta: about,
    }
}

/// A time of every run.
fn samples(runs: &[Run], time: impl Fn(&Run) -> f64) -> Samples {
    let times = runs.iter().map(time).collect();
    Samples::new(times).expect("there is a run")
}

fn update(runs: &[Run], index: usize) -> UpdateReport {
    let applied = &runs[0].updates[index];
    let total = samples(runs, |run| run.updates[index].times.total());
    let phase = |phase| samples(runs, |run| run.updates[index].times.of(phase));
    let (counts, inserts) = (&applied.counts, applied.kind() == "insert");
    UpdateReport {
        kind: applied.kind().to_owned(),
        pattern: applied.pattern.map(|pattern| pattern.name().to_owned()),
        round: applied.round,
        edges: applied.edges as u64,
        batches: applied.batches as u64,
        inserted: if inserts { counts.applied } else { 0 },
        duplicates: counts.duplicates,
        reweighted: counts.reweighted,
        deleted: if inserts { 0 } else { counts.applied },
        missing: counts.missing,
        rejected: counts.rejected,
        per_second: (total.median > 0.0).then(|| applied.edges as f64 / total.median * 1e3),
        ms: UpdateTimes {
            total,
            sort: phase(Phase::Sort),
            apply: samples(runs, |run| run.updates[index].times.apply()),
            classify: phase(Phase::Classify),
            allocate: phase(Phase::Allocate),
            copy: phase(Phase::Copy),
            free: phase(Phase::Free),
            weights: phase(Phase::Weights),
            triangles: phase(Phase::Triangles),
            components: phase(Phase::Components),
        },
    }
}

fn vertex_update(runs: &[Run], index: usize) -> VertexUpdateReport {
    let applied = &runs[0].vertex_updates[index];
    let (vertices, inserts) = (applied.vertices as u64, applied.kind() == "insert");
    VertexUpdateReport {
        kind: applied.kind().to_owned(),
        round: applied.round,
        vertices,
        inserted: if inserts { applied.applied } else { 0 },
        deleted: if inserts { 0 } else { applied.applied },
        missing: vertices - applied.applied,
        entries_deleted: applied.entries,
        present: applied.present,
        ms: samples(runs, |run| run.vertex_updates[index].ms),
    }
}

fn incremental(runs: &[Run], index: usize) -> IncrementalReport {
    let first = &runs[0].rounds[index];
    let ranks_ms = |of: fn(&graph::IncrementalRanks) -> f64| {
        samples(runs, |run| run.rounds[index].ranks.as_ref().map_or(0.0, of))
    };
    let components_ms = |of: fn(&graph::IncrementalComponents) -> f64| {
        samples(runs, |run| {
            run.rounds[index].components.as_ref().map_or(0.0, of)
        })
    };
    let paths_ms = |of: fn(&graph::IncrementalPaths) -> f64| {
        samples(runs, |run| run.rounds[index].paths.as_ref().map_or(0.0, of))
    };
    IncrementalReport {
        round: first.round,
        triangles: first.triangles.as_ref().map(|found| IncrementalCount {
            count: found.count,
            recomputed_ms: samples(runs, |run| {
                let triangles = run.rounds[index].triangles.as_ref();
                triangles.map_or(0.0, |found| found.full_ms)
            }),
        }),
        pagerank: first.ranks.as_ref().map(|found| IncrementalRanks {
            iterations: found.iterations,
            ms: ranks_ms(|found| found.ms),
            recomputed_iterations: found.full_iterations,
            recomputed_ms: ranks_ms(|found| found.full_ms),
            difference: found.apart,
        }),
        components: first
            .components
            .as_ref()
            .map(|found| IncrementalComponents {
                count: found.count,
                ms: components_ms(|found| found.ms),
                recomputed_ms: components_ms(|found| found.full_ms),
            }),
        paths: first.paths.as_ref().map(|found| IncrementalPaths {
            raised: found.advance.state.raised,
            steps: found.advance.state.steps,
            ms: paths_ms(|found| found.advance.ms),
            recomputed_ms: paths_ms(|found| found.full_ms),
        }),
    }
}
