//! Trees of a moving scene: one after the other over the same allocator, whose state each
//! build finds as those before have left it.
//!
//! A renderer shows a frame while it builds the next one. So a finished tree is moved into
//! blocks of the pool, and the tree before it is freed when that has succeeded, no sooner: the
//! pool holds two trees, and for the time of a build what that allocates. The workspace
//! is the same for all frames, and made larger for one that needs more.

use std::sync::Arc;

use heapwood_device::heap::State;
use heapwood_device::kdtree::keep::{
    Claim, Discard, GRANTED, KEPT_WORDS, KeepArguments, REFUSED, Transfer,
};
use heapwood_device::kdtree::metrics;
use heapwood_device::kdtree::node::Node;
use heapwood_device::kdtree::plan::{BuildError, BuildResult, Limits, Options, Plan};
use heapwood_device::launch::Call;
use heapwood_device::render::Triangle;

use super::build::run_build;
use super::device_tree::{Arrays, DeviceTree};
use super::error::TreeError;
use super::file::check::check;
use super::host_tree::{TreeHash, TreeShape};
use crate::allocators::Spec;
use crate::backend::{Backend, BackendError, Grid, Launch, Memory};
use crate::heap::DeviceHeap;

/// An allocator, whose pool is initialised once, and what trees are built in beside it.
pub struct FrameBuilder<'b> {
    backend: &'b dyn Backend,
    heap: DeviceHeap<'b>,
    walkable: bool,
    /// Initialisation of the heap, in milliseconds.
    init_ms: f64,
    triangles: Option<Arc<Memory>>,
    workspace: Option<Arc<Memory>>,
    /// The tree of the latest frame, whose triangles are there.
    latest: Option<PoolTree>,
    /// A tree in the pool that is not to be traced: of the frame before, or of one that failed.
    before: Option<PoolTree>,
    /// The most bytes of memory beside the pool at a time.
    max_beside: u64,
}

/// A tree in blocks of the pool.
struct PoolTree {
    /// Its words.
    words: Memory,
    shape: TreeShape,
    triangles: usize,
    granted: u64,
    hash: TreeHash,
}

/// How the tree of a frame is built.
#[derive(Clone, Copy, Debug)]
pub struct FramePlan {
    /// As for a single tree.
    pub options: Options,
    /// Capacities of the workspace that suffice.
    pub limits: Limits,
}

/// The measurements of a frame's tree, which is in the pool.
#[derive(Clone, Debug)]
pub struct BuiltFrame {
    /// All kernels of the frame, in milliseconds: the build, moving the tree into the pool, and
    /// freeing the tree before it.
    pub build_ms: f64,
    /// The tree's sizes and bounds.
    pub result: BuildResult,
    /// The tree's fingerprint, of its copy out of the pool.
    pub hash: TreeHash,
    /// Bytes granted to the tree in the pool; none if the allocator does not tell.
    pub kept_bytes: Option<u64>,
    /// The most bytes granted at a time, the tree before it included, if the build collected
    /// statistics; none if the allocator does not tell.
    pub peak_bytes: Option<u64>,
    /// The heap after the frame, which holds this tree and nothing else.
    pub state: State,
}

impl<'b> FrameBuilder<'b> {
    /// A pool of so many bytes without a tree.
    ///
    /// # Errors
    ///
    /// When the pool does not fit the allocator or the machine.
    ///
    /// # Panics
    ///
    /// For an allocator that does not free.
    pub fn new(backend: &'b dyn Backend, spec: &Spec, pool_bytes: u64) -> Result<Self, TreeError> {
        assert!(spec.frees(), "{spec} cannot free the trees before");
        let heap = DeviceHeap::new(backend, spec, pool_bytes)?;
        Ok(Self {
            backend,
            init_ms: heap.init()?,
            heap,
            walkable: spec.allocator.properties.walkable,
            triangles: None,
            workspace: None,
            latest: None,
            before: None,
            max_beside: 0,
        })
    }

    /// Initialisation of the heap, in milliseconds.
    pub fn init_ms(&self) -> f64 {
        self.init_ms
    }

    /// The most bytes of the backend's memory beside the pool so far: triangles, workspace and
    /// words of kept trees.
    pub fn device_bytes(&self) -> u64 {
        self.max_beside
    }

    /// Bytes of the workspace.
    pub fn workspace_bytes(&self) -> u64 {
        self.workspace.as_ref().map_or(0, |memory| memory.bytes())
    }

    /// Whether a walk of the heap tells what is in use.
    pub fn is_walkable(&self) -> bool {
        self.walkable
    }

    /// Builds the tree of a frame, moves it into the pool, and frees the tree before it.
    ///
    /// # Errors
    ///
    /// A pool that does not suffice, any failure of the build, blocks of the build that are left,
    /// and a tree of the frame before that has changed. After an error blocks in the pool may never
    /// be freed.
    pub fn next(
        &mut self,
        triangles: &[Triangle],
        frame: &FramePlan,
    ) -> Result<BuiltFrame, TreeError> {
        self.before = self.latest.take().or(self.before.take());
        let count = u32::try_from(triangles.len()).unwrap_or(u32::MAX);
        let plan = Plan::new(count, frame.options, frame.limits)?;
        let bytes = size_of_val(triangles) as u64;
        let corners = reused(self.backend, &mut self.triangles, bytes)?;
        corners.upload(0, triangles)?;
        let workspace = reused(self.backend, &mut self.workspace, plan.bytes() as u64)?;
        // SAFETY: both were made large enough, and the heap is initialised.
        let (mut build_ms, result) =
            unsafe { run_build(self.backend, &self.heap, (workspace, corners), &plan)? };
        let result =
            result.map_err(|error| TreeError::of_build(&self.heap, error, plan.root_bytes()))?;
        let left = result.statistics.live_bytes;
        if left != 0 {
            return Err(TreeError::Wrong(format!(
                "{left} bytes that the build allocated were not freed"
            )));
        }
        let (kept, ms) = self.keep(&plan, TreeShape::of(&result, frame.options))?;
        build_ms += ms;
        let (granted, hash) = (kept.granted, kept.hash);
        let before = self.before.as_ref().map_or(0, |before| before.granted);
        build_ms += self.discard()?;
        self.before = Some(kept);
        let state = self.heap.state()?;
        if state.faults.overwritten > 0 {
            return Err(TreeError::of_build(
                &self.heap,
                BuildError::Overwritten,
                plan.root_bytes(),
            ));
        }
        self.heap.check(&state)?;
        self.latest = self.before.take();
        let told = |bytes| self.heap.tells_granted().then_some(bytes);
        Ok(BuiltFrame {
            build_ms,
            peak_bytes: told(before + result.statistics.peak_bytes.max(granted)),
            result,
            hash,
            kept_bytes: told(granted),
            state,
        })
    }

    /// The tree of the latest frame, copied out of the pool by the backend; none before the first,
    /// and after an error.
    ///
    /// # Errors
    ///
    /// Faults of the backend, too little memory, and a tree that rays could not follow: an
    /// allocator may grant overlapping blocks.
    pub fn tree(&self) -> Result<Option<DeviceTree<'_>>, TreeError> {
        let (Some(kept), Some(triangles)) = (&self.latest, &self.triangles) else {
            return Ok(None);
        };
        let [nodes, references] = self.fetch(kept)?;
        let arrays = Arrays {
            nodes: nodes.into(),
            references: references.into(),
            triangles: Arc::clone(triangles),
            triangle_count: kept.triangles,
        };
        let tree = DeviceTree::in_place(self.backend, kept.shape, arrays);
        check(&*tree.download()?, kept.triangles as u32).map_err(|damage| {
            TreeError::Wrong(format!("the tree in the pool is wrong: {damage}"))
        })?;
        Ok(Some(tree))
    }

    /// Moves the tree in the workspace into the pool. Returns it with the time in milliseconds.
    fn keep(&mut self, plan: &Plan, shape: TreeShape) -> Result<(PoolTree, f64), TreeError> {
        let words = self.backend.allocate_zeroed(8 * KEPT_WORDS as u64)?;
        let bytes = |memory: &Option<Arc<Memory>>| memory.as_ref().map_or(0, |there| there.bytes());
        let beside = bytes(&self.triangles) + bytes(&self.workspace);
        let before = self.before.as_ref().map_or(0, |kept| kept.words.bytes());
        self.max_beside = self.max_beside.max(beside + words.bytes() + before);
        let Some(workspace) = &self.workspace else {
            unreachable!("the tree was built in it");
        };
        let base = workspace.address();
        let arguments = KeepArguments {
            nodes: base.wrapping_add(plan.nodes_offset()).cast(),
            references: base.wrapping_add(plan.references_offset()).cast(),
            kept: words.address().cast(),
            nodes_count: shape.nodes,
            references_count: shape.references,
            out: 0,
        };
        // SAFETY: the tree is whole, and there is nothing else in the words.
        let mut ms = unsafe { self.launch(Call::of::<Claim>(arguments), Grid::Threads(1))? };
        let claimed: [u64; KEPT_WORDS] = words.download_array(0)?;
        if claimed[REFUSED] > 0 {
            let bytes = claimed[REFUSED];
            return Err(TreeError::of_build(
                &self.heap,
                BuildError::OutOfMemory { bytes },
                plan.root_bytes(),
            ));
        }
        let grid = Grid::Strided(shape.nodes);
        // SAFETY: the blocks are there.
        ms += unsafe { self.launch(Call::of::<Transfer>(arguments), grid)? };
        let mut kept = PoolTree {
            words,
            shape,
            triangles: plan.root_bytes() as usize / 4,
            granted: claimed[GRANTED],
            hash: TreeHash(0),
        };
        kept.hash = self.hash(&kept)?;
        Ok((kept, ms))
    }

    /// Nodes and references of a kept tree, copied out of the pool.
    fn fetch(&self, kept: &PoolTree) -> Result<[Memory; 2], BackendError> {
        let memory = |count: u32| self.backend.allocate(u64::from(count.max(1)) * 4);
        let arrays = [
            memory(2 * kept.shape.nodes)?,
            memory(kept.shape.references)?,
        ];
        let [nodes, references] = arrays.each_ref().map(|memory| memory.address().cast());
        let arguments = KeepArguments {
            nodes,
            references,
            out: 1,
            ..kept.arguments()
        };
        let grid = Grid::Strided(kept.shape.nodes);
        // SAFETY: the tree is in its blocks, and the memory has room for it.
        unsafe { self.launch(Call::of::<Transfer>(arguments), grid)? };
        Ok(arrays)
    }

    /// The fingerprint of a kept tree, of a copy in host memory.
    fn hash(&self, kept: &PoolTree) -> Result<TreeHash, BackendError> {
        let [nodes, references] = self.fetch(kept)?;
        let words: Vec<[u32; 2]> = nodes.download(0, kept.shape.nodes as usize)?;
        let nodes = words.into_iter();
        let nodes = nodes.map(|[first, second]| Node { first, second });
        let nodes: Vec<Node> = nodes.collect();
        let references: Vec<u32> = references.download(0, kept.shape.references as usize)?;
        Ok(TreeHash(metrics::tree_hash(&nodes, &references)))
    }

    /// Frees the trees of frames, and makes sure that they were what they had been when they were
    /// moved. Returns the time in milliseconds.
    fn discard(&mut self) -> Result<f64, TreeError> {
        let trees = [self.before.take(), self.latest.take()];
        let freed = trees.into_iter().flatten().map(|kept| self.free(kept));
        freed.sum()
    }

    fn free(&self, kept: PoolTree) -> Result<f64, TreeError> {
        let hash = self.hash(&kept)?;
        // SAFETY: the blocks are the tree's, which no kernel uses any more.
        let ms = unsafe { self.launch(Call::of::<Discard>(kept.arguments()), Grid::Threads(1))? };
        if hash != kept.hash {
            return Err(TreeError::Wrong(format!(
                "the tree of the frame before was changed in the pool from {} to {hash}",
                kept.hash
            )));
        }
        Ok(ms)
    }

    /// Frees the last tree. Returns the time in milliseconds.
    ///
    /// # Errors
    ///
    /// Bytes that are in use afterwards, as far as the allocator can be walked, and a tree that
    /// is not what it was.
    pub fn finish(&mut self) -> Result<f64, TreeError> {
        let ms = self.discard()?;
        let state = self.heap.state()?;
        self.heap.check(&state)?;
        let used = state.occupancy.used_bytes;
        if self.walkable && used > 0 {
            return Err(TreeError::Wrong(format!(
                "{used} bytes are in use in the pool of {} after the last tree was freed",
                self.heap.name()
            )));
        }
        Ok(ms)
    }

    /// Launches a kernel over the heap; returns the time in milliseconds.
    ///
    /// # Safety
    ///
    /// As for [`Backend::launch`].
    unsafe fn launch(&self, call: Call, grid: Grid) -> Result<f64, BackendError> {
        let heap = Some(self.heap.parts());
        // SAFETY: the caller's promise.
        unsafe { self.backend.launch(&Launch { call, heap, grid }) }
    }
}

impl PoolTree {
    /// Its arguments but for what is outside of the pool.
    fn arguments(&self) -> KeepArguments {
        KeepArguments {
            nodes: std::ptr::null_mut(),
            references: std::ptr::null_mut(),
            kept: self.words.address().cast(),
            nodes_count: self.shape.nodes,
            references_count: self.shape.references,
            out: 0,
        }
    }
}

impl Drop for FrameBuilder<'_> {
    /// A heap that other users of the process share does not keep the tree of a sequence that
    /// was ended.
    fn drop(&mut self) {
        if self.heap.keeps_blocks() {
            // An error would be that of the backend, which its next user meets.
            let _ = self.discard();
        }
    }
}

/// Memory of at least so many bytes: what is there, or else new memory in its place.
fn reused<'m>(
    backend: &dyn Backend,
    memory: &'m mut Option<Arc<Memory>>,
    bytes: u64,
) -> Result<&'m Memory, BackendError> {
    if memory.as_ref().is_none_or(|there| there.bytes() < bytes) {
        // The smaller one is given back first.
        *memory = None;
        *memory = Some(Arc::new(backend.allocate(bytes)?));
    }
    match memory {
        Some(memory) => Ok(memory),
        None => unreachable!("it was just made"),
    }
}

#[cfg(test)]
mod tests;
