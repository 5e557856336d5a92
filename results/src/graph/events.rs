//! A stream of events in results: what became of it, and how long its batches took.

use serde::{Deserialize, Serialize};

use crate::{Line, Percentiles, Samples};

/// A stream of events. Times are those of the batches of all runs, in milliseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StreamReport {
    /// How long an edge of a timed stream stays; null if it stays for ever.
    pub window: Option<u64>,
    /// Events.
    pub events: u64,
    /// Events that a later one of their batch, or the window at its end, has made void.
    pub superseded: u64,
    /// Edges that were inserted.
    pub inserted: u64,
    /// Edges to insert that were there already.
    pub duplicates: u64,
    /// Edges to insert that were there with another weight.
    #[serde(default)]
    pub reweighted: u64,
    /// Edges that were deleted.
    pub deleted: u64,
    /// Edges to delete that were not there.
    pub missing: u64,
    /// Edges whose ends are no vertices, and loops unless they are kept.
    pub rejected: u64,
    /// From when a batch is handed to the store until its edges are there and what is carried
    /// along is known, by the host's clock.
    pub latency_ms: Percentiles,
    /// Its kernels.
    pub kernel_ms: Percentiles,
    /// Iterations of ranks that were carried along, of all batches.
    pub rank_iterations: Option<u64>,
    /// The batches.
    pub batches: Vec<BatchReport>,
}

/// A batch of a stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BatchReport {
    /// Events.
    pub events: u64,
    /// Edges that were inserted.
    pub inserted: u64,
    /// Edges that were deleted.
    pub deleted: u64,
    /// The latency in each run, in milliseconds.
    pub latency_ms: Vec<f64>,
}

impl StreamReport {
    /// The latency of all batches, the median of the runs each, summed, in milliseconds.
    pub(super) fn batches_ms(&self) -> f64 {
        let batches = self.batches.iter();
        let medians = batches.filter_map(|batch| Samples::new(batch.latency_ms.clone()));
        medians.map(|latency| latency.median).sum()
    }

    /// The report for people.
    pub(super) fn lines(&self) -> Vec<Line> {
        let others = [
            (self.duplicates, "duplicates"),
            (self.reweighted, "reweighted"),
            (self.missing, "missing"),
            (self.rejected, "rejected"),
            (self.superseded, "superseded"),
        ];
        let others = others.iter().filter(|(count, _)| *count > 0);
        let others: String = others
            .map(|(count, what)| format!(", {count} {what}"))
            .collect();
        let window = self
            .window
            .map_or(String::new(), |window| format!(", window {window}"));
        let mut lines = vec![
            (
                "stream",
                format!(
                    "{} events in {} batches{window}: {} inserted, {} deleted{others}",
                    self.events,
                    self.batches.len(),
                    self.inserted,
                    self.deleted
                ),
            ),
            ("latency", format!("{} a batch", self.latency_ms)),
            ("", format!("{} of kernels", self.kernel_ms)),
        ];
        if let Some(iterations) = self.rank_iterations {
            lines.push(("", format!("{iterations} iterations of ranks in all")));
        }
        lines
    }
}
