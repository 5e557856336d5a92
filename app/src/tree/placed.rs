//! A tree that is not where it was built: copied from host memory to a backend, which renders
//! it.

use heapwood_device::render::{Bounds, Triangle};

use super::finished::Tree;
use crate::backend::{Backend, BackendError, Memory};

/// A whole tree on a backend, and what it is a tree of.
pub(super) struct TreeView<'a> {
    pub backend: &'a dyn Backend,
    pub nodes: *mut u8,
    pub references: *mut u8,
    pub triangles: &'a Memory,
    pub bounds: Bounds,
}

/// A tree and its triangles, copied to a backend.
pub struct PlacedTree<'b> {
    backend: &'b dyn Backend,
    nodes: Memory,
    references: Memory,
    triangles: Memory,
    bounds: Bounds,
}

impl<'b> PlacedTree<'b> {
    /// Copies a tree of these triangles, whose root has these bounds.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn new(
        backend: &'b dyn Backend,
        tree: &Tree,
        triangles: &[Triangle],
        bounds: Bounds,
    ) -> Result<Self, BackendError> {
        let words: Vec<[u32; 2]> = tree
            .nodes
            .iter()
            .map(|node| [node.first, node.second])
            .collect();
        let memory = |bytes: usize| backend.memory(bytes.max(4) as u64, false);
        let nodes = memory(size_of_val(words.as_slice()))?;
        nodes.upload(0, &words)?;
        let references = memory(size_of_val(tree.references.as_slice()))?;
        references.upload(0, &tree.references)?;
        let corners = memory(size_of_val(triangles))?;
        corners.upload(0, triangles)?;
        Ok(Self {
            backend,
            nodes,
            references,
            triangles: corners,
            bounds,
        })
    }

    pub(super) fn view(&self) -> TreeView<'_> {
        TreeView {
            backend: self.backend,
            nodes: self.nodes.address(),
            references: self.references.address(),
            triangles: &self.triangles,
            bounds: self.bounds,
        }
    }
}
