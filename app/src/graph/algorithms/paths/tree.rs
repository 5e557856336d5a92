//! Distances from a vertex that are carried along while the graph changes.

use heapwood_device::graph::paths::plan::{Lengths, PathSpace, PathState};
use heapwood_device::graph::paths::tree::plan::KeptPaths;
use heapwood_graphs::WeightKind;

use super::solver::{delta_word, distance_words, path_end, sampled_delta};
use super::{Distances, NO_PARENT, PathOptions};
use crate::backend::{Backend, Memory};
use crate::graph::algorithms::contiguous::Contiguous;
use crate::graph::{Store, StoreError};

/// Rounds at the most. On the grid and the road network that were measured, nine or fewer end a search after
/// up to a thousand changes; where more are needed, the tree is of no great help.
const ROUNDS: u32 = 16;

/// Rounds that are launched together at first, and steps at the most: a round takes a dozen launches.
const AHEAD: [u32; 2] = [4, 64];

/// The distances of all vertices from a source, and the tree of shortest paths that they came about by.
pub struct PathTree {
    source: u32,
    kind: WeightKind,
    delta: u32,
    rounds: u32,
    /// The most vertices and entries that there is memory for.
    limits: (u32, u64),
    space: PathSpace,
    workspace: Memory,
    /// The vertices whose distances are known.
    vertices: u32,
}

/// How distances were brought up to date.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathAdvance {
    /// The end of the search.
    pub state: PathState,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

impl PathTree {
    /// Finds the distances from the source of these options; returns the work beside them.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unweighted`] for a graph without weights, and when there is not enough memory.
    ///
    /// # Panics
    ///
    /// If the source is no vertex, or delta is not above 0.
    pub fn start(store: &Store, options: &PathOptions) -> Result<(Self, PathAdvance), StoreError> {
        let Some(kind) = store.weight_kind() else {
            return Err(StoreError::Unweighted);
        };
        let contiguous = store.contiguous()?;
        let limits = (store.shape().vertices, store.entries()?);
        let (space, workspace) = allocate(store.backend, limits)?;
        let (delta, ms) = match options.delta {
            Some(delta) => (delta_word(delta, kind), 0.0),
            None => sampled_delta(store, &contiguous.graph, &space, &workspace)?,
        };
        let mut tree = Self {
            source: options.source,
            kind,
            delta,
            // Where lanes are alone, a step begins at once, and a round goes over all vertices often.
            rounds: if store.backend.solo_workers() > 0 {
                0
            } else {
                ROUNDS
            },
            limits,
            space,
            workspace,
            vertices: limits.0,
        };
        let mut advance = tree.search(store, &contiguous, true)?;
        advance.ms += ms;
        Ok((tree, advance))
    }

    /// Sets the most rounds of an update. In a round, improvements go down the tree at once. By default
    /// there are none on the CPU. Real weights have none.
    pub fn with_rounds(self, rounds: u32) -> Self {
        Self { rounds, ..self }
    }

    /// Brings the distances up to date after any changes of the graph.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn advance(&mut self, store: &Store) -> Result<PathAdvance, StoreError> {
        let contiguous = store.contiguous()?;
        self.grow(store)?;
        self.search(store, &contiguous, false)
    }

    /// The distances of now.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn distances(&self, store: &Store) -> Result<Distances, StoreError> {
        let words = match store.deleted_vertices().contains(&self.source) {
            true => vec![PathSpace::UNREACHED; self.vertices as usize],
            false => distance_words(&self.space, &self.workspace, self.kind, 0..self.vertices)?,
        };
        Ok(Distances::new(words, self.kind))
    }

    /// The parent of each vertex; [`NO_PARENT`] of one that has none.
    #[cfg(test)]
    fn parents(&self) -> Result<Vec<u32>, StoreError> {
        let offset = self.space.parents_offset() as u64;
        Ok(self.workspace.download(offset, self.vertices as usize)?)
    }

    /// Makes room for the vertices and entries of now. New vertices are not reached.
    fn grow(&mut self, store: &Store) -> Result<(), StoreError> {
        let (vertices, entries) = (store.shape().vertices, store.entries()?);
        let (known, more) = (self.vertices, (vertices - self.vertices) as usize);
        let [distances, parents] = self.offsets();
        if vertices > self.limits.0 || entries > self.limits.1 {
            let old: Vec<u64> = self.workspace.download(distances, known as usize)?;
            let old_parents: Vec<u32> = self.workspace.download(parents, known as usize)?;
            // A quarter more, so that a graph which grows is seldom moved.
            self.limits = (vertices + vertices / 4, entries + entries / 4);
            (self.space, self.workspace) = allocate(store.backend, self.limits)?;
            let [distances, parents] = self.offsets();
            self.workspace.upload(distances, &old)?;
            self.workspace.upload(parents, &old_parents)?;
        }
        let [distances, parents] = self.offsets();
        let (distances, parents) = (
            distances + 8 * u64::from(known),
            parents + 4 * u64::from(known),
        );
        self.workspace
            .upload(distances, &vec![PathSpace::UNREACHED; more])?;
        self.workspace.upload(parents, &vec![NO_PARENT; more])?;
        self.vertices = vertices;
        Ok(())
    }

    /// Where distances and parents begin.
    fn offsets(&self) -> [u64; 2] {
        [self.space.distances_offset(), self.space.parents_offset()].map(|offset| offset as u64)
    }

    /// Finds distances anew, or from those of before, and then the parents.
    fn search(
        &mut self,
        store: &Store,
        contiguous: &Contiguous,
        anew: bool,
    ) -> Result<PathAdvance, StoreError> {
        let graph = &contiguous.graph;
        let search = KeptPaths {
            space: &self.space,
            workspace: self.workspace.address(),
            source: self.source,
            delta: self.delta,
            rounds: match (anew, self.kind) {
                (false, WeightKind::Integer) => self.rounds,
                _ => 0,
            },
        };
        let first = match anew {
            true => {
                let lengths = Lengths::Weights(search.delta);
                vec![graph.path_start(search.space, search.workspace, search.source, lengths)]
            }
            false => graph.path_resume(&search),
        };
        let step = |number| graph.path_round(&search, number);
        // SAFETY: the workspace is divided by the space.
        let ahead =
            unsafe { store.run_rounds_ahead(AHEAD, first, step, path_end(&self.workspace))? };
        let parents = graph.path_parents(&search, ahead.launched);
        // SAFETY: as above, and the search has ended.
        let ms = unsafe { store.time(&parents)? };
        Ok(PathAdvance {
            state: ahead.end,
            ms: contiguous.ms + ahead.ms + ms,
        })
    }
}

/// Memory for so many vertices and entries.
fn allocate(
    backend: &dyn Backend,
    (vertices, entries): (u32, u64),
) -> Result<(PathSpace, Memory), StoreError> {
    let space = PathSpace::with_tree(vertices, entries);
    let workspace = backend.allocate(space.bytes() as u64)?;
    Ok((space, workspace))
}

#[cfg(test)]
mod tests;
