//! Streams of updates: rounds of insertions and deletions of edges and vertices, drawn or
//! given.

use crate::graph::{Change, Counts, Draw, EdgeBatch, Pattern, PhaseTimes, Update, WeightRange};

/// All updates of a run: rounds of the same changes.
#[derive(Clone, Debug)]
pub struct UpdateStream {
    /// Insertions and deletions, in this order, in every round.
    pub changes: Vec<(Change, Edges)>,
    /// Vertices that are inserted before them in every round.
    pub insert_vertices: u32,
    /// Vertices that are deleted after them in every round.
    pub delete_vertices: Option<Vertices>,
    /// Rounds; none without updates.
    pub rounds: u32,
    /// Edges of a batch, at the most.
    pub batch: usize,
    /// The seed of the edges that are drawn.
    pub seed: u64,
    /// The weights of edges that are drawn for a weighted graph.
    pub weights: Option<WeightRange>,
}

/// Where the edges of a change come from.
#[derive(Clone, Debug)]
pub enum Edges {
    /// They are drawn, others in every round.
    Drawn(Drawn),
    /// These, in every round.
    Given(EdgeBatch),
}

/// Where the vertices of a deletion come from.
#[derive(Clone, Debug)]
pub enum Vertices {
    /// So many are drawn of those that are there, others in every round.
    Drawn(usize),
    /// These, in every round.
    Given(Vec<u32>),
}

/// Edges to draw in every round.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    /// So many.
    pub count: usize,
    /// Where they start.
    pub pattern: Pattern,
    /// Number of the draw within the round, from 0; an insertion and a deletion of the
    /// same number have the same sources.
    pub number: u64,
}

impl Default for UpdateStream {
    /// No updates.
    fn default() -> Self {
        Self {
            changes: Vec::new(),
            insert_vertices: 0,
            delete_vertices: None,
            rounds: 0,
            batch: usize::MAX,
            seed: 0,
            weights: None,
        }
    }
}

impl UpdateStream {
    /// The source of the vertices of a round, from 1.
    pub(super) fn draw_vertices(&self, round: u32) -> Draw {
        Draw {
            seed: self.seed,
            number: u64::from(round),
            pattern: Pattern::default(),
        }
    }

    /// The source of the edges of a round, from 1.
    pub(super) fn draw(&self, round: u32, drawn: &Drawn) -> Draw {
        let numbers = self.changes.iter().filter_map(|(_, edges)| match edges {
            Edges::Drawn(drawn) => Some(drawn.number),
            Edges::Given(_) => None,
        });
        let draws = numbers.max().map_or(0, |last| last + 1);
        Draw {
            seed: self.seed,
            number: u64::from(round - 1) * draws + drawn.number + 1,
            pattern: drawn.pattern,
        }
    }
}

/// The outcome of the vertices that were inserted or deleted in a round.
#[derive(Clone, Debug)]
pub struct AppliedVertices {
    /// Number of the round, from 1.
    pub round: u32,
    /// The change.
    pub change: Change,
    /// Vertices to insert or to delete.
    pub vertices: usize,
    /// Of these, those that were inserted, or were there and were deleted.
    pub applied: u64,
    /// Entries that went with them.
    pub entries: u64,
    /// Vertices that are there afterwards.
    pub present: u32,
    /// All of it, in milliseconds.
    pub ms: f64,
}

/// The outcome of a change in a round.
#[derive(Clone, Debug)]
pub struct Applied {
    /// Number of the round, from 1.
    pub round: u32,
    /// The change.
    pub change: Change,
    /// How the edges were drawn, if they were.
    pub pattern: Option<Pattern>,
    /// Edges, of all batches.
    pub edges: usize,
    /// Batches.
    pub batches: usize,
    /// The outcome of the edges.
    pub counts: Counts,
    /// The times of the phases of all batches.
    pub times: PhaseTimes,
}

impl Applied {
    /// Nothing so far, of so many edges in so many batches.
    pub(super) fn new(
        (round, change, pattern): (u32, Change, Option<Pattern>),
        edges: usize,
        batches: usize,
    ) -> Self {
        Self {
            round,
            change,
            pattern,
            edges,
            batches,
            counts: Counts::default(),
            times: PhaseTimes::default(),
        }
    }

    /// Adds a batch.
    pub(super) fn add(&mut self, update: &Update) {
        let (sum, counts) = (&mut self.counts, &update.counts);
        sum.applied += counts.applied;
        sum.duplicates += counts.duplicates;
        sum.reweighted += counts.reweighted;
        sum.missing += counts.missing;
        sum.rejected += counts.rejected;
        self.times.add_all(&update.times);
    }

    /// The name of the change, for messages and results.
    pub fn kind(&self) -> &'static str {
        kind(self.change)
    }
}

impl AppliedVertices {
    /// The name of the change, for messages and results.
    pub fn kind(&self) -> &'static str {
        kind(self.change)
    }
}

fn kind(change: Change) -> &'static str {
    match change {
        Change::Insert => "insert",
        Change::Delete => "delete",
    }
}
