//! Runs of a graph workload as a report.

use super::{
    CountReport, GraphReport, IncrementalCount, IncrementalRanks, IncrementalReport, MemoryReport,
    RankReport, Ranked, SearchReport, UpdateReport, UpdateTimes,
};
use crate::backend::DeviceInfo;
use crate::graph::{Layout, Ranks, rank_iteration};
use crate::meta::Meta;
use crate::samples::Samples;
use crate::workload::graph::{self, Results, Run, Workload};

impl GraphReport {
    /// Reports runs, at least one, that found the same; of ranks the `top` highest.
    ///
    /// # Panics
    ///
    /// If there are no runs.
    pub fn new(workload: &Workload, info: &DeviceInfo, runs: &[Run], top: usize) -> Self {
        let first = &runs[0];
        let (input, store) = (workload.input, &workload.store);
        let statistics = &input.statistics;
        let mut meta = Meta::new(info);
        meta.seed = Some(workload.stream.seed);
        meta.input_hash = Some(format!("{:016x}", input.rows.graph_hash()));
        Self {
            graph: input.name.clone(),
            vertices: input.rows.vertices(),
            first_vertex: input.first_id,
            edges_read: statistics.edges_read,
            edges_symmetrized: statistics.edges_symmetrized,
            edges_stored: statistics.edges_stored,
            self_loops: statistics.self_loops,
            self_loops_kept: input.options.keep_self_loops,
            duplicates: statistics.duplicates,
            directed: input.rows.directed,
            backend: info.backend.to_owned(),
            device: info.device.clone(),
            allocator: store.spec.name().to_owned(),
            parameters: store.spec.parameters(),
            check_heap: workload.check_heap,
            layout: store.layout.name().to_owned(),
            pool_bytes: first.pool_bytes,
            runs: runs.len() as u32,
            init_ms: samples(runs, |run| run.init_ms),
            memory: MemoryReport {
                payload_bytes: first.memory.payload_bytes,
                loaded_bytes: first.loaded_bytes,
                allocated_bytes: first.memory.allocated_bytes,
                high_water_bytes: first.memory.high_water_bytes,
            },
            updates: (0..first.updates.len())
                .map(|place| update(runs, place))
                .collect(),
            incremental: workload.algorithms.incremental.then(|| {
                let rounds = 0..first.rounds.len();
                rounds.map(|round| incremental(runs, round)).collect()
            }),
            edges_final: first.entries,
            pagerank: first
                .results
                .ranks
                .as_ref()
                .map(|ranks| rank(workload, ranks, runs, top)),
            triangles: count(runs, |found| {
                let found = found.triangles.as_ref()?;
                Some((found.count, found.ms))
            }),
            components: count(runs, |found| {
                let found = found.components.as_ref()?;
                Some((found.count, found.ms))
            }),
            bfs: first.results.search.as_ref().map(|search| SearchReport {
                source: workload
                    .algorithms
                    .source
                    .map_or(0, |vertex| input.id(vertex)),
                reached: search.state.reached,
                depth: search.state.depth,
                ms: samples(runs, |run| {
                    run.results.search.as_ref().map_or(0.0, |search| search.ms)
                }),
            }),
            graph_hash: format!("{:016x}", first.hash),
            verified: input.edges.as_ref().map(|_| first.verified.clone()),
            meta,
        }
    }
}

/// A time of every run.
fn samples(runs: &[Run], time: impl Fn(&Run) -> f64) -> Samples {
    let times = runs.iter().map(time).collect();
    Samples::new(times).expect("there is a run")
}

/// A number, and the times of finding it.
fn count(runs: &[Run], of: impl Fn(&Results) -> Option<(u64, f64)>) -> Option<CountReport> {
    let (count, _) = of(&runs[0].results)?;
    Some(CountReport {
        count,
        ms: samples(runs, |run| of(&run.results).map_or(0.0, |(_, ms)| ms)),
    })
}

fn update(runs: &[Run], place: usize) -> UpdateReport {
    let applied = &runs[0].updates[place];
    let total = samples(runs, |run| {
        run.updates[place].sort_ms + run.updates[place].apply_ms
    });
    let (counts, inserts) = (&applied.counts, applied.kind() == "insert");
    UpdateReport {
        kind: applied.kind().to_owned(),
        pattern: applied.pattern.map(|pattern| pattern.name().to_owned()),
        round: applied.round,
        edges: applied.edges as u64,
        batches: applied.batches as u64,
        inserted: if inserts { counts.applied } else { 0 },
        duplicates: counts.duplicates,
        deleted: if inserts { 0 } else { counts.applied },
        missing: counts.missing,
        rejected: counts.rejected,
        per_second: (total.median > 0.0).then(|| applied.edges as f64 / total.median * 1e3),
        ms: UpdateTimes {
            total,
            sort: samples(runs, |run| run.updates[place].sort_ms),
            apply: samples(runs, |run| run.updates[place].apply_ms),
        },
    }
}

fn incremental(runs: &[Run], place: usize) -> IncrementalReport {
    let first = &runs[0].rounds[place];
    let ranks_ms = |of: fn(&graph::IncrementalRanks) -> f64| {
        samples(runs, |run| run.rounds[place].ranks.as_ref().map_or(0.0, of))
    };
    IncrementalReport {
        round: first.round,
        triangles: first.triangles.as_ref().map(|found| IncrementalCount {
            count: found.count,
            recomputed_ms: samples(runs, |run| {
                let triangles = run.rounds[place].triangles.as_ref();
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
    }
}

fn rank(workload: &Workload, ranks: &Ranks, runs: &[Run], top: usize) -> RankReport {
    RankReport {
        method: ranks.method.name().to_owned(),
        iterations: ranks.state.iterations,
        converged: ranks.state.converged,
        residual: ranks.state.residual,
        // The sum of nothing is -0.
        sum: 0.0 + ranks.ranks.iter().map(|&rank| f64::from(rank)).sum::<f64>(),
        ms: samples(runs, |run| {
            run.results.ranks.as_ref().map_or(0.0, |ranks| ranks.ms)
        }),
        iteration_bytes: iteration_bytes(workload),
        top: highest(&ranks.ranks, top)
            .into_iter()
            .map(|vertex| Ranked {
                vertex: workload.input.id(vertex),
                rank: ranks.ranks[vertex as usize],
            })
            .collect(),
    }
}

/// The bytes of an iteration over the rows that were loaded, if they are still it.
fn iteration_bytes(workload: &Workload) -> Option<u64> {
    let input = workload.input;
    let incoming = input.columns.as_ref().unwrap_or(&input.rows);
    let as_loaded = workload.store.layout == Layout::Contiguous && workload.stream.rounds == 0;
    as_loaded.then(|| rank_iteration(incoming))
}

/// The vertices of highest rank, of equal ones the first.
fn highest(ranks: &[f32], count: usize) -> Vec<u32> {
    let before = |a: &u32, b: &u32| {
        let [a_rank, b_rank] = [a, b].map(|v| ranks[*v as usize]);
        b_rank.total_cmp(&a_rank).then(a.cmp(b))
    };
    let mut vertices: Vec<u32> = (0..ranks.len() as u32).collect();
    if (1..vertices.len()).contains(&count) {
        vertices.select_nth_unstable_by(count - 1, before);
    }
    vertices.truncate(count);
    vertices.sort_unstable_by(before);
    vertices
}

#[cfg(test)]
mod tests {
    use super::highest;

    #[test]
    fn the_highest_come_first() {
        let ranks = [0.1, 0.4, 0.1, 0.3, 0.1];
        assert_eq!(highest(&ranks, 0), [0_u32; 0]);
        assert_eq!(highest(&ranks, 3), [1, 3, 0]);
        assert_eq!(highest(&ranks, 9), [1, 3, 0, 2, 4]);
        assert_eq!(highest(&[], 2), [0_u32; 0]);
    }
}
