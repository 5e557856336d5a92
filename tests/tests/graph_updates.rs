//! The graph store against plain sets of edges, under random batches.

use heapwood_device::allocators::{CfMalloc, CfmMalloc};
use heapwood_device::graph::host::{Change, UpdateError};
use heapwood_device::host::{ALLOCATORS, HostAllocator, allocator};
use heapwood_tests::graph::{Coroutines, Model, Runner, Store, Threads};
use heapwood_tests::lockstep::Random;

const POOL: usize = 16 << 20;

/// Random edges: uniform ones, repeated ones, those of a hub, and some whose
/// ends do not exist.
fn edges(random: &mut Random, model: &Model, count: usize) -> Vec<(u32, u32)> {
    let vertices = model.rows.len() as u64;
    let hub = random.below(vertices) as u32;
    let mut edges: Vec<(u32, u32)> = Vec::with_capacity(count);
    while edges.len() < count {
        let mut vertex = || random.below(vertices) as u32;
        let (source, target) = (vertex(), vertex());
        let edge = match random.below(16) {
            0..4 => (hub, target),
            4..6 => (source, hub),
            6 if !edges.is_empty() => edges[random.below(edges.len() as u64) as usize],
            7 => (target, source / 7),
            8 if random.one_in(4) => (source, vertices as u32 + target % 3),
            9 if random.one_in(4) => (u32::MAX - source % 2, target),
            // An edge that is there, if the vertex has any.
            10..13 => match model.rows[source as usize].iter().nth(target as usize % 5) {
                Some(&neighbour) => (source, neighbour),
                None => (source, source),
            },
            _ => (source, target),
        };
        edges.push(edge);
    }
    edges
}

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
    let mut store = Store::of(runner, &model);
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

/// The allocators that a store can be kept on.
fn keeping() -> impl Iterator<Item = &'static HostAllocator> {
    ALLOCATORS
        .iter()
        .filter(|allocator| !allocator.may_overwrite)
}

#[test]
fn random_batches_keep_the_store_equal_to_a_set() {
    for (seed, allocator) in (0..).zip(keeping()) {
        for directed in [false, true] {
            run_batches(
                Threads::new(allocator, POOL, 2),
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
fn lanes_keep_the_store_equal_to_a_set() {
    for seed in 0..4 {
        let directed = seed % 2 == 1;
        let (one, two) = (
            Coroutines::<CfmMalloc>::new(1 << 20, 2, seed),
            Coroutines::<CfMalloc>::new(1 << 20, 1, seed),
        );
        run_batches(one, 60, directed, 4, 300, seed);
        run_batches(two, 700, directed, 3, 700, seed + 10);
    }
}

#[test]
fn large_vertices_move_to_new_blocks() {
    // Two hubs with thousands of neighbours, a few vertices that shrink.
    for allocator in keeping() {
        let vertices = 5000;
        let mut model = Model::new(vertices, false);
        let star: Vec<_> = (0..vertices).flat_map(|v| [(0, v), (1, v)]).collect();
        let store = Store::of(Threads::new(allocator, POOL, 2), &model);
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
    for (seed, allocator) in (0..).zip(keeping()) {
        for directed in [false, true] {
            let mut random = Random::new(seed);
            let mut model = Model::new(200, directed);
            let mut store = Store::of(Threads::new(allocator, 96 << 10, 2), &model);
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
            if allocator.frees {
                assert!(refused < 60, "{} never recovers", allocator.name);
            }
            exhausted += refused;
        }
    }
    assert!(exhausted > 50, "only {exhausted} batches ran out of memory");
}

#[test]
fn the_graph_does_not_depend_on_allocator_or_batches() {
    let mut random = Random::new(7);
    let empty = Model::new(1000, false);
    let all = edges(&mut random, &empty, 6000);
    let gone = edges(&mut random, &empty, 3000);
    let mut hashes = Vec::new();
    for (size, allocator) in [1000, 6000, 37, 450].into_iter().cycle().zip(keeping()) {
        let store = Store::of(Threads::new(allocator, POOL, 2), &empty);
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
    let runner = Threads::new(allocator("cfmalloc").unwrap(), 8 << 10, 2);
    let status = Store::try_load(runner, &model.csr(), None).err().unwrap();
    assert!(status[0] >= 200 && status[1] == 0);
}

#[test]
fn a_wrong_csr_is_refused() {
    let right = |offsets: &[u32], targets: &[u32]| {
        let csr = heapwood_tests::graph::Csr {
            offsets: offsets.to_vec(),
            targets: targets.to_vec(),
        };
        let runner = Threads::new(allocator("cfmalloc").unwrap(), POOL, 2);
        let status = Store::try_load(runner, &csr, None).map(|_| ());
        status.map_err(|status| status[1]) != Err(1)
    };
    assert!(right(&[0, 2, 2, 3], &[0, 2, 1]));
    assert!(!right(&[0, 2, 2, 3], &[0, 3, 1]), "no such vertex");
    assert!(!right(&[0, 2, 2, 3], &[2, 0, 1]), "not ascending");
    assert!(!right(&[0, 2, 2, 3], &[2, 2, 1]), "twice");
    assert!(!right(&[0, 2, 1, 3], &[0, 2, 1]), "offsets descend");
    assert!(!right(&[0, 2, 2, 4], &[0, 2, 1]), "more than there are");
}
