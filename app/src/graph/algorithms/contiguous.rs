//! The graph as algorithms read it whose rows must be contiguous.

use heapwood_device::graph::store::Vertex;
use heapwood_device::graph::store::plan::{Graph, Layout};
use heapwood_device::launch::PlannedLaunch;

use crate::backend::{BackendError, Memory};
use crate::graph::device_store::Rows;
use crate::graph::{Store, StoreError};

/// A graph whose adjacency is contiguous, perhaps a copy, which must live as long
/// as it is read.
pub(in crate::graph) struct Contiguous {
    pub graph: Graph,
    /// Time of copying it, in milliseconds.
    pub ms: f64,
    _copy: Option<(Rows, Memory)>,
}

impl Store<'_> {
    /// Runs launches of the graph; returns their time in milliseconds.
    ///
    /// # Safety
    ///
    /// As for [`DeviceStore::run`](crate::graph::device_store::DeviceStore::run).
    pub(in crate::graph) unsafe fn time(
        &self,
        steps: &[PlannedLaunch],
    ) -> Result<f64, BackendError> {
        // SAFETY: the caller's promise.
        Ok(unsafe { self.device.run(&[steps])? }.into_iter().sum())
    }

    /// The graph with contiguous adjacency: itself, or a copy of linked pages.
    pub(in crate::graph) fn contiguous(&self) -> Result<Contiguous, StoreError> {
        let graph = self.device.graph;
        if graph.shape.layout == Layout::Contiguous {
            return Ok(Contiguous {
                graph,
                ms: 0.0,
                _copy: None,
            });
        }
        let (rows, _) = self.device.rows(0)?;
        let bytes = size_of::<Vertex>() as u64 * u64::from(graph.shape.vertices);
        let view = self.backend.allocate(bytes.max(1))?;
        let step = graph.view(rows.csr, view.address().cast());
        // SAFETY: there is room for a record of each vertex.
        let ms = unsafe { self.time(&[step])? };
        Ok(Contiguous {
            graph: graph.viewed(view.address().cast()),
            ms: ms + rows.ms,
            _copy: Some((rows, view)),
        })
    }
}
