//! How a graph is kept: the choices that a store is made by.

use heapwood_device::graph::store::plan::Layout;
use heapwood_graphs::Parallel;

use super::limits::Limits;
use crate::allocators::Spec;
use crate::size::Pool;

/// How a graph is kept.
#[derive(Clone, Debug)]
pub struct Options {
    /// The allocator of its blocks.
    pub spec: Spec,
    /// Its memory; a multiple is one of the bytes of the entries.
    pub pool: Pool,
    /// How adjacency is kept.
    pub layout: Layout,
    /// Whether edges from a vertex to itself are accepted by batches.
    pub self_loops: bool,
    /// Which weight counts of an edge that a batch has twice.
    pub parallel: Parallel,
    /// The sizes up to which it works.
    pub limits: Limits,
}

impl Default for Options {
    /// The default allocator with a pool that grows, contiguous rows, and no loops.
    fn default() -> Self {
        Self {
            spec: Spec::default(),
            pool: Pool::Auto,
            layout: Layout::Contiguous,
            self_loops: false,
            parallel: Parallel::Last,
            limits: Limits::default(),
        }
    }
}
