//! Passes over a graph: load it, change it round by round, compute on it.
//!
//! Passes repeat each other exactly, so that their times are samples of the same
//! work: edges that the first one draws are kept for the others.

use super::course::{Applied, Course};
use super::follow::{Followed, Follower};
use super::input::Input;
use super::updates::{Drawn, Edges, Plan};
use crate::Error;
use crate::backend::Backend;
use crate::graph::verify::Checker;
use crate::graph::{Change, Edge, MemoryUse, Options, RankOptions, Ranks, Search, Store};

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

/// What a pass found and took.
pub(super) struct Pass {
    pub init_ms: f64,
    pub pool_bytes: u64,
    pub updates: Vec<Applied>,
    pub followed: Vec<Followed>,
    pub entries: u64,
    /// Bytes of blocks after loading.
    pub loaded_bytes: u64,
    pub memory: MemoryUse,
    pub results: Results,
    pub hash: u64,
    /// What was compared with another implementation.
    pub verified: Vec<String>,
}

/// What was computed.
pub(super) struct Results {
    pub ranks: Option<Ranks>,
    /// Number of triangles and time.
    pub triangles: Option<(u64, f64)>,
    /// Number of components and time.
    pub components: Option<(u64, f64)>,
    pub search: Option<Search>,
}

/// The work of every pass.
pub(super) struct Session<'a> {
    backend: &'a dyn Backend,
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
        backend: &'a dyn Backend,
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
    pub fn pass(&mut self, checker: Option<Checker>) -> Result<(Pass, Store<'a>), Error> {
        let (input, plan, wanted) = (self.input, self.plan, self.wanted);
        let columns = input.columns.as_ref();
        let store = Store::new(self.backend, self.options.clone(), &input.rows, columns)?;
        let init_ms = store.init_ms();
        let loaded_bytes = store.memory_use()?.allocated_bytes;
        let follower = wanted
            .incremental
            .then(|| Follower::start(&store, wanted))
            .transpose()?;
        let mut course = Course::new(store, checker, follower)?;
        for round in 1..=plan.rounds {
            for (change, edges) in &plan.changes {
                let (edges, pattern) = match edges {
                    Edges::Given(edges) => (edges.as_slice(), None),
                    Edges::Drawn(drawn) => {
                        let edges = self.draw(&course, round, *change, drawn)?;
                        (edges, Some(drawn.pattern))
                    }
                };
                course.apply((round, *change, pattern), edges, plan.batch)?;
            }
            course.end_round(round)?;
        }
        let store = course.store;
        let (results, verified) = compute(wanted, &store, course.checker.as_ref())?;
        if self.check_heap {
            store.check_heap()?;
        }
        let memory = store.memory_use()?;
        let pass = Pass {
            init_ms,
            pool_bytes: store.pool_bytes(),
            updates: course.updates,
            followed: course.followed,
            entries: store.entries()?,
            loaded_bytes,
            memory,
            results,
            hash: store.hash()?,
            verified,
        };
        Ok((pass, store))
    }

    /// The random edges of the next change of a course.
    fn draw(
        &mut self,
        course: &Course,
        round: u32,
        change: Change,
        drawn: &Drawn,
    ) -> Result<&[Edge], Error> {
        let place = course.updates.len();
        if self.drawn.len() <= place {
            self.drawn.resize(place + 1, Vec::new());
        }
        let edges = &mut self.drawn[place];
        if edges.is_empty() {
            let (draw, store) = (self.plan.draw(round, drawn), &course.store);
            let count = drawn.count;
            *edges = match change {
                Change::Insert => draw.insertions(count, store.shape().vertices),
                Change::Delete => draw.deletions(count, &store.csr(false)?),
            };
        }
        Ok(edges)
    }
}

/// Runs the algorithms; returns what was compared too.
fn compute(
    wanted: &Wanted,
    store: &Store,
    checker: Option<&Checker>,
) -> Result<(Results, Vec<String>), Error> {
    let ranks = wanted.ranks.map(|options| store.pagerank(&options, None));
    let ranks = ranks.transpose()?;
    let triangles = wanted.triangles.then(|| store.triangles(false));
    let triangles = triangles.transpose()?;
    let components = wanted.components.then(|| store.components()).transpose()?;
    let search = wanted.source.map(|v| store.search(v)).transpose()?;
    let mut verified = Vec::new();
    if let Some(checker) = checker {
        verified.push("rows, counts and hash".to_owned());
        let reference = checker.reference();
        if let (Some(ranks), Some(options)) = (&ranks, &wanted.ranks) {
            let off = reference.ranks(ranks, options)?;
            verified.push(format!("ranks, off by {off:.1e} in all at most"));
        }
        if let Some(triangles) = &triangles {
            reference.triangles(triangles)?;
            // Those of each vertex as well, which takes longer than what is timed.
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
    let results = Results {
        ranks,
        triangles: triangles.map(|found| (found.count, found.ms)),
        components: components.map(|found| (found.count, found.ms)),
        search,
    };
    Ok((results, verified))
}

impl Pass {
    /// The same without what the first pass has too, which takes memory.
    pub fn times(mut self) -> Self {
        let results = &mut self.results;
        results
            .ranks
            .iter_mut()
            .for_each(|found| found.ranks.clear());
        results
            .search
            .iter_mut()
            .for_each(|found| found.depths.clear());
        self
    }
}
