//! Inserting and deleting vertices.

use heapwood_device::graph::host::{Change, VertexList};

use super::StoreError;
use super::store::{Edge, Store};
use crate::backend::{BackendError, Memory};

/// Edges of deleted vertices that are deleted at a time.
const BATCH: usize = 1 << 24;

/// Vertices on the backend.
struct List {
    list: VertexList,
    header: Memory,
    vertices: Memory,
}

impl Store<'_> {
    /// Adds vertices without edges behind the last; the records grow if need be.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn insert_vertices(&mut self, count: u32) -> Result<(), StoreError> {
        if self.room.graph.insert_vertices(count) {
            return Ok(());
        }
        let mut shape = *self.shape();
        let wanted = u64::from(shape.vertices) + u64::from(count);
        let limit = u32::try_from(wanted).map_err(|_| StoreError::TooMany { entries: wanted })?;
        shape.limit = limit.max(shape.limit.saturating_add(shape.limit / 2));
        self.grow(self.pool_bytes(), shape)?;
        self.room.graph.insert_vertices(count);
        Ok(())
    }

    /// Deletes vertices with all their edges; those that do not exist are passed
    /// over. Returns how many existed. Their numbers are not given again.
    ///
    /// # Errors
    ///
    /// When there is not enough memory for the edges in question.
    pub fn delete_vertices(&mut self, vertices: &[u32]) -> Result<u64, StoreError> {
        if vertices.is_empty() {
            return Ok(0);
        }
        let vertices = self.list(vertices)?;
        let steps = self.room.graph.count_edges_of(&vertices.list);
        // SAFETY: the header is zeroed, and the list as long as it says.
        unsafe { self.room.run(&[&steps])? };
        let count = VertexList::edges(&vertices.header()?);
        if count > 0 {
            let memory = self.backend.memory(8 * count, false)?;
            let to = memory.address().cast();
            let steps = self.room.graph.edges_of(&vertices.list, to);
            // SAFETY: there is room for the edges that were counted.
            unsafe { self.room.run(&[&steps])? };
            let edges: Vec<Edge> = memory.download(0, count as usize)?;
            for batch in edges.chunks(BATCH) {
                self.change(batch, Change::Delete, true, false)?;
            }
        }
        self.mark_deleted(&vertices)
    }

    /// Marks vertices of a graph that was copied, which does not tell.
    pub(super) fn mark_deleted_again(&mut self) -> Result<(), StoreError> {
        let deleted = std::mem::take(&mut self.deleted);
        if !deleted.is_empty() {
            let list = self.list(&deleted)?;
            self.mark_deleted(&list)?;
        }
        self.deleted = deleted;
        Ok(())
    }

    /// Marks vertices without edges; returns how many were not marked before.
    fn mark_deleted(&mut self, vertices: &List) -> Result<u64, StoreError> {
        let steps = self.room.graph.mark_deleted(&vertices.list);
        // SAFETY: the vertices have no edges any more.
        unsafe { self.room.run(&[&steps])? };
        let count = VertexList::deleted(&vertices.header()?);
        self.room.graph.absent += count as u32;
        // Those that do not exist yet may be inserted later.
        let there = 0..self.shape().vertices;
        let all: Vec<u32> = vertices
            .vertices
            .download(0, vertices.list.count as usize)?;
        self.deleted
            .extend(all.iter().filter(|&v| there.contains(v)));
        Ok(count)
    }

    fn list(&self, vertices: &[u32]) -> Result<List, BackendError> {
        let memory = self.backend.memory(size_of_val(vertices) as u64, false)?;
        memory.upload(0, vertices)?;
        let header = self
            .backend
            .memory(8 * VertexList::HEADER_WORDS as u64, true)?;
        let list = VertexList {
            vertices: memory.address().cast(),
            count: vertices.len() as u32,
            header: header.address().cast(),
        };
        Ok(List {
            list,
            header,
            vertices: memory,
        })
    }
}

impl List {
    fn header(&self) -> Result<[u64; VertexList::HEADER_WORDS], BackendError> {
        let read: Vec<u64> = self.header.download(0, VertexList::HEADER_WORDS)?;
        let mut words = [0; VertexList::HEADER_WORDS];
        words.copy_from_slice(&read);
        Ok(words)
    }
}
