//! PageRank in results: how it went, and the vertices of highest rank.

use heapwood_results::graph::{RankReport, Ranked};

use super::super::ReportContext;
use super::super::highest::highest;
use super::{Ranks, rank_iteration};
use crate::samples::Samples;

/// Reports ranks, with the times of all runs.
pub(super) fn rank_report(found: &Ranks, ms: Samples, context: &ReportContext) -> RankReport {
    let input = context.input;
    let incoming = input.columns.as_ref().unwrap_or(&input.rows);
    let ranked = |vertex| Ranked {
        vertex: input.ids.of(vertex),
        rank: found.ranks[vertex as usize],
    };
    RankReport {
        method: found.method.name().to_owned(),
        iterations: found.state.iterations,
        converged: found.state.converged,
        residual: found.state.residual,
        // The sum of nothing is -0.
        sum: 0.0 + found.ranks.iter().map(|&rank| f64::from(rank)).sum::<f64>(),
        ms,
        iteration_bytes: context.as_loaded.then(|| rank_iteration(incoming)),
        top: highest(&found.ranks, context.top)
            .into_iter()
            .map(ranked)
            .collect(),
    }
}
