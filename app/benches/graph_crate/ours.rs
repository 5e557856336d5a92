//! Our side: the dynamic store on the CPU backend, with contiguous adjacency.

use std::time::Duration;

use heapwood::Error;
use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood::graph::{Layout, Limits, Options, RankOptions, Ranks, Store};
use heapwood::size::Pool;
use heapwood_graphs::{Csr, Parallel};

/// The graph in our store.
pub fn store<'b>(backend: &'b dyn Backend, spec: &Spec, rows: &Csr) -> Result<Store<'b>, Error> {
    let options = Options {
        spec: spec.clone(),
        pool: Pool::Auto,
        layout: Layout::Contiguous,
        self_loops: false,
        parallel: Parallel::Last,
        limits: Limits::default(),
    };
    Ok(Store::new(backend, options, rows, None)?)
}

/// Ranks with the time.
pub fn pagerank(store: &Store, options: &RankOptions) -> Result<(Ranks, Duration), Error> {
    let (ranks, time) = super::timed::timed(|| store.pagerank(options, None));
    Ok((ranks?, time))
}

/// Triangles with the time.
pub fn triangles(store: &Store) -> Result<(u64, Duration), Error> {
    let (found, time) = super::timed::timed(|| store.triangles());
    Ok((found?.count, time))
}
