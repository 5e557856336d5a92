//! Trees built by a backend.

use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood::size::Pool;
use heapwood::tree::{Built, DeviceTree, HostTree, KernelBuild, KernelStats, TreeError};
use heapwood_device::heap::State;
use heapwood_device::kdtree::plan::{BuildResult, Limits, Options};

use crate::gpu::cpu;
use crate::soups::Triangles;

/// A finished tree.
#[derive(Debug)]
pub struct Finished {
    /// The tree.
    pub tree: HostTree,
    /// The contents of its header.
    pub result: BuildResult,
    /// The heap after the build.
    pub heap: State,
}

/// Builds a tree in a pool, as the program does: with a larger workspace if the first does
/// not suffice, and within the bound on duplication.
///
/// # Errors
///
/// A pool that does not suffice, and whatever goes wrong in the build.
pub fn build(
    backend: &dyn Backend,
    spec: &Spec,
    pool: u64,
    triangles: &Triangles,
    options: Options,
) -> Result<Finished, TreeError> {
    let pool = Pool::Bytes(pool);
    let mut ready = KernelBuild::prepare(backend, triangles, spec, pool, options)?;
    if options.collect || spec.allocator.properties.may_overwrite {
        finished(ready.build_with_statistics()?)
    } else {
        finished(ready.build()?)
    }
}

/// Bytes of a pool that serves the tree of these triangles whatever its options. Some allocators
/// write all over their pool at the start: in a much larger pool, that takes longer than the tree.
fn pool_for(triangles: &Triangles) -> u64 {
    (4 << 20) + 2048 * triangles.len() as u64
}

/// Builds a tree on the CPU over an allocator that has to serve it.
///
/// An allocator whose null is not exact may refuse a worker while another one holds what
/// is free. A worker alone must be served even by such an allocator.
///
/// # Panics
///
/// If the build fails.
pub fn build_served(
    spec: &Spec,
    workers: usize,
    triangles: &Triangles,
    options: Options,
) -> Finished {
    let pool = pool_for(triangles);
    let built = match build(&*cpu(workers), spec, pool, triangles, options) {
        Err(TreeError::Pool { .. } | TreeError::Full { .. })
            if !spec.allocator.properties.exact_null =>
        {
            build(&*cpu(1), spec, pool, triangles, options)
        }
        built => built,
    };
    built.unwrap_or_else(|error| panic!("{spec}: {error}"))
}

/// Builds a tree in a pool and within limits.
///
/// # Errors
///
/// As for [`build`], and where a limit does not suffice.
pub fn build_within(
    backend: &dyn Backend,
    spec: &Spec,
    triangles: &Triangles,
    options: Options,
    limits: Limits,
) -> Result<Finished, TreeError> {
    let pool = pool_for(triangles);
    let mut ready = KernelBuild::within(backend, triangles, spec, pool, options, limits)?;
    if options.collect {
        finished(ready.build_with_statistics()?)
    } else {
        finished(ready.build()?)
    }
}

fn finished(built: Built<DeviceTree<'_>, KernelStats>) -> Result<Finished, TreeError> {
    Ok(Finished {
        tree: built.tree.into_host()?,
        result: built.stats.result,
        heap: built.stats.state,
    })
}
