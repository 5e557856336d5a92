//! The algorithms on the store against simple ones on sets of edges.

use heapwood_device::allocators::CfmMalloc;
use heapwood_device::graph::host::{Change, Layout, Method, RankOptions, UpdateSpace};
use heapwood_device::host::allocator;
use heapwood_tests::graph::{Coroutines, Model, Runner, Store, Threads, graphs};
use heapwood_tests::lockstep::Random;

fn threads(workers: u32) -> Threads {
    Threads::new(allocator("cfmmalloc").unwrap(), 8 << 20, workers)
}

fn lanes(seed: u64) -> Coroutines<CfmMalloc> {
    Coroutines::new(2 << 20, 2, seed)
}

const LAYOUTS: [Layout; 2] = [Layout::Contiguous, Layout::Linked];

/// Graphs without and with directions, in both layouts.
fn every() -> [(bool, Layout); 4] {
    let [one, other] = LAYOUTS;
    [(false, one), (true, one), (false, other), (true, other)]
}

/// All undirected graphs, with a layout.
fn with_graphs(layout: Layout) -> Vec<(Layout, (&'static str, Model))> {
    let graphs = graphs::all(false).into_iter();
    graphs.map(|graph| (layout, graph)).collect()
}

/// Graphs that are quick enough in lockstep.
fn small() -> Vec<(&'static str, Model)> {
    vec![
        ("uniform", graphs::uniform(80, 200, false, 1)),
        ("skewed", graphs::skewed(100, 500, false, 2)),
        ("mesh", graphs::mesh(4)),
        ("path", graphs::path(20, 3)),
        ("fan", graphs::fan(1100)),
    ]
}

/// The distance of two distributions.
fn distance(ranks: &[f32], expected: &[f64]) -> f64 {
    let pairs = ranks.iter().zip(expected);
    pairs.map(|(&a, b)| (f64::from(a) - b).abs()).sum()
}

fn check_ranks<R: Runner>(store: &Store<R>, model: &Model, name: &str) {
    let options = RankOptions::default();
    let (ranks, state) = store.ranks(&store.rank_room(options.limit), &options);
    assert!(
        state.converged && state.residual <= 1e-7,
        "{name}: {state:?}"
    );
    let apart = distance(&ranks, &model.ranks(0.85));
    assert!(apart < 1e-6, "{name}: {apart}");
    let sum: f64 = ranks.iter().map(|&rank| f64::from(rank)).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{name}: {sum}");
}

fn check_triangles<R: Runner>(store: &Store<R>, model: &Model, name: &str) {
    let expected = model.triangles();
    let total = expected.iter().map(|&count| u64::from(count)).sum::<u64>() / 3;
    assert_eq!(store.triangles(true), (total, Some(expected)), "{name}");
    assert_eq!(store.triangles(false), (total, None), "{name}");
}

fn check_components<R: Runner>(store: &Store<R>, model: &Model, name: &str) {
    let expected = model.components();
    let roots = (0..)
        .zip(&expected)
        .filter(|(v, label)| v == *label)
        .count();
    assert_eq!(store.components(), (roots as u64, expected), "{name}");
}

fn check_search<R: Runner>(store: &Store<R>, model: &Model, source: u32, name: &str) {
    let expected = model.search(source);
    let reached = expected.iter().filter(|&&depth| depth != u32::MAX);
    let (state, depths) = store.search(source);
    assert_eq!(state.reached as usize, reached.clone().count(), "{name}");
    assert_eq!(Some(&state.depth), reached.max(), "{name}");
    assert_eq!(depths, expected, "{name}");
}

#[test]
fn ranks_agree_with_double_precision() {
    for (directed, layout) in every() {
        for (name, model) in graphs::all(directed) {
            check_ranks(&Store::of(threads(2), &model, layout), &model, name);
        }
    }
}

#[test]
fn ranks_stop_changing() {
    let layout = Layout::Contiguous;
    for (name, model) in graphs::all(false) {
        let store = Store::of(threads(1), &model, layout);
        let options = RankOptions {
            tolerance: 0.0,
            limit: 400,
            ..RankOptions::default()
        };
        let (ranks, state) = store.ranks(&store.rank_room(400), &options);
        assert!(state.converged, "{name}: {state:?}");
        let apart = distance(&ranks, &model.ranks(0.85));
        assert!(apart < 5e-7, "{name}: {apart}");
    }
}

/// Without directions steps may be over-relaxed: ranks are the same, iterations fewer.
/// The power iteration takes no notice of directions.
#[test]
fn over_relaxation_takes_fewer_iterations() {
    for (layout, model) in [
        (Layout::Contiguous, graphs::mesh(10)),
        (Layout::Linked, graphs::mesh(10)),
        (Layout::Contiguous, graphs::path(300, 5)),
    ] {
        let iterations = |method, directed| {
            let rows = model.rows.clone();
            let store = Store::of(threads(2), &Model { rows, directed }, layout);
            let options = RankOptions {
                method,
                ..RankOptions::default()
            };
            let (ranks, state) = store.ranks(&store.rank_room(options.limit), &options);
            assert!(state.converged, "{layout:?}: {state:?}");
            assert!(distance(&ranks, &model.ranks(0.85)) < 1e-6);
            state.iterations
        };
        let plain = iterations(Method::Power, false);
        assert_eq!(iterations(Method::Power, true), plain, "{layout:?}");
        assert_eq!(iterations(Method::Accelerated, true), plain, "{layout:?}");
        let fewer = iterations(Method::Accelerated, false);
        assert!(3 * fewer < 2 * plain, "{layout:?}: {fewer}, {plain}");
    }
}

#[test]
fn iterations_end_at_the_limit() {
    let layout = Layout::Contiguous;
    let model = graphs::uniform(300, 900, true, 4);
    let store = Store::of(threads(1), &model, layout);
    let options = RankOptions {
        limit: 3,
        ..RankOptions::default()
    };
    let (_, state) = store.ranks(&store.rank_room(3), &options);
    assert!(state.iterations == 3 && !state.converged && state.residual > 5e-8);
}

#[test]
fn triangles_equal_counted_ones() {
    for (layout, (name, model)) in LAYOUTS.into_iter().flat_map(with_graphs) {
        check_triangles(&Store::of(threads(2), &model, layout), &model, name);
    }
    let (side, layout): (u64, _) = (8, Layout::Contiguous);
    let store = Store::of(threads(1), &graphs::mesh(side as u32), layout);
    // Each triangle of the mesh lies in a cube of two points a side.
    assert!(store.triangles(false).0 > 4 * (side - 1).pow(3));
}

#[test]
fn components_and_distances_equal_walked_ones() {
    for (directed, layout) in every() {
        for (name, model) in graphs::all(directed) {
            let store = Store::of(threads(2), &model, layout);
            check_components(&store, &model, name);
            check_search(&store, &model, 0, name);
            check_search(&store, &model, model.rows.len() as u32 / 2, name);
        }
    }
}

#[test]
fn lanes_compute_the_same() {
    for (seed, (name, model)) in (0..).zip(small()) {
        let layout = LAYOUTS[(seed % 2) as usize];
        let store = Store::of(lanes(seed), &model, layout);
        check_ranks(&store, &model, name);
        check_triangles(&store, &model, name);
        check_components(&store, &model, name);
        check_search(&store, &model, 7, name);
    }
}

#[test]
fn questions_are_answered() {
    let mut random = Random::new(9);
    for (directed, layout) in every() {
        let model = graphs::skewed(300, 3000, directed, 8);
        let store = Store::of(threads(2), &model, layout);
        let edges: Vec<_> = (0..2000)
            .map(|_| (random.below(303) as u32, random.below(303) as u32))
            .collect();
        let expected: Vec<bool> = edges
            .iter()
            .map(|(source, target)| {
                let row = model.rows.get(*source as usize);
                row.is_some_and(|row| row.contains(target))
            })
            .collect();
        assert!(expected.contains(&true) && expected.contains(&false));
        assert_eq!(store.has_edges(&edges), expected);
    }
}

#[test]
fn ranks_go_on_after_a_batch() {
    let layout = Layout::Contiguous;
    let mut model = graphs::uniform(1000, 5000, false, 11);
    let store = Store::of(threads(2), &model, layout);
    let room = store.rank_room(200);
    let options = RankOptions::default();
    let (_, first) = store.ranks(&room, &options);
    let batch = [(1, 2), (3, 500), (999, 0), (17, 18)];
    model.apply(&batch, Change::Insert, false);
    store.update(&batch, Change::Insert).unwrap();
    let resumed = RankOptions {
        resume: true,
        ..options
    };
    let (ranks, second) = store.ranks(&room, &resumed);
    assert!(second.converged && second.iterations < first.iterations);
    assert!(distance(&ranks, &model.ranks(0.85)) < 1e-6);
}

/// Batches whose triangles are counted as they go keep the count right.
fn follow_triangles<R: Runner>(
    store: &Store<R>,
    model: &mut Model,
    batches: u32,
    size: u32,
    seed: u64,
) {
    let mut random = Random::new(seed);
    let vertices = model.rows.len() as u64;
    let total = |model: &Model| model.triangles().iter().map(|&n| u64::from(n)).sum::<u64>() / 3;
    let mut triangles = total(model);
    for batch in 0..batches {
        let change = random.choose(&[Change::Insert, Change::Delete]);
        let count = 1 + random.below(u64::from(size));
        // Among few vertices, so that triangles share changed edges.
        let mut vertex = || random.below(vertices.min(40)) as u32;
        let edges: Vec<_> = (0..count).map(|_| (vertex(), vertex())).collect();
        let header = store.update_raw(&edges, change, true);
        let counts = UpdateSpace::outcome(&header).unwrap();
        assert_eq!(counts, model.apply(&edges, change, false));
        match change {
            Change::Insert => triangles += UpdateSpace::triangles(&header),
            Change::Delete => triangles -= UpdateSpace::triangles(&header),
        }
        assert_eq!(
            triangles,
            total(model),
            "batch {batch}: {change:?} {edges:?}"
        );
    }
    assert_eq!(store.triangles(false).0, triangles);
}

#[test]
fn triangles_follow_batches() {
    for (seed, vertices) in (0..).zip([10, 40, 200]) {
        let mut model = graphs::uniform(vertices, 3 * vertices, false, seed);
        let store = Store::of(threads(2), &model, Layout::Contiguous);
        follow_triangles(&store, &mut model, 60, 150, seed);
    }
    let mut model = graphs::uniform(40, 100, false, 4);
    let store = Store::of(lanes(1), &model, Layout::Contiguous);
    follow_triangles(&store, &mut model, 5, 80, 1);
}
