//! One run of a graph workload: a store under updates, what looks on, and what is
//! computed at the end.

use std::time::Instant;

use super::events::EventStream;
use super::incremental::{Incremental, RoundResults};
use super::latency::AppliedEvents;
use super::stream::{Applied, AppliedVertices};
use super::{Algorithms, Results};
use crate::Error;
use crate::graph::verify::Checker;
use crate::graph::{Change, EdgeSlice, MemoryUse, Pattern, Store, StoreError, Update};

/// The results and the measurements of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Making the heap and loading the graph, in milliseconds.
    pub init_ms: f64,
    /// Bytes of the pool at the end.
    pub pool_bytes: u64,
    /// Changes of edges, in the order in which they were made.
    pub updates: Vec<Applied>,
    /// Changes of vertices, likewise.
    pub vertex_updates: Vec<AppliedVertices>,
    /// Batches of events, in their order.
    pub event_batches: Vec<AppliedEvents>,
    /// Incremental results, round by round or after all events, if they were asked for.
    pub rounds: Vec<RoundResults>,
    /// The memory of the graph after each round.
    pub round_memory: Vec<MemoryUse>,
    /// Vertices at the end, without those that were deleted.
    pub vertices: u32,
    /// Entries at the end.
    pub entries: u64,
    /// The memory of the graph after loading.
    pub loaded_memory: MemoryUse,
    /// The memory of the graph at the end.
    pub memory: MemoryUse,
    /// External fragmentation of the heap at the end, if the allocator can be walked and has
    /// free memory.
    pub external_fragmentation: Option<f64>,
    /// The results of the algorithms at the end.
    pub results: Results,
    /// Fingerprint of the graph at the end.
    pub hash: u64,
    /// The results that were compared with another implementation.
    pub verified: Vec<String>,
}

impl Run {
    /// The same without what the first run has too, which takes memory.
    pub(super) fn times(mut self) -> Self {
        self.results.drop_vertices();
        self
    }
}

/// A store under updates.
pub(super) struct Running<'b> {
    pub store: Store<'b>,
    /// Compares every step with another implementation, if that is wanted.
    checker: Option<Checker>,
    incremental: Option<Incremental>,
    pub updates: Vec<Applied>,
    pub vertex_updates: Vec<AppliedVertices>,
    pub event_batches: Vec<AppliedEvents>,
    pub rounds: Vec<RoundResults>,
    /// The memory of the graph now.
    pub memory: MemoryUse,
    pub round_memory: Vec<MemoryUse>,
}

impl<'b> Running<'b> {
    /// Begins with a store just loaded.
    ///
    /// # Errors
    ///
    /// A store that is not what it should be, and when there is not enough memory.
    pub fn new(
        mut store: Store<'b>,
        checker: Option<Checker>,
        algorithms: &Algorithms,
    ) -> Result<Self, Error> {
        let incremental = algorithms.incremental;
        let incremental = incremental.then(|| Incremental::start(&mut store, algorithms));
        let running = Self {
            incremental: incremental.transpose()?,
            memory: store.memory_use()?,
            store,
            checker,
            updates: Vec::new(),
            vertex_updates: Vec::new(),
            event_batches: Vec::new(),
            rounds: Vec::new(),
            round_memory: Vec::new(),
        };
        running.check()?;
        running.check_incremental(0)?;
        Ok(running)
    }

    /// Inserts or deletes edges, `batch` of them at a time.
    ///
    /// # Errors
    ///
    /// A pool that does not suffice, and whatever is found wrong.
    pub fn apply(
        &mut self,
        (round, change, pattern): (u32, Change, Option<Pattern>),
        edges: EdgeSlice,
        batch: usize,
    ) -> Result<(), Error> {
        let batches = edges.chunks(batch);
        let mut applied = Applied::new((round, change, pattern), edges.ends.len(), batches.len());
        for (number, batch) in (1..).zip(batches) {
            let update = match self.update(batch, change) {
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
            if let Some(incremental) = &mut self.incremental {
                incremental.batch(change, &update);
            }
            applied.add(&update);
            // Keeps the figure for the peak exact.
            self.memory = self.store.memory_use()?;
        }
        self.updates.push(applied);
        Ok(())
    }

    /// Inserts vertices without edges.
    ///
    /// # Errors
    ///
    /// A device or a pool that does not suffice, and more vertices than can be numbered.
    pub fn insert_vertices(&mut self, round: u32, count: u32) -> Result<(), Error> {
        let ms = self.store.insert_vertices(count)?;
        if let Some(checker) = &mut self.checker {
            checker.insert_vertices(count);
        }
        self.vertex_updates.push(AppliedVertices {
            round,
            change: Change::Insert,
            vertices: count as usize,
            applied: u64::from(count),
            entries: 0,
            present: self.store.present(),
            ms,
        });
        self.memory = self.store.memory_use()?;
        Ok(())
    }

    /// Deletes vertices with their edges.
    ///
    /// # Errors
    ///
    /// A device that does not suffice, and whatever is found wrong.
    pub fn delete_vertices(&mut self, round: u32, vertices: &[u32]) -> Result<(), Error> {
        let before = self.store.entries()?;
        let deletion = self.store.delete_vertices(vertices)?;
        if let Some(checker) = &mut self.checker {
            checker.delete_vertices(vertices, deletion.deleted)?;
        }
        self.vertex_updates.push(AppliedVertices {
            round,
            change: Change::Delete,
            vertices: vertices.len(),
            applied: deletion.deleted,
            entries: before - self.store.entries()?,
            present: self.store.present(),
            ms: deletion.ms,
        });
        self.memory = self.store.memory_use()?;
        Ok(())
    }

    /// Applies all batches of a stream, and compares what was carried along at its end, or
    /// after each batch if everything is compared.
    ///
    /// # Errors
    ///
    /// A pool that does not suffice, and whatever is found wrong.
    pub fn events(&mut self, stream: &EventStream) -> Result<(), Error> {
        let count = stream.batches.len();
        for (number, batch) in (1..).zip(&stream.batches) {
            let mut applied = AppliedEvents::new(batch);
            for (change, edges) in [
                (Change::Delete, EdgeSlice::from(&batch.delete)),
                (Change::Insert, batch.insert.view()),
            ] {
                let begun = Instant::now();
                let update = match self.update(edges, change) {
                    Ok(update) => update,
                    Err(error) => {
                        // The graph should be what it was.
                        self.check()?;
                        return Err(cut_off(error, change, number, count));
                    }
                };
                applied.add(change, &update, begun.elapsed());
                if let Some(checker) = &mut self.checker {
                    checker.batch(edges, change, &update.counts)?;
                }
                if let Some(incremental) = &mut self.incremental {
                    incremental.batch(change, &update);
                }
                // Keeps the figure for the peak exact.
                self.memory = self.store.memory_use()?;
            }
            if let Some(incremental) = &mut self.incremental {
                let begun = Instant::now();
                let advance = incremental.advance(&mut self.store)?;
                applied.advance(&advance, begun.elapsed());
                if self.checker.is_some() || number == count {
                    let compared = incremental.compare(number as u32, &self.store)?;
                    // The last one stays.
                    self.rounds = vec![compared];
                }
            }
            self.event_batches.push(applied);
            self.check()?;
            self.check_incremental(number as u32)?;
        }
        Ok(())
    }

    /// Looks at the graph after a round.
    ///
    /// # Errors
    ///
    /// Whatever is found wrong.
    pub fn end_round(&mut self, round: u32) -> Result<(), Error> {
        if let Some(incremental) = &mut self.incremental {
            incremental.advance(&mut self.store)?;
            self.rounds.push(incremental.compare(round, &self.store)?);
        }
        self.round_memory.push(self.memory);
        self.check()?;
        self.check_incremental(round)
    }

    fn check(&self) -> Result<(), Error> {
        match &self.checker {
            Some(checker) => checker.store(&self.store),
            None => Ok(()),
        }
    }

    /// Applies a batch; counts triangles if those of the graph are kept up to date.
    fn update(&mut self, edges: EdgeSlice, change: Change) -> Result<Update, StoreError> {
        let incremental = self.incremental.as_ref();
        match incremental.is_some_and(Incremental::counts_triangles) {
            true => self.store.update_counting_triangles(edges, change),
            false => self.store.update(edges, change),
        }
    }

    /// Compares what was kept up to date with a reference of the graph as it is now.
    fn check_incremental(&self, round: u32) -> Result<(), Error> {
        match (&self.checker, &self.incremental) {
            (Some(checker), Some(incremental)) => {
                incremental.verify(round, &self.store, &checker.reference())
            }
            _ => Ok(()),
        }
    }

    /// Runs the algorithms; returns what was compared too.
    ///
    /// # Errors
    ///
    /// When there is not enough memory, and whatever is found wrong.
    pub fn compute(&self, algorithms: &Algorithms) -> Result<(Results, Vec<String>), Error> {
        let results = algorithms.run(&self.store)?;
        let mut verified = Vec::new();
        if let Some(checker) = &self.checker {
            verified.push("rows, counts and hash".to_owned());
            let reference = checker.reference();
            verified.extend(results.verify(algorithms, &self.store, &reference)?);
            let carried = self.incremental.as_ref();
            if carried.is_some_and(Incremental::has_ranks) {
                verified.push("ranks from those before".to_owned());
            }
            if carried.is_some_and(Incremental::has_paths) {
                verified.push("distances from those before".to_owned());
            }
        }
        Ok((results, verified))
    }
}

/// The error of a batch of a stream, with its place.
fn cut_off(error: StoreError, change: Change, number: usize, count: usize) -> Error {
    if !error.is_refusal() && !matches!(error, StoreError::Full { .. }) {
        return error.into();
    }
    let kind = match change {
        Change::Insert => "insertions",
        Change::Delete => "deletions",
    };
    Error::Update {
        part: format!("{kind} of batch {number} of {count}"),
        error,
        before: "these",
    }
}

/// The error of a batch, with its place.
fn refused(error: StoreError, applied: &Applied, number: usize) -> Error {
    if !error.is_refusal() && !matches!(error, StoreError::Full { .. }) {
        return error.into();
    }
    let (kind, round, batches) = (applied.kind(), applied.round, applied.batches);
    Error::Update {
        part: format!("{kind} of round {round}, batch {number} of {batches}"),
        error,
        before: "this batch",
    }
}
