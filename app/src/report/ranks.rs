//! The ranks of allocators in two comparisons, a replay and its live run.

use std::path::Path;

use heapwood_results::graph::GraphReport;
use heapwood_results::ranks::{RankedAllocator, RanksReport};
use heapwood_results::{Samples, nearest_rank};
use serde::Deserialize;
use serde_json::Value;

use super::compare::Compared;
use crate::Error;

/// The time of an allocator: its median, and its quartiles as the interval of noise.
#[derive(Clone, Copy, Debug, PartialEq)]
struct NoisyTime {
    low: f64,
    median: f64,
    high: f64,
}

impl NoisyTime {
    fn of(samples: &Samples) -> Self {
        let mut sorted = samples.samples.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let quartile = |permille| nearest_rank(&sorted, permille).unwrap_or(samples.median);
        Self {
            low: quartile(250),
            median: samples.median,
            high: quartile(750),
        }
    }
}

/// The ranks of times from 1 on. A time ties with the shortest one of a group if their intervals
/// overlap; the next that does not begins another group. Those of a group have the mean of their
/// ranks.
fn ranks(times: &[NoisyTime]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|&a, &b| times[a].median.total_cmp(&times[b].median));
    let mut ranks = vec![0.0; times.len()];
    let mut first = 0;
    while let Some(&shortest) = order.get(first) {
        let ties = |&&place: &&usize| times[place].low <= times[shortest].high;
        let count = order[first..].iter().take_while(ties).count().max(1);
        for &place in &order[first..first + count] {
            ranks[place] = first as f64 + (count as f64 + 1.0) / 2.0;
        }
        first += count;
    }
    ranks
}

/// Spearman's coefficient: that of Pearson of the ranks. None of fewer than three, or where all tie.
fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    let count = a.len() as f64;
    if a.len() < 3 {
        return None;
    }
    let mean = (count + 1.0) / 2.0;
    let sum = |a: &[f64], b: &[f64]| -> f64 {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    let squares = sum(a, a) * sum(b, b);
    (squares > 0.0).then(|| sum(a, b) / squares.sqrt())
}

/// A row of a comparison, as far as ranks need it.
#[derive(Deserialize)]
struct RankedRow {
    allocator: String,
    frees: bool,
    result: Option<Value>,
}

/// The time of a result, by what comparisons rank it: of steps, of builds, or of a graph's changes.
fn time_of(result: Value) -> Option<NoisyTime> {
    let samples = result.get("step_ms").or_else(|| result.get("build_ms"));
    if let Some(samples) = samples {
        return Some(NoisyTime::of(&Samples::deserialize(samples).ok()?));
    }
    let graph = GraphReport::deserialize(result).ok()?;
    let median = graph.time();
    let edges = graph.updates.iter().map(|update| &update.ms.total);
    let parts = edges.chain(graph.vertex_updates.iter().map(|update| &update.ms));
    // The noise of all changes is at most that of each.
    let noise = parts.map(NoisyTime::of).fold((0.0, 0.0), |noise, part| {
        (
            noise.0 + part.median - part.low,
            noise.1 + part.high - part.median,
        )
    });
    Some(NoisyTime {
        low: median - noise.0,
        median,
        high: median + noise.1,
    })
}

/// The times of allocators that free, in the JSON of a comparison.
fn times(path: &Path) -> Result<Vec<(String, NoisyTime)>, Error> {
    let about = |why: String| Error::Resume(format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|cause| about(format!("cannot read: {cause}")))?;
    let rows: Vec<RankedRow> = serde_json::from_str(&text)
        .map_err(|error| about(format!("no rows of `heapwood compare` in JSON: {error}")))?;
    let freeing = rows.into_iter().filter(|row| row.frees);
    let timed = freeing.filter_map(|row| Some((row.allocator, row.result?)));
    let timed = timed.map(|(allocator, result)| match time_of(result) {
        Some(time) => Ok((allocator, time)),
        None => Err(about(format!("{allocator} has no time to rank"))),
    });
    timed.collect()
}

/// Ranks the allocators that free and succeeded in both comparisons.
///
/// # Errors
///
/// [`Error::Resume`] for a file that is no comparison in JSON.
pub fn ranks_report(replayed: &Path, live: &Path) -> Result<RanksReport, Error> {
    let (of_replay, mut of_live) = (times(replayed)?, times(live)?);
    let replayed_time = |allocator: &str| {
        let found = of_replay.iter().find(|(name, _)| name == allocator);
        found.map(|&(_, time)| time)
    };
    of_live.retain(|(allocator, _)| replayed_time(allocator).is_some());
    of_live.sort_by(|a, b| a.1.median.total_cmp(&b.1.median));
    let live_times: Vec<NoisyTime> = of_live.iter().map(|&(_, time)| time).collect();
    let names = of_live.iter().map(|(allocator, _)| allocator.as_str());
    let replayed_times: Vec<NoisyTime> = names.filter_map(replayed_time).collect();
    let (live_ranks, replayed_ranks) = (ranks(&live_times), ranks(&replayed_times));
    let allocators = of_live
        .iter()
        .enumerate()
        .map(|(place, (allocator, _))| RankedAllocator {
            allocator: allocator.clone(),
            replayed_ms: replayed_times[place].median,
            replayed_rank: replayed_ranks[place],
            live_ms: live_times[place].median,
            live_rank: live_ranks[place],
        });
    Ok(RanksReport {
        replayed: replayed.display().to_string(),
        live: live.display().to_string(),
        spearman: spearman(&replayed_ranks, &live_ranks),
        allocators: allocators.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(median: f64) -> NoisyTime {
        noisy(median, 0.0)
    }

    fn noisy(median: f64, noise: f64) -> NoisyTime {
        NoisyTime {
            low: median - noise,
            median,
            high: median + noise,
        }
    }

    #[test]
    fn times_within_noise_tie() {
        assert_eq!(
            ranks(&[exact(3.0), exact(1.0), exact(2.0)]),
            [3.0, 1.0, 2.0]
        );
        assert_eq!(
            ranks(&[exact(2.0), exact(1.0), exact(2.0)]),
            [2.5, 1.0, 2.5]
        );
        // 1 and 1.3 tie, and so do 1.3 and 1.6; a group is those that tie with its shortest time.
        let times = [noisy(1.6, 0.2), noisy(1.0, 0.2), noisy(1.3, 0.2)];
        assert_eq!(ranks(&times), [3.0, 1.5, 1.5]);
        assert_eq!(ranks(&[]), [0.0; 0]);
    }

    #[test]
    fn the_coefficient_is_spearmans() {
        let up = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(spearman(&up, &up), Some(1.0));
        assert_eq!(spearman(&up, &[4.0, 3.0, 2.0, 1.0]), Some(-1.0));
        // 1 - 6 * 2 / (4 * 15), without ties.
        let swapped = spearman(&up, &[2.0, 1.0, 3.0, 4.0]).unwrap();
        assert!((swapped - 0.8).abs() < 1e-12, "{swapped}");
        // With ties: 4.5 / sqrt(5 * 4.5).
        let tied = spearman(&up, &[1.5, 1.5, 3.0, 4.0]).unwrap();
        assert!((tied - 4.5 / 22.5_f64.sqrt()).abs() < 1e-12, "{tied}");
    }

    #[test]
    fn few_allocators_and_one_group_have_no_coefficient() {
        assert_eq!(spearman(&[1.0, 2.0], &[1.0, 2.0]), None);
        assert_eq!(spearman(&[2.0, 2.0, 2.0], &[1.0, 2.0, 3.0]), None);
    }

    #[test]
    fn quartiles_are_the_noise() {
        let samples = Samples::new(vec![4.0, 1.0, 2.0, 3.0]).unwrap();
        let time = NoisyTime::of(&samples);
        assert_eq!((time.low, time.median, time.high), (1.0, 2.5, 3.0));
    }
}
