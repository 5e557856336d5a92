//! Labels of components that a store keeps while its edges and vertices come and go.
//!
//! They stay in memory of the backend. Each batch joins or marks components as part of its
//! launches, also where a deletion of vertices is made of several; see `components::update` of
//! the device code.

use heapwood_device::graph::components::plan::{LabelSpace, Labels};

use super::algorithms::results::Components;
use super::{Store, StoreError};
use crate::backend::{Backend, BackendError, Memory};

/// Labels, and what is marked since they were brought up to date.
pub(super) struct KeptLabels {
    space: LabelSpace,
    /// Vertices that there is memory for.
    limit: u32,
    memory: Memory,
    /// Marks, apart since they are zeroed.
    lost: Memory,
    /// Whether there may be marks.
    has_lost: bool,
    /// The number of components when they were brought up to date.
    count: u64,
}

impl KeptLabels {
    /// For a graph of so many vertices that are all to be labelled, with memory for `limit`.
    fn new(backend: &dyn Backend, vertices: u32, limit: u32) -> Result<Self, BackendError> {
        let mut labels = Self::empty(backend, limit)?;
        labels.begin(0, vertices)?;
        let marks = vec![u32::MAX; labels.space.lost_words()];
        labels.lost.upload(0, &marks)?;
        labels.has_lost = true;
        Ok(labels)
    }

    /// Memory for the labels of so many vertices, none of which are marked.
    fn empty(backend: &dyn Backend, limit: u32) -> Result<Self, BackendError> {
        let space = LabelSpace::new(limit);
        Ok(Self {
            space,
            limit,
            memory: backend.memory(space.bytes() as u64, false)?,
            lost: backend.memory(4 * space.lost_words().max(1) as u64, true)?,
            has_lost: false,
            count: 0,
        })
    }

    /// Makes each of these vertices a component.
    fn begin(&mut self, from: u32, to: u32) -> Result<(), BackendError> {
        let offset = self.space.labels_offset() as u64 + 4 * u64::from(from);
        self.memory.upload(offset, &Vec::from_iter(from..to))
    }

    /// Adds vertices without edges behind the last, with memory for `limit` if there is too
    /// little.
    pub fn insert_vertices(
        &mut self,
        backend: &dyn Backend,
        (from, to): (u32, u32),
        limit: u32,
    ) -> Result<(), BackendError> {
        if to > self.limit {
            let mut larger = Self::empty(backend, limit.max(to))?;
            let labels = self.read(from)?;
            let offset = larger.space.labels_offset() as u64;
            larger.memory.upload(offset, &labels)?;
            let marks: Vec<u32> = self.lost.download(0, self.space.lost_words())?;
            larger.lost.upload(0, &marks)?;
            (larger.has_lost, larger.count) = (self.has_lost, self.count);
            *self = larger;
        }
        self.begin(from, to)
    }

    /// Takes note of edges that were deleted.
    pub fn lose(&mut self) {
        self.has_lost = true;
    }

    /// For launches.
    pub fn on_device(&self) -> Labels {
        self.space
            .labels(self.memory.address(), self.lost.address())
    }

    /// The labels of so many vertices.
    fn read(&self, vertices: u32) -> Result<Vec<u32>, BackendError> {
        let offset = self.space.labels_offset() as u64;
        self.memory.download(offset, vertices as usize)
    }
}

impl Store<'_> {
    /// Labels connected components, and keeps the labels from now on: see
    /// [`Store::advance_components`].
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn keep_components(&mut self) -> Result<(), StoreError> {
        let shape = *self.shape();
        self.labels = Some(KeptLabels::new(self.backend, shape.vertices, shape.limit)?);
        self.advance_components()?;
        Ok(())
    }

    /// Brings the labels that are kept up to date with all changes of the graph; returns the
    /// time of all kernels, in milliseconds. If edges were deleted, the components that had
    /// them are labelled from their rows, of linked pages from a copy of all rows. Without
    /// deletions the rows are not read.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    ///
    /// # Panics
    ///
    /// If no labels are kept.
    pub fn advance_components(&mut self) -> Result<f64, StoreError> {
        let kept = self.labels.as_ref().expect("labels are kept");
        let labels = kept.on_device();
        kept.memory.upload(0, &[0_u64; LabelSpace::HEADER_WORDS])?;
        let ms = if kept.has_lost {
            let contiguous = self.contiguous()?;
            let bytes = LabelSpace::relabel_bytes(self.shape(), self.entries()?);
            let workspace = self.backend.memory(bytes.max(1) as u64, false)?;
            let steps = contiguous.graph.relabel(&labels, workspace.address());
            // SAFETY: the workspace is as large as it has to be, the header is 0, and batches
            // have kept labels and marks.
            let ms = unsafe { self.time(&steps)? };
            kept.lost.zero()?;
            ms + contiguous.ms
        } else {
            let steps = self.device.graph.end_labels(&labels);
            // SAFETY: as above.
            unsafe { self.time(&steps)? }
        };
        let count: Vec<u64> = kept.memory.download(0, 1)?;
        let kept = self.labels.as_mut().expect("labels are kept");
        (kept.has_lost, kept.count) = (false, count[0]);
        Ok(ms)
    }

    /// The components as they were when the labels that are kept were brought up to date, in no
    /// time; none if no labels are kept.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn kept_components(&self) -> Result<Option<Components>, StoreError> {
        let Some(kept) = &self.labels else {
            return Ok(None);
        };
        Ok(Some(Components {
            count: kept.count,
            labels: kept.read(self.shape().vertices)?,
            ms: 0.0,
        }))
    }
}
