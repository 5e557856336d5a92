//! The store of a graph: loaded from rows, changed by batches, read back.
//!
//! A batch is applied whole or not at all. With `--pool auto` one that the pool
//! refuses moves the graph to a pool of twice the size and is tried again; the
//! graph stays where it is until it has been copied.

use std::collections::BTreeSet;

use heapwood_device::graph::batch::{Batch, Change, Counts, Phase, UpdateError, UpdateSpace};
use heapwood_device::graph::store::classify::Compact;
use heapwood_device::graph::store::plan::{Layout, Shape, Weighting};
use heapwood_device::heap::State;
use heapwood_device::launch::PlannedLaunch;
use heapwood_graphs::{Csr, Parallel, WeightKind};
use rayon::prelude::*;

use super::StoreError;
use super::device_store::{DeviceStore, Rows, allocate_targets};
use super::edges::EdgeSlice;
use super::kept_labels::KeptLabels;
use super::loading::{first_pool, load_into_pool};
use super::options::Options;
use super::peak::Peak;
use super::phase_times::PhaseTimes;
use super::workspace::Workspace;
use crate::backend::{Backend, BackendError, memory_of};
use crate::size::Pool;

/// The outcome of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Update {
    /// Its edges.
    pub counts: Counts,
    /// The times of its phases.
    pub times: PhaseTimes,
    /// Triangles made or destroyed, if they were to be counted.
    pub triangles: Option<u64>,
}

/// A graph on a backend.
///
/// ```
/// use heapwood::allocators::Spec;
/// use heapwood::backend::Cpu;
/// use heapwood::graph::{Change, Options, Store};
/// use heapwood_graphs::{Csr, CsrOptions, EdgeList};
///
/// let edges = vec![[0, 1], [1, 2]];
/// let list = EdgeList { vertices: 4, edges, weights: None, directed: false };
/// let (rows, _) = Csr::build(list, CsrOptions::default());
/// let options = Options {
///     spec: Spec::parse("gallatin")?,
///     ..Options::default()
/// };
/// let backend = Cpu::new()?;
/// let mut graph = Store::new(&backend, options, &rows, None)?;
/// let update = graph.update_counting_triangles(&[[2, 0], [0, 1], [2, 3]], Change::Insert)?;
/// assert_eq!((update.counts.applied, update.triangles), (2, Some(1)));
/// assert_eq!(graph.neighbours(2)?, [0, 1, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Store<'b> {
    pub(super) backend: &'b dyn Backend,
    pub(super) options: Options,
    pub(super) device: DeviceStore<'b>,
    init_ms: f64,
    /// The most that was allocated.
    pub(super) peak: Peak,
    /// Entries in one direction, at the most: what was deleted is taken off when it
    /// matters.
    pub(super) entries: u64,
    /// Vertices that were deleted: a copy of the graph does not tell.
    pub(super) deleted: BTreeSet<u32>,
    /// Kept between batches.
    pub(super) batches: Option<Workspace>,
    /// Labels of components that are kept.
    pub(super) labels: Option<KeptLabels>,
}

impl<'b> Store<'b> {
    /// A graph with the edges of `rows`, which is copied, and their weights if they have any; a
    /// directed one has its in-neighbours in `columns`.
    ///
    /// # Errors
    ///
    /// A pool or a device that is too small, more entries than can be numbered, and
    /// [`StoreError::Columns`] for columns of an undirected graph and for a directed one without
    /// them, [`StoreError::OtherColumns`] for those of another graph, [`StoreError::Rows`], and
    /// [`StoreError::Weights`] for rows with another number of weights than of targets.
    pub fn new(
        backend: &'b dyn Backend,
        options: Options,
        rows: &Csr,
        columns: Option<&Csr>,
    ) -> Result<Self, StoreError> {
        if rows.directed != columns.is_some() {
            return Err(StoreError::Columns {
                directed: rows.directed,
            });
        }
        // Kernels check the targets, and follow the offsets.
        if [Some(rows), columns]
            .into_iter()
            .flatten()
            .any(has_stray_offsets)
        {
            return Err(StoreError::Rows);
        }
        let fits = |csr: &Csr| {
            let weights = csr.weights.as_ref();
            weights.is_none_or(|weights| weights.words.len() == csr.targets.len())
        };
        let both = [Some(rows), columns];
        let mut both = both.into_iter().flatten();
        if !both.all(|csr| fits(csr) && csr.weight_kind() == rows.weight_kind()) {
            return Err(StoreError::Weights {
                edges: "the rows of the graph",
                graph: rows.weight_kind(),
            });
        }
        if let Some(weights) = &rows.weights {
            check_weights(&weights.words, Some(weights.kind))?;
        }
        let size = |csr: &Csr| (csr.vertices(), csr.targets.len() as u64);
        if let Some(columns) = columns.filter(|columns| size(columns) != size(rows)) {
            return Err(StoreError::OtherColumns {
                graph: size(rows),
                columns: size(columns),
            });
        }
        let entries = rows.targets.len() as u64;
        options.limits.check_entries(entries)?;
        options.limits.check_vertices(u64::from(rows.vertices()))?;
        let shape = Shape {
            vertices: rows.vertices(),
            limit: rows.vertices().max(1),
            directed: rows.directed,
            handle_bytes: options.spec.allocator.handle_bytes,
            weighting: match rows.weight_kind() {
                None => Weighting::None,
                Some(WeightKind::Integer) => Weighting::Integer,
                Some(WeightKind::Real) => Weighting::Real,
            },
            provides: options.spec.allocator.properties.provides,
            layout: options.layout,
        };
        let stores = [Some(rows), columns].into_iter().flatten();
        let stores: Vec<Rows> = stores
            .map(|csr| upload(backend, csr))
            .collect::<Result<_, _>>()?;
        let pool_bytes = match options.pool {
            Pool::Auto => first_pool(&shape, entries),
            Pool::Times(factor) => {
                let bytes = if shape.weighting.is_some() { 8.0 } else { 4.0 };
                (bytes * entries as f64 * factor) as u64
            }
            Pool::Bytes(bytes) => bytes,
        };
        let (device, init_ms) = load_into_pool(backend, &options, pool_bytes, 0, shape, &stores)?;
        let peak = Peak::default();
        peak.settle(device.granted_bytes()?);
        Ok(Self {
            backend,
            options,
            device,
            init_ms,
            peak,
            entries,
            deleted: BTreeSet::new(),
            batches: None,
            labels: None,
        })
    }

    /// Making the heap and loading the graph when the store was made, in
    /// milliseconds.
    pub fn init_ms(&self) -> f64 {
        self.init_ms
    }

    /// Bytes of the pool.
    pub fn pool_bytes(&self) -> u64 {
        self.device.heap.pool_bytes()
    }

    /// The shape of the graph.
    pub fn shape(&self) -> &Shape {
        &self.device.graph.shape
    }

    /// Applies a batch. Edges that are inserted into a weighted graph have weights, and one that is
    /// there gets the new weight; deletions need none.
    ///
    /// # Errors
    ///
    /// A pool that does not suffice, unless it may grow, a batch of more than 2^30 edges, and
    /// [`StoreError::Weights`]. The graph is as before the batch then.
    pub fn update<'e>(
        &mut self,
        edges: impl Into<EdgeSlice<'e>>,
        change: Change,
    ) -> Result<Update, StoreError> {
        self.change(edges.into(), change, self.options.self_loops, false)
    }

    /// Applies a batch and counts the triangles that it makes or destroys.
    ///
    /// # Errors
    ///
    /// As for [`Store::update`], and [`StoreError::Directed`] for a directed graph.
    pub fn update_counting_triangles<'e>(
        &mut self,
        edges: impl Into<EdgeSlice<'e>>,
        change: Change,
    ) -> Result<Update, StoreError> {
        self.change(edges.into(), change, self.options.self_loops, true)
    }

    pub(super) fn change(
        &mut self,
        edges: EdgeSlice,
        change: Change,
        self_loops: bool,
        triangles: bool,
    ) -> Result<Update, StoreError> {
        if triangles && self.shape().directed {
            return Err(StoreError::Directed);
        }
        let weights = match (edges.weights, self.shape().weighting.is_some()) {
            _ if change == Change::Delete => true,
            (Some(weights), true) => weights.len() == edges.ends.len(),
            (given, wanted) => given.is_some() == wanted,
        };
        if !weights {
            return Err(StoreError::Weights {
                edges: "a batch",
                graph: self.weight_kind(),
            });
        }
        if let Some(weights) = edges.weights {
            check_weights(weights, self.weight_kind())?;
        }
        if edges.ends.is_empty() {
            return Ok(Update {
                triangles: triangles.then_some(0),
                ..Update::default()
            });
        }
        loop {
            match self.try_change(edges, change, self_loops, triangles) {
                Err(error) if error.is_refusal() && self.options.pool == Pool::Auto => {
                    let bytes = self.pool_bytes();
                    self.grow(bytes.saturating_mul(2), bytes + 1, *self.shape())?;
                }
                done => return done,
            }
        }
    }

    fn try_change(
        &mut self,
        edges: EdgeSlice,
        change: Change,
        self_loops: bool,
        triangles: bool,
    ) -> Result<Update, StoreError> {
        let count = u32::try_from(edges.ends.len()).unwrap_or(u32::MAX);
        let mut workspace = self.take_workspace(count)?;
        workspace.edges.upload(0, edges.ends)?;
        let mut weights = std::ptr::null_mut();
        if let (Some(words), Change::Insert) = (edges.weights, change) {
            // They follow the edges.
            let offset = 8 * edges.ends.len() as u64;
            workspace.edges.upload(offset, words)?;
            weights = workspace
                .edges
                .address()
                .wrapping_add(offset as usize)
                .cast();
        }
        let copied = triangles && self.shape().layout == Layout::Linked;
        let copies = copied.then(|| self.copies(&mut workspace, count));
        let copies = copies.transpose()?;
        let batch = Batch {
            edges: workspace.edges.address().cast(),
            weights,
            least: self.options.parallel == Parallel::Least,
            count,
            change,
            no_loops: !self_loops,
            triangles,
            copies,
            continues: false,
            labels: self.labels.as_ref().map(KeptLabels::on_device),
        };
        let steps = self
            .device
            .graph
            .update(&batch, &workspace.space, workspace.memory.address());
        if change == Change::Insert {
            self.admit(&steps, &workspace, count)?;
        }
        // A directed graph's two stores are sorted and prepared in turn.
        let phase = |step: &PlannedLaunch| Phase::of(&step.call);
        let parts: Vec<&[PlannedLaunch]> = steps.chunk_by(|a, b| phase(a) == phase(b)).collect();
        // SAFETY: the workspace suits batches of this size, which holds the edges.
        let ms = unsafe { self.device.run(&parts)? };
        let mut times = PhaseTimes::default();
        for (part, ms) in parts.iter().zip(ms) {
            times.add(phase(&part[0]), ms);
        }
        let headers: Vec<_> = (0..self.shape().stores())
            .map(|store| workspace.header(store))
            .collect::<Result<_, _>>()?;
        self.batches = Some(workspace);
        // Blocks were granted to a batch that is refused, too, before that.
        let fresh = headers.iter().map(UpdateSpace::fresh_bytes).sum();
        self.peak.add(fresh);
        let words = headers[0];
        let counts = match UpdateSpace::outcome(&words) {
            Ok(counts) => counts,
            Err(UpdateError::OutOfMemory { bytes }) => {
                let what = "a batch, which was not applied,";
                return Err(self.device.refused(what, bytes));
            }
        };
        match (change, &mut self.labels) {
            (Change::Insert, _) => self.entries += UpdateSpace::changes(&words),
            (Change::Delete, Some(labels)) if counts.applied > 0 => labels.lose(),
            (Change::Delete, _) => {}
        }
        Ok(Update {
            counts,
            times,
            triangles: triangles.then(|| UpdateSpace::triangles(&words)),
        })
    }

    /// Makes sure that an insertion makes no more entries than a store can number.
    /// How many it makes is known before anything is changed, when its keys have been
    /// compared with the graph; nearly always there is room for all of them.
    fn admit(
        &mut self,
        steps: &[PlannedLaunch],
        workspace: &Workspace,
        edges: u32,
    ) -> Result<(), StoreError> {
        let limits = self.options.limits;
        let keys = u64::from(edges) * if self.shape().directed { 1 } else { 2 };
        if limits.check_entries(self.entries + keys).is_ok() {
            return Ok(());
        }
        self.entries = self.device.measure(0)?.entries;
        if limits.check_entries(self.entries + keys).is_ok() {
            return Ok(());
        }
        let compared = steps.iter().position(|step| step.call.runs::<Compact>());
        let compared = &steps[..=compared.expect("a step of every batch")];
        // SAFETY: as for all steps, which begin anew afterwards.
        unsafe { self.device.run(&[compared])? };
        limits.check_entries(self.entries + UpdateSpace::changes(&workspace.header(0)?))
    }

    /// Moves the graph to another pool of not less than `least` bytes, or to records
    /// for more vertices; returns the time of the move, in milliseconds. It stays where it is until
    /// it is there with all that belongs to it: nothing that can fail comes after.
    pub(super) fn grow(
        &mut self,
        pool_bytes: u64,
        least: u64,
        shape: Shape,
    ) -> Result<f64, StoreError> {
        let stores: Vec<Rows> = (0..shape.stores())
            .map(|store| Ok(self.device.rows(store)?.0))
            .collect::<Result<_, StoreError>>()?;
        let (mut device, ms) = load_into_pool(
            self.backend,
            &self.options,
            pool_bytes,
            least,
            shape,
            &stores,
        )?;
        device.mark_deleted(&self.deleted)?;
        self.peak.settle(device.granted_bytes()?);
        self.device = device;
        Ok(ms + stores.iter().map(|rows| rows.ms).sum::<f64>())
    }

    /// Walks the heap.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn heap_state(&self) -> Result<State, BackendError> {
        self.device.heap.state()
    }

    /// Makes sure that the store has used its blocks rightly; see
    /// [`DeviceHeap::check`](crate::heap::DeviceHeap::check).
    ///
    /// # Errors
    ///
    /// [`HeapError::Misuse`](crate::heap::HeapError::Misuse), and faults of the
    /// backend.
    pub fn check_heap(&self) -> Result<(), StoreError> {
        Ok(self.device.heap.check(&self.heap_state()?)?)
    }
}

/// Makes sure that real weights are finite and not negative: paths would have no end.
fn check_weights(words: &[u32], kind: Option<WeightKind>) -> Result<(), StoreError> {
    if kind != Some(WeightKind::Real) {
        return Ok(());
    }
    match words
        .par_iter()
        .position_first(|&word| word > f32::MAX.to_bits())
    {
        None => Ok(()),
        Some(position) => Err(StoreError::Weight {
            position,
            bits: words[position],
        }),
    }
}

/// Whether a row reaches beyond the targets.
fn has_stray_offsets(csr: &Csr) -> bool {
    !csr.offsets.is_sorted() || csr.offsets.last() != Some(&(csr.targets.len() as u64))
}

/// Brings rows to the backend.
fn upload(backend: &dyn Backend, csr: &Csr) -> Result<Rows, StoreError> {
    let starts: Vec<u32> = csr.offsets.iter().map(|&offset| offset as u32).collect();
    let offsets = memory_of(backend, &starts)?;
    // The caller has looked that there are no more.
    let entries = csr.targets.len() as u32;
    let (address, is_weighted) = (offsets.address().cast(), csr.weights.is_some());
    let (targets, rows) = allocate_targets(backend, address, entries, is_weighted)?;
    targets.upload(0, &csr.targets)?;
    if let Some(weights) = &csr.weights {
        targets.upload(4 * u64::from(entries), &weights.words)?;
    }
    Ok(Rows {
        csr: rows,
        offsets,
        targets,
        ms: 0.0,
    })
}

#[cfg(test)]
mod tests;
