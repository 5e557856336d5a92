//! The frames workload: the trees of a moving scene are built one after the other over one
//! allocator, which is initialised once. Each tree is freed when the next one is there.
//!
//! ```
//! use heapwood::allocators::Spec;
//! use heapwood::backend::Cpu;
//! use heapwood::size::Pool;
//! use heapwood::tree::Options;
//! use heapwood::workload::frames::{Frame, Workload};
//! use heapwood_scenes::generate;
//!
//! let frames = [1, 2, 3].map(|seed| Frame::of(&generate::terrain(seed)));
//! let workload = Workload {
//!     frames: &frames,
//!     spec: Spec::parse("cfmalloc")?,
//!     pool: Pool::Auto,
//!     options: Options::default(),
//!     verify: true,
//! };
//! let measured = workload.run(&Cpu::new()?, 2, || ())?;
//! assert_eq!(measured.frames.len(), 3);
//! assert_eq!(measured.frames[0].build_ms.samples.len(), 2);
//! assert_ne!(measured.frames[0].hash, measured.frames[1].hash);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use heapwood_device::kdtree::plan::{Limits, Plan};
use heapwood_device::kdtree::{check, metrics};
use heapwood_scenes::Scene;

use crate::allocators::Spec;
use crate::backend::Backend;
use crate::heap::{AllocatorName, HeapError};
use crate::max_pool::MaxPool;
use crate::meta::offset_of;
use crate::samples::Samples;
use crate::size::Pool;
use crate::tree::{
    Built, BuiltFrame, FrameBuilder, FramePlan, KernelBuild, Options, TreeError, TreeHash,
    Triangle, first_pool, triangles,
};

/// A frame of a moving scene.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its name.
    pub name: String,
    /// Its triangles, as they are loaded or cleaned.
    pub triangles: Vec<Triangle>,
    /// Fingerprint of the triangles.
    pub input_hash: u64,
    /// The offset of the scene: its positions plus this are the coordinates of its file.
    pub offset: Option<[f64; 3]>,
}

impl Frame {
    /// That of a scene.
    pub fn of(scene: &Scene) -> Self {
        Self {
            name: scene.name().to_owned(),
            triangles: triangles(scene),
            input_hash: scene.input_hash(),
            offset: offset_of(scene),
        }
    }
}

/// Frames, and how their trees are built.
pub struct Workload<'a> {
    /// The frames, at least one.
    pub frames: &'a [Frame],
    /// The allocator, which frees.
    pub spec: Spec,
    /// Its memory; a multiple is one of the bytes of the largest root's reference array.
    pub pool: Pool,
    /// How the trees are built.
    pub options: Options,
    /// Whether each triangle is looked for in every leaf that it overlaps.
    pub verify: bool,
}

/// The measurements of a frame.
#[derive(Clone, Debug)]
pub struct FrameMeasurement {
    /// Its tree: building it, moving it into the pool, and freeing the tree before, in
    /// milliseconds, by runs.
    pub build_ms: Samples,
    /// Nodes, leaves among them.
    pub nodes: u32,
    /// References of all leaves.
    pub references: u32,
    /// The expected cost of a ray, with traversal 1 and intersection 5.
    pub comparable_sah_cost: f64,
    /// Fingerprint of the tree, which is that of a build by itself.
    pub hash: TreeHash,
    /// Bytes granted to the tree in the pool, if the allocator tells them.
    pub kept_bytes: Option<u64>,
    /// Bytes in use and free in the pool after the frame in the last run, if the allocator can
    /// be walked.
    pub occupancy: Option<(u64, u64)>,
}

/// The measurements of a sequence of frames.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The frames.
    pub frames: Vec<FrameMeasurement>,
    /// Bytes of the pool.
    pub pool_bytes: u64,
    /// The most bytes granted in it at a time, if the allocator tells them.
    pub peak_bytes: Option<u64>,
    /// The only initialisation of the heap, in milliseconds.
    pub init_ms: f64,
    /// The most bytes of the backend's memory beside the pool.
    pub device_bytes: u64,
    /// Bytes of the workspace of all frames.
    pub workspace_bytes: u64,
    /// Whether a walk showed that nothing was in use after the last tree was freed; else the
    /// allocator cannot be walked.
    pub walked: bool,
}

/// The plan and the tree of a frame that was built by itself.
struct Single {
    plan: FramePlan,
    hash: TreeHash,
    comparable_sah_cost: f64,
}

impl Workload<'_> {
    /// Builds each frame by itself, then all of them one after the other: once for statistics,
    /// and `runs` times, at least once, for times, without a new initialisation. Calls
    /// `after_each` after each build, `runs` + 2 times for a frame, and again for what a pool
    /// of [`Pool::Auto`] was too small for.
    ///
    /// # Errors
    ///
    /// An allocator that does not free; of a frame, which is named, a pool that does not
    /// suffice, whatever goes wrong in a build, and a tree that is wrong or not that of a build
    /// by itself; memory that is in use after the last tree was freed.
    pub fn run(
        &self,
        backend: &dyn Backend,
        runs: u32,
        mut after_each: impl FnMut(),
    ) -> Result<Measurement, TreeError> {
        if !self.spec.frees() {
            return Err(TreeError::CannotFree(self.spec.to_string()));
        }
        let largest = self.frames.iter().map(|frame| frame.triangles.len()).max();
        let root = 4 * largest.unwrap_or(0) as u64;
        let fixed = match self.pool {
            Pool::Auto => None,
            Pool::Times(factor) => Some((root as f64 * factor) as u64),
            Pool::Bytes(bytes) => Some(bytes),
        };
        // The pool of a build, and as much for the tree before. Builds of frames by themselves
        // have the same: a heap of the system has one size in a process.
        let mut pool_bytes = fixed.unwrap_or(2 * first_pool(root));
        loop {
            if fixed.is_none() {
                pool_bytes = self.most(backend)?.first(pool_bytes);
            }
            match self.within(backend, pool_bytes, runs, &mut after_each) {
                Err(error) if fixed.is_none() && is_small_pool(&error) => {
                    let most = self.most(backend)?;
                    if pool_bytes >= most.bytes {
                        let allocator = AllocatorName::of(&self.spec);
                        return Err(TreeError::Full { allocator, most });
                    }
                    pool_bytes = pool_bytes.saturating_mul(2);
                }
                other => return other,
            }
        }
    }

    /// The largest pool beside the memory for a first build of the largest frame.
    fn most(&self, backend: &dyn Backend) -> Result<MaxPool, TreeError> {
        let mut beside = 0;
        for frame in self.frames {
            let count = u32::try_from(frame.triangles.len()).unwrap_or(u32::MAX);
            let limits = Limits::for_triangles(count, &self.options);
            let workspace = Plan::new(count, self.options, limits)?.bytes();
            beside = beside.max(size_of_val(frame.triangles.as_slice()) + workspace);
        }
        Ok(MaxPool::beside(backend, &self.spec, beside as u64)?)
    }

    /// Builds each frame by itself and then all of them, in pools of this size.
    fn within(
        &self,
        backend: &dyn Backend,
        pool_bytes: u64,
        runs: u32,
        after_each: &mut impl FnMut(),
    ) -> Result<Measurement, TreeError> {
        let mut singles = Vec::new();
        for (index, frame) in self.frames.iter().enumerate() {
            let single = self.single(backend, frame, pool_bytes);
            singles.push(single.map_err(|error| self.in_frame(index, error))?);
            after_each();
        }
        self.sequence(backend, pool_bytes, &singles, runs, after_each)
    }

    /// Builds a frame by itself.
    fn single(
        &self,
        backend: &dyn Backend,
        frame: &Frame,
        pool_bytes: u64,
    ) -> Result<Single, TreeError> {
        let (spec, pool) = (&self.spec, Pool::Bytes(pool_bytes));
        let build = KernelBuild::prepare(backend, &frame.triangles, spec, pool, self.options)?;
        let Built { tree, stats } = build.into_built()?;
        let tree = tree.into_host()?;
        if self.verify {
            check::check(&tree.nodes, &tree.references, &frame.triangles, tree.bounds)
                .map_err(|fault| TreeError::Wrong(format!("the tree is wrong: {fault:?}")))?;
        }
        Ok(Single {
            plan: FramePlan {
                options: tree.options,
                limits: stats.result.used,
            },
            hash: tree.hash(),
            comparable_sah_cost: metrics::sah_cost(&tree.nodes, tree.bounds, metrics::COMPARABLE),
        })
    }

    /// Builds all frames over one heap: once with statistics, and `runs` times.
    fn sequence(
        &self,
        backend: &dyn Backend,
        pool_bytes: u64,
        singles: &[Single],
        runs: u32,
        after_each: &mut impl FnMut(),
    ) -> Result<Measurement, TreeError> {
        let mut builder = FrameBuilder::new(backend, &self.spec, pool_bytes)?;
        let collected = self.once(&mut builder, singles, true, after_each)?;
        let peaks = collected.iter().map(|built| built.peak_bytes);
        let peak_bytes = peaks.max().flatten();
        let mut times = vec![Vec::new(); self.frames.len()];
        let mut last = collected;
        for _ in 0..runs.max(1) {
            last = self.once(&mut builder, singles, false, after_each)?;
            for (times, built) in times.iter_mut().zip(&last) {
                times.push(built.build_ms);
            }
        }
        let frames = last.into_iter().zip(singles).zip(times);
        let frames = frames.filter_map(|((built, single), times)| {
            let occupancy = &built.state.occupancy;
            Some(FrameMeasurement {
                build_ms: Samples::new(times)?,
                nodes: built.result.nodes,
                references: built.result.references,
                comparable_sah_cost: single.comparable_sah_cost,
                hash: single.hash,
                kept_bytes: built.kept_bytes,
                occupancy: builder
                    .is_walkable()
                    .then_some((occupancy.used_bytes, occupancy.free_bytes)),
            })
        });
        Ok(Measurement {
            frames: frames.collect(),
            pool_bytes,
            peak_bytes,
            init_ms: builder.init_ms(),
            device_bytes: builder.device_bytes(),
            workspace_bytes: builder.workspace_bytes(),
            walked: builder.is_walkable(),
        })
    }

    /// Builds all frames, and frees the last one.
    fn once(
        &self,
        builder: &mut FrameBuilder,
        singles: &[Single],
        collect: bool,
        after_each: &mut impl FnMut(),
    ) -> Result<Vec<BuiltFrame>, TreeError> {
        let mut all = Vec::new();
        for (index, (frame, single)) in self.frames.iter().zip(singles).enumerate() {
            let built = next(builder, frame, single, collect);
            all.push(built.map_err(|error| self.in_frame(index, error))?);
            after_each();
        }
        builder.finish()?;
        Ok(all)
    }

    fn in_frame(&self, index: usize, error: TreeError) -> TreeError {
        TreeError::Frame {
            number: index + 1,
            name: self.frames[index].name.clone(),
            error: Box::new(error),
        }
    }
}

/// Builds the tree of the next frame, which must be that of a build by itself.
fn next(
    builder: &mut FrameBuilder,
    frame: &Frame,
    single: &Single,
    collect: bool,
) -> Result<BuiltFrame, TreeError> {
    let mut plan = single.plan;
    plan.options.collect = collect;
    let built = builder.next(&frame.triangles, &plan)?;
    let hash = built.hash;
    if hash != single.hash {
        return Err(TreeError::Wrong(format!(
            "the tree {hash} is not the one that is built of the scene by itself, {}",
            single.hash
        )));
    }
    Ok(built)
}

/// Whether a larger pool may help.
fn is_small_pool(error: &TreeError) -> bool {
    match error {
        TreeError::Frame { error, .. } => is_small_pool(error),
        TreeError::Pool { .. } | TreeError::Heap(HeapError::TooSmall { .. }) => true,
        _ => false,
    }
}
