//! The tree workload: the k-d tree of a scene is built several times, which are samples of the same
//! work. One more build comes first: it collects statistics of the allocator, and gives threads
//! their memory.
//!
//! ```
//! use heapwood::allocators::Spec;
//! use heapwood::backend::Cpu;
//! use heapwood::size::Pool;
//! use heapwood::tree::{Builder, Options};
//! use heapwood::workload::tree::Workload;
//! use heapwood_scenes::generate;
//!
//! let scene = generate::knot();
//! let workload = |builder| Workload {
//!     scene: &scene,
//!     builder,
//!     options: Options::default(),
//!     verify: true,
//! };
//! let backend = Cpu::new()?;
//! let spec = Spec::parse("cfmalloc")?;
//! let kernels = workload(Builder::Kernels { spec, pool: Pool::Auto });
//! let measured = kernels.run(&backend, 3, || ())?;
//! assert_eq!(measured.build_ms.samples.len(), 3);
//! let heap = measured.heap.expect("kernels have one");
//! assert_eq!(heap.statistics.allocations, heap.statistics.frees);
//! assert_eq!(measured.tree.download()?.hash(), measured.hash);
//! let cores = workload(Builder::Cores { threads: None }).run(&backend, 3, || ())?;
//! assert_eq!(cores.hash, measured.hash);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use heapwood_device::kdtree::plan::Statistics;
use heapwood_device::kdtree::{check, metrics};
use heapwood_scenes::Scene;

use crate::backend::Backend;
use crate::samples::Samples;
use crate::tree::{
    BuildMemory, BuildStats, Builder, Built, DeviceTree, Options, TreeError, TreeHash, triangles,
};

/// A scene, and how its tree is built.
pub struct Workload<'a> {
    /// The scene, as it is loaded or cleaned.
    pub scene: &'a Scene,
    /// The builder of the tree.
    pub builder: Builder,
    /// How the tree is built; cores make nothing of what concerns allocators.
    pub options: Options,
    /// Whether each triangle is looked for in every leaf that it overlaps.
    pub verify: bool,
}

/// Measurements of a build.
pub struct BuildMeasurement<'b> {
    /// The build, in milliseconds.
    pub build_ms: Samples,
    /// The last tree, where the builder left it.
    pub tree: DeviceTree<'b>,
    /// Counts of the last build.
    pub stats: BuildStats,
    /// The expected cost of a ray, in the units of the build's costs.
    pub sah_cost: f64,
    /// The same by [`metrics::COMPARABLE`], whatever the tree was built with.
    pub comparable_sah_cost: f64,
    /// Its fingerprint.
    pub hash: TreeHash,
    /// The allocator of builds by kernels.
    pub heap: Option<HeapMeasurement>,
}

/// Measurements of the allocator of builds.
#[derive(Clone, Debug)]
pub struct HeapMeasurement {
    /// Initialisation of the heap, in milliseconds.
    pub init_ms: Samples,
    /// Allocations of the run that collected them.
    pub statistics: Statistics,
    /// External fragmentation (equation 3) after the last free of that run, if the allocator can be
    /// walked.
    pub external_fragmentation: Option<f64>,
    /// Pool and workspace.
    pub memory: BuildMemory,
    /// Bytes of the workspace that the last build took.
    pub workspace_used_bytes: u64,
}

impl Workload<'_> {
    /// How often [`run`](Self::run) calls `after_each`.
    pub fn steps(runs: u32) -> u64 {
        u64::from(runs.max(1)) + 2
    }

    /// Makes the builder ready, for kernels until pool and workspace suffice; builds once for
    /// statistics, which gives threads their memory; and builds `runs` times, at least once, for
    /// times. Calls `after_each` after each of these.
    ///
    /// # Errors
    ///
    /// A pool that does not suffice, whatever goes wrong in a build, and trees that
    /// differ or are not right.
    pub fn run<'b>(
        &self,
        backend: &'b dyn Backend,
        runs: u32,
        mut after_each: impl FnMut(),
    ) -> Result<BuildMeasurement<'b>, TreeError> {
        let mut build = self.builder.prepare(backend, self.scene, self.options)?;
        let memory = build.memory();
        after_each();
        let (expected, collected) = {
            let first = build.build_with_statistics()?;
            (first.tree.download()?.hash(), first.stats.kernels)
        };
        after_each();
        let (mut init_ms, mut build_ms) = (Vec::new(), Vec::new());
        let mut add = |stats: &BuildStats| {
            init_ms.extend(stats.kernels.as_ref().map(|kernels| kernels.init_ms));
            build_ms.push(stats.build_ms);
            after_each();
        };
        for _ in 1..runs.max(1) {
            add(&build.build()?.stats);
        }
        let Built { tree, stats } = build.into_built()?;
        add(&stats);
        let last = tree.download()?;
        let hash = last.hash();
        if hash != expected {
            return Err(TreeError::Wrong(format!(
                "two builds of the same scene gave the trees {expected} and {hash}"
            )));
        }
        if self.verify {
            let triangles = triangles(self.scene);
            check::check(&last.nodes, &last.references, &triangles, last.bounds)
                .map_err(|fault| TreeError::Wrong(format!("the tree is wrong: {fault:?}")))?;
        }
        let cost = |costs| metrics::sah_cost(&last.nodes, last.bounds, costs);
        let (sah_cost, comparable_sah_cost) =
            (cost(tree.shape().options.costs), cost(metrics::COMPARABLE));
        drop(last);
        let Some(build_ms) = Samples::new(build_ms) else {
            unreachable!("there was at least one run");
        };
        let heap = match (memory, collected, &stats.kernels, Samples::new(init_ms)) {
            (Some(memory), Some(collected), Some(last), Some(init_ms)) => Some(HeapMeasurement {
                init_ms,
                statistics: collected.result.statistics,
                external_fragmentation: collected.state.occupancy.external_fragmentation(),
                memory,
                workspace_used_bytes: last.workspace_used_bytes,
            }),
            _ => None,
        };
        Ok(BuildMeasurement {
            build_ms,
            tree,
            stats,
            sah_cost,
            comparable_sah_cost,
            hash,
            heap,
        })
    }
}
