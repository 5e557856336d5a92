//! Distances from a vertex that are carried along while the graph changes.

use heapwood_device::graph::paths::plan::{PathSpace, PathState};
use heapwood_graphs::WeightKind;

use super::solver::{delta_word, distance_words, run_steps, sampled_delta};
use super::{Distances, PathOptions};
use crate::backend::{Backend, Memory};
use crate::graph::algorithms::contiguous::Contiguous;
use crate::graph::{Store, StoreError};

/// The distances of all vertices from a source, and the tree of shortest paths that they came about by.
pub struct PathTree {
    source: u32,
    kind: WeightKind,
    delta: u32,
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
            limits,
            space,
            workspace,
            vertices: limits.0,
        };
        let mut advance = tree.search(store, &contiguous, true)?;
        advance.ms += ms;
        Ok((tree, advance))
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

    /// The parent of each vertex; [`PathSpace::NO_PARENT`] of one that has none.
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
        self.workspace
            .upload(parents, &vec![PathSpace::NO_PARENT; more])?;
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
        let (graph, address) = (&contiguous.graph, self.workspace.address());
        let first = match anew {
            true => vec![graph.path_start(&self.space, address, self.source, self.delta)],
            false => graph.path_resume(&self.space, address, self.source, self.delta),
        };
        let memory = (&self.space, &self.workspace);
        let ahead = run_steps(store, graph, memory, self.delta, first)?;
        let parents = graph.path_parents(&self.space, address, ahead.launched);
        // SAFETY: the workspace is divided by the space, and the search has ended.
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
