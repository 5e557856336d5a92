//! Measuring a build: timed runs, one that collects statistics, and the tree.

use std::fmt;

use heapwood_device::kdtree::plan::{self, Statistics};

use super::{Built, Ready, TreeError, Triangle};
use crate::samples::Samples;

/// Fingerprint of a tree's nodes and references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeHash(pub u64);

impl fmt::Display for TreeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// What is known of a build after measuring it.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Initialisation of the heap, in milliseconds.
    pub init_ms: Samples,
    /// The build, in milliseconds.
    pub build_ms: Samples,
    /// The last tree, which is in the workspace.
    pub built: Built,
    /// Its expected cost.
    pub sah_cost: f64,
    /// Its fingerprint.
    pub hash: TreeHash,
    /// Allocations of the run that collected them.
    pub statistics: Statistics,
    /// External fragmentation (equation 3) after the last free, if the
    /// allocator can be walked.
    pub external_fragmentation: Option<f64>,
}

/// Builds `runs` times, at least once, then once more for statistics. With
/// `verify` each triangle is looked for in every leaf that it overlaps.
///
/// # Errors
///
/// Whatever goes wrong in a build, and trees that differ or are not right.
pub fn measure(
    ready: &Ready,
    triangles: &[Triangle],
    runs: u32,
    verify: bool,
    mut after_each: impl FnMut(),
) -> Result<Measured, TreeError> {
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
    if verify {
        plan::check(
            &tree.nodes,
            &tree.references,
            triangles,
            built.result.bounds,
        )
        .map_err(|fault| TreeError::Wrong(format!("the tree is wrong: {fault:?}")))?;
    }
    let occupancy = collected.state.occupancy;
    Ok(Measured {
        init_ms,
        build_ms,
        sah_cost: plan::sah_cost(&tree.nodes, built.result.bounds, ready.options().costs),
        built,
        hash,
        statistics: collected.result.statistics,
        external_fragmentation: (occupancy.free_bytes > 0)
            .then(|| 1.0 - occupancy.largest_free_bytes as f64 / occupancy.free_bytes as f64),
    })
}
