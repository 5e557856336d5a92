//! PageRank in results: how it went, and the vertices of highest rank.

use heapwood_results::graph::{RankReport, Ranked};

use super::super::ReportContext;
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

/// The vertices of highest rank, of equal ones the first. Those without one were deleted.
fn highest(ranks: &[f32], count: usize) -> Vec<u32> {
    let before = |a: &u32, b: &u32| {
        let [a_rank, b_rank] = [a, b].map(|v| ranks[*v as usize]);
        b_rank.total_cmp(&a_rank).then(a.cmp(b))
    };
    let mut vertices: Vec<u32> = (0..ranks.len() as u32)
        .filter(|&vertex| ranks[vertex as usize] != 0.0)
        .collect();
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
        assert_eq!(highest(&[0.0, 0.1, 0.0], 9), [1]);
    }
}
