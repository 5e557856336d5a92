//! The graph store against plain sets of edges, under random batches.

use std::collections::BTreeSet;

use heapwood_device::allocators::{AwMalloc, CfMalloc, CfmMalloc};
use heapwood_device::graph::host::Layout::{self, Contiguous, Linked};
use heapwood_device::graph::host::{Change, UpdateError};
use heapwood_device::host::{ALLOCATORS, allocator};
use heapwood_tests::graph::graphs::batch as edges;
use heapwood_tests::graph::{Coroutines, Csr, Model, Runner, Store, Threads};
use heapwood_tests::lockstep::Random;

const POOL: usize = 16 << 20;

fn assert_equal<R: Runner>(store: &Store<R>, model: &Model, what: &str) {
    let (csr, hash) = store.export(0);
    assert_eq!(csr, model.csr(), "{what}");
    let plain = |from: u32, to: u32| {
        let mut random = Random::new(u64::from(from) << 32 | u64::from(to));
        random.bits()
    };
    let mut sum = Random::new(Random::new(model.rows.len() as u64).bits()).bits();
    for (source, row) in (0..).zip(&model.rows) {
        for &target in row {
            sum = sum.wrapping_add(plain(source, target));
        }
    }
    assert_eq!(hash, sum, "{what}");
    let measured = store.measure(0);
    assert_eq!(measured.entries as usize, model.entries());
    assert!(measured.granted_bytes >= measured.payload_bytes);
    if model.directed {
        let (csr, _) = store.export(1);
        assert_eq!(csr, model.transposed().csr(), "in-neighbours, {what}");
    }
}

/// Random batches on a runner keep store and model equal.
fn run_batches<R: Runner>(
    runner: R,
    layout: Layout,
    vertices: u32,
    directed: bool,
    batches: u32,
    largest: u64,
    seed: u64,
) {
    let mut random = Random::new(seed);
    let mut model = Model::new(vertices, directed);
    let start = edges(&mut random, &model, vertices as usize * 2);
    model.apply(&start, Change::Insert, false);
    let mut store = Store::of(runner, &model, layout);
    store.no_loops = random.one_in(2);
    assert_equal(&store, &model, "as loaded");
    for batch in 0..batches {
        let change = random.choose(&[Change::Insert, Change::Delete]);
        let most = 1 + random.below(largest);
        let count = 1 + random.below(most) as usize;
        let edges = edges(&mut random, &model, count);
        let what = format!("seed {seed}, batch {batch}: {change:?} {count}");
        let found = store.update(&edges, change);
        let expected = model.apply(&edges, change, store.no_loops);
        assert_eq!(found, Ok(expected), "{what}");
        assert_equal(&store, &model, &what);
    }
}

/// Graphs without and with directions, in both layouts.
fn every() -> [(bool, Layout); 4] {
    [
        (false, Contiguous),
        (true, Contiguous),
        (false, Linked),
        (true, Linked),
    ]
}

#[test]
fn random_batches_keep_the_store_equal_to_a_set() {
    for (seed, allocator) in (0..).zip(ALLOCATORS.iter()) {
        for (directed, layout) in every() {
            run_batches(
                Threads::new(allocator, POOL, 2),
                layout,
                300,
                directed,
                30,
                2000,
                seed,
            );
        }
    }
}

#[test]
fn large_batches_keep_the_store_equal_to_a_set() {
    for (directed, layout) in [(false, Contiguous), (true, Linked)] {
        let runner = Threads::new(allocator("cfmmalloc").unwrap(), 4 * POOL, 2);
        run_batches(runner, layout, 20_000, directed, 6, 100_000, 77);
    }
}

#[test]
fn lanes_keep_the_store_equal_to_a_set() {
    for seed in 0..8 {
        let directed = seed % 2 == 1;
        let (one, two) = (
            Coroutines::<CfmMalloc>::new(1 << 20, 2, seed),
            Coroutines::<CfMalloc>::new(1 << 20, 1, seed),
        );
        let layout = [Contiguous, Linked][(seed / 2 % 2) as usize];
        run_batches(one, layout, 60, directed, 4, 300, seed);
        run_batches(two, layout, 700, directed, 3, 700, seed + 10);
    }
}

#[test]
fn large_vertices_move_to_new_blocks() {
    // Two hubs with thousands of neighbours, a few vertices that shrink.
    for (allocator, layout) in ALLOCATORS
        .iter()
        .flat_map(|a| [(a, Contiguous), (a, Linked)])
    {
        let vertices = 5000;
        let mut model = Model::new(vertices, false);
        let star: Vec<_> = (0..vertices).flat_map(|v| [(0, v), (1, v)]).collect();
        let store = Store::of(Threads::new(allocator, POOL, 2), &model, layout);
        for step in [2, 3, 5] {
            let some: Vec<_> = star.iter().copied().step_by(step).collect();
            for change in [Change::Insert, Change::Delete, Change::Insert] {
                let expected = model.apply(&some, change, false);
                assert_eq!(store.update(&some, change), Ok(expected));
                assert_equal(&store, &model, allocator.name);
            }
        }
        assert!(store.measure(0).highest_degree > 2000);
        let all: Vec<_> = star.iter().copied().chain([(0, 0)]).collect();
        model.apply(&all, Change::Delete, false);
        store.update(&all, Change::Delete).unwrap();
        assert_equal(&store, &model, allocator.name);
        assert_eq!(store.measure(0).blocks, 0);
        if allocator.frees && allocator.walkable {
            let state = store.runner.heap_state();
            assert_eq!(state.occupancy.used_bytes, 0, "{}", allocator.name);
        }
    }
}

#[test]
fn an_exhausted_heap_leaves_the_store_as_it_was() {
    let mut exhausted = 0;
    for (seed, allocator) in (0..).zip(ALLOCATORS.iter()) {
        for (directed, layout) in every() {
            let mut random = Random::new(seed);
            let mut model = Model::new(200, directed);
            let mut store = Store::of(Threads::new(allocator, 96 << 10, 2), &model, layout);
            store.no_loops = true;
            let mut refused = 0;
            for _ in 0..60 {
                let change = if random.one_in(3) {
                    Change::Delete
                } else {
                    Change::Insert
                };
                let some = edges(&mut random, &model, 600);
                match store.update(&some, change) {
                    Ok(counts) => {
                        assert_eq!(counts, model.apply(&some, change, true));
                    }
                    Err(UpdateError::OutOfMemory { bytes }) => {
                        assert_eq!(change, Change::Insert, "a deletion needs no memory");
                        assert!(bytes > 0);
                        refused += 1;
                    }
                }
                assert_equal(&store, &model, allocator.name);
            }
            // One that may overwrite has no memory left when it would begin to.
            if allocator.frees && !allocator.may_overwrite {
                assert!(refused < 60, "{} never recovers", allocator.name);
            }
            exhausted += refused;
        }
    }
    assert!(exhausted > 50, "only {exhausted} batches ran out of memory");
}

/// Batches until the pool is used up, and some more: each is applied, or the graph is
/// as it was.
fn use_up<R: Runner>(runner: R, layout: Layout, directed: bool, seed: u64) {
    let mut random = Random::new(seed);
    let mut model = Model::new(100, directed);
    let start = edges(&mut random, &model, 100);
    model.apply(&start, Change::Insert, false);
    let store = Store::of(runner, &model, layout);
    let (mut applied, mut refused) = (0, 0);
    while refused < 3 {
        let change = random.choose(&[Change::Insert, Change::Insert, Change::Delete]);
        let batch = edges(&mut random, &model, 40);
        match store.update(&batch, change) {
            Ok(counts) => {
                assert_eq!(counts, model.apply(&batch, change, false));
                applied += 1;
            }
            Err(UpdateError::OutOfMemory { .. }) => refused += 1,
        }
        assert_equal(&store, &model, &format!("{layout:?}, seed {seed}"));
        assert!(applied < 1000, "it is never used up");
    }
    assert!(applied > 0);
}

#[test]
fn a_pool_that_begins_again_at_its_front_is_used_up() {
    for (seed, (directed, layout)) in (0..).zip(every()) {
        for name in ["awmalloc", "awmalloc_checked"] {
            let runner = Threads::new(allocator(name).unwrap(), 80 << 10, 2);
            use_up(runner, layout, directed, seed);
        }
        let lanes = Coroutines::<AwMalloc>::new(24 << 10, 1, seed);
        use_up(lanes, layout, directed, seed);
    }
}

#[test]
fn the_graph_does_not_depend_on_allocator_or_batches() {
    let mut random = Random::new(7);
    let empty = Model::new(1000, false);
    let all = edges(&mut random, &empty, 6000);
    let gone = edges(&mut random, &empty, 3000);
    let mut hashes = Vec::new();
    for (size, allocator) in [1000, 6000, 37, 450]
        .into_iter()
        .cycle()
        .zip(ALLOCATORS.iter())
    {
        let layout = if size < 1000 { Linked } else { Contiguous };
        let store = Store::of(Threads::new(allocator, POOL, 2), &empty, layout);
        for part in all.chunks(size) {
            store.update(part, Change::Insert).unwrap();
        }
        for part in gone.chunks(size) {
            store.update(part, Change::Delete).unwrap();
        }
        hashes.push(store.export(0).1);
    }
    assert!(hashes.len() > 3 && hashes.iter().all(|&hash| hash == hashes[0]));
}

#[test]
fn a_refused_load_says_how_much_was_asked_for() {
    let mut model = Model::new(50, false);
    let star: Vec<_> = (0..50).flat_map(|v| (0..50).map(move |w| (v, w))).collect();
    model.apply(&star, Change::Insert, false);
    for (layout, bytes) in [(Contiguous, 224), (Linked, 64)] {
        let runner = Threads::new(allocator("cfmalloc").unwrap(), 8 << 10, 2);
        let status = Store::load(runner, &model.csr(), None, layout).err();
        assert_eq!(status.unwrap(), [bytes, 0]);
    }
}

#[test]
fn a_wrong_csr_is_refused() {
    for layout in [Contiguous, Linked] {
        let right = |offsets: &[u32], targets: &[u32]| {
            let csr = Csr {
                offsets: offsets.to_vec(),
                targets: targets.to_vec(),
            };
            let runner = Threads::new(allocator("cfmalloc").unwrap(), POOL, 2);
            match Store::load(runner, &csr, None, layout) {
                Ok(_) => true,
                Err(status) => {
                    assert_eq!(status, [0, 1]);
                    false
                }
            }
        };
        assert!(right(&[0, 2, 2, 3], &[0, 2, 1]));
        assert!(!right(&[0, 2, 2, 3], &[0, 3, 1]), "no such vertex");
        assert!(!right(&[0, 2, 2, 3], &[2, 0, 1]), "not ascending");
        assert!(!right(&[0, 2, 2, 3], &[2, 2, 1]), "twice");
        assert!(!right(&[0, 2, 1, 3], &[0, 2, 1]), "offsets descend");
        assert!(!right(&[0, 2, 2, 4], &[0, 2, 1]), "more than there are");
    }
}

#[test]
fn vertices_come_and_go() {
    for (directed, layout) in every() {
        let mut random = Random::new(5);
        let mut model = Model::new(200, directed);
        let start = edges(&mut random, &model, 2000);
        model.apply(&start, Change::Insert, false);
        let runner = Threads::new(allocator("cfmmalloc").unwrap(), POOL, 2);
        let mut store = Store::of(runner, &model, layout);
        let gone = [7, 0, 7, 199, 1000, 42];
        assert_eq!(store.delete_vertices(&gone), 4);
        assert_eq!(store.delete_vertices(&[0, 3]), 1, "one was gone already");
        let gone = [0, 3, 7, 42, 199];
        for vertex in gone {
            model.rows[vertex as usize].clear();
        }
        for row in &mut model.rows {
            row.retain(|neighbour| !gone.contains(neighbour));
        }
        assert_equal(&store, &model, "after the deletion");
        // Edges of deleted vertices are refused, those of new ones are not.
        assert!(!store.graph.insert_vertices(6), "there is room for 5");
        assert!(store.graph.insert_vertices(3));
        model.rows.resize(203, BTreeSet::new());
        let batch = [(7, 8), (8, 7), (42, 42), (200, 8), (9, 202), (202, 203)];
        let counts = store.update(&batch, Change::Insert).unwrap();
        assert_eq!((counts.applied, counts.rejected), (2, 4));
        model.apply(&[(200, 8), (9, 202)], Change::Insert, false);
        assert_equal(&store, &model, "after the insertion");
    }
}
