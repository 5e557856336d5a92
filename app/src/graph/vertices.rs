//! Inserting and deleting vertices.

use std::collections::BTreeSet;

use heapwood_device::graph::batch::{Batch, Change, UpdateSpace};
use heapwood_device::launch::PlannedLaunch;

use super::Store;
use super::StoreError;
use super::kept_labels::KeptLabels;
use super::vertex_list::List;
use super::workspace::Workspace;
use crate::backend::BackendError;

/// The outcome of a deletion of vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VertexDeletion {
    /// Vertices that existed, and do not any more.
    pub deleted: u64,
    /// Time of all kernels, in milliseconds.
    pub ms: f64,
}

impl Store<'_> {
    /// Adds vertices without edges behind the last; the records grow if need be. Returns the
    /// time of moving the graph to larger records, in milliseconds, 0 if it stays.
    ///
    /// # Errors
    ///
    /// When there is not enough memory, or more vertices than can be numbered.
    pub fn insert_vertices(&mut self, count: u32) -> Result<f64, StoreError> {
        let mut shape = *self.shape();
        let limits = self.options.limits;
        let wanted = u64::from(shape.vertices) + u64::from(count);
        limits.check_vertices(wanted)?;
        let before = shape.vertices;
        // Within the limit, which has 32 bits.
        let wanted = wanted as u32;
        if wanted > shape.limit {
            let half_more = shape.limit.saturating_add(shape.limit / 2);
            shape.limit = wanted.max(half_more.min(limits.vertices));
        }
        if let Some(labels) = &mut self.labels {
            labels.insert_vertices(self.backend, (before, wanted), shape.limit)?;
        }
        if self.device.graph.insert_vertices(count) {
            return Ok(0.0);
        }
        let ms = self.grow(self.pool_bytes(), 0, shape)?;
        self.device.graph.insert_vertices(count);
        Ok(ms)
    }

    /// Deletes vertices with all their edges, or none of them; those that do not
    /// exist are passed over. Their numbers are not given again.
    ///
    /// # Errors
    ///
    /// When there is not enough memory for the edges in question.
    pub fn delete_vertices(&mut self, vertices: &[u32]) -> Result<VertexDeletion, StoreError> {
        if vertices.is_empty() {
            return Ok(VertexDeletion::default());
        }
        let limits = self.options.limits;
        limits.check_vertices(vertices.len() as u64)?;
        let list = List::new(self.backend, vertices)?;
        let steps = self.device.graph.count_edges_of(&list.list);
        // SAFETY: the header is zeroed, and the list as long as it says.
        let mut ms = unsafe { self.time(&steps)? };
        let count = list.edges()?;
        let memory = self.backend.allocate(8 * count)?;
        let mut steps = Vec::new();
        let mut workspace = None;
        if count > 0 {
            let edges: *mut u64 = memory.address().cast();
            let list_edges = self.device.graph.edges_of(&list.list, edges);
            // SAFETY: there is room for the edges that were counted.
            ms += unsafe { self.time(&list_edges)? };
            let part = count.min(u64::from(limits.deletion));
            let taken = self.take_workspace(part as u32)?;
            steps = self.deletion(edges, count, part, &taken);
            workspace = Some(taken);
        }
        steps.extend(self.device.graph.mark_deleted(&list.list));
        // All parts and the marks are one series of launches, which needs nothing
        // that could be refused: a deletion can do without new blocks, and what else
        // it takes is there.
        // SAFETY: the edges and the workspace are those of the steps, and when all
        // edges are deleted the vertices have none any more.
        let ran = unsafe { self.time(&steps) };
        let fresh = workspace.map(|workspace| self.end_deletion(workspace));
        ms += ran?;
        let known = self.deleted.len();
        // Vertices that do not exist yet may be inserted later.
        let there = 0..self.shape().vertices;
        self.deleted
            .extend(vertices.iter().filter(|&v| there.contains(v)));
        self.device.graph.absent = self.deleted.len() as u32;
        if let Some(fresh) = fresh {
            self.peak.add(fresh?);
            if let Some(labels) = &mut self.labels {
                labels.lose();
            }
        }
        let deleted = (self.deleted.len() - known) as u64;
        Ok(VertexDeletion { deleted, ms })
    }

    /// Vertices, without those that were deleted.
    pub fn present(&self) -> u32 {
        self.shape().vertices - self.deleted.len() as u32
    }

    /// The vertices that were deleted.
    pub fn deleted_vertices(&self) -> &BTreeSet<u32> {
        &self.deleted
    }

    /// The launches that delete `count` edges, `part` at a time.
    fn deletion(
        &self,
        edges: *mut u64,
        count: u64,
        part: u64,
        workspace: &Workspace,
    ) -> Vec<PlannedLaunch> {
        let mut steps = Vec::new();
        let mut first = 0;
        while first < count {
            let count = (count - first).min(part) as u32;
            let batch = Batch {
                continues: first > 0,
                labels: self.labels.as_ref().map(KeptLabels::on_device),
                ..Batch::new(edges.wrapping_add(first as usize), count, Change::Delete)
            };
            let address = workspace.memory.address();
            steps.extend(self.device.graph.update(&batch, &workspace.space, address));
            first += part;
        }
        steps
    }

    /// Bytes granted to new blocks by a deletion; keeps its workspace.
    fn end_deletion(&mut self, workspace: Workspace) -> Result<u64, BackendError> {
        let stores = 0..self.shape().stores();
        let fresh = stores.map(|store| Ok(UpdateSpace::fresh_bytes(&workspace.header(store)?)));
        let fresh = fresh.sum();
        self.keep_workspace(workspace);
        fresh
    }
}
