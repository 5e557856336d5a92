//! The ranks of allocators in two comparisons, a replay and its live run.

use std::path::Path;

use heapwood_results::Samples;
use heapwood_results::graph::GraphReport;
use heapwood_results::ranks::{RankedAllocator, RanksReport};
use serde::Deserialize;
use serde_json::Value;

use crate::Error;
use crate::student;

/// The times of an allocator, in milliseconds. Those of all allocators are of the same steps.
#[derive(Clone, Debug, PartialEq)]
struct Times(Vec<f64>);

impl Times {
    fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// Whether this mean is within noise of a smaller one: whether the 95 % interval of the mean
    /// difference, step by step, contains 0. Without a second step nothing is known of the noise.
    fn ties_with(&self, shorter: &Self) -> bool {
        let steps = self.0.iter().zip(&shorter.0);
        let differences: Vec<f64> = steps.map(|(longer, shorter)| longer - shorter).collect();
        let count = differences.len();
        let mean = differences.iter().sum::<f64>() / count as f64;
        let squares = differences.iter().map(|ms| (ms - mean).powi(2));
        let error = match count {
            0 | 1 => 0.0,
            _ => (squares.sum::<f64>() / (count * (count - 1)) as f64).sqrt(),
        };
        mean <= student::quantile(count - 1) * error || mean == 0.0
    }
}

/// The ranks of times from 1 on. A time ties with the shortest one of a group if they are equal
/// within noise; the next that does not begins another group. Those of a group have the mean of
/// their ranks.
fn ranks(times: &[Times]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|&a, &b| times[a].mean().total_cmp(&times[b].mean()));
    let mut ranks = vec![0.0; times.len()];
    let mut first = 0;
    while let Some(&shortest) = order.get(first) {
        let rest = order[first + 1..].iter();
        let ties = |&&place: &&usize| times[place].ties_with(&times[shortest]);
        let count = 1 + rest.take_while(ties).count();
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

/// The times of a result: of steps, of builds, or of loading a graph and all its changes.
/// None without a sample.
fn times_of(result: Value) -> Option<Times> {
    let samples = result.get("step_ms").or_else(|| result.get("build_ms"));
    let samples = match samples {
        Some(samples) => {
            let number = |key: &str| result.get(key).and_then(Value::as_f64);
            // The time before the first step, in equal parts: a trace has its calls too. A sample is
            // the mean of some steps.
            let part = match (number("begin_ms"), number("steps")) {
                (Some(begin_ms), Some(steps)) if steps > 0.0 => begin_ms / steps,
                _ => 0.0,
            };
            let samples = Samples::deserialize(samples).ok()?.samples;
            samples.into_iter().map(|ms| ms + part).collect()
        }
        None => {
            let graph = GraphReport::deserialize(result).ok()?;
            let edges = graph.updates.iter().map(|update| &update.ms.total);
            let changes = edges.chain(graph.vertex_updates.iter().map(|update| &update.ms));
            // All of a run together: the calls of loading are in its trace too.
            let parts = std::iter::once(&graph.init_ms).chain(changes);
            let sums = |mut sums: Vec<f64>, part: &Samples| {
                sums.resize(sums.len().max(part.samples.len()), 0.0);
                let terms = sums.iter_mut().zip(&part.samples);
                terms.for_each(|(sum, ms)| *sum += ms);
                sums
            };
            parts.fold(Vec::new(), sums)
        }
    };
    (!samples.is_empty()).then_some(Times(samples))
}

/// The times of allocators that free, in the JSON of a comparison.
fn times(path: &Path) -> Result<Vec<(String, Times)>, Error> {
    let about = |why: String| Error::Resume(format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|cause| about(format!("cannot read: {cause}")))?;
    let rows: Vec<RankedRow> = serde_json::from_str(&text)
        .map_err(|error| about(format!("no rows of `heapwood compare` in JSON: {error}")))?;
    let freeing = rows.into_iter().filter(|row| row.frees);
    let timed = freeing.filter_map(|row| Some((row.allocator, row.result?)));
    let timed = timed.map(|(allocator, result)| match times_of(result) {
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
        found.map(|(_, times)| times.clone())
    };
    of_live.retain(|(allocator, _)| replayed_time(allocator).is_some());
    of_live.sort_by(|a, b| a.1.mean().total_cmp(&b.1.mean()));
    let live_times: Vec<Times> = of_live.iter().map(|(_, times)| times.clone()).collect();
    let names = of_live.iter().map(|(allocator, _)| allocator.as_str());
    let replayed_times: Vec<Times> = names.filter_map(replayed_time).collect();
    let (live_ranks, replayed_ranks) = (ranks(&live_times), ranks(&replayed_times));
    let allocators = of_live
        .iter()
        .enumerate()
        .map(|(place, (allocator, _))| RankedAllocator {
            allocator: allocator.clone(),
            replayed_ms: replayed_times[place].mean(),
            replayed_rank: replayed_ranks[place],
            live_ms: live_times[place].mean(),
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

    fn exact(ms: f64) -> Times {
        Times(vec![ms; 3])
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
        // Steps grow, and the second takes longer in each of them: no noise.
        let growing = [1.0, 2.0, 3.0];
        let times = [
            Times(growing.to_vec()),
            Times(growing.map(|ms| ms + 0.1).to_vec()),
        ];
        assert_eq!(ranks(&times), [1.0, 2.0]);
        // By 0.1 on average, with a standard error of 0.1: within 4.3 times that.
        let noisy = Times(vec![1.1, 2.3, 2.9]);
        assert_eq!(ranks(&[noisy, times[0].clone()]), [1.5, 1.5]);
        // One step says nothing about noise.
        let ones = [Times(vec![1.0]), Times(vec![1.01])];
        assert_eq!(ranks(&ones), [1.0, 2.0]);
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
}
