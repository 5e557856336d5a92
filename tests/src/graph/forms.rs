//! The forms in which the program's own store keeps graphs, and the allocators
//! that it can keep them over.

use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood::graph::{Layout, Limits, Options, Store};
use heapwood::size::Pool;
use heapwood_graphs::Csr;

use crate::gpu::specs;

/// How a graph is kept.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Whether edges have a direction.
    pub directed: bool,
    /// How adjacency is kept.
    pub layout: Layout,
    /// Whether batches may have loops.
    pub loops: bool,
}

/// Graphs without and with directions, in both layouts; half of them with loops.
pub const FORMS: [Form; 4] = [
    Form {
        directed: false,
        layout: Layout::Contiguous,
        loops: true,
    },
    Form {
        directed: true,
        layout: Layout::Contiguous,
        loops: false,
    },
    Form {
        directed: false,
        layout: Layout::Linked,
        loops: false,
    },
    Form {
        directed: true,
        layout: Layout::Linked,
        loops: true,
    },
];

/// The allocators that a graph can be kept over, of those to be tested.
pub fn keeping() -> impl Iterator<Item = Spec> {
    specs().into_iter()
}

impl Form {
    /// A graph with these rows, and in-neighbours if it is directed.
    ///
    /// # Panics
    ///
    /// If it does not fit.
    pub fn store<'b>(
        self,
        backend: &'b Backend,
        spec: &Spec,
        pool: Pool,
        (rows, columns): (&Csr, Option<&Csr>),
    ) -> Store<'b> {
        let options = Options {
            spec: spec.clone(),
            pool,
            layout: self.layout,
            self_loops: self.loops,
            limits: Limits::default(),
        };
        let store = Store::new(backend, options, rows, columns);
        store.unwrap_or_else(|error| panic!("{}, {self:?}: {error}", spec.name()))
    }
}
