//! The program's graph store where something ends: the pool, the memory of the
//! machine, the numbers. It says so, and the graph is as it was.

use heapwood::Error;
use heapwood::allocators::Spec;
use heapwood::backend::{Backend, BackendError, Cpu, Grid, Launch, Quota};
use heapwood::graph::{Change, Edge, Layout, Limits, Options, RankOptions, Store, StoreError};
use heapwood::max_pool::{MaxPool, PoolLimit};
use heapwood::size::Pool;
use heapwood_device::graph::store::measure::Measure;
use heapwood_device::kernel::Args;
use heapwood_device::launch::Call;
use heapwood_graphs::{Csr, Parallel};
use heapwood_tests::graph::expected::Kept;
use heapwood_tests::graph::forms::FORMS;
use heapwood_tests::graph::{Model, graphs};

const MIB: u64 = 1 << 20;

fn spec(name: &str) -> Spec {
    Spec::parse(name).expect("an allocator")
}

/// A backend with so much memory.
fn machine(bytes: u64) -> (Cpu, Quota) {
    let quota = Quota::of_memory(bytes);
    let backend = Cpu::with_threads(2).expect("a backend");
    (backend.with_quota(quota.clone()), quota)
}

fn options(spec: Spec, pool: Pool, layout: Layout) -> Options {
    Options {
        spec,
        pool,
        layout,
        self_loops: true,
        parallel: Parallel::Last,
        limits: Limits::default(),
    }
}

#[test]
fn an_allocator_that_begins_again_keeps_the_graph_or_says_so() {
    let (backend, _) = machine(u64::MAX);
    for form in FORMS {
        let start = graphs::uniform(2000, 4000, form.directed, 3);
        let batch: Vec<Edge> = (0..1000).map(|at| [2 * at, 1999 - at]).collect();
        let mut after = start.clone();
        after.apply(&batch, Change::Insert, false);
        let (before, after) = (Kept::of(&start), Kept::of(&after));
        for spec in [Some(spec("awmalloc")), spec("awmalloc").checked()] {
            let spec = spec.expect("a checked one");
            let (mut loaded, mut updated) = ((0, 0), (0, 0));
            for pool in (40_000..500_000).step_by(4800) {
                let what = format!("{:?}, {form:?}, {pool} bytes", spec.allocator.name);
                let mut options = options(spec.clone(), Pool::Bytes(pool), form.layout);
                options.self_loops = true;
                let (rows, columns) = before.csr();
                let mut store = match Store::new(&backend, options, rows, columns) {
                    Ok(store) => store,
                    Err(error) => {
                        assert!(error.is_refusal(), "{what}: {error}");
                        loaded.1 += 1;
                        continue;
                    }
                };
                loaded.0 += 1;
                let kept = match store.update(&batch, Change::Insert) {
                    Ok(_) => &after,
                    Err(error) => {
                        assert!(error.is_refusal(), "{what}: {error}");
                        updated.1 += 1;
                        &before
                    }
                };
                updated.0 += 1;
                kept.assert_in(&store, &what);
                store.check_heap().expect(&what);
            }
            let counts = [loaded.0, loaded.1, updated.0, updated.1];
            assert!(
                counts.iter().all(|&count| count > 0),
                "{form:?}: {counts:?}"
            );
        }
    }
}

/// The last vertex of a graph has the only neighbours.
fn far(vertices: u32) -> Model {
    let mut model = Model::new(vertices, true);
    model.apply(&[[0, vertices - 1]], Change::Insert, false);
    model
}

#[test]
fn a_graph_of_many_vertices_and_few_edges_needs_a_small_pool() {
    let kept = Kept::of(&far(500_000));
    let (backend, _) = machine(150 * MIB);
    for layout in [Layout::Contiguous, Layout::Linked] {
        let options = options(spec("cfmmalloc"), Pool::Auto, layout);
        let (rows, columns) = kept.csr();
        let store = Store::new(&backend, options, rows, columns).expect("it fits");
        kept.assert_in(&store, "as loaded");
    }
}

#[test]
fn a_first_pool_is_no_larger_than_what_is_there() {
    let kept = Kept::of(&graphs::uniform(100, 1000, false, 4));
    let (backend, _) = machine(20 * MIB);
    let auto = options(spec("cfmmalloc"), Pool::Auto, Layout::Contiguous);
    let store = Store::new(&backend, auto, &kept.rows, None).expect("it fits");
    assert!(store.pool_bytes() < 20 * MIB && store.pool_bytes() > 10 * MIB);
    kept.assert_in(&store, "as loaded");
}

/// A graph of one vertex with very many neighbours, whose block is a new one after
/// each change; and the batch that changes it for the time `number`.
fn hub() -> (Kept, impl Fn(u32) -> [Edge; 1]) {
    let mut model = Model::new(200_000, true);
    let star: Vec<_> = (0..100_000).map(|to| [0, to]).collect();
    model.apply(&star, Change::Insert, false);
    (Kept::of(&model), |number| [[0, 100_000 + number]])
}

#[test]
fn a_pool_grows_as_far_as_there_is_memory() {
    let (kept, batch) = hub();
    // Enough beside 64 MiB for a larger pool, not for one of twice the size.
    let (backend, quota) = machine(170 * MIB);
    let auto = options(spec("atomicmalloc"), Pool::Auto, Layout::Contiguous);
    let (rows, columns) = kept.csr();
    let mut store = Store::new(&backend, auto, rows, columns).expect("it fits");
    assert_eq!(store.pool_bytes(), 64 * MIB);
    let mut number = 0;
    while store.pool_bytes() == 64 * MIB {
        let found = store.update(&batch(number), Change::Insert);
        assert_eq!(found.expect("a pool that grows").counts.applied, 1);
        number += 1;
    }
    let pool = store.pool_bytes();
    assert!(pool > 64 * MIB && pool < 100 * MIB, "{pool}");
    // There is no memory for yet another pool beside this one.
    let error = loop {
        match store.update(&batch(number), Change::Insert) {
            Ok(_) => number += 1,
            Err(error) => break error,
        }
    };
    let StoreError::Full { most, .. } = error else {
        panic!("{error}");
    };
    assert!(most.limit == PoolLimit::Memory && most.bytes < quota.free_bytes());
    assert_eq!(store.pool_bytes(), pool);
    assert_eq!(store.entries(), Ok(100_000 + u64::from(number)));
    let error = Error::from(error);
    assert_eq!(error.exit_code(), 4);
    assert!(error.to_string().contains("memory"), "{error}");
}

#[test]
fn a_pool_grows_no_further_than_its_allocator_can() {
    let (backend, _) = machine(u64::MAX);
    let spec = spec("awmalloc");
    let most = MaxPool::beside(&backend, &spec, 0).expect("a limit");
    assert_eq!(most.limit, PoolLimit::Allocator);
    let setup = |bytes| spec.setup(std::ptr::null_mut(), bytes, 2);
    assert!(setup(most.bytes).is_ok() && setup(most.bytes + 1).is_err());
}

#[test]
fn no_more_entries_than_can_be_numbered() {
    let (backend, _) = machine(u64::MAX);
    for form in FORMS {
        let mut model = graphs::uniform(60, 200, form.directed, 8);
        let entries = model.entries() as u64;
        let start = Kept::of(&model);
        let mut options = options(spec("cfmalloc"), Pool::Auto, form.layout);
        options.limits.entries = entries + 8;
        let (rows, columns) = start.csr();
        let new = |options: Options| Store::new(&backend, options, rows, columns);
        let mut store = new(options.clone()).expect("it fits");
        // One edge after the other that the graph does not have, with all that it has.
        let all = graphs::all_pairs(60, form.directed);
        let mut known = start.rows.to_edges().edges;
        let mut refused = 0;
        for &[from, to] in all.iter().filter(|[from, to]| from < to) {
            if model.rows[from as usize].contains(&to) {
                continue;
            }
            let mut batch = known.clone();
            batch.push([from, to]);
            let entries = model.entries() as u64;
            let more = if form.directed { 1 } else { 2 };
            let found = store.update(&batch, Change::Insert);
            if entries + more > options.limits.entries {
                let error = found.expect_err("more than can be numbered");
                let expected = StoreError::TooMany {
                    what: "entries",
                    count: entries + more,
                    limit: options.limits.entries,
                };
                assert_eq!(error, expected);
                let error = Error::from(error);
                assert_eq!(error.exit_code(), 2);
                refused += 1;
                if refused == 3 {
                    break;
                }
            } else {
                let counts = model.apply(&[[from, to]], Change::Insert, false);
                assert_eq!(found.expect("few enough").counts.applied, counts.applied);
                known.push([from, to]);
            }
            Kept::of(&model).assert_in(&store, "after a batch");
        }
        assert_eq!(refused, 3);
        // A deletion makes room.
        let gone = known.swap_remove(0);
        store.update(&[gone], Change::Delete).expect("a deletion");
        store.update(&[gone], Change::Insert).expect("as before");
        Kept::of(&model).assert_in(&store, "at the end");
        options.limits.entries = entries - 1;
        let error = new(options.clone()).err().expect("too many from the start");
        assert!(matches!(error, StoreError::TooMany { .. }), "{error}");
    }
}

#[test]
fn no_more_vertices_than_can_be_numbered() {
    let (backend, _) = machine(u64::MAX);
    let kept = Kept::of(&graphs::uniform(60, 200, false, 8));
    let mut options = options(spec("cfmalloc"), Pool::Auto, Layout::Contiguous);
    options.limits.vertices = 100;
    let mut store = Store::new(&backend, options.clone(), &kept.rows, None).expect("it fits");
    store.insert_vertices(40).expect("as many as there can be");
    for count in [1, u32::MAX] {
        let error = store.insert_vertices(count).expect_err("too many");
        assert!(matches!(error, StoreError::TooMany { .. }), "{error}");
        assert_eq!(store.shape().vertices, 100);
    }
    options.limits.vertices = 59;
    let error = Store::new(&backend, options, &kept.rows, None).err();
    assert!(
        matches!(error, Some(StoreError::TooMany { .. })),
        "{error:?}"
    );
    // The limit is the largest id of a key, because the number of vertices is an id too.
    assert_eq!(Limits::default().vertices, i32::MAX as u32);
}

#[test]
fn no_more_threads_than_can_be_numbered() {
    let (backend, _) = machine(u64::MAX);
    for grid in [Grid::Threads(u32::MAX), Grid::Warps(u32::MAX)] {
        let launch = Launch {
            call: Call::of::<Measure>(Args::NONE.into()),
            heap: None,
            grid,
        };
        // SAFETY: nothing is launched.
        let error = unsafe { backend.launch(&launch) }.expect_err("too many threads");
        assert!(
            matches!(error, BackendError::TooManyThreads { .. }),
            "{error}"
        );
        let error = Error::from(error);
        assert_eq!(error.exit_code(), 2);
        assert_eq!(error.to_string().lines().count(), 1);
    }
}

#[test]
fn rows_of_another_graph_and_stray_offsets_are_refused() {
    let (backend, _) = machine(u64::MAX);
    let new = |rows: &Csr, columns: Option<&Csr>| {
        Store::new(&backend, Options::default(), rows, columns).map(|_| ())
    };
    let kept = Kept::of(&graphs::uniform(100, 300, true, 1));
    let other = Kept::of(&graphs::uniform(10, 30, true, 1));
    let (rows, columns) = kept.csr();
    assert_eq!(new(rows, columns), Ok(()));
    let error = new(rows, other.csr().1).expect_err("columns of ten vertices");
    assert!(matches!(error, StoreError::OtherColumns { .. }), "{error}");
    assert_eq!(Error::from(error).exit_code(), 2);
    for change in [
        |offsets: &mut Vec<u64>| offsets[3] = 1 << 20,
        |offsets: &mut Vec<u64>| offsets.swap(1, 99),
        |offsets: &mut Vec<u64>| offsets.clear(),
        |offsets: &mut Vec<u64>| *offsets.last_mut().expect("an end") += 1,
    ] {
        let mut stray = rows.clone();
        change(&mut stray.offsets);
        assert_eq!(new(&stray, columns), Err(StoreError::Rows));
    }
}

#[test]
fn ranks_to_begin_with_are_one_a_vertex() {
    let (backend, _) = machine(u64::MAX);
    let kept = Kept::of(&graphs::uniform(100, 300, false, 1));
    let mut store = Store::new(&backend, Options::default(), &kept.rows, None).expect("it fits");
    let ranks = store
        .pagerank(&RankOptions::default(), None)
        .expect("memory")
        .ranks;
    store.insert_vertices(5).expect("memory");
    let error = store
        .pagerank(&RankOptions::default(), Some(&ranks))
        .expect_err("five more");
    let (ranks, vertices) = (100, 105);
    assert_eq!(error, StoreError::Ranks { ranks, vertices });
}
