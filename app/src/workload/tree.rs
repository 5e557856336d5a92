//! The tree workload: the k-d tree of a scene is built over an allocator, several times,
//! which are samples of the same work, and once more for statistics.
//!
//! ```
//! use heapwood::allocators::Spec;
//! use heapwood::backend::Cpu;
//! use heapwood::size::Pool;
//! use heapwood::tree::Options;
//! use heapwood::workload::tree::Workload;
//! use heapwood_scenes::generate;
//!
//! let scene = generate::knot();
//! let workload = Workload {
//!     scene: &scene,
//!     spec: Spec::parse("cfmalloc")?,
//!     pool: Pool::Auto,
//!     options: Options::default(),
//!     verify: true,
//! };
//! let backend = Cpu::new(None, None)?;
//! let (measured, ready) = workload.run(&backend, 3, || ())?;
//! assert_eq!(measured.build_ms.samples.len(), 3);
//! assert_eq!(measured.statistics.allocations, measured.statistics.frees);
//! assert_eq!(ready.tree(&measured.built)?.hash(), measured.hash);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use heapwood_device::kdtree::plan::Statistics;
use heapwood_device::kdtree::{check, metrics};
use heapwood_scenes::Scene;

use crate::allocators::Spec;
use crate::backend::Backend;
use crate::samples::Samples;
use crate::size::Pool;
use crate::tree::{
    BuiltTree, Options, PreparedBuild, TreeBuilder, TreeError, TreeHash, Triangle, triangles,
};

/// A scene, and how its tree is built.
pub struct Workload<'a> {
    /// The scene, as it is loaded or cleaned.
    pub scene: &'a Scene,
    /// The allocator.
    pub spec: Spec,
    /// Its memory; a multiple is one of the bytes of the root's reference array.
    pub pool: Pool,
    /// How the tree is built.
    pub options: Options,
    /// Whether each triangle is looked for in every leaf that it overlaps.
    pub verify: bool,
}

/// What is known of a build after measuring it.
#[derive(Clone, Debug)]
pub struct BuildMeasurement {
    /// Initialisation of the heap, in milliseconds.
    pub init_ms: Samples,
    /// The build, in milliseconds.
    pub build_ms: Samples,
    /// The last tree, which is in the workspace.
    pub built: BuiltTree,
    /// The expected cost of a ray, in the units of the build's costs.
    pub sah_cost: f64,
    /// The same by [`metrics::COMPARABLE`], whatever the tree was built with.
    pub comparable_sah_cost: f64,
    /// Its fingerprint.
    pub hash: TreeHash,
    /// Allocations of the run that collected them.
    pub statistics: Statistics,
    /// External fragmentation (equation 3) after the last free, if the
    /// allocator can be walked.
    pub external_fragmentation: Option<f64>,
}

impl Workload<'_> {
    /// Builds until pool and workspace suffice, once for statistics, and `runs` times, at
    /// least once, for times; calls `after_each` after each of the three, `runs` + 2
    /// times. Returns what was measured, and the memory with the last tree.
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
    ) -> Result<(BuildMeasurement, PreparedBuild<'b>), TreeError> {
        let triangles = triangles(self.scene);
        let builder = TreeBuilder::new(backend, &triangles)?;
        let ready = builder.prepare(&self.spec, self.pool, self.options)?;
        after_each();
        let measured = self.measure(&ready, &triangles, runs, after_each)?;
        Ok((measured, ready))
    }

    fn measure(
        &self,
        ready: &PreparedBuild,
        triangles: &[Triangle],
        runs: u32,
        mut after_each: impl FnMut(),
    ) -> Result<BuildMeasurement, TreeError> {
        let collected = ready.build(true)?;
        let expected = ready.tree(&collected)?.hash();
        after_each();
        let (mut init, mut build) = (Vec::new(), Vec::new());
        let mut last = None;
        for _ in 0..runs.max(1) {
            let built = ready.build(false)?;
            init.push(built.init_ms);
            build.push(built.build_ms);
            last = Some(built);
            after_each();
        }
        let (Some(built), Some(init_ms), Some(build_ms)) =
            (last, Samples::new(init), Samples::new(build))
        else {
            unreachable!("there was at least one run");
        };
        let tree = ready.tree(&built)?;
        let hash = tree.hash();
        if hash != expected {
            return Err(TreeError::Wrong(format!(
                "two builds of the same scene gave the trees {expected} and {hash}"
            )));
        }
        let bounds = built.result.bounds;
        if self.verify {
            check::check(&tree.nodes, &tree.references, triangles, bounds)
                .map_err(|fault| TreeError::Wrong(format!("the tree is wrong: {fault:?}")))?;
        }
        let occupancy = collected.state.occupancy;
        Ok(BuildMeasurement {
            init_ms,
            build_ms,
            sah_cost: metrics::sah_cost(&tree.nodes, bounds, ready.options().costs),
            comparable_sah_cost: metrics::sah_cost(&tree.nodes, bounds, metrics::COMPARABLE),
            built,
            hash,
            statistics: collected.result.statistics,
            external_fragmentation: occupancy.external_fragmentation(),
        })
    }
}
