//! A tree that is not where it was built: copied from host memory to a backend, which renders
//! it.

use heapwood_device::render::{Bounds, Triangle};

use super::build::{BuiltTree, PreparedBuild};
use super::finished::Tree;
use super::scale::Scale;
use crate::backend::{Backend, BackendError, Memory};

/// A whole tree and its triangles on a backend, both scaled.
pub(super) struct TreeView<'a> {
    pub backend: &'a dyn Backend,
    pub scale: Scale,
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
    scale: Scale,
    bounds: Bounds,
}

/// Does something with the tree built last in `prepared`: where it is, or with a scaled copy.
///
/// # Panics
///
/// If the latest build has not succeeded.
pub(super) fn with_built<T>(
    prepared: &PreparedBuild,
    built: &BuiltTree,
    render: impl FnOnce(&TreeView) -> Result<T, BackendError>,
) -> Result<T, BackendError> {
    let (nodes, references) = prepared.addresses();
    let (backend, bounds) = (prepared.backend(), built.result.bounds);
    let scale = Scale::of(&bounds);
    if !scale.is_one() {
        let count = prepared.triangle_count() as usize;
        let triangles: Vec<Triangle> = prepared.triangles().download(0, count)?;
        let tree = prepared.tree(built)?;
        return render(&PlacedTree::new(backend, &tree, &triangles, bounds)?.view());
    }
    render(&TreeView {
        backend,
        scale,
        nodes,
        references,
        triangles: prepared.triangles(),
        bounds,
    })
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
        let scale = Scale::of(&bounds);
        let nodes = tree.nodes.iter().map(|node| scale.node(*node));
        let words: Vec<[u32; 2]> = nodes.map(|node| [node.first, node.second]).collect();
        let memory = |bytes: usize| backend.memory(bytes.max(4) as u64, false);
        let nodes = memory(size_of_val(words.as_slice()))?;
        nodes.upload(0, &words)?;
        let references = memory(size_of_val(tree.references.as_slice()))?;
        references.upload(0, &tree.references)?;
        let corners = memory(size_of_val(triangles))?;
        match scale.is_one() {
            true => corners.upload(0, triangles)?,
            false => corners.upload(0, &scale.triangles(triangles))?,
        }
        Ok(Self {
            backend,
            nodes,
            references,
            triangles: corners,
            scale,
            bounds: scale.bounds(bounds),
        })
    }

    pub(super) fn view(&self) -> TreeView<'_> {
        TreeView {
            backend: self.backend,
            scale: self.scale,
            nodes: self.nodes.address(),
            references: self.references.address(),
            triangles: &self.triangles,
            bounds: self.bounds,
        }
    }
}
