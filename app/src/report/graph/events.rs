//! A stream of events in results: what became of it, and how long its batches took.

use heapwood_results::graph::{BatchReport, StreamReport};

use crate::graph::Counts;
use crate::samples::Percentiles;
use crate::workload::graph::{AppliedEvents, Run, Workload};

/// The stream of runs, if they had one with events.
pub(super) fn stream_report(workload: &Workload, runs: &[Run]) -> Option<StreamReport> {
    let stream = workload.events.as_ref()?;
    let first = &runs[0].event_batches;
    let sum = |of: fn(&AppliedEvents) -> u64| first.iter().map(of).sum();
    let both = |of: fn(&Counts) -> u64| -> u64 {
        first
            .iter()
            .map(|batch| of(&batch.inserted) + of(&batch.deleted))
            .sum()
    };
    let times = |of: fn(&AppliedEvents) -> f64| {
        let batches = runs.iter().flat_map(|run| &run.event_batches);
        Percentiles::new(batches.map(of).collect())
    };
    let iterations = first
        .iter()
        .map(|batch| batch.rank_iterations.map(u64::from));
    let batch = |(index, batch): (usize, &AppliedEvents)| BatchReport {
        events: batch.events as u64,
        inserted: batch.inserted.applied,
        deleted: batch.deleted.applied,
        latency_ms: runs
            .iter()
            .map(|run| run.event_batches[index].latency_ms)
            .collect(),
    };
    Some(StreamReport {
        window: stream.window,
        events: sum(|batch| batch.events as u64),
        superseded: sum(|batch| batch.superseded as u64),
        inserted: sum(|batch| batch.inserted.applied),
        duplicates: both(|counts| counts.duplicates),
        reweighted: both(|counts| counts.reweighted),
        deleted: sum(|batch| batch.deleted.applied),
        missing: both(|counts| counts.missing),
        rejected: both(|counts| counts.rejected),
        latency_ms: times(|batch| batch.latency_ms)?,
        kernel_ms: times(|batch| batch.kernel_ms)?,
        rank_iterations: iterations.sum(),
        batches: first.iter().enumerate().map(batch).collect(),
    })
}
