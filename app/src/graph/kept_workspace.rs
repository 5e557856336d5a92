//! How a store keeps the memory for batches, and makes it larger.

use heapwood_device::graph::batch::UpdateSpace;
use heapwood_device::graph::triangles::delta::plan::{Copies, CopySpace};

use super::workspace::Workspace;
use super::{Store, StoreError};
use crate::backend::{BackendError, Memory};

impl Store<'_> {
    /// A workspace for batches of so many edges: the one that was kept, if it is
    /// large enough. The caller puts it back.
    pub(super) fn take_workspace(&mut self, edges: u32) -> Result<Workspace, StoreError> {
        let kept = self.batches.take();
        let kept = kept.filter(|kept| kept.space.edges() >= edges);
        kept.map_or_else(|| self.workspace(edges), Ok)
    }

    /// Keeps a workspace for later batches.
    pub(super) fn keep_workspace(&mut self, workspace: Workspace) {
        self.batches = Some(workspace);
    }

    fn workspace(&self, edges: u32) -> Result<Workspace, StoreError> {
        let space = UpdateSpace::new(self.shape(), edges).ok_or(StoreError::Batch {
            edges: edges as usize,
        })?;
        // Weights take another word.
        let bytes = if self.shape().weighting.is_some() {
            12
        } else {
            8
        };
        Ok(Workspace {
            memory: self.backend.allocate(space.bytes() as u64)?,
            edges: self.backend.allocate(bytes * u64::from(edges))?,
            copies: None,
            space,
        })
    }

    /// Memory for copies of the rows that a batch of so many edges changes, in which its
    /// triangles are counted: what the workspace has, if that suffices.
    pub(super) fn copies(
        &mut self,
        workspace: &mut Workspace,
        edges: u32,
    ) -> Result<Copies, BackendError> {
        let vertices = self.shape().vertices;
        let keys = 2 * u64::from(edges);
        let suffices = |kept: &Option<(CopySpace, Memory)>, entries: u64| {
            let wanted = CopySpace::new(vertices, entries);
            kept.as_ref().is_some_and(|(space, _)| space.holds(&wanted))
        };
        if !suffices(&workspace.copies, self.entries + keys) {
            // Deleted vertices are subtracted.
            self.entries = self.device.measure(0)?.entries;
            let entries = self.entries + keys;
            if !suffices(&workspace.copies, entries) {
                workspace.copies = None;
                // The graph may grow by a quarter until there is not enough.
                let space = CopySpace::new(vertices, entries + entries / 4);
                let memory = self.backend.allocate(space.bytes() as u64)?;
                workspace.copies = Some((space, memory));
            }
        }
        let (space, memory) = workspace.copies.as_ref().expect("there is enough");
        Ok(space.copies(memory.address()))
    }
}
