//! Runs that repeat each other exactly, so that their times are samples of the same work:
//! edges that the first one draws are kept for the others.

use super::Workload;
use super::run::{Run, Running};
use super::stream::{Drawn, Edges, Vertices};
use crate::Error;
use crate::backend::Backend;
use crate::graph::verify::Checker;
use crate::graph::{Change, EdgeBatch, EdgeSlice, Store};

/// Runs of a workload on a backend.
pub(super) struct Repetitions<'w, 'b> {
    workload: &'w Workload<'w>,
    backend: &'b dyn Backend,
    /// Whether there is more than one.
    repeated: bool,
    /// Edges that were drawn, for each change in the order of a run; without repetition the last draw
    /// only.
    drawn: Vec<EdgeBatch>,
    /// The vertices that were drawn, for each round.
    drawn_vertices: Vec<Vec<u32>>,
}

impl<'w, 'b> Repetitions<'w, 'b> {
    /// None so far.
    pub fn new(workload: &'w Workload<'w>, backend: &'b dyn Backend, repeated: bool) -> Self {
        Self {
            workload,
            backend,
            repeated,
            drawn: Vec::new(),
            drawn_vertices: Vec::new(),
        }
    }

    /// Makes a run, and compares everything with a checker if there is one; returns the
    /// store with the changed graph too.
    ///
    /// # Errors
    ///
    /// A pool or a device that does not suffice, and whatever is found wrong.
    pub fn run(&mut self, checker: Option<Checker>) -> Result<(Run, Store<'b>), Error> {
        let workload = self.workload;
        let (input, stream) = (workload.input, &workload.stream);
        let columns = input.columns.as_ref();
        let store = Store::new(self.backend, workload.store.clone(), &input.rows, columns)?;
        let init_ms = store.init_ms();
        let mut running = Running::new(store, checker, &workload.algorithms)?;
        let loaded_memory = running.memory;
        for round in 1..=stream.rounds {
            if stream.insert_vertices > 0 {
                running.insert_vertices(round, stream.insert_vertices)?;
            }
            for (change, edges) in &stream.changes {
                let (edges, pattern) = match edges {
                    Edges::Given(edges) => (edges.view(), None),
                    Edges::Drawn(drawn) => {
                        let edges = self.draw(&running, round, *change, drawn)?;
                        (edges, Some(drawn.pattern))
                    }
                };
                running.apply((round, *change, pattern), edges, stream.batch)?;
            }
            match &stream.delete_vertices {
                None => {}
                Some(Vertices::Given(vertices)) => running.delete_vertices(round, vertices)?,
                Some(Vertices::Drawn(count)) => {
                    let vertices = self.draw_vertices(&running.store, round, *count);
                    running.delete_vertices(round, vertices)?;
                }
            }
            running.end_round(round)?;
        }
        if let Some(events) = &workload.events {
            running.events(events)?;
        }
        let (results, verified) = running.compute(&workload.algorithms)?;
        let Running {
            store,
            updates,
            vertex_updates,
            event_batches,
            rounds,
            memory,
            round_memory,
            ..
        } = running;
        if workload.store.spec.is_checked() {
            store.check_heap()?;
        }
        let occupancy = store.heap_state()?.occupancy;
        let run = Run {
            init_ms,
            pool_bytes: store.pool_bytes(),
            updates,
            vertex_updates,
            event_batches,
            rounds,
            round_memory,
            vertices: store.present(),
            entries: store.entries()?,
            loaded_memory,
            memory,
            external_fragmentation: occupancy.external_fragmentation(),
            results,
            hash: store.hash()?,
            verified,
        };
        Ok((run, store))
    }

    /// The random vertices of a round, which are drawn in the first run.
    fn draw_vertices(&mut self, store: &Store, round: u32, count: usize) -> &[u32] {
        let place = round as usize - 1;
        if self.drawn_vertices.len() == place {
            let draw = self.workload.stream.draw_vertices(round);
            let drawn = draw.vertices(count, store.shape().vertices, store.deleted_vertices());
            self.drawn_vertices.push(drawn);
        }
        &self.drawn_vertices[place]
    }

    /// The random edges of the next change of a run.
    fn draw(
        &mut self,
        running: &Running,
        round: u32,
        change: Change,
        drawn: &Drawn,
    ) -> Result<EdgeSlice<'_>, Error> {
        let place = match self.repeated {
            true => running.updates.len(),
            false => 0,
        };
        if self.drawn.len() <= place {
            self.drawn.resize(place + 1, EdgeBatch::default());
        }
        let edges = &mut self.drawn[place];
        if edges.ends.is_empty() || !self.repeated {
            let draw = self.workload.stream.draw(round, drawn);
            let (store, count) = (&running.store, drawn.count);
            *edges = match change {
                Change::Insert => EdgeBatch {
                    ends: draw.insertions(count, store.shape().vertices),
                    weights: (self.workload.stream.weights.as_ref())
                        .map(|range| draw.weights(count, range)),
                },
                Change::Delete => EdgeBatch {
                    ends: draw.deletions(count, store)?,
                    weights: None,
                },
            };
        }
        Ok(edges.view())
    }
}
