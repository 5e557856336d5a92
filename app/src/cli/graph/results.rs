//! What all passes found and took, as a report.

use super::input::Input;
use super::session::Pass;
use super::updates::Plan;
use super::{Arguments, layout_name};
use crate::allocators::Spec;
use crate::backend::DeviceInfo;
use crate::graph::{Layout, Ranks, rank_iteration};
use crate::meta::Meta;
use crate::report::graph::{
    CountReport, FollowReport, FollowedCount, FollowedRanks, GraphReport, MemoryReport, RankReport,
    Ranked, SearchReport, UpdateReport, UpdateTimes,
};
use crate::samples::Samples;

/// Reports passes, at least one, that found the same.
pub(super) fn report(
    arguments: &Arguments,
    input: &Input,
    plan: &Plan,
    spec: &Spec,
    info: &DeviceInfo,
    passes: &[Pass],
) -> GraphReport {
    let first = &passes[0];
    let statistics = &input.statistics;
    let mut meta = Meta::new(info);
    meta.seed = Some(plan.seed);
    meta.input_hash = Some(format!("{:016x}", input.rows.graph_hash()));
    GraphReport {
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
        allocator: spec.name().to_owned(),
        parameters: spec.parameters(),
        check_heap: arguments.allocator.check_heap,
        layout: layout_name(arguments.layout).to_owned(),
        pool_bytes: first.pool_bytes,
        runs: passes.len() as u32,
        init_ms: samples(passes, |pass| pass.init_ms),
        memory: MemoryReport {
            payload_bytes: first.memory.payload_bytes,
            loaded_bytes: first.loaded_bytes,
            allocated_bytes: first.memory.allocated_bytes,
            high_water_bytes: first.memory.high_water_bytes,
        },
        updates: (0..first.updates.len())
            .map(|place| update(passes, place))
            .collect(),
        incremental: arguments.work.algorithms.incremental.then(|| {
            let rounds = 0..first.followed.len();
            rounds.map(|round| followed(passes, round)).collect()
        }),
        edges_final: first.entries,
        pagerank: first
            .results
            .ranks
            .as_ref()
            .map(|ranks| rank(arguments, input, ranks, passes)),
        triangles: count(passes, |pass| pass.results.triangles),
        components: count(passes, |pass| pass.results.components),
        bfs: first.results.search.as_ref().map(|search| SearchReport {
            source: arguments.work.algorithms.bfs.unwrap_or_default(),
            reached: search.state.reached,
            depth: search.state.depth,
            ms: samples(passes, |pass| {
                pass.results.search.as_ref().map_or(0.0, |search| search.ms)
            }),
        }),
        graph_hash: format!("{:016x}", first.hash),
        verified: arguments.work.verify.then(|| first.verified.clone()),
        meta,
    }
}

/// A time of every pass.
fn samples(passes: &[Pass], time: impl Fn(&Pass) -> f64) -> Samples {
    let times = passes.iter().map(time).collect();
    Samples::new(times).expect("there is a pass")
}

fn count(passes: &[Pass], of: impl Fn(&Pass) -> Option<(u64, f64)>) -> Option<CountReport> {
    let (count, _) = of(&passes[0])?;
    Some(CountReport {
        count,
        ms: samples(passes, |pass| of(pass).map_or(0.0, |(_, ms)| ms)),
    })
}

fn update(passes: &[Pass], place: usize) -> UpdateReport {
    let applied = &passes[0].updates[place];
    let total = samples(passes, |pass| {
        pass.updates[place].sort_ms + pass.updates[place].apply_ms
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
            sort: samples(passes, |pass| pass.updates[place].sort_ms),
            apply: samples(passes, |pass| pass.updates[place].apply_ms),
        },
    }
}

fn followed(passes: &[Pass], place: usize) -> FollowReport {
    let first = &passes[0].followed[place];
    let ranks_ms = |of: fn(&super::follow::FollowedRanks) -> f64| {
        samples(passes, |pass| {
            pass.followed[place].ranks.as_ref().map_or(0.0, of)
        })
    };
    FollowReport {
        round: first.round,
        triangles: first.triangles.as_ref().map(|found| FollowedCount {
            count: found.count,
            recomputed_ms: samples(passes, |pass| {
                let triangles = pass.followed[place].triangles.as_ref();
                triangles.map_or(0.0, |found| found.full_ms)
            }),
        }),
        pagerank: first.ranks.as_ref().map(|found| FollowedRanks {
            iterations: found.iterations,
            ms: ranks_ms(|found| found.ms),
            recomputed_iterations: found.full_iterations,
            recomputed_ms: ranks_ms(|found| found.full_ms),
            difference: found.apart,
        }),
    }
}

fn rank(arguments: &Arguments, input: &Input, ranks: &Ranks, passes: &[Pass]) -> RankReport {
    RankReport {
        method: ranks.method.name().to_owned(),
        iterations: ranks.state.iterations,
        converged: ranks.state.converged,
        residual: ranks.state.residual,
        // The sum of nothing is -0.
        sum: 0.0 + ranks.ranks.iter().map(|&rank| f64::from(rank)).sum::<f64>(),
        ms: samples(passes, |pass| {
            pass.results.ranks.as_ref().map_or(0.0, |ranks| ranks.ms)
        }),
        iteration_bytes: iteration_bytes(arguments, input, passes),
        top: highest(&ranks.ranks, arguments.work.algorithms.top)
            .into_iter()
            .map(|vertex| Ranked {
                vertex: input.id(vertex),
                rank: ranks.ranks[vertex as usize],
            })
            .collect(),
    }
}

/// The bytes of an iteration over the rows that were loaded, if they are still it.
fn iteration_bytes(arguments: &Arguments, input: &Input, passes: &[Pass]) -> Option<u64> {
    let incoming = input.columns.as_ref().unwrap_or(&input.rows);
    let as_loaded = arguments.layout == Layout::Contiguous && passes[0].updates.is_empty();
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
