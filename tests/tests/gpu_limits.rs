//! The graph store where entries can be numbered no more, at full size: 2^32 entries, 100 GiB of a
//! GPU's memory and 60 of the machine's. So it is tried only when asked for: `cargo test -p
//! heapwood-tests --test gpu_limits -- --ignored`. `HEAPWOOD_TEST_ALLOCATORS=A` has another
//! allocator serve it, of those that can use so large a pool. `graph::limits` has the same with
//! smaller limits.

use std::time::Instant;

use heapwood::allocators::Spec;
use heapwood::graph::{Change, Edge, Layout, Limits, Options, Store, StoreError};
use heapwood::size::Pool;
use heapwood_graphs::{Csr, Parallel};

/// Vertices.
const VERTICES: u32 = 1 << 17;
/// Vertices further on, and back, that each one has an edge to when the graph is loaded.
const REACH: u32 = 15 << 10;
/// Vertices further on that each one gets an edge to.
const SPREAD: u32 = 1 << 10;
/// Bytes of the pool: twice that of 2^32 entries, 15 in a page of 64 bytes, since a batch
/// writes the pages of a vertex anew before it frees the old ones; and a part for the
/// allocator.
const POOL: u64 = 60 << 30;

/// The initial graph, to which a batch adds one entry too many.
fn start() -> Csr {
    let degree = 2 * u64::from(REACH);
    let mut targets = Vec::with_capacity(VERTICES as usize * degree as usize);
    for vertex in 0..VERTICES {
        let first = targets.len();
        let around = |from: u32| (from..from + REACH).map(|at| at % VERTICES);
        targets.extend(around(vertex + VERTICES - REACH));
        targets.extend(around(vertex + 1));
        targets[first..].sort_unstable();
    }
    Csr {
        offsets: (0..=u64::from(VERTICES)).map(|at| at * degree).collect(),
        targets,
        weights: None,
        directed: false,
    }
}

/// The edges from each vertex to those behind its reach, around the end.
fn batch() -> Vec<Edge> {
    let spread = REACH + 1..=REACH + SPREAD;
    (0..VERTICES)
        .flat_map(|from| spread.clone().map(move |by| [from, (from + by) % VERTICES]))
        .collect()
}

#[test]
#[ignore = "takes 100 GiB of a GPU's memory"]
fn entries_end_at_2_to_the_32() {
    let Some(backend) = heapwood_tests::gpu::gpu() else {
        return;
    };
    let allocator = std::env::var("HEAPWOOD_TEST_ALLOCATORS");
    let allocator = allocator.as_deref().unwrap_or("atomicmalloc");
    let options = Options {
        spec: Spec::parse(allocator).expect("an allocator"),
        pool: Pool::Bytes(POOL),
        layout: Layout::Linked,
        self_loops: false,
        parallel: Parallel::Last,
        limits: Limits::default(),
    };
    let begun = Instant::now();
    let progress = |what: &str| println!("{what} after {:.1} s", begun.elapsed().as_secs_f64());
    let rows = start();
    progress("rows");
    let mut store = Store::new(&*backend, options, &rows, None).expect("a graph that fits");
    drop(rows);
    progress("loaded");
    // One edge less than a whole batch is what can be numbered; one entry is left.
    let mut last = batch();
    let expected = StoreError::TooMany {
        what: "entries",
        count: 1 << 32,
        limit: u64::from(u32::MAX),
    };
    let error = store
        .update(&last, Change::Insert)
        .expect_err("one too many");
    assert_eq!(error, expected);
    progress("refused");
    let missing = last.pop().expect("an edge");
    let found = store.update(&last, Change::Insert).expect("it fits");
    assert_eq!(found.counts.applied, last.len() as u64);
    progress("updated");
    assert_eq!(
        store
            .update(&[missing], Change::Insert)
            .expect_err("one too many"),
        expected
    );
    assert_eq!(
        store.has_edges(&[missing, last[0]]).expect("an answer"),
        [false, true]
    );
    let rows = store.csr().expect("all entries");
    assert_eq!(rows.targets.len() as u64, (1 << 32) - 2);
    progress("read back");
    let found = |vertex: u32| {
        let range = |at: u32| rows.offsets[at as usize] as usize;
        rows.targets[range(vertex)..range(vertex + 1)].to_vec()
    };
    // Each vertex has all others around it, up to so many in either direction.
    let reach = REACH + SPREAD;
    for vertex in [0, 1, VERTICES / 2, VERTICES - 1] {
        let mut expected: Vec<u32> = (1..=reach)
            .flat_map(|by| {
                [
                    (vertex + by) % VERTICES,
                    (vertex + VERTICES - by) % VERTICES,
                ]
            })
            .filter(|&other| ![[vertex, other], [other, vertex]].contains(&missing))
            .collect();
        expected.sort_unstable();
        let mut found = found(vertex);
        found.sort_unstable();
        assert_eq!(found, expected, "vertex {vertex}");
    }
}
