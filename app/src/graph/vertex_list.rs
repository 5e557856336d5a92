//! A list of vertices on the backend: those to delete, and those that were deleted
//! before the graph was copied.

use std::collections::BTreeSet;

use heapwood_device::graph::store::plan::VertexList;

use super::device_store::DeviceStore;
use crate::backend::{Backend, BackendError, Memory, memory_of};

/// Vertices on the backend.
pub(super) struct List {
    pub list: VertexList,
    header: Memory,
    /// Keeps what `list` points to.
    _vertices: Memory,
}

impl List {
    /// Brings vertices to the backend, with a header of zeros.
    pub fn new(backend: &dyn Backend, vertices: &[u32]) -> Result<Self, BackendError> {
        let memory = memory_of(backend, vertices)?;
        let header = backend.allocate_zeroed(8 * VertexList::HEADER_WORDS as u64)?;
        let list = VertexList {
            vertices: memory.address().cast(),
            count: vertices.len() as u32,
            header: header.address().cast(),
        };
        Ok(Self {
            list,
            header,
            _vertices: memory,
        })
    }

    /// The edges of the vertices, once they are counted.
    pub fn edges(&self) -> Result<u64, BackendError> {
        let read: Vec<u64> = self.header.download(0, VertexList::HEADER_WORDS)?;
        let mut words = [0; VertexList::HEADER_WORDS];
        words.copy_from_slice(&read);
        Ok(VertexList::edges(&words))
    }
}

impl DeviceStore<'_> {
    /// Marks the deleted vertices of a graph that was copied, which does not tell.
    pub(super) fn mark_deleted(&mut self, deleted: &BTreeSet<u32>) -> Result<(), BackendError> {
        if deleted.is_empty() {
            return Ok(());
        }
        let vertices: Vec<u32> = deleted.iter().copied().collect();
        let list = List::new(self.backend(), &vertices)?;
        let steps = self.graph.mark_deleted(&list.list);
        // SAFETY: the vertices have no edges.
        unsafe { self.run(&[&steps])? };
        self.graph.absent = vertices.len() as u32;
        Ok(())
    }
}
