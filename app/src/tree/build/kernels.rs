//! Building a tree by kernels: memory for it, found by trial if need be, and the launches.

use std::sync::Arc;

use heapwood_device::kdtree::plan::{
    self, BuildError, BuildResult, Limits, Options, Plan, RESULT_BYTES,
};
use heapwood_device::render::Triangle;

use crate::allocators::Spec;
use crate::backend::{Backend, BackendError, Launch, Memory};
use crate::heap::{AllocatorName, DeviceHeap, HeapError};
use crate::max_pool::MaxPool;
use crate::size::Pool;
use crate::tree::built::{Built, KernelStats};
use crate::tree::device_tree::{Array, Arrays, DeviceTree};
use crate::tree::error::TreeError;
use crate::tree::host_tree::TreeShape;

/// First pool of `--pool auto`, as a multiple of the root's references.
const FIRST_POOL: u64 = 64;
/// Least first pool of `--pool auto`, in bytes.
const MIN_POOL: u64 = 16 << 20;

/// First pool of `--pool auto` for a root whose references take so many bytes.
pub(crate) fn first_pool(root: u64) -> u64 {
    (root * FIRST_POOL).max(MIN_POOL)
}

/// Triangles, a pool and a workspace on a backend, in which trees are built one after the other.
/// If [`prepare`](Self::prepare) made it, the pool and the workspace suffice.
///
/// ```
/// use heapwood::allocators::Spec;
/// use heapwood::backend::Cpu;
/// use heapwood::size::Pool;
/// use heapwood::tree::{KernelBuild, Options, Ray};
///
/// let backend = Cpu::new()?;
/// let triangles = [[[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]];
/// let spec = Spec::parse("cfmalloc")?;
/// let mut build = KernelBuild::prepare(&backend, &triangles, &spec, Pool::Auto, Options::default())?;
/// let built = build.build()?;
/// let ray = Ray { origin: [0.2, 0.2, 0.0], direction: [0.0, 0.0, 2.0] };
/// let hits = built.tree.trace(&[ray])?;
/// assert_eq!((hits[0].triangle, hits[0].t), (0, 0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The tree lies in the workspace, so that the compiler refuses a build while there is one:
///
/// ```compile_fail,E0499
/// # use heapwood::tree::{KernelBuild, TreeError};
/// fn twice(mut build: KernelBuild) -> Result<(), TreeError> {
///     let first = build.build()?;
///     build.build()?;
///     first.tree.trace(&[])?;
///     Ok(())
/// }
/// ```
pub struct KernelBuild<'b> {
    input: Input<'b>,
    heap: DeviceHeap<'b>,
    workspace: Arc<Memory>,
    /// Bytes of the workspace before it was fitted.
    tried_bytes: u64,
    plan: Plan,
    options: Options,
    /// Whether the workspace has what a build took, and nothing more.
    is_fitted: bool,
}

/// The memory of builds by kernels.
#[derive(Clone, Copy, Debug)]
pub struct BuildMemory {
    /// Bytes of the pool.
    pub pool_bytes: u64,
    /// Bytes of the backend's memory beside the pool: the triangles and the workspace, in which
    /// the finished tree is.
    pub device_bytes: u64,
    /// Bytes of the workspace.
    pub workspace_bytes: u64,
    /// Bytes of the workspace of the build that found its size.
    pub tried_workspace_bytes: u64,
    /// Whether statistics have the sizes of blocks, instead of those of requests:
    /// [`DeviceHeap::tells_granted`].
    pub tells_granted: bool,
}

/// Triangles on a backend.
#[derive(Clone)]
struct Input<'b> {
    backend: &'b dyn Backend,
    triangles: Arc<Memory>,
    count: u32,
}

impl<'b> Input<'b> {
    fn new(backend: &'b dyn Backend, triangles: &[Triangle]) -> Result<Self, TreeError> {
        let memory = backend.allocate(size_of_val(triangles) as u64)?;
        memory.upload(0, triangles)?;
        Ok(Self {
            backend,
            triangles: Arc::new(memory),
            // Triangles are numbered by 32 bits; the plan refuses too many.
            count: u32::try_from(triangles.len()).unwrap_or(u32::MAX),
        })
    }

    /// The heap, and a workspace of these capacities beside it.
    fn with(
        &self,
        heap: DeviceHeap<'b>,
        options: Options,
        limits: Limits,
    ) -> Result<KernelBuild<'b>, TreeError> {
        let plan = Plan::new(self.count, options, limits)?;
        let workspace = self.backend.allocate(plan.bytes() as u64)?;
        Ok(KernelBuild {
            input: self.clone(),
            heap,
            tried_bytes: workspace.bytes(),
            workspace: Arc::new(workspace),
            plan,
            options,
            is_fitted: false,
        })
    }
}

impl<'b> KernelBuild<'b> {
    /// A pool of so many bytes and a workspace of these capacities. Whether they suffice
    /// for a build is not known.
    ///
    /// # Errors
    ///
    /// When the pool does not fit the allocator or the machine, and when there is no plan
    /// for the build.
    pub fn within(
        backend: &'b dyn Backend,
        triangles: &[Triangle],
        spec: &Spec,
        pool_bytes: u64,
        options: Options,
        limits: Limits,
    ) -> Result<Self, TreeError> {
        let input = Input::new(backend, triangles)?;
        let heap = DeviceHeap::new(backend, spec, pool_bytes)?;
        input.with(heap, options, limits)
    }

    /// Finds a pool and a workspace by building once, or more often with larger ones while
    /// they do not suffice and may grow. The workspace is then one of what the build took of
    /// it, without a tree. A scene whose tree would exceed the bound on
    /// duplication gets budgets of references.
    ///
    /// # Errors
    ///
    /// A pool that does not suffice, and any failure of the build.
    pub fn prepare(
        backend: &'b dyn Backend,
        triangles: &[Triangle],
        spec: &Spec,
        pool: Pool,
        mut options: Options,
    ) -> Result<Self, TreeError> {
        let input = Input::new(backend, triangles)?;
        let count = input.count;
        let root = u64::from(count) * 4;
        let mut pool_bytes = match pool {
            Pool::Auto => first_pool(root),
            Pool::Times(factor) => (root as f64 * factor) as u64,
            Pool::Bytes(bytes) => bytes,
        };
        let mut limits = Limits::for_triangles(count, &options);
        // The largest pool beside the workspace, whose size budgets do not change.
        let most = move |limits| {
            let plan = Plan::new(count, options, limits)?;
            let most = MaxPool::beside(backend, spec, plan.bytes() as u64)?;
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
            pool_bytes = most(limits)?.first(pool_bytes);
        }
        loop {
            let heap = DeviceHeap::new(backend, spec, pool_bytes);
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
            let mut prepared = input.with(heap, options, limits)?;
            // The bytes served decide whether a failure may come from overwritten
            // references.
            match prepared.run(spec.allocator.properties.may_overwrite) {
                Ok(stats) => return prepared.fitted(stats.result.used),
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

    /// The same with a workspace of what a build took. The larger one is given back first.
    fn fitted(self, used: Limits) -> Result<Self, TreeError> {
        let plan = Plan::new(self.input.count, self.options, used)?;
        drop(self.workspace);
        let workspace = self.input.backend.allocate(plan.bytes() as u64)?;
        Ok(Self {
            workspace: Arc::new(workspace),
            plan,
            is_fitted: true,
            ..self
        })
    }

    /// Builds the tree on a heap just made empty. The tree lies in the workspace.
    ///
    /// # Errors
    ///
    /// A pool that does not suffice, and any failure of the build.
    pub fn build(&mut self) -> Result<Built<DeviceTree<'_>, KernelStats>, TreeError> {
        let stats = self.run(false)?;
        Ok(self.built(stats))
    }

    /// The same with statistics of allocations, which take time.
    ///
    /// # Errors
    ///
    /// As for [`build`](Self::build).
    pub fn build_with_statistics(
        &mut self,
    ) -> Result<Built<DeviceTree<'_>, KernelStats>, TreeError> {
        let stats = self.run(true)?;
        Ok(self.built(stats))
    }

    /// Builds a last tree as [`build`](Self::build) does, which keeps the workspace. The pool is
    /// given back.
    ///
    /// # Errors
    ///
    /// As for [`build`](Self::build).
    pub fn into_built(mut self) -> Result<Built<DeviceTree<'b>, KernelStats>, TreeError> {
        let stats = self.run(false)?;
        Ok(self.built(stats))
    }

    fn run(&mut self, collect: bool) -> Result<KernelStats, TreeError> {
        let init_ms = self.heap.init()?;
        let options = Options {
            collect,
            ..self.options
        };
        let plan = Plan::new(self.input.count, options, self.plan.limits())?;
        // SAFETY: the heap was just initialised, all memory is of this backend, and the plan is for
        // this workspace and these triangles: collecting statistics does not change its sizes.
        let (build_ms, result) = unsafe {
            let memory = (&*self.workspace, &*self.input.triangles);
            run_build(self.input.backend, &self.heap, memory, &plan)?
        };
        let result = result.map_err(|error| self.tree_error(error))?;
        let state = self.heap.state()?;
        if state.faults.overwritten > 0 {
            return Err(self.tree_error(BuildError::Overwritten));
        }
        self.heap.check(&state)?;
        let used = Plan::new(self.input.count, self.options, result.used);
        Ok(KernelStats {
            init_ms,
            build_ms,
            workspace_used_bytes: used.map_or(0, |plan| plan.bytes() as u64),
            result,
            state,
        })
    }

    /// The tree that was built last. The caller chooses the lifetime so that no build follows
    /// within it.
    fn built<'a>(&self, stats: KernelStats) -> Built<DeviceTree<'a>, KernelStats>
    where
        'b: 'a,
    {
        let array = |offset: usize| Array {
            memory: Arc::clone(&self.workspace),
            offset: offset as u64,
        };
        let arrays = Arrays {
            nodes: array(self.plan.nodes_offset()),
            references: array(self.plan.references_offset()),
            triangles: Arc::clone(&self.input.triangles),
            triangle_count: self.input.count as usize,
        };
        let shape = TreeShape::of(&stats.result, self.options);
        Built {
            tree: DeviceTree::in_place(self.input.backend, shape, arrays),
            stats,
        }
    }

    /// The memory of its builds.
    pub fn memory(&self) -> BuildMemory {
        BuildMemory {
            pool_bytes: self.heap.pool_bytes(),
            device_bytes: self.input.triangles.bytes() + self.workspace.bytes(),
            workspace_bytes: self.workspace.bytes(),
            tried_workspace_bytes: self.tried_bytes,
            tells_granted: self.heap.tells_granted(),
        }
    }

    fn tree_error(&self, error: BuildError) -> TreeError {
        let is_overwritten = match &error {
            // References in blocks that were granted again add up to any sum.
            BuildError::Explodes { served } => {
                served.is_none_or(|served| served > self.heap.max_block())
            }
            // The same build took no more than there is.
            error => error.is_limit() && self.is_fitted,
        };
        let error = match is_overwritten && self.heap.may_overwrite() {
            true => BuildError::Overwritten,
            false => error,
        };
        TreeError::of_build(&self.heap, error, self.plan.root_bytes())
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
pub(in crate::tree) unsafe fn run_build(
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
