//! The graph store where entries can be numbered no more, at full size: 2^32 entries, 20
//! GiB of a GPU's memory and 24 of the machine's. So it is tried only when asked for:
//! `cargo test --test gpu_limits -- --ignored`. `HEAPWOOD_TEST_ALLOCATORS=A` has another
//! allocator serve it. `graph_limits` has the same with smaller limits.

use std::time::Instant;

use heapwood::allocators::Spec;
use heapwood::graph::{Change, Edge, Layout, Limits, Options, Store, StoreError};
use heapwood::size::Pool;
use heapwood_graphs::Csr;

/// Vertices.
const VERTICES: u32 = 1 << 17;
/// Vertices further on that each one has an edge to, in a batch.
const SPREAD: u32 = 1 << 10;
/// Entries that a batch makes, two for an edge.
const ENTRIES: u64 = 2 * VERTICES as u64 * SPREAD as u64;

/// The edges from each vertex to those `SPREAD` times `batch` and some further on, around
/// the end.
fn batch(batch: u32) -> Vec<Edge> {
    let spread = 1 + batch * SPREAD..=(batch + 1) * SPREAD;
    (0..VERTICES)
        .flat_map(|from| spread.clone().map(move |by| [from, (from + by) % VERTICES]))
        .collect()
}

#[test]
#[ignore = "takes 20 GiB of a GPU's memory"]
fn entries_end_at_2_to_the_32() {
    let Some(backend) = heapwood_tests::gpu::gpu() else {
        return;
    };
    let allocator = std::env::var("HEAPWOOD_TEST_ALLOCATORS");
    let allocator = allocator.as_deref().unwrap_or("cfmmalloc");
    let options = Options {
        spec: Spec::parse(allocator).expect("an allocator"),
        pool: Pool::Bytes(20 << 30),
        layout: Layout::Linked,
        self_loops: false,
        limits: Limits::default(),
    };
    let rows = Csr {
        offsets: vec![0; VERTICES as usize + 1],
        targets: Vec::new(),
        directed: false,
    };
    let mut store = Store::new(&backend, options, &rows, None).expect("an empty graph");
    let fits = (1 << 32) / ENTRIES - 1;
    for number in 0..fits {
        let begun = Instant::now();
        let update = store.update(&batch(number as u32), Change::Insert, false);
        println!("batch {number}: {:.1} s", begun.elapsed().as_secs_f64());
        let applied = update.expect("few enough").counts.applied;
        assert_eq!(applied, ENTRIES / 2, "batch {number}");
    }
    // One edge less than a whole batch is what can be numbered; one entry is left.
    let mut last = batch(fits as u32);
    let expected = StoreError::TooMany {
        what: "entries",
        count: 1 << 32,
        limit: u64::from(u32::MAX),
    };
    let error = store
        .update(&last, Change::Insert, false)
        .expect_err("one too many");
    assert_eq!(error, expected);
    let missing = last.pop().expect("an edge");
    store.update(&last, Change::Insert, false).expect("it fits");
    assert_eq!(
        store
            .update(&[missing], Change::Insert, false)
            .expect_err("one too many"),
        expected
    );
    assert_eq!(
        store.has_edges(&[missing, last[0]]).expect("an answer"),
        [false, true]
    );
    let rows = store.csr(false).expect("all entries");
    assert_eq!(rows.targets.len() as u64, (1 << 32) - 2);
    let found = |vertex: u32| {
        let range = |at: u32| rows.offsets[at as usize] as usize;
        rows.targets[range(vertex)..range(vertex + 1)].to_vec()
    };
    // Each vertex has all others around it, up to so many in either direction.
    let reach = (fits as u32 + 1) * SPREAD;
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
