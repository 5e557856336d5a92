//! The latency of batches of events: from the moment when a batch is handed to the store until its
//! edges are there, and what is carried along is known.

use std::time::Duration;

use super::events::EventBatch;
use super::incremental::Advance;
use crate::graph::{Change, Counts, Update};

/// The outcome of a batch of events.
#[derive(Clone, Debug)]
pub struct AppliedEvents {
    /// Its events.
    pub events: usize,
    /// Events that a later one of the batch, or the window at its end, has made void.
    pub superseded: usize,
    /// The outcome of the edges to insert.
    pub inserted: Counts,
    /// The outcome of the edges to delete.
    pub deleted: Counts,
    /// The whole batch by the host's clock, in milliseconds: transfers, launches, kernels, and
    /// ranks and components that are carried along. Verification is not in it.
    pub latency_ms: f64,
    /// Its kernels, in milliseconds.
    pub kernel_ms: f64,
    /// Iterations of ranks that are carried along.
    pub rank_iterations: Option<u32>,
}

impl AppliedEvents {
    /// Nothing so far.
    pub(super) fn new(batch: &EventBatch) -> Self {
        Self {
            events: batch.events,
            superseded: batch.superseded,
            inserted: Counts::default(),
            deleted: Counts::default(),
            latency_ms: 0.0,
            kernel_ms: 0.0,
            rank_iterations: None,
        }
    }

    /// Adds the insertions or the deletions.
    pub(super) fn add(&mut self, change: Change, update: &Update, took: Duration) {
        *match change {
            Change::Insert => &mut self.inserted,
            Change::Delete => &mut self.deleted,
        } = update.counts;
        self.latency_ms += milliseconds(took);
        self.kernel_ms += update.times.total();
    }

    /// Adds what is carried along beside the batches, if there is any.
    pub(super) fn advance(&mut self, advance: &Advance, took: Duration) {
        self.rank_iterations = advance.iterations;
        self.kernel_ms += advance.ms;
        self.latency_ms += milliseconds(took);
    }
}

fn milliseconds(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}
