//! The tree workload without an allocator: the k-d tree of a scene is built on the cores of the
//! CPU, several times, which are samples of the same work.
//!
//! ```
//! use heapwood::tree::{Cores, Options};
//! use heapwood::workload::cores::Workload;
//! use heapwood_scenes::generate;
//!
//! let scene = generate::knot();
//! let workload = Workload {
//!     scene: &scene,
//!     options: Options::default(),
//!     verify: true,
//! };
//! let measured = workload.run(&Cores::new(None)?, 3, || ())?;
//! assert_eq!(measured.build_ms.samples.len(), 3);
//! assert_eq!(measured.built.tree.hash(), measured.hash);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use heapwood_device::kdtree::{check, metrics};
use heapwood_scenes::Scene;

use crate::samples::Samples;
use crate::tree::{Cores, CoresTree, Options, TreeError, TreeHash, triangles};

/// A scene, and how its tree is built.
pub struct Workload<'a> {
    /// The scene, as it is loaded or cleaned.
    pub scene: &'a Scene,
    /// How the tree is built; what concerns allocators means nothing.
    pub options: Options,
    /// Whether each triangle is looked for in every leaf that it overlaps.
    pub verify: bool,
}

/// What is known of a build after measuring it.
#[derive(Clone, Debug)]
pub struct CoresMeasurement {
    /// The build, in milliseconds.
    pub build_ms: Samples,
    /// The last tree.
    pub built: CoresTree,
    /// The expected cost of a ray, in the units of the build's costs.
    pub sah_cost: f64,
    /// The same by [`metrics::COMPARABLE`], whatever the tree was built with.
    pub comparable_sah_cost: f64,
    /// Its fingerprint.
    pub hash: TreeHash,
}

impl Workload<'_> {
    /// Builds once, which gives threads their memory, and `runs` times, at least once, for
    /// times; calls `after_each` after each of them, `runs` + 1 times.
    ///
    /// # Errors
    ///
    /// Whatever goes wrong in a build, and trees that differ or are not right.
    pub fn run(
        &self,
        cores: &Cores,
        runs: u32,
        mut after_each: impl FnMut(),
    ) -> Result<CoresMeasurement, TreeError> {
        let triangles = triangles(self.scene);
        let mut built = cores.build(&triangles, self.options)?;
        let expected = built.tree.hash();
        after_each();
        let mut times = Vec::new();
        for _ in 0..runs.max(1) {
            built = cores.build(&triangles, self.options)?;
            times.push(built.build_ms);
            after_each();
        }
        let hash = built.tree.hash();
        if hash != expected {
            return Err(TreeError::Wrong(format!(
                "two builds of the same scene gave the trees {expected} and {hash}"
            )));
        }
        let tree = &built.tree;
        if self.verify {
            check::check(&tree.nodes, &tree.references, &triangles, built.bounds)
                .map_err(|fault| TreeError::Wrong(format!("the tree is wrong: {fault:?}")))?;
        }
        let Some(build_ms) = Samples::new(times) else {
            unreachable!("there was at least one run");
        };
        let cost = |costs| metrics::sah_cost(&tree.nodes, built.bounds, costs);
        Ok(CoresMeasurement {
            build_ms,
            sah_cost: cost(self.options.costs),
            comparable_sah_cost: cost(metrics::COMPARABLE),
            hash,
            built,
        })
    }
}
