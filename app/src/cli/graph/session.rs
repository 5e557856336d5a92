//! One pass over a graph: load it, change it round by round, compute on it.
//!
//! Passes repeat each other exactly, so that their times are samples of the same
//! work: edges that the first one draws are kept for the others.

use super::follow::{Followed, Follower};
use super::input::Input;
use super::updates::{Edges, Plan};
use crate::Error;
use crate::backend::Backend;
use crate::graph::verify::Checker;
use crate::graph::{
    Change, Counts, Edge, MemoryUse, Options, RankOptions, Ranks, Search, Store, StoreError, Update,
};

/// What is computed on the graph.
pub(super) struct Wanted {
    /// PageRank, and how exactly.
    pub ranks: Option<RankOptions>,
    /// Triangles.
    pub triangles: bool,
    /// Connected components.
    pub components: bool,
    /// Distances from this vertex.
    pub source: Option<u32>,
    /// PageRank and triangles also from those before each round.
    pub incremental: bool,
}

/// What became of the insertions or the deletions of a round.
pub(super) struct Applied {
    /// Number of the round.
    pub round: u32,
    /// What was done.
    pub change: Change,
    /// Whether the edges were drawn.
    pub drawn: bool,
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

/// What a pass found and took.
pub(super) struct Pass {
    pub init_ms: f64,
    pub pool_bytes: u64,
    pub updates: Vec<Applied>,
    pub followed: Vec<Followed>,
    pub entries: u64,
    pub memory: MemoryUse,
    pub ranks: Option<Ranks>,
    /// Number of triangles and time.
    pub triangles: Option<(u64, f64)>,
    /// Number of components and time.
    pub components: Option<(u64, f64)>,
    pub search: Option<Search>,
    pub hash: u64,
    /// What was compared with another implementation.
    pub verified: Vec<String>,
}

/// The work of every pass.
pub(super) struct Session<'a> {
    backend: &'a Backend,
    input: &'a Input,
    options: Options,
    check_heap: bool,
    plan: &'a Plan,
    wanted: &'a Wanted,
    /// What was drawn, for each change in the order of the passes.
    drawn: Vec<Vec<Edge>>,
}

impl<'a> Session<'a> {
    /// Passes over a graph; `check_heap` looks for misuse after each, if the
    /// allocator does.
    pub fn new(
        backend: &'a Backend,
        input: &'a Input,
        (options, check_heap): (Options, bool),
        plan: &'a Plan,
        wanted: &'a Wanted,
    ) -> Self {
        Self {
            backend,
            input,
            options,
            check_heap,
            plan,
            wanted,
            drawn: Vec::new(),
        }
    }

    /// Makes a pass, and compares everything with a checker if there is one;
    /// returns the store with the changed graph too.
    ///
    /// # Errors
    ///
    /// A pool or a device that does not suffice, and whatever is found wrong.
    pub fn pass(&mut self, mut checker: Option<&mut Checker>) -> Result<(Pass, Store<'a>), Error> {
        let (input, plan) = (self.input, self.plan);
        let columns = input.columns.as_ref();
        let mut store = Store::new(self.backend, self.options.clone(), &input.rows, columns)?;
        let init_ms = store.init_ms();
        if let Some(checker) = &checker {
            checker.store(&store)?;
        }
        let mut follower = match self.wanted.incremental {
            true => Some(Follower::start(&store, self.wanted)?),
            false => None,
        };
        let mut high_water = store.memory_use()?.high_water_bytes;
        let (mut updates, mut followed) = (Vec::new(), Vec::new());
        for round in 1..=plan.rounds {
            for (change, edges) in &plan.kinds {
                let place = updates.len();
                let drawn = matches!(edges, Edges::Drawn(_));
                let edges = match edges {
                    Edges::Given(edges) => edges.as_slice(),
                    Edges::Drawn(count) => {
                        let slot = self.slot(place);
                        if slot.is_empty() {
                            *slot = draw(plan, round, *change, *count, &store)?;
                        }
                        slot.as_slice()
                    }
                };
                let batches = edges.chunks(plan.batch);
                let mut applied = Applied {
                    round,
                    change: *change,
                    drawn,
                    edges: edges.len(),
                    batches: batches.len(),
                    counts: Counts::default(),
                    sort_ms: 0.0,
                    apply_ms: 0.0,
                };
                for (number, batch) in (1..).zip(batches) {
                    let counts_triangles = follower.as_ref().is_some_and(Follower::triangles);
                    let update = match store.update(batch, *change, counts_triangles) {
                        Ok(update) => update,
                        Err(error) => {
                            // It should be what it was, so this is still there.
                            if let Some(checker) = &checker {
                                checker.store(&store)?;
                            }
                            return Err(refused(error, &applied, number));
                        }
                    };
                    if let Some(checker) = &mut checker {
                        checker.batch(batch, *change, &update.counts)?;
                    }
                    if let Some(follower) = &mut follower {
                        follower.batch(*change, &update);
                    }
                    applied.add(&update);
                    high_water = high_water.max(store.memory_use()?.high_water_bytes);
                }
                updates.push(applied);
            }
            if let Some(follower) = &mut follower {
                followed.push(follower.round(round, &store)?);
            }
            if let Some(checker) = &checker {
                checker.store(&store)?;
            }
        }
        let mut pass = self.compute(&store, checker.as_deref())?;
        if self.check_heap {
            store.check_heap()?;
        }
        pass.init_ms = init_ms;
        pass.memory.high_water_bytes = high_water;
        pass.updates = updates;
        pass.followed = followed;
        Ok((pass, store))
    }

    /// Where the edges of a change are kept.
    fn slot(&mut self, place: usize) -> &mut Vec<Edge> {
        if self.drawn.len() <= place {
            self.drawn.resize(place + 1, Vec::new());
        }
        &mut self.drawn[place]
    }

    /// Runs the algorithms; the rest of the pass is left for the caller.
    fn compute(&self, store: &Store, checker: Option<&Checker>) -> Result<Pass, Error> {
        let wanted = self.wanted;
        let ranks = wanted
            .ranks
            .map(|options| store.pagerank(&options, None))
            .transpose()?;
        // The checker looks at every vertex; what is timed does not count so.
        let triangles = wanted
            .triangles
            .then(|| store.triangles(false))
            .transpose()?;
        let components = wanted.components.then(|| store.components()).transpose()?;
        let search = wanted.source.map(|v| store.search(v)).transpose()?;
        let mut verified = Vec::new();
        if let Some(checker) = checker {
            verified.push("rows, counts and hash".to_owned());
            let reference = checker.reference();
            if let (Some(ranks), Some(options)) = (&ranks, &wanted.ranks) {
                let off = reference.ranks(ranks, options.damping)?;
                verified.push(format!("ranks, off by {off:.1e} in all"));
            }
            if let Some(triangles) = &triangles {
                reference.triangles(triangles)?;
                reference.triangles(&store.triangles(true)?)?;
                verified.push("triangles".to_owned());
            }
            if let Some(components) = &components {
                reference.components(components)?;
                verified.push("components".to_owned());
            }
            if let (Some(search), Some(source)) = (&search, wanted.source) {
                reference.search(search, source)?;
                verified.push("distances".to_owned());
            }
        }
        Ok(Pass {
            init_ms: 0.0,
            pool_bytes: store.pool_bytes(),
            updates: Vec::new(),
            followed: Vec::new(),
            entries: store.entries()?,
            memory: store.memory_use()?,
            ranks,
            triangles: triangles.map(|found| (found.count, found.ms)),
            components: components.map(|found| (found.count, found.ms)),
            search,
            hash: store.hash()?,
            verified,
        })
    }
}

impl Pass {
    /// The same without what the first pass has too, which takes memory.
    pub fn times(mut self) -> Self {
        self.ranks.iter_mut().for_each(|found| found.ranks.clear());
        self.search
            .iter_mut()
            .for_each(|found| found.depths.clear());
        self
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

/// The random edges of a change.
fn draw(
    plan: &Plan,
    round: u32,
    change: Change,
    count: usize,
    store: &Store,
) -> Result<Vec<Edge>, Error> {
    let draw = plan.draw(round);
    Ok(match change {
        Change::Insert => draw.insertions(count, store.shape().vertices),
        Change::Delete => draw.deletions(count, &store.csr(false)?),
    })
}

/// The error of a batch, with its place.
fn refused(error: StoreError, applied: &Applied, number: usize) -> Error {
    if !matches!(error, StoreError::Pool { .. }) {
        return error.into();
    }
    Error::OutOfPool(format!(
        "{} of round {}, batch {number} of {}: {error}; the graph is as before this batch",
        applied.kind(),
        applied.round,
        applied.batches
    ))
}
