//! Building a tree: memory for it, found by trial if need be, and the launches.

use std::cell::Cell;
use std::sync::Arc;

use heapwood_device::heap::State;
use heapwood_device::kdtree::node::Node;
use heapwood_device::kdtree::plan::{
    self, BuildError, BuildResult, Limits, Options, Plan, RESULT_BYTES,
};
use heapwood_device::render::Triangle;

use super::error::TreeError;
use super::finished::Tree;
use crate::allocators::Spec;
use crate::backend::{Backend, BackendError, Launch, Memory};
use crate::heap::{AllocatorName, DeviceHeap, HeapError, MostPool};
use crate::size::Pool;

/// First pool of `--pool auto`, as a multiple of the root's references.
const FIRST_POOL: u64 = 64;
/// Least first pool of `--pool auto`, in bytes.
const MIN_POOL: u64 = 16 << 20;

/// First pool of `--pool auto` for a root whose references take so many bytes.
pub(crate) fn first_pool(root: u64) -> u64 {
    (root * FIRST_POOL).max(MIN_POOL)
}

/// Triangles on a backend, from which trees are built.
pub struct TreeBuilder<'b> {
    backend: &'b dyn Backend,
    /// Lives as long as what is built of it.
    triangles: Arc<Memory>,
    count: u32,
}

impl<'b> TreeBuilder<'b> {
    /// Copies triangles to the backend.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn new(backend: &'b dyn Backend, triangles: &[Triangle]) -> Result<Self, TreeError> {
        let memory = backend.memory(size_of_val(triangles) as u64, false)?;
        memory.upload(0, triangles)?;
        // Triangles are numbered by 32 bits; the plan refuses too many.
        let count = u32::try_from(triangles.len()).unwrap_or(u32::MAX);
        Ok(Self {
            backend,
            triangles: Arc::new(memory),
            count,
        })
    }

    /// A pool of so many bytes and a workspace of these capacities. Whether they suffice
    /// for a build is not known.
    ///
    /// # Errors
    ///
    /// When the pool does not fit the allocator or the machine, and when there is no plan
    /// for the build.
    pub fn within(
        &self,
        spec: &Spec,
        pool_bytes: u64,
        options: Options,
        limits: Limits,
    ) -> Result<PreparedBuild<'b>, TreeError> {
        let heap = DeviceHeap::new(self.backend, spec, pool_bytes)?;
        self.beside(heap, spec, options, limits)
    }

    /// The heap, and a workspace of these capacities beside it.
    fn beside(
        &self,
        heap: DeviceHeap<'b>,
        spec: &Spec,
        options: Options,
        limits: Limits,
    ) -> Result<PreparedBuild<'b>, TreeError> {
        let plan = Plan::new(self.count, options, limits)?;
        let workspace = self.backend.memory(plan.bytes() as u64, false)?;
        Ok(PreparedBuild {
            backend: self.backend,
            triangles: Arc::clone(&self.triangles),
            may_overwrite: spec.allocator.properties.may_overwrite,
            heap,
            tried_bytes: workspace.bytes(),
            workspace,
            plan,
            options,
            is_fitted: false,
            has_tree: Cell::new(false),
        })
    }

    /// Finds a pool and a workspace by building once, or more often with larger ones while
    /// they do not suffice and may grow. The workspace is then one of what the build took of
    /// it, without a tree. A scene whose tree would exceed the bound on
    /// duplication gets budgets of references.
    ///
    /// # Errors
    ///
    /// A pool that does not suffice, and whatever goes wrong in the build.
    pub fn prepare(
        &self,
        spec: &Spec,
        pool: Pool,
        mut options: Options,
    ) -> Result<PreparedBuild<'b>, TreeError> {
        let root = u64::from(self.count) * 4;
        let mut pool_bytes = match pool {
            Pool::Auto => first_pool(root),
            Pool::Times(factor) => (root as f64 * factor) as u64,
            Pool::Bytes(bytes) => bytes,
        };
        let mut limits = Limits::for_triangles(self.count, &options);
        // The largest pool beside the workspace, whose size budgets do not change.
        let most = move |limits| {
            let plan = Plan::new(self.count, options, limits)?;
            let most = MostPool::beside(self.backend, spec, plan.bytes() as u64)?;
            Ok::<_, TreeError>(most)
        };
        // A larger pool than this one, which the caller has freed.
        let larger = |pool_bytes: u64, needed: u64, limits| {
            let most = most(limits)?;
            let larger = pool_bytes.saturating_mul(2).max(needed).min(most.bytes);
            if larger <= pool_bytes {
                let allocator = AllocatorName::of(spec);
                return Err(TreeError::Full { allocator, most });
            }
            Ok(larger)
        };
        if pool == Pool::Auto {
            pool_bytes = pool_bytes.min(most(limits)?.bytes);
        }
        loop {
            let heap = DeviceHeap::new(self.backend, spec, pool_bytes);
            if let (Err(HeapError::TooSmall { needed, .. }), Pool::Auto) = (&heap, pool) {
                pool_bytes = larger(pool_bytes, *needed, limits)?;
                continue;
            }
            let heap = heap?;
            // Every build requests the root's references first.
            if heap.max_block() < root {
                if pool == Pool::Auto {
                    drop(heap);
                    pool_bytes = larger(pool_bytes, 0, limits)?;
                    continue;
                }
                return Err(TreeError::Pool {
                    allocator: heap.allocator_name(),
                    pool: pool_bytes,
                    wanted: Some(root),
                    root,
                });
            }
            let prepared = self.beside(heap, spec, options, limits)?;
            // The bytes served decide whether a failure may come from overwritten
            // references.
            match prepared.build(spec.allocator.properties.may_overwrite) {
                Ok(built) => return prepared.fitted(built.result.used),
                Err(TreeError::Build(BuildError::Explodes { .. })) => options.bounded = true,
                Err(TreeError::Pool { .. }) if pool == Pool::Auto => {
                    drop(prepared);
                    pool_bytes = larger(pool_bytes, 0, limits)?;
                }
                Err(TreeError::Build(error)) if error.is_limit() => {
                    limits = limits.doubled().ok_or(TreeError::Build(error))?;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// Memory for builds of a tree. If [`TreeBuilder::prepare`] made it, it suffices.
pub struct PreparedBuild<'b> {
    backend: &'b dyn Backend,
    triangles: Arc<Memory>,
    may_overwrite: bool,
    heap: DeviceHeap<'b>,
    workspace: Memory,
    /// Bytes of the workspace before it was fitted.
    tried_bytes: u64,
    plan: Plan,
    options: Options,
    /// Whether the workspace has what a build took, and nothing more.
    is_fitted: bool,
    /// Whether there is a whole tree in the workspace.
    has_tree: Cell<bool>,
}

/// A tree that was built; its nodes are in the workspace of its [`PreparedBuild`].
#[derive(Clone, Debug)]
pub struct BuiltTree {
    /// Initialisation of the heap, in milliseconds.
    pub init_ms: f64,
    /// All kernels of the build together, in milliseconds.
    pub build_ms: f64,
    /// Its sizes and bounds.
    pub result: BuildResult,
    /// The heap after the build.
    pub state: State,
}

impl<'b> PreparedBuild<'b> {
    /// The same with a workspace of what a build took. The larger one is given back first.
    fn fitted(self, used: Limits) -> Result<Self, TreeError> {
        let plan = Plan::new(self.triangle_count(), self.options, used)?;
        drop(self.workspace);
        Ok(Self {
            workspace: self.backend.memory(plan.bytes() as u64, false)?,
            plan,
            is_fitted: true,
            has_tree: Cell::new(false),
            ..self
        })
    }

    /// Builds the tree on a heap just made empty, with statistics of
    /// allocations on request.
    ///
    /// # Errors
    ///
    /// A pool that does not suffice, and whatever goes wrong in the build.
    pub fn build(&self, collect: bool) -> Result<BuiltTree, TreeError> {
        self.has_tree.set(false);
        let init_ms = self.heap.init()?;
        let options = Options {
            collect,
            ..self.options
        };
        let plan = Plan::new(self.triangle_count(), options, self.plan.limits())?;
        // SAFETY: the plan is for this workspace and these triangles.
        let (build_ms, result) = unsafe {
            let memory = (&self.workspace, &*self.triangles);
            run_build(self.backend, &self.heap, memory, &plan)?
        };
        let result = result.map_err(|error| self.tree_error(error))?;
        let state = self.heap.state()?;
        if state.faults.overwritten > 0 {
            return Err(self.tree_error(BuildError::Overwritten));
        }
        self.heap.check(&state)?;
        self.has_tree.set(true);
        Ok(BuiltTree {
            init_ms,
            build_ms,
            result,
            state,
        })
    }

    /// The tree built last.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn tree(&self, built: &BuiltTree) -> Result<Tree, BackendError> {
        let words: Vec<[u32; 2]> = self
            .workspace
            .download(self.plan.nodes_offset() as u64, built.result.nodes as usize)?;
        let nodes = words
            .into_iter()
            .map(|[first, second]| Node { first, second })
            .collect();
        let references = self.workspace.download(
            self.plan.references_offset() as u64,
            built.result.references as usize,
        )?;
        Ok(Tree { nodes, references })
    }

    /// The backend that builds.
    pub fn backend(&self) -> &dyn Backend {
        self.backend
    }

    /// The triangles on the backend.
    pub fn triangles(&self) -> &Memory {
        &self.triangles
    }

    /// The addresses of the tree's nodes and references on the backend; the tree is whole.
    ///
    /// # Panics
    ///
    /// If the latest build has not succeeded, or there was none.
    pub fn addresses(&self) -> (*mut u8, *mut u8) {
        assert!(self.has_tree.get(), "there is no tree in this workspace");
        let base = self.workspace.address();
        (
            base.wrapping_add(self.plan.nodes_offset()),
            base.wrapping_add(self.plan.references_offset()),
        )
    }

    /// Whether statistics have the sizes of blocks, instead of those of requests:
    /// [`DeviceHeap::tells_granted`].
    #[must_use]
    pub fn tells_granted(&self) -> bool {
        self.heap.tells_granted()
    }

    /// Bytes of the pool.
    pub fn pool_bytes(&self) -> u64 {
        self.heap.pool_bytes()
    }

    /// Bytes of the backend's memory beside the pool: the triangles and the workspace, in
    /// which the finished tree is.
    pub fn device_bytes(&self) -> u64 {
        self.triangles.bytes() + self.workspace.bytes()
    }

    /// Bytes of the workspace.
    pub fn workspace_bytes(&self) -> u64 {
        self.workspace.bytes()
    }

    /// Bytes of the workspace of the build that found its size.
    pub fn tried_workspace_bytes(&self) -> u64 {
        self.tried_bytes
    }

    /// Bytes of the workspace that a build took.
    pub fn used_workspace_bytes(&self, built: &BuiltTree) -> u64 {
        let plan = Plan::new(self.triangle_count(), self.options, built.result.used);
        plan.map_or(0, |plan| plan.bytes() as u64)
    }

    /// Bytes of the root's reference array.
    pub fn root_bytes(&self) -> u64 {
        self.plan.root_bytes()
    }

    /// How the tree is built.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Triangles of the scene.
    pub(super) fn triangle_count(&self) -> u32 {
        (self.triangles.bytes() / 36) as u32
    }

    fn tree_error(&self, error: BuildError) -> TreeError {
        if let Err(error) = self.heap.check_grants() {
            return error.into();
        }
        let pool = |wanted| TreeError::Pool {
            allocator: self.heap.allocator_name(),
            pool: self.pool_bytes(),
            wanted,
            root: self.root_bytes(),
        };
        match error {
            BuildError::OutOfMemory { bytes } => pool(Some(bytes)),
            BuildError::Overwritten if self.may_overwrite => pool(None),
            // The same build took no more than there is.
            error if error.is_limit() && self.may_overwrite && self.is_fitted => pool(None),
            // References in blocks that were granted again add up to any sum.
            BuildError::Explodes { served }
                if self.may_overwrite
                    && served.is_none_or(|served| served > self.heap.max_block()) =>
            {
                pool(None)
            }
            other => TreeError::Build(other),
        }
    }
}

/// Runs the launches of a build in a workspace, over these triangles. Returns their time in
/// milliseconds, and what the workspace's header then says.
///
/// # Errors
///
/// Faults of the backend.
///
/// # Safety
///
/// The workspace has the bytes of the plan, there are its triangles, all of it is this
/// backend's, and the heap is initialised.
pub(super) unsafe fn run_build(
    backend: &dyn Backend,
    heap: &DeviceHeap,
    (workspace, triangles): (&Memory, &Memory),
    plan: &Plan,
) -> Result<(f64, Result<BuildResult, BuildError>), BackendError> {
    workspace.zero_front(plan.zero_bytes() as u64)?;
    let mut build_ms = 0.0;
    for planned in plan.launches(workspace.address(), triangles.address().cast()) {
        let launch = Launch {
            call: planned.call,
            heap: Some(heap.parts()),
            grid: planned.grid,
        };
        // SAFETY: the caller's promise, and the workspace's front is 0.
        build_ms += unsafe { backend.launch(&launch)? };
    }
    let header: [u8; RESULT_BYTES] = workspace.download_array(0)?;
    Ok((build_ms, plan::outcome(&header)))
}
