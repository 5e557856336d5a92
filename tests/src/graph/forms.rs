//! The forms in which a store keeps graphs, and the allocators that it can keep them
//! over.

use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood::graph::{Layout, Limits, Options, Store, StoreError};
use heapwood::size::Pool;
use heapwood_graphs::{Csr, Parallel};

use super::Model;
use super::expected::Kept;
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

/// The allocators that a graph can be kept over, of those to be tested. In a `crowd` of
/// threads, who ask at once, these are the ones that do not refuse what is free.
pub fn keeping(crowd: bool) -> impl Iterator<Item = Spec> {
    let keeps = move |spec: &Spec| spec.allocator.properties.exact_null || !crowd;
    specs().into_iter().filter(keeps)
}

/// A graph with loops, as the model has them, over `cfmmalloc` in a pool of so many bytes.
///
/// # Panics
///
/// If it does not fit.
pub fn store_of<'b>(
    backend: &'b dyn Backend,
    model: &Model,
    layout: Layout,
    pool: u64,
) -> Store<'b> {
    let form = Form {
        directed: model.directed,
        layout,
        loops: true,
    };
    let spec = Spec::parse("cfmmalloc").expect("an allocator");
    form.store(backend, &spec, Pool::Bytes(pool), Kept::of(model).csr())
}

impl Form {
    /// A graph with these rows, and in-neighbours if it is directed.
    ///
    /// # Panics
    ///
    /// If it does not fit.
    pub fn store<'b>(
        self,
        backend: &'b dyn Backend,
        spec: &Spec,
        pool: Pool,
        csr: (&Csr, Option<&Csr>),
    ) -> Store<'b> {
        let store = self.try_store(backend, spec, pool, csr);
        store.unwrap_or_else(|error| panic!("{}, {self:?}: {error}", spec.name()))
    }

    /// The same, or why it does not fit.
    ///
    /// # Errors
    ///
    /// Those of [`Store::new`].
    pub fn try_store<'b>(
        self,
        backend: &'b dyn Backend,
        spec: &Spec,
        pool: Pool,
        (rows, columns): (&Csr, Option<&Csr>),
    ) -> Result<Store<'b>, StoreError> {
        let options = Options {
            spec: spec.clone(),
            pool,
            layout: self.layout,
            self_loops: self.loops,
            parallel: Parallel::Last,
            limits: Limits::default(),
        };
        Store::new(backend, options, rows, columns)
    }
}
