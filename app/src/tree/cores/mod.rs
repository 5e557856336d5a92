//! The builder for the cores of a CPU: the tree of the kernels, bit for bit, by code that suits
//! a core.
//!
//! The kernels are written for warps: 32 lanes, a queue of tasks, blocks of an allocator. On a
//! core they run one lane at a time. Here a thread builds a subtree by itself, in depth-first
//! order, so that nodes are where they belong as soon as they are made, and references are on a
//! stack instead of in blocks. A reference keeps the bounds of its part inside the node, and is
//! clipped anew only if the plane may have cut its triangle. Threads divide the nodes above
//! these subtrees, and the references of large ones.
//!
//! The code of the kernels decides the tree where it is the same for one lane: costs, bins,
//! clipping, budgets, thresholds. The two searches are written for vectors over planes instead of
//! lanes over planes; tests hold all trees equal.

mod binned;
mod bins;
mod build;
mod candidates;
mod exact;
mod facets;
mod node;
mod shared;
mod subtree;
#[cfg(test)]
mod tests;
mod wide;

use std::time::Instant;

use heapwood_device::kdtree::bounds::Triangle;
use heapwood_device::kdtree::budget;
use heapwood_device::kdtree::node::{LIMIT, Node};
use heapwood_device::kdtree::plan::{BuildError, Limits, Options, Plan};
use heapwood_device::kdtree::thresholds::MAX_DEPTH;
use rayon::iter::ParallelIterator;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::built::{BuildStats, Built};
use super::error::TreeError;
use super::host_tree::HostTree;
use crate::backend::BackendError;
use build::{Build, Counts, Task};
use shared::{Grown, Pool};
use wide::Wide;

/// Threads that build trees, and their memory.
pub struct Cores {
    threads: ThreadPool,
    pool: Pool,
    wide: Option<Wide>,
}

impl Cores {
    /// So many threads, or one a core.
    ///
    /// # Errors
    ///
    /// When they cannot be started.
    pub fn new(threads: Option<usize>) -> Result<Self, BackendError> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or_else(cores);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("builder {index}"))
            .build()
            .map_err(|_| BackendError::Workers { threads })?;
        Ok(Self {
            threads: pool,
            pool: Pool::default(),
            wide: Wide::detect(),
        })
    }

    /// Builds the tree of these triangles. One that would exceed the bound on duplication is
    /// built anew with budgets of references, as with the kernels; `alloc_per_split`, `finish`
    /// and `collect` mean nothing here.
    ///
    /// ```
    /// use heapwood::tree::{Cores, Options};
    ///
    /// let triangles = [[[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]];
    /// let built = Cores::new(Some(2))?.build(&triangles, Options::default())?;
    /// assert_eq!((built.tree.nodes.len(), built.tree.leaves), (1, 1));
    /// assert_eq!(built.tree.references, [0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// No triangles, too many of them, coordinates that are none, a limit of depth beyond what
    /// trees can have, and trees of too many nodes.
    pub fn build(
        &self,
        triangles: &[Triangle],
        mut options: Options,
    ) -> Result<Built<HostTree>, TreeError> {
        let count = u32::try_from(triangles.len()).unwrap_or(u32::MAX);
        // Refuses what the kernels refuse.
        Plan::new(count, options, Limits::for_triangles(count, &options))?;
        let begun = Instant::now();
        let built = match self.build_once(triangles, options) {
            Err(BuildError::Explodes { .. }) if !options.bounded => {
                options.bounded = true;
                self.build_once(triangles, options)
            }
            built => built,
        };
        let mut built = built.map_err(TreeError::Build)?;
        built.stats.build_ms = begun.elapsed().as_secs_f64() * 1e3;
        Ok(built)
    }

    fn build_once(
        &self,
        triangles: &[Triangle],
        options: Options,
    ) -> Result<Built<HostTree>, BuildError> {
        let bound = budget::of_root(triangles.len() as u32);
        self.threads.install(|| {
            let (facets, bounds) = facets::prepare(triangles)?;
            let build = Build {
                facets: &facets,
                options,
                wide: self.wide,
                max_depth: options.max_depth.unwrap_or(MAX_DEPTH),
                added: Default::default(),
                bound: u64::from(bound),
            };
            let root = Task {
                bounds,
                depth: 0,
                budget: bound,
            };
            let references = facets::root_references(&facets);
            let grown = shared::grow(&build, &self.pool, root, references)?;
            let mut counts = Counts::default();
            grown.count(&mut counts);
            let (nodes, references) = finish(grown)?;
            Ok(Built {
                tree: HostTree {
                    nodes,
                    references,
                    bounds,
                    leaves: counts.leaves,
                    depth: counts.depth,
                    options,
                },
                stats: BuildStats {
                    limited_leaves: counts.limited,
                    cut_leaves: counts.cut,
                    ..BuildStats::default()
                },
            })
        })
    }
}

/// Puts the parts of a tree together.
///
/// # Errors
///
/// [`BuildError::NodeLimit`] and [`BuildError::ReferenceLimit`].
fn finish(grown: Grown) -> Result<(Vec<Node>, Vec<u32>), BuildError> {
    let size = grown.size();
    if size.0 > LIMIT as usize {
        return Err(BuildError::NodeLimit);
    }
    if size.1 > LIMIT as usize {
        return Err(BuildError::ReferenceLimit);
    }
    // By all threads, since each touches new memory.
    let mut nodes: Vec<Node> = rayon::iter::repeat_n(Node::leaf(0, 0), size.0).collect();
    let mut references = vec![0; size.1];
    place(&grown, (0, 0), &mut nodes, &mut references);
    Ok((nodes, references))
}

/// Writes a part of a tree before which there are so many nodes and references.
fn place(grown: &Grown, before: (u32, u32), nodes: &mut [Node], references: &mut [u32]) {
    match grown {
        Grown::Subtree(subtree) => {
            for (to, node) in nodes.iter_mut().zip(&subtree.nodes) {
                *to = if node.is_leaf() {
                    Node::leaf(before.1 + node.first_reference(), node.references())
                } else {
                    Node::interior(node.axis(), node.position(), before.0 + node.right())
                };
            }
            references.copy_from_slice(&subtree.references);
        }
        Grown::Node {
            plane, children, ..
        } => {
            let [below, above] = &**children;
            let size = below.size();
            let right = (before.0 + 1 + size.0 as u32, before.1 + size.1 as u32);
            nodes[0] = Node::interior(plane.0, plane.1, right.0);
            let (nodes_below, nodes_above) = nodes[1..].split_at_mut(size.0);
            let (references_below, references_above) = references.split_at_mut(size.1);
            let left = (before.0 + 1, before.1);
            rayon::join(
                || place(below, left, nodes_below, references_below),
                || place(above, right, nodes_above, references_above),
            );
        }
    }
}
