//! The graph workload: a graph is loaded over an allocator, changed round by round, and
//! computed on; all of it several times, which are samples of the same work.
//!
//! ```
//! use heapwood::allocators::Spec;
//! use heapwood::backend::Cpu;
//! use heapwood::graph::{Options, RankOptions};
//! use heapwood::workload::graph::{Algorithms, Input, UpdateStream, Workload};
//! use heapwood_graphs::{CsrOptions, EdgeList};
//!
//! let edges = EdgeList {
//!     vertices: 4,
//!     edges: vec![[0, 1], [1, 2], [2, 0], [2, 3]],
//!     weights: None,
//!     directed: false,
//! };
//! let input = Input::verified("a triangle and a tail", edges, CsrOptions::default());
//! let workload = Workload {
//!     store: Options {
//!         spec: Spec::parse("ouroboros-p-va")?,
//!         ..Options::default()
//!     },
//!     stream: UpdateStream::default(),
//!     events: None,
//!     algorithms: Algorithms {
//!         ranks: Some(RankOptions::default()),
//!         triangles: true,
//!         ..Algorithms::default()
//!     },
//!     input: &input,
//! };
//! let backend = Cpu::new()?;
//! let (runs, _graph) = workload.run(&backend, 3, || ())?;
//! let results = &runs[0].results;
//! assert!(results.ranks.as_ref().is_some_and(|ranks| ranks.state.converged));
//! assert!(results.triangles.as_ref().is_some_and(|found| found.count == 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod events;
mod incremental;
mod latency;
mod repetition;
mod run;
mod stream;

pub use events::{Batching, EventBatch, EventStream};
pub use incremental::{
    IncrementalComponents, IncrementalPaths, IncrementalRanks, IncrementalTriangles, RoundResults,
};
pub use latency::AppliedEvents;
pub use run::Run;
pub use stream::{Applied, AppliedVertices, Drawn, Edges, UpdateStream, Vertices};

pub use crate::graph::Input;
pub use crate::graph::algorithms::{Algorithms, Results};

use crate::Error;
use crate::backend::Backend;
use crate::graph::{Options, Store};

/// A graph, how it is kept, what is done to it, and what is computed on it.
pub struct Workload<'a> {
    /// The graph.
    pub input: &'a Input,
    /// How it is kept. Misuse of the heap is looked for after each run if the allocator is checked.
    pub store: Options,
    /// Its changes, round by round.
    pub stream: UpdateStream,
    /// Its changes after that, event by event.
    pub events: Option<EventStream>,
    /// The algorithms that run on it.
    pub algorithms: Algorithms,
}

impl Workload<'_> {
    /// Runs it `runs` times, at least once, and calls `after_each`. Returns the runs and
    /// the graph after the last.
    ///
    /// # Errors
    ///
    /// More vertices than a store can number, a pool or a device that does not suffice, runs
    /// that end with other graphs than the first, and whatever is found wrong.
    pub fn run<'b>(
        &self,
        backend: &'b dyn Backend,
        runs: u32,
        mut after_each: impl FnMut(),
    ) -> Result<(Vec<Run>, Store<'b>), Error> {
        // Before any memory is asked for.
        let inserted = u64::from(self.stream.insert_vertices) * u64::from(self.stream.rounds);
        let vertices = u64::from(self.input.rows.vertices()) + inserted;
        self.store.limits.check_vertices(vertices)?;
        let mut repetitions = repetition::Repetitions::new(self, backend, runs > 1);
        let mut checker = self.input.checker();
        let mut done: Vec<Run> = Vec::new();
        loop {
            let (run, store) = repetitions.run(checker.take())?;
            match done.first() {
                None => done.push(run),
                Some(first) if first.hash == run.hash => done.push(run.times()),
                Some(_) => {
                    let why = format!(
                        "run {} ended with another graph than the first",
                        done.len() + 1
                    );
                    return Err(Error::Verification(why));
                }
            }
            after_each();
            if done.len() as u32 >= runs {
                return Ok((done, store));
            }
        }
    }
}
