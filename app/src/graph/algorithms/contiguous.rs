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
    _copies: Vec<View>,
}

/// A copy of the rows of a store, and a record of each.
struct View {
    _rows: Rows,
    records: Memory,
    /// Time of copying, in milliseconds.
    ms: f64,
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

    /// The graph with contiguous out-neighbours: itself, or a copy of linked pages.
    pub(in crate::graph) fn contiguous(&self) -> Result<Contiguous, StoreError> {
        self.contiguous_rows(1)
    }

    /// The graph with contiguous out- and in-neighbours: itself, or a copy of linked pages.
    pub(in crate::graph) fn contiguous_both_ways(&self) -> Result<Contiguous, StoreError> {
        self.contiguous_rows(1 + usize::from(self.shape().directed))
    }

    /// The graph with the rows of so many stores contiguous.
    fn contiguous_rows(&self, stores: usize) -> Result<Contiguous, StoreError> {
        let graph = self.device.graph;
        if graph.shape.layout == Layout::Contiguous {
            return Ok(Contiguous {
                graph,
                ms: 0.0,
                _copies: Vec::new(),
            });
        }
        let copies = (0..stores).map(|store| self.copy_rows(store));
        let copies: Vec<View> = copies.collect::<Result<_, _>>()?;
        let mut records = copies.iter().map(|copy| copy.records.address().cast());
        let outgoing = records.next().unwrap_or(std::ptr::null_mut());
        let incoming = records.next().unwrap_or(std::ptr::null_mut());
        Ok(Contiguous {
            graph: graph.viewed(outgoing, incoming),
            ms: copies.iter().map(|copy| copy.ms).sum(),
            _copies: copies,
        })
    }

    fn copy_rows(&self, store: usize) -> Result<View, StoreError> {
        let graph = self.device.graph;
        let (rows, _) = self.device.rows(store)?;
        let bytes = size_of::<Vertex>() as u64 * u64::from(graph.shape.vertices);
        let records = self.backend.allocate(bytes.max(1))?;
        let step = graph.view(store, rows.csr, records.address().cast());
        // SAFETY: there is room for a record of each vertex.
        let ms = unsafe { self.time(&[step])? };
        Ok(View {
            ms: ms + rows.ms,
            _rows: rows,
            records,
        })
    }
}
