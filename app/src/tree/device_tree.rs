//! A tree that a backend traces: where a builder left it, or copied there from host memory.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use heapwood_device::kdtree::node::Node;
use heapwood_device::render::{Bounds, Triangle};

use super::file::Damage;
use super::file::check::check;
use super::host_tree::{HostTree, TreeShape};
use super::scale::Scale;
use crate::backend::{Backend, BackendError, Memory, memory_of};

/// A whole tree on a backend, with its triangles: [`trace`](Self::trace) follows rays through it,
/// [`render`](Self::render) takes a picture, [`download`](Self::download) copies it to the host.
///
/// A tree that lies in a builder's memory borrows the builder, which builds no other tree
/// meanwhile. A tree from host memory is uploaded by its first ray.
pub struct DeviceTree<'b> {
    backend: &'b dyn Backend,
    source: Source,
    /// The copy that rays visit: of a tree from host memory, or of a scene that is scaled.
    copy: OnceLock<Arrays>,
}

enum Source {
    Device {
        shape: TreeShape,
        arrays: Arrays,
    },
    Host {
        tree: Arc<HostTree>,
        triangles: Arc<Vec<Triangle>>,
    },
}

/// The memory of a tree on a backend.
pub(super) struct Arrays {
    pub nodes: Array,
    pub references: Array,
    pub triangles: Arc<Memory>,
    /// How many triangles there are; their memory may have room for more.
    pub triangle_count: usize,
}

/// An array that begins so many bytes into memory.
pub(super) struct Array {
    pub memory: Arc<Memory>,
    pub offset: u64,
}

impl From<Memory> for Array {
    fn from(memory: Memory) -> Self {
        Self {
            memory: Arc::new(memory),
            offset: 0,
        }
    }
}

impl Array {
    fn address(&self) -> *mut u8 {
        self.memory.address().wrapping_add(self.offset as usize)
    }
}

/// A whole tree and its triangles on a backend, both scaled.
pub(super) struct TreeView<'a> {
    pub backend: &'a dyn Backend,
    pub scale: Scale,
    pub nodes: *mut u8,
    pub references: *mut u8,
    pub triangles: &'a Memory,
    pub triangle_count: usize,
    pub bounds: Bounds,
}

impl<'b> DeviceTree<'b> {
    /// A tree of these triangles in host memory. Nothing is copied before its first ray.
    ///
    /// # Errors
    ///
    /// The first node that rays could not follow.
    pub fn from_host(
        backend: &'b dyn Backend,
        tree: impl Into<Arc<HostTree>>,
        triangles: impl Into<Arc<Vec<Triangle>>>,
    ) -> Result<Self, Damage> {
        let (tree, triangles) = (tree.into(), triangles.into());
        check(&tree, u32::try_from(triangles.len()).unwrap_or(u32::MAX))?;
        Ok(Self::of_builder(backend, tree, triangles))
    }

    /// The same of a tree that a builder made or a reader checked.
    pub(super) fn of_builder(
        backend: &'b dyn Backend,
        tree: Arc<HostTree>,
        triangles: Arc<Vec<Triangle>>,
    ) -> Self {
        Self {
            backend,
            source: Source::Host { tree, triangles },
            copy: OnceLock::new(),
        }
    }

    /// A tree in a backend's memory. Its arrays do not change while it exists.
    pub(super) fn in_place(backend: &'b dyn Backend, shape: TreeShape, arrays: Arrays) -> Self {
        Self {
            backend,
            source: Source::Device { shape, arrays },
            copy: OnceLock::new(),
        }
    }

    /// The backend that traces it.
    pub fn backend(&self) -> &'b dyn Backend {
        self.backend
    }

    /// Its sizes.
    pub fn shape(&self) -> TreeShape {
        match &self.source {
            Source::Device { shape, .. } => *shape,
            Source::Host { tree, .. } => tree.shape(),
        }
    }

    /// The tree in host memory: a copy, unless it has come from there.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn download(&self) -> Result<Cow<'_, HostTree>, BackendError> {
        let (shape, arrays) = match &self.source {
            Source::Device { shape, arrays } => (shape, arrays),
            Source::Host { tree, .. } => return Ok(Cow::Borrowed(tree)),
        };
        let Array { memory, offset } = &arrays.nodes;
        let words: Vec<[u32; 2]> = memory.download(*offset, shape.nodes as usize)?;
        let Array { memory, offset } = &arrays.references;
        Ok(Cow::Owned(HostTree {
            nodes: words
                .into_iter()
                .map(|[first, second]| Node { first, second })
                .collect(),
            references: memory.download(*offset, shape.references as usize)?,
            bounds: shape.bounds,
            leaves: shape.leaves,
            depth: shape.depth,
            options: shape.options,
        }))
    }

    /// The tree in host memory. One that has come from there is not copied.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn into_host(self) -> Result<HostTree, BackendError> {
        match self.source {
            Source::Host { tree, .. } => Ok(Arc::unwrap_or_clone(tree)),
            Source::Device { .. } => Ok(self.download()?.into_owned()),
        }
    }

    /// Uploads a tree from host memory before its first ray, and frees that memory. A scene that is
    /// scaled for rays keeps it.
    ///
    /// # Errors
    ///
    /// Faults of the backend, and too little memory.
    pub fn upload(mut self) -> Result<Self, BackendError> {
        if !self.view()?.scale.is_one() {
            return Ok(self);
        }
        let shape = self.shape();
        Ok(match self.copy.take() {
            Some(arrays) => Self::in_place(self.backend, shape, arrays),
            None => self,
        })
    }

    /// The addresses that kernels follow.
    pub(super) fn view(&self) -> Result<TreeView<'_>, BackendError> {
        let bounds = self.shape().bounds;
        let scale = Scale::of(&bounds);
        let arrays = match &self.source {
            Source::Device { arrays, .. } if scale.is_one() => arrays,
            _ => match self.copy.get() {
                Some(copy) => copy,
                None => {
                    let copy = self.copied(scale)?;
                    self.copy.get_or_init(|| copy)
                }
            },
        };
        Ok(TreeView {
            backend: self.backend,
            scale,
            nodes: arrays.nodes.address(),
            references: arrays.references.address(),
            triangles: &arrays.triangles,
            triangle_count: arrays.triangle_count,
            bounds: scale.bounds(bounds),
        })
    }

    /// A scaled copy on the backend.
    fn copied(&self, scale: Scale) -> Result<Arrays, BackendError> {
        let tree = self.download()?;
        let nodes = tree.nodes.iter().map(|node| scale.node(*node));
        let words: Vec<[u32; 2]> = nodes.map(|node| [node.first, node.second]).collect();
        let upload = |triangles: &[Triangle]| match scale.is_one() {
            true => memory_of(self.backend, triangles),
            false => memory_of(self.backend, &scale.triangles(triangles)),
        };
        let (triangles, triangle_count) = match &self.source {
            Source::Host { triangles, .. } => (upload(triangles)?, triangles.len()),
            Source::Device { arrays, .. } => {
                let count = arrays.triangle_count;
                (upload(&arrays.triangles.download(0, count)?)?, count)
            }
        };
        Ok(Arrays {
            nodes: memory_of(self.backend, &words)?.into(),
            references: memory_of(self.backend, &tree.references)?.into(),
            triangles: Arc::new(triangles),
            triangle_count,
        })
    }
}
