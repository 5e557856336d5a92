//! Graphs on the program's backends, over every allocator that can keep one and
//! in both layouts: batches, exhaustion, algorithms, and vertices that come and
//! go, held against sets of edges. On a GPU, where tests say that they are
//! skipped if there is none, and at a smaller scale on the CPU; see
//! `gpu_conformance` for `HEAPWOOD_TEST_SCALE` and `HEAPWOOD_TEST_ALLOCATORS`.

use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood::graph::{Change, Draw, Edge, Layout, Pattern, RankOptions, Store, StoreError};
use heapwood::size::Pool;
use heapwood_graphs::generate::{Kind, Parameters, generate};
use heapwood_graphs::{Csr, CsrOptions, Direction};
use heapwood_tests::clauses;
use heapwood_tests::gpu::cpu;
use heapwood_tests::graph::expected::{Kept, Results, turns};
use heapwood_tests::graph::forms::{FORMS, Form, keeping};
use heapwood_tests::graph::{Model, graphs};

mod keys;
mod searches;
mod vertices;
mod weights;

use keys::every_distribution_of_keys_is_sorted;
use searches::{deep_graphs_are_searched, narrow_and_wide_frontiers_are_searched};
use vertices::{a_vertex_deleted_before_it_was_is_there_later, vertices_come_and_go};
use weights::{weights_follow_their_edges, weights_go_with_their_vertices};

/// How much is done.
#[derive(Clone, Copy)]
struct Scale {
    /// Vertices of the graphs that batches and algorithms are tried on.
    vertices: u32,
    /// Batches for each allocator and form.
    batches: usize,
    /// Edges of the largest of them.
    largest: u64,
    /// Edges of the largest batch whose keys are sorted by themselves.
    largest_sort: usize,
    /// Bytes of a pool that is to run out.
    pool: u64,
    /// Bytes of the pools of weighted graphs, which do not run out.
    weighted_pool: u64,
    /// The pools of other graphs, which do not run out either.
    ample: Pool,
    /// Vertices and edges of the graph that is compared with the CPU's.
    large: (u64, u64),
    /// Vertices of the graph in which 1000 get many neighbours, the edges of these, and the
    /// bytes of the pool.
    busy: (u64, usize, u64),
    /// Whether so many threads ask at once that an allocator whose null is no evidence
    /// refuses some of them.
    crowd: bool,
    /// One in so many allocators fills the pool that has to grow.
    growing: usize,
}

const FULL: Scale = Scale {
    vertices: 20_000,
    batches: 10,
    largest: 100_000,
    largest_sort: 3_000_000,
    pool: 2 << 20,
    weighted_pool: 256 << 20,
    ample: Pool::Auto,
    large: (1 << 17, 1 << 20),
    busy: (1_000_000, 2_000_000, 2 << 30),
    crowd: true,
    growing: 1,
};

const SMALL: Scale = Scale {
    vertices: 300,
    batches: 6,
    largest: 2_000,
    largest_sort: 5_000,
    pool: 256 << 10,
    // Four workers need less, and each of the hundreds of pools is made empty first.
    weighted_pool: 16 << 20,
    ample: Pool::Bytes(16 << 20),
    large: (1 << 10, 1 << 13),
    busy: (1_000, 20_000, 16 << 20),
    crowd: false,
    growing: 12,
};

/// For tools under which every launch takes long.
const SMALL_ON_GPU: Scale = Scale {
    vertices: 100,
    batches: 2,
    largest: 500,
    largest_sort: 30_000,
    pool: 128 << 10,
    weighted_pool: 256 << 20,
    ample: Pool::Auto,
    large: (1 << 8, 1 << 11),
    busy: (1_000, 2_000, 16 << 20),
    crowd: true,
    ..SMALL
};

clauses! {
    FULL, SMALL_ON_GPU, SMALL;
    every_distribution_of_keys_is_sorted
    narrow_and_wide_frontiers_are_searched
    deep_graphs_are_searched
    random_batches_keep_the_store_equal_to_a_set
    an_exhausted_pool_leaves_the_graph_as_it_was
    results_are_those_of_definitions
    weights_follow_their_edges
    weights_go_with_their_vertices
    vertices_come_and_go
    a_vertex_deleted_before_it_was_is_there_later
    a_pool_grows_under_batches
    a_large_graph_is_that_of_the_cpu
    few_vertices_get_many_neighbours
}

fn random_batches_keep_the_store_equal_to_a_set(backend: &dyn Backend, scale: Scale) {
    for (seed, form) in (1..).zip(FORMS) {
        let edges = 2 * scale.vertices;
        let mut model = graphs::uniform(scale.vertices, edges, form.directed, seed);
        let start = Kept::of(&model);
        let turns = turns(&mut model, form.loops, scale.batches, scale.largest, seed);
        let rejected = turns.iter().any(|turn| turn.counts.rejected > 0);
        let missing = turns.iter().any(|turn| turn.counts.missing > 0);
        assert!(rejected && missing, "batches of all sorts");
        for spec in keeping(scale.crowd) {
            let mut store = form.store(backend, &spec, scale.ample, start.csr());
            start.assert_in(&store, spec.name());
            for (index, turn) in turns.iter().enumerate() {
                let what = format!("{}, {form:?}, batch {index}", spec.name());
                let found = store.update(&turn.edges, turn.change);
                let found = found.unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_eq!(found.counts, turn.counts, "{what}");
                turn.after.assert_in(&store, &what);
            }
            Kept::of(&model).clear(store, spec.name());
        }
    }
}

fn an_exhausted_pool_leaves_the_graph_as_it_was(backend: &dyn Backend, scale: Scale) {
    // So many that the entries of all pairs are more than the pool has bytes.
    let vertices = (scale.pool / 3).isqrt() as u32;
    for form in FORMS {
        let start = graphs::uniform(vertices, vertices, form.directed, 5);
        let kept = Kept::of(&start);
        let every = graphs::all_pairs(vertices, form.directed);
        for spec in keeping(scale.crowd) {
            let what = format!("{}, {form:?}", spec.name());
            let mut model = start.clone();
            let pool = Pool::Bytes(scale.pool);
            let mut store = form.store(backend, &spec, pool, kept.csr());
            let pool = store.pool_bytes();
            let too_many = store.update(&every, Change::Insert);
            let overwrites = spec.allocator.properties.may_overwrite;
            match too_many {
                Err(StoreError::Pool { wanted, .. }) if !overwrites => {
                    assert!(wanted > 0, "{what}");
                }
                Err(StoreError::Overwriting { .. }) if overwrites => {}
                other => panic!("{what}: {other:?}"),
            }
            kept.assert_in(&store, &what);
            // The failed batch returns its memory, though not for every size.
            let mut largest = 0;
            let mut count = every.len() / 2;
            while count > 0 && largest < 100 {
                for (change, part) in [(Change::Insert, 0), (Change::Delete, count / 2)] {
                    let some = &every[part..part + count];
                    match store.update(some, change) {
                        Ok(found) => {
                            let expected = model.apply(some, change, !form.loops);
                            assert_eq!(found.counts, expected, "{what}");
                            if change == Change::Insert {
                                largest = largest.max(expected.applied);
                            }
                        }
                        Err(error) if error.is_refusal() => {
                            assert_eq!(change, Change::Insert, "{what}: deletions need none");
                        }
                        Err(error) => panic!("{what}: {error}"),
                    }
                }
                count /= 4;
            }
            // One that would overwrite has no memory left, and no more is refused.
            let recovers = spec.allocator.properties.frees && !overwrites;
            assert!(largest > 0 || !recovers, "{what}: no recovery");
            assert_eq!(store.pool_bytes(), pool, "{what}: the pool is fixed");
            Kept::of(&model).assert_in(&store, &what);
            store.check_heap().expect(&what);
        }
    }
}

/// A graph with hubs, small enough for a plain count of its triangles.
fn with_hubs(scale: Scale, directed: bool) -> Model {
    graphs::skewed(scale.vertices / 5, scale.vertices, directed, 8)
}

fn results_are_those_of_definitions(backend: &dyn Backend, scale: Scale) {
    for form in FORMS {
        let (vertices, directed) = (scale.vertices, form.directed);
        let even = graphs::uniform(vertices, 5 * vertices, directed, 7);
        for (mut model, seed) in [even, with_hubs(scale, directed)].into_iter().zip(1..) {
            let start = Kept::of(&model);
            let mut results = vec![Results::of(&model, &[])];
            let mut batches = Vec::new();
            for batch in 0..2 {
                let size = scale.largest / 10;
                batches.extend(turns(&mut model, form.loops, 2, size, 2 * seed + batch));
                results.push(Results::of(&model, &[]));
            }
            for spec in keeping(scale.crowd) {
                let what = format!("{}, {form:?}, graph {seed}", spec.name());
                let mut store = form.store(backend, &spec, scale.ample, start.csr());
                store.keep_components().expect(&what);
                let mut ranks = results[0].assert_on(&store, None, &what);
                for (two, after) in batches.chunks(2).zip(&results[1..]) {
                    for turn in two {
                        follow(&mut store, &turn.edges, turn.change, &what);
                    }
                    store.advance_components().expect(&what);
                    ranks = after.assert_on(&store, Some(&ranks.ranks), &what);
                    after.assert_on(&store, None, &what);
                }
            }
        }
    }
}

/// Applies a batch, and holds the triangles that it counts, if it can, against
/// counts before and after.
fn follow(store: &mut Store, edges: &[Edge], change: Change, what: &str) {
    let follows = !store.shape().directed;
    let count = |store: &Store| match follows {
        true => store.triangles().expect(what).count,
        false => 0,
    };
    let before = count(store);
    let found = match follows {
        true => store.update_counting_triangles(edges, change),
        false => store.update(edges, change),
    };
    let found = found.expect(what);
    let after = count(store);
    let apart = match change {
        Change::Insert => after - before,
        Change::Delete => before - after,
    };
    assert_eq!(found.triangles, follows.then_some(apart), "{what}");
}

/// Edges of a batch that fills the pool.
const FILLING: u32 = 1 << 20;

fn a_pool_grows_under_batches(backend: &dyn Backend, scale: Scale) {
    // All edges are more than the first pool holds.
    let vertices: u32 = 4096;
    let empty = Kept::of(&Model::new(vertices, true));
    let deleted = [3, 77];
    let offered = |source: u32| (0..vertices).map(move |target| [source, target]);
    for spec in keeping(scale.crowd).step_by(scale.growing) {
        for layout in [Layout::Contiguous, Layout::Linked] {
            let what = format!("{}, {layout:?}", spec.name());
            let form = Form {
                directed: true,
                layout,
                loops: true,
            };
            let mut store = form.store(backend, &spec, Pool::Auto, empty.csr());
            assert_eq!(
                store.delete_vertices(&deleted).map(|done| done.deleted),
                Ok(2),
                "{what}"
            );
            let first = store.pool_bytes();
            let mut rows = 0;
            while store.pool_bytes() == first {
                assert!(rows < vertices, "{what}: {first} bytes are enough");
                let end = rows + FILLING / vertices;
                let batch: Vec<Edge> = (rows..end).flat_map(offered).collect();
                let found = store.update(&batch, Change::Insert).expect(&what);
                let live = (rows..end).filter(|source| !deleted.contains(source));
                let applied = live.count() as u64 * u64::from(vertices - 2);
                assert_eq!(found.counts.applied, applied, "{what}");
                let rejected = batch.len() as u64 - applied;
                assert_eq!(found.counts.rejected, rejected, "{what}");
                rows = end;
            }
            let mut expected = Csr {
                offsets: vec![0],
                targets: Vec::new(),
                weights: None,
                directed: true,
            };
            for source in 0..vertices {
                if source < rows && !deleted.contains(&source) {
                    let live = (0..vertices).filter(|target| !deleted.contains(target));
                    expected.targets.extend(live);
                }
                expected.offsets.push(expected.targets.len() as u64);
            }
            assert!(store.csr().expect(&what) == expected, "{what}");
            assert_eq!(store.hash(), Ok(expected.graph_hash()), "{what}");
            // Whom the growth has not brought back.
            let found = store.update(&[[3, 4], [5, 77]], Change::Insert);
            assert_eq!(found.expect(&what).counts.rejected, 2, "{what}");
            store.check_heap().expect(&what);
        }
    }
}

fn a_large_graph_is_that_of_the_cpu(backend: &dyn Backend, scale: Scale) {
    let one = Spec::parse("cfmmalloc").expect("an allocator");
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let host = cpu(workers.min(8));
    for form in FORMS {
        let what = format!("{form:?}");
        let parameters = Parameters {
            vertices: scale.large.0,
            edges: Some(scale.large.1),
            seed: 6,
            ..Parameters::default()
        };
        let list = generate(Kind::Kronecker, parameters).expect("few edges");
        let direction = match form.directed {
            true => Direction::Directed,
            false => Direction::Undirected,
        };
        let csr_options = CsrOptions {
            keep_self_loops: form.loops,
            direction,
            ..CsrOptions::default()
        };
        let rows = Csr::build(list, csr_options).0;
        // Both directions of every edge are there.
        let columns = form.directed.then(|| rows.clone());
        let csr = (&rows, columns.as_ref());
        let expected = form.store(&*host, &one, Pool::Auto, csr);
        let hash = expected.hash().expect(&what);
        assert_eq!(hash, rows.graph_hash());
        let ranks = expected.pagerank(&RankOptions::default(), None);
        let ranks = ranks.expect(&what).ranks;
        let triangles = (!form.directed).then(|| expected.triangles_per_vertex().expect(&what));
        let components = expected.components().expect(&what);
        let search = expected.search(1).expect(&what);
        let draw = |store: &Store| {
            [Pattern::Uniform, Pattern::Pressure].map(|pattern| {
                let (seed, number) = (6, 1);
                let draw = Draw {
                    seed,
                    number,
                    pattern,
                };
                draw.deletions(scale.largest as usize, store).expect(&what)
            })
        };
        let drawn = draw(&expected);
        for spec in keeping(false) {
            let what = format!("{}, {form:?}", spec.name());
            let store = match form.try_store(backend, &spec, scale.ample, csr) {
                Err(StoreError::Full { allocator, .. }) if !allocator.exact_null => {
                    println!("{what}: refused while memory is free");
                    continue;
                }
                store => store.expect(&what),
            };
            assert_eq!(store.hash(), Ok(hash), "{what}");
            assert!(draw(&store) == drawn, "{what}: other edges are drawn");
            if let Some(expected) = &triangles {
                let found = store.triangles_per_vertex().expect(&what);
                assert_eq!(found.count, expected.count, "{what}");
                assert!(found.per_vertex == expected.per_vertex, "{what}");
            }
            let found = store.components().expect(&what);
            assert_eq!(found.count, components.count, "{what}");
            assert!(found.labels == components.labels, "{what}");
            let found = store.search(1).expect(&what);
            assert_eq!(found.state, search.state, "{what}");
            assert!(found.depths == search.depths, "{what}");
            let found = store.pagerank(&RankOptions::default(), None).expect(&what);
            let pairs = found.ranks.iter().zip(&ranks);
            let off: f64 = pairs.map(|(a, b)| f64::from(a - b).abs()).sum();
            assert!(off <= 1e-6, "{what}: ranks off by {off:e}");
        }
    }
}

/// Where a lane of a warp requests and frees hundreds of pages, and the others one.
fn few_vertices_get_many_neighbours(backend: &dyn Backend, scale: Scale) {
    let (vertices, edges, pool) = scale.busy;
    let parameters = Parameters {
        vertices,
        edges: Some(4 * vertices),
        seed: 7,
        ..Parameters::default()
    };
    let list = generate(Kind::Uniform, parameters).expect("few edges");
    let rows = Csr::build(list, CsrOptions::default()).0;
    let draw = Draw {
        seed: 7,
        number: 1,
        pattern: Pattern::Pressure,
    };
    let batch = draw.insertions(edges, rows.vertices());
    let one = Spec::parse("atomicmalloc").expect("an allocator");
    let host = cpu(1);
    for form in FORMS.into_iter().filter(|form| !form.directed) {
        let mut expected = form.store(&*host, &one, Pool::Bytes(pool), (&rows, None));
        let counts = expected.update(&batch, Change::Insert);
        let counts = counts.expect("room").counts;
        let hash = expected.hash();
        for spec in keeping(scale.crowd) {
            let what = format!("{}, {form:?}", spec.name());
            let mut store = form.store(backend, &spec, Pool::Bytes(pool), (&rows, None));
            let found = store.update(&batch, Change::Insert).expect(&what);
            assert_eq!(found.counts, counts, "{what}");
            assert_eq!(store.hash(), hash, "{what}");
            store.update(&batch, Change::Delete).expect(&what);
            store.check_heap().expect(&what);
        }
    }
}
