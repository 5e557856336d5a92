//! The graph store against plain sets of edges, under random batches.

use std::collections::BTreeSet;

use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood::graph::{Edge, Store, StoreError};
use heapwood::size::Pool;
use heapwood_device::allocator::Allocator;
use heapwood_device::allocators::{AwMalloc, CfMalloc, CfmMalloc};
use heapwood_device::graph::batch::Change;
use heapwood_device::graph::store::plan::Layout::{Contiguous, Linked};
use heapwood_device::host::Named;
use heapwood_graphs::Csr;
use heapwood_tests::dirty::{Dirty, threads};
use heapwood_tests::gpu::specs;
use heapwood_tests::graph::Model;
use heapwood_tests::graph::expected::Kept;
use heapwood_tests::graph::forms::{FORMS, Form};
use heapwood_tests::graph::graphs::batch as edges;
use heapwood_tests::lockstep::{LockstepBackend, Random};

const POOL: u64 = 16 << 20;

pub fn lanes<A: Allocator<Handle = u32> + Named>(warps: u32, seed: u64) -> Dirty<LockstepBackend> {
    Dirty(LockstepBackend::new::<A>(warps, 16, seed))
}

fn spec(name: &str) -> Spec {
    Spec::parse(name).expect("an allocator")
}

/// The graph of a model.
fn store<'b>(
    backend: &'b dyn Backend,
    spec: &Spec,
    pool: u64,
    form: Form,
    model: &Model,
) -> Store<'b> {
    form.store(backend, spec, Pool::Bytes(pool), Kept::of(model).csr())
}

fn assert_equal(store: &Store, model: &Model, what: &str) {
    Kept::of(model).assert_in(store, what);
}

/// Random batches.
pub struct Batches {
    /// Bytes of the pool.
    pub pool: u64,
    /// The form of the store.
    pub form: Form,
    /// Vertices of the graph.
    pub vertices: u32,
    /// How many batches there are.
    pub batches: u32,
    /// The maximum number of edges in a batch.
    pub largest: u64,
    /// The seed of changes and edges.
    pub seed: u64,
}

impl Batches {
    /// They keep store and model equal on a backend.
    fn run(&self, backend: &dyn Backend, spec: &Spec) {
        let mut random = Random::new(self.seed);
        let mut model = Model::new(self.vertices, self.form.directed);
        let start = edges(&mut random, &model, self.vertices as usize * 2);
        model.apply(&start, Change::Insert, false);
        let mut store = store(backend, spec, self.pool, self.form, &model);
        assert_equal(&store, &model, "as loaded");
        for batch in 0..self.batches {
            let change = random.choose(&[Change::Insert, Change::Delete]);
            let most = 1 + random.below(self.largest);
            let count = 1 + random.below(most) as usize;
            let edges = edges(&mut random, &model, count);
            let what = format!(
                "{spec}, seed {}, batch {batch}: {change:?} {count}",
                self.seed
            );
            let found = store.update(&edges, change).expect(&what);
            let expected = model.apply(&edges, change, !self.form.loops);
            assert_eq!(found.counts, expected, "{what}");
            assert_equal(&store, &model, &what);
        }
    }
}

#[test]
fn random_batches_keep_the_store_equal_to_a_set() {
    let backend = threads(2);
    for (seed, spec) in (0..).zip(specs()) {
        for form in FORMS {
            let batches = Batches {
                pool: POOL,
                form,
                vertices: 300,
                batches: 30,
                largest: 2000,
                seed,
            };
            batches.run(&backend, &spec);
        }
    }
}

#[test]
fn large_batches_keep_the_store_equal_to_a_set() {
    let backend = threads(2);
    for form in [FORMS[0], FORMS[3]] {
        let batches = Batches {
            pool: 4 * POOL,
            form,
            vertices: 20_000,
            batches: 6,
            largest: 100_000,
            seed: 77,
        };
        batches.run(&backend, &spec("cfmmalloc"));
    }
}

#[test]
fn lanes_keep_the_store_equal_to_a_set() {
    for seed in 0..8 {
        let form = FORMS[(seed % 4) as usize];
        let one = Batches {
            pool: 1 << 20,
            form,
            vertices: 60,
            batches: 4,
            largest: 300,
            seed,
        };
        one.run(&lanes::<CfmMalloc>(2, seed), &spec(CfmMalloc::NAME));
        let two = Batches {
            vertices: 700,
            batches: 3,
            largest: 700,
            seed: seed + 10,
            ..one
        };
        two.run(&lanes::<CfMalloc>(1, seed), &spec(CfMalloc::NAME));
    }
}

#[test]
fn large_vertices_move_to_new_blocks() {
    let backend = threads(2);
    // Two hubs with thousands of neighbours, a few vertices that shrink.
    let vertices = 5000;
    let star: Vec<Edge> = (0..vertices).flat_map(|v| [[0, v], [1, v]]).collect();
    for spec in specs() {
        for layout in [Contiguous, Linked] {
            let form = Form {
                directed: false,
                layout,
                loops: true,
            };
            let mut model = Model::new(vertices, false);
            let mut store = store(&backend, &spec, POOL, form, &model);
            for step in [2, 3, 5] {
                let some: Vec<_> = star.iter().copied().step_by(step).collect();
                for change in [Change::Insert, Change::Delete, Change::Insert] {
                    let expected = model.apply(&some, change, false);
                    let found = store.update(&some, change).expect("a large pool");
                    assert_eq!(found.counts, expected, "{spec}");
                    assert_equal(&store, &model, &spec.to_string());
                }
            }
            assert!(model.rows.iter().any(|row| row.len() > 2000));
            let all: Vec<_> = star.iter().copied().chain([[0, 0]]).collect();
            model.apply(&all, Change::Delete, false);
            store.update(&all, Change::Delete).expect("no memory");
            assert_equal(&store, &model, &spec.to_string());
            assert_eq!(store.memory_use().expect("measured").allocated_bytes, 0);
            let state = store.heap_state().expect("a walk");
            if spec.allocator.properties.frees && spec.allocator.properties.walkable {
                assert_eq!(state.occupancy.used_bytes, 0, "{spec}");
            }
        }
    }
}

#[test]
fn an_exhausted_heap_leaves_the_store_as_it_was() {
    let backend = threads(2);
    let mut exhausted = 0;
    for (seed, spec) in (0..).zip(specs()) {
        for form in FORMS {
            let mut random = Random::new(seed);
            let mut model = Model::new(200, form.directed);
            let mut store = store(&backend, &spec, 96 << 10, form, &model);
            let mut refused = 0;
            for _ in 0..60 {
                let change = if random.one_in(3) {
                    Change::Delete
                } else {
                    Change::Insert
                };
                let some = edges(&mut random, &model, 600);
                match store.update(&some, change) {
                    Ok(found) => {
                        let expected = model.apply(&some, change, !form.loops);
                        assert_eq!(found.counts, expected, "{spec}");
                    }
                    Err(error) => {
                        assert!(error.is_refusal(), "{spec}: {error}");
                        assert_eq!(change, Change::Insert, "a deletion needs no memory");
                        if let StoreError::Pool { wanted, .. } = error {
                            assert!(wanted > 0, "{spec}");
                        }
                        refused += 1;
                    }
                }
                assert_equal(&store, &model, &spec.to_string());
            }
            // One that may overwrite has no memory left when it would begin to.
            if spec.allocator.properties.frees && !spec.allocator.properties.may_overwrite {
                assert!(refused < 60, "{spec} never recovers");
            }
            exhausted += refused;
        }
    }
    assert!(exhausted > 50, "only {exhausted} batches ran out of memory");
}

/// Batches until the pool is used up, and some more: each is applied, or the graph is
/// as it was.
fn use_up(backend: &dyn Backend, spec: &Spec, pool: u64, form: Form, seed: u64) {
    let mut random = Random::new(seed);
    let mut model = Model::new(100, form.directed);
    let start = edges(&mut random, &model, 100);
    model.apply(&start, Change::Insert, false);
    let mut store = store(backend, spec, pool, form, &model);
    let (mut applied, mut refused) = (0, 0);
    while refused < 3 {
        let change = random.choose(&[Change::Insert, Change::Insert, Change::Delete]);
        let batch = edges(&mut random, &model, 40);
        match store.update(&batch, change) {
            Ok(found) => {
                let expected = model.apply(&batch, change, !form.loops);
                assert_eq!(found.counts, expected);
                applied += 1;
            }
            Err(error) => {
                assert!(error.is_refusal(), "{error}");
                refused += 1;
            }
        }
        assert_equal(&store, &model, &format!("{form:?}, seed {seed}"));
        assert!(applied < 1000, "it is never used up");
    }
    assert!(applied > 0);
}

#[test]
fn a_pool_that_begins_again_at_its_front_is_used_up() {
    let awmalloc = spec(AwMalloc::NAME);
    let checked = awmalloc.checked().expect("a checked form");
    for (seed, form) in (0..).zip(FORMS) {
        for spec in [&awmalloc, &checked] {
            use_up(&threads(2), spec, 80 << 10, form, seed);
        }
        use_up(&lanes::<AwMalloc>(1, seed), &awmalloc, 24 << 10, form, seed);
    }
}

#[test]
fn the_graph_does_not_depend_on_allocator_or_batches() {
    let backend = threads(2);
    let mut random = Random::new(7);
    let empty = Model::new(1000, false);
    let all = edges(&mut random, &empty, 6000);
    let gone = edges(&mut random, &empty, 3000);
    let mut hashes = Vec::new();
    for (size, spec) in [1000, 6000, 37, 450].into_iter().cycle().zip(specs()) {
        let form = Form {
            directed: false,
            layout: if size < 1000 { Linked } else { Contiguous },
            loops: true,
        };
        let mut store = store(&backend, &spec, POOL, form, &empty);
        for (edges, change) in [(&all, Change::Insert), (&gone, Change::Delete)] {
            for part in edges.chunks(size) {
                store.update(part, change).expect("a large pool");
            }
        }
        hashes.push(store.hash().expect("a hash"));
    }
    assert!(hashes.len() > 3 && hashes.iter().all(|&hash| hash == hashes[0]));
}

#[test]
fn a_refused_load_says_how_much_was_asked_for() {
    let backend = threads(2);
    let mut model = Model::new(50, false);
    let star: Vec<_> = (0..50).flat_map(|v| (0..50).map(move |w| [v, w])).collect();
    model.apply(&star, Change::Insert, false);
    for (form, bytes) in [(FORMS[0], 224), (FORMS[2], 64)] {
        let kept = Kept::of(&model);
        let store = form.try_store(
            &backend,
            &spec("cfmalloc"),
            Pool::Bytes(8 << 10),
            kept.csr(),
        );
        match store.err() {
            Some(StoreError::Pool { wanted, .. }) => assert_eq!(wanted, bytes, "{form:?}"),
            other => panic!("{form:?}: {other:?}"),
        }
    }
}

#[test]
fn a_wrong_csr_is_refused() {
    let backend = threads(2);
    for form in [FORMS[0], FORMS[2]] {
        let right = |offsets: &[u64], targets: &[u32]| {
            let csr = Csr {
                offsets: offsets.to_vec(),
                targets: targets.to_vec(),
                weights: None,
                directed: false,
            };
            let pool = Pool::Bytes(POOL);
            match form.try_store(&backend, &spec("cfmalloc"), pool, (&csr, None)) {
                Ok(_) => true,
                Err(error) => {
                    assert_eq!(error, StoreError::Rows);
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
    let backend = threads(2);
    for form in FORMS {
        let mut random = Random::new(5);
        let mut model = Model::new(200, form.directed);
        let start = edges(&mut random, &model, 2000);
        model.apply(&start, Change::Insert, false);
        let mut store = store(&backend, &spec("cfmmalloc"), POOL, form, &model);
        let gone = [7, 0, 7, 199, 1000, 42];
        assert_eq!(store.delete_vertices(&gone).map(|done| done.deleted), Ok(4));
        assert_eq!(
            store.delete_vertices(&[0, 3]).map(|done| done.deleted),
            Ok(1),
            "one was gone"
        );
        let gone = [0, 3, 7, 42, 199];
        for vertex in gone {
            model.rows[vertex as usize].clear();
        }
        for row in &mut model.rows {
            row.retain(|neighbour| !gone.contains(neighbour));
        }
        assert_equal(&store, &model, "after the deletion");
        // Edges of deleted vertices are refused, those of new ones are not.
        store.insert_vertices(3).expect("a few records");
        model.rows.resize(203, BTreeSet::new());
        let batch = [[7, 8], [8, 7], [42, 42], [200, 8], [9, 202], [202, 203]];
        let found = store.update(&batch, Change::Insert).expect("fits");
        assert_eq!((found.counts.applied, found.counts.rejected), (2, 4));
        model.apply(&[[200, 8], [9, 202]], Change::Insert, false);
        assert_equal(&store, &model, "after the insertion");
        // The records have grown by half, so that these need not move.
        store.insert_vertices(2).expect("there is room");
        model.rows.resize(205, BTreeSet::new());
        model.apply(&[[204, 203]], Change::Insert, false);
        store.update(&[[204, 203]], Change::Insert).expect("fits");
        assert_equal(&store, &model, "after another insertion");
    }
}
