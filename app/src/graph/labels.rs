//! Labels of components that a store keeps while its edges and vertices come and go.
//!
//! They stay in memory of the backend. Each batch joins or marks components as part of its
//! launches, also where a deletion of vertices is made of several; see `components::update` of
//! the device code.

use heapwood_device::graph::components::plan::LabelSpace;

use super::algorithms::results::Components;
use super::kept_labels::KeptLabels;
use super::{Store, StoreError};

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
        let labelled = self.advance_components();
        if labelled.is_err() {
            self.labels = None;
        }
        labelled.map(|_| ())
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
            let workspace = self.backend.allocate(bytes.max(1) as u64)?;
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
