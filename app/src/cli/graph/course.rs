//! The course of one pass: a store that changes batch by batch, and who looks on.

use super::follow::{Followed, Follower};
use crate::Error;
use crate::graph::verify::Checker;
use crate::graph::{Change, Counts, Edge, Pattern, Store, StoreError, Update};

/// A store under updates.
pub(super) struct Course<'b> {
    pub store: Store<'b>,
    /// Compares every step with another implementation, if that is wanted.
    pub checker: Option<Checker>,
    follower: Option<Follower>,
    pub updates: Vec<Applied>,
    pub followed: Vec<Followed>,
}

/// What became of the insertions or the deletions of a round.
pub(super) struct Applied {
    /// Number of the round.
    pub round: u32,
    /// What was done.
    pub change: Change,
    /// How the edges were drawn, if they were.
    pub pattern: Option<Pattern>,
    /// Edges, of all batches.
    pub edges: usize,
    /// Batches.
    pub batches: usize,
    /// What became of the edges.
    pub counts: Counts,
    /// Sorting the batches, in milliseconds.
    pub sort_ms: f64,
    /// Everything after that.
    pub apply_ms: f64,
}

impl<'b> Course<'b> {
    /// Begins with a store just loaded.
    ///
    /// # Errors
    ///
    /// A store that is not what it should be.
    pub fn new(
        store: Store<'b>,
        checker: Option<Checker>,
        follower: Option<Follower>,
    ) -> Result<Self, Error> {
        let course = Self {
            store,
            checker,
            follower,
            updates: Vec::new(),
            followed: Vec::new(),
        };
        course.check()?;
        Ok(course)
    }

    /// Inserts or deletes edges, `batch` of them at a time.
    ///
    /// # Errors
    ///
    /// A pool that does not suffice, and whatever is found wrong.
    pub fn apply(
        &mut self,
        (round, change, pattern): (u32, Change, Option<Pattern>),
        edges: &[Edge],
        batch: usize,
    ) -> Result<(), Error> {
        let batches = edges.chunks(batch);
        let mut applied = Applied {
            round,
            change,
            pattern,
            edges: edges.len(),
            batches: batches.len(),
            counts: Counts::default(),
            sort_ms: 0.0,
            apply_ms: 0.0,
        };
        for (number, batch) in (1..).zip(batches) {
            let triangles = self.follower.as_ref().is_some_and(Follower::triangles);
            let update = match self.store.update(batch, change, triangles) {
                Ok(update) => update,
                Err(error) => {
                    // The graph should be what it was.
                    self.check()?;
                    return Err(refused(error, &applied, number));
                }
            };
            if let Some(checker) = &mut self.checker {
                checker.batch(batch, change, &update.counts)?;
            }
            if let Some(follower) = &mut self.follower {
                follower.batch(change, &update);
            }
            applied.add(&update);
            // Keeps the figure for the peak exact.
            self.store.memory_use()?;
        }
        self.updates.push(applied);
        Ok(())
    }

    /// Looks at the graph after a round.
    ///
    /// # Errors
    ///
    /// Whatever is found wrong.
    pub fn end_round(&mut self, round: u32) -> Result<(), Error> {
        if let Some(follower) = &mut self.follower {
            self.followed.push(follower.round(round, &self.store)?);
        }
        self.check()
    }

    fn check(&self) -> Result<(), Error> {
        match &self.checker {
            Some(checker) => checker.store(&self.store),
            None => Ok(()),
        }
    }
}

impl Applied {
    fn add(&mut self, update: &Update) {
        let (sum, counts) = (&mut self.counts, &update.counts);
        sum.applied += counts.applied;
        sum.duplicates += counts.duplicates;
        sum.missing += counts.missing;
        sum.rejected += counts.rejected;
        self.sort_ms += update.sort_ms;
        self.apply_ms += update.apply_ms;
    }

    /// What was done, for messages and results.
    pub fn kind(&self) -> &'static str {
        match self.change {
            Change::Insert => "insert",
            Change::Delete => "delete",
        }
    }
}

/// The error of a batch, with its place.
fn refused(error: StoreError, applied: &Applied, number: usize) -> Error {
    if !error.is_refusal() && !matches!(error, StoreError::Full { .. }) {
        return error.into();
    }
    Error::OutOfPool(format!(
        "{} of round {}, batch {number} of {}: {error}; the graph is as before this batch",
        applied.kind(),
        applied.round,
        applied.batches
    ))
}
