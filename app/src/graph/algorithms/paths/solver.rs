//! The search for shortest paths, from one source after another on a graph that is prepared once.

use std::ops::Range;

use heapwood_device::graph::paths::plan::{Lengths, PathSpace, PathState};
use heapwood_device::graph::store::plan::{Graph, Weighting};
use heapwood_graphs::WeightKind;

use crate::backend::{BackendError, Memory};
use crate::graph::algorithms::contiguous::Contiguous;
use crate::graph::{Store, StoreError};

/// A graph with contiguous rows, the workspace of a search, and delta.
pub(in crate::graph::algorithms) struct PathSolver<'s, 'b> {
    store: &'s Store<'b>,
    /// The kind of the weights.
    pub kind: WeightKind,
    contiguous: Contiguous,
    space: PathSpace,
    workspace: Memory,
    delta: u32,
    /// Time of the preparation, in milliseconds.
    pub ms: f64,
}

impl<'s, 'b> PathSolver<'s, 'b> {
    /// Prepares a graph. Without a delta, a sample of the weights decides.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unweighted`] for a graph without weights, and when there is not enough memory.
    ///
    /// # Panics
    ///
    /// If delta is not above 0.
    pub fn prepare(store: &'s Store<'b>, delta: Option<f32>) -> Result<Self, StoreError> {
        let Some(kind) = store.weight_kind() else {
            return Err(StoreError::Unweighted);
        };
        let contiguous = store.contiguous()?;
        let space = PathSpace::new(store.shape().vertices, store.entries()?);
        let workspace = store.backend.allocate(space.bytes() as u64)?;
        let (delta, sample_ms) = match delta {
            Some(delta) => (delta_word(delta, kind), 0.0),
            None => sampled_delta(store, &contiguous.graph, &space, &workspace)?,
        };
        let ms = contiguous.ms + sample_ms;
        Ok(Self {
            store,
            kind,
            contiguous,
            space,
            workspace,
            delta,
            ms,
        })
    }

    /// Finds the distances of all vertices from the source, which stay in the workspace until the next
    /// search. Returns the state at the end, and the time in milliseconds.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    ///
    /// # Panics
    ///
    /// If the source is no vertex.
    pub fn run(&self, source: u32) -> Result<(PathState, f64), StoreError> {
        let (graph, address) = (&self.contiguous.graph, self.workspace.address());
        let lengths = Lengths::Weights(self.delta);
        let start = graph.path_start(&self.space, address, source, lengths);
        let step = |number| graph.path_launch(&self.space, address, number, lengths);
        let end = path_end(&self.workspace);
        // SAFETY: the workspace is divided by the space.
        let ahead = unsafe { self.store.run_ahead(vec![start], step, end)? };
        Ok((ahead.end, ahead.ms))
    }

    /// The distances of some vertices after a search from the source, as words;
    /// [`PathSpace::UNREACHED`] if there is no path. A deleted source reaches no vertex.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn words(&self, source: u32, vertices: Range<u32>) -> Result<Vec<u64>, StoreError> {
        if self.store.deleted_vertices().contains(&source) {
            return Ok(vec![PathSpace::UNREACHED; vertices.len()]);
        }
        distance_words(&self.space, &self.workspace, self.kind, vertices)
    }

    /// By how much the bound of near vertices rises.
    pub fn delta(&self) -> f64 {
        match self.contiguous.graph.shape.weighting {
            Weighting::Real => f32::from_bits(self.delta).into(),
            _ => self.delta.into(),
        }
    }
}

/// The end of a search in a workspace, for [`Store::run_ahead`].
pub(in crate::graph::algorithms) fn path_end(
    workspace: &Memory,
) -> impl Fn(u32) -> Result<Option<PathState>, BackendError> {
    |launched| {
        let state = PathSpace::state(&workspace.download_array(0)?, launched);
        Ok(state.ended.then_some(state))
    }
}

/// The distances of some vertices in a workspace, as words; [`PathSpace::UNREACHED`] if there is no path,
/// or none whose sum an `f32` can hold.
pub(super) fn distance_words(
    space: &PathSpace,
    workspace: &Memory,
    kind: WeightKind,
    vertices: Range<u32>,
) -> Result<Vec<u64>, StoreError> {
    let offset = space.distances_offset() as u64 + 8 * u64::from(vertices.start);
    let mut words: Vec<u64> = workspace.download(offset, vertices.len())?;
    if kind == WeightKind::Real {
        let too_large = u64::from(f32::INFINITY.to_bits());
        for word in words.iter_mut().filter(|word| **word == too_large) {
            *word = PathSpace::UNREACHED;
        }
    }
    Ok(words)
}

/// The delta that is chosen by a sample of the weights, and the time of that in milliseconds.
pub(super) fn sampled_delta(
    store: &Store,
    graph: &Graph,
    space: &PathSpace,
    workspace: &Memory,
) -> Result<(u32, f64), StoreError> {
    let (step, count) = graph.weight_sample(space, workspace.address());
    // SAFETY: the workspace is divided by `space`.
    let ms = unsafe { store.time(&[step])? };
    let offset = space.sample_offset() as u64;
    let sample: Vec<u64> = workspace.download(offset, count as usize)?;
    let is_alone = store.backend.solo_workers() > 0;
    let delta = PathSpace::delta(&sample, graph.shape.weighting, is_alone);
    Ok((delta, ms))
}

/// A delta as a word: of integers at least 1.
pub(super) fn delta_word(delta: f32, kind: WeightKind) -> u32 {
    assert!(delta > 0.0, "delta is {delta}");
    match kind {
        WeightKind::Integer => delta.round().max(1.0) as u32,
        WeightKind::Real => delta.min(f32::MAX).to_bits(),
    }
}
