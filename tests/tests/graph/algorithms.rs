//! The algorithms on the store against simple ones on sets of edges.

use heapwood::backend::Backend;
use heapwood::graph::{Edge, Ranks, Store};
use heapwood::size::Pool;
use heapwood_device::allocators::CfmMalloc;
use heapwood_device::graph::batch::Change;
use heapwood_device::graph::pagerank::plan::{Method, RankOptions};
use heapwood_device::graph::store::plan::Layout;
use heapwood_tests::dirty::{Dirty, threads};
use heapwood_tests::graph::expected::{Kept, Results};
use heapwood_tests::graph::forms::{FORMS, Form, keeping, store_of};
use heapwood_tests::graph::{Model, graphs};
use heapwood_tests::lockstep::{LockstepBackend, Random};

pub fn lanes(seed: u64) -> Dirty<LockstepBackend> {
    Dirty(LockstepBackend::new::<CfmMalloc>(2, 16, seed))
}

/// A graph with loops, as the model has them.
fn store<'b>(backend: &'b dyn Backend, model: &Model, layout: Layout) -> Store<'b> {
    store_of(backend, model, layout, 8 << 20)
}

fn pagerank(store: &Store, options: &RankOptions) -> Ranks {
    store.pagerank(options, None).expect("there is memory")
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

/// Everything that is computed on the graph of a model, with the sum and the residual of
/// its ranks.
fn check(backend: &dyn Backend, model: &Model, layout: Layout, name: &str) {
    let store = store(backend, model, layout);
    let what = format!("{name}, {layout:?}");
    let found = Results::of(model, &[]).assert_on(&store, None, &what);
    assert!(found.state.residual <= 1e-7, "{what}: {:?}", found.state);
    let sum: f64 = found.ranks.iter().map(|&rank| f64::from(rank)).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{what}: {sum}");
}

#[test]
fn results_equal_simple_ones() {
    let backend = threads(2);
    for form in FORMS {
        for (name, model) in graphs::all(form.directed) {
            check(&backend, &model, form.layout, name);
        }
    }
}

#[test]
fn lanes_compute_the_same() {
    for (seed, (name, model)) in (0..).zip(small()) {
        let layout = [Layout::Contiguous, Layout::Linked][(seed % 2) as usize];
        check(&lanes(seed), &model, layout, name);
    }
}

/// In linked layout, too: rows of in-neighbours alone, around the lengths at which rows are divided
/// and shared, and one of several parts.
#[test]
fn lanes_share_the_sections_of_hubs() {
    let mut model = Model::new(900, true);
    for (hub, degree) in [(0, 899), (1, 240), (2, 241), (3, 255), (4, 256), (5, 481)] {
        let edges: Vec<Edge> = (0..degree).map(|from| [899 - from, hub]).collect();
        model.apply(&edges, Change::Insert, false);
    }
    check(&lanes(7), &model, Layout::Linked, "hubs of in-edges");
    check(&threads(2), &model, Layout::Linked, "hubs of in-edges");
    check(&lanes(8), &graphs::fan(1100), Layout::Linked, "fan");
    check(
        &threads(2),
        &graphs::fan(9000),
        Layout::Linked,
        "three parts",
    );
}

#[test]
fn ranks_stop_changing() {
    let backend = threads(1);
    for (name, model) in graphs::all(false) {
        let store = store(&backend, &model, Layout::Contiguous);
        let options = RankOptions {
            tolerance: 0.0,
            limit: 400,
            ..RankOptions::default()
        };
        let found = pagerank(&store, &options);
        assert!(found.state.converged, "{name}: {:?}", found.state);
        let apart = distance(&found.ranks, &model.ranks(0.85));
        assert!(apart < 5e-7, "{name}: {apart}");
    }
}

/// Sums are exact: layouts, threads and the parts of hubs make no difference in a single bit.
#[test]
fn ranks_are_the_same_bits_however_they_are_summed() {
    let graphs = [
        graphs::skewed(400, 6000, false, 4),
        graphs::uniform(300, 500, true, 5),
        graphs::fan(1100),
    ];
    for (seed, model) in (0..).zip(&graphs) {
        for method in Method::ALL {
            let ranks = |backend: &dyn Backend, layout| {
                let options = RankOptions {
                    method,
                    ..RankOptions::default()
                };
                let found = pagerank(&store(backend, model, layout), &options);
                let bits: Vec<u32> = found.ranks.iter().map(|rank| rank.to_bits()).collect();
                (bits, found.state)
            };
            let expected = ranks(&threads(1), Layout::Contiguous);
            for layout in Layout::ALL {
                assert_eq!(ranks(&threads(3), layout), expected, "{seed} {layout:?}");
                assert_eq!(ranks(&lanes(seed), layout), expected, "{seed} {layout:?}");
            }
        }
    }
}

/// Without directions steps may be over-relaxed: ranks are the same, iterations fewer.
/// The power iteration takes no notice of directions.
#[test]
fn over_relaxation_takes_fewer_iterations() {
    let backend = threads(2);
    for (layout, model) in [
        (Layout::Contiguous, graphs::mesh(10)),
        (Layout::Linked, graphs::mesh(10)),
        (Layout::Contiguous, graphs::path(300, 5)),
    ] {
        let iterations = |method, directed| {
            let rows = model.rows.clone();
            let store = store(&backend, &Model { rows, directed }, layout);
            let options = RankOptions {
                method,
                ..RankOptions::default()
            };
            let found = pagerank(&store, &options);
            assert!(found.state.converged, "{layout:?}: {:?}", found.state);
            assert!(distance(&found.ranks, &model.ranks(0.85)) < 1e-6);
            found.state.iterations
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
    let backend = threads(1);
    let model = graphs::uniform(300, 900, true, 4);
    let store = store(&backend, &model, Layout::Contiguous);
    let options = RankOptions {
        limit: 3,
        ..RankOptions::default()
    };
    let state = pagerank(&store, &options).state;
    assert!(state.iterations == 3 && !state.converged && state.residual > 5e-8);
}

#[test]
fn a_mesh_has_its_triangles() {
    let (backend, side) = (threads(1), 8);
    let store = store(&backend, &graphs::mesh(side), Layout::Contiguous);
    // Each triangle of the mesh lies in a cube of two points a side.
    let found = store.triangles().expect("there is memory");
    assert!(found.count > 4 * u64::from(side - 1).pow(3));
}

#[test]
fn questions_are_answered() {
    let backend = threads(2);
    let mut random = Random::new(9);
    for form in FORMS {
        let model = graphs::skewed(300, 3000, form.directed, 8);
        let store = store(&backend, &model, form.layout);
        let mut vertex = || random.below(303) as u32;
        let edges: Vec<Edge> = (0..2000).map(|_| [vertex(), vertex()]).collect();
        let expected: Vec<bool> = edges
            .iter()
            .map(|&[source, target]| {
                let row = model.rows.get(source as usize);
                row.is_some_and(|row| row.contains(&target))
            })
            .collect();
        assert!(expected.contains(&true) && expected.contains(&false));
        assert_eq!(store.has_edges(&edges), Ok(expected));
    }
}

#[test]
fn ranks_go_on_after_a_batch() {
    let backend = threads(2);
    let mut model = graphs::uniform(1000, 5000, false, 11);
    let mut store = store(&backend, &model, Layout::Contiguous);
    let options = RankOptions::default();
    let first = pagerank(&store, &options);
    let batch = [[1, 2], [3, 500], [999, 0], [17, 18]];
    model.apply(&batch, Change::Insert, false);
    store.update(&batch, Change::Insert).expect("it fits");
    let second = store.pagerank(&options, Some(&first.ranks));
    let second = second.expect("there is memory");
    assert!(second.state.converged && second.state.iterations < first.state.iterations);
    assert!(distance(&second.ranks, &model.ranks(0.85)) < 1e-6);
}

/// Batches whose triangles are counted as they go keep the count right.
fn triangles_follow(
    mut store: Store,
    model: &mut Model,
    batches: u32,
    (largest, seed): (u64, u64),
    what: &str,
) {
    let mut random = Random::new(seed);
    let vertices = model.rows.len() as u64;
    let total = |model: &Model| model.triangles().iter().map(|&n| u64::from(n)).sum::<u64>() / 3;
    let mut triangles = total(model);
    for batch in 0..batches {
        let change = random.choose(&[Change::Insert, Change::Delete]);
        let count = 1 + random.below(largest);
        // Among few vertices, so that triangles share changed edges.
        let mut vertex = || random.below(vertices.min(40)) as u32;
        let edges: Vec<Edge> = (0..count).map(|_| [vertex(), vertex()]).collect();
        let found = store
            .update_counting_triangles(&edges, change)
            .expect("it fits");
        assert_eq!(found.counts, model.apply(&edges, change, false), "{what}");
        let changed = found.triangles.expect("they were asked for");
        match change {
            Change::Insert => triangles += changed,
            Change::Delete => triangles -= changed,
        }
        assert_eq!(
            triangles,
            total(model),
            "{what}, batch {batch}: {change:?} {edges:?}"
        );
    }
    let counted = store.triangles().expect("there is memory");
    assert_eq!(counted.count, triangles, "{what}");
}

#[test]
fn triangles_follow_batches() {
    for layout in Layout::ALL {
        for (seed, vertices) in (0..).zip([10, 40, 200]) {
            let mut model = graphs::uniform(vertices, 3 * vertices, false, seed);
            let backend = threads(2);
            let store = store(&backend, &model, layout);
            let what = format!("{layout:?}, {vertices}");
            triangles_follow(store, &mut model, 60, (150, seed), &what);
        }
        let mut model = graphs::uniform(40, 100, false, 4);
        let backend = lanes(1);
        let store = store(&backend, &model, layout);
        triangles_follow(store, &mut model, 5, (80, 1), &format!("{layout:?}, lanes"));
    }
}

/// Rows of a page and of many, of vertices that change and that do not; a hub whose row
/// others share.
#[test]
fn triangles_follow_batches_at_a_hub() {
    for layout in Layout::ALL {
        for seed in 0..2 {
            let mut model = graphs::fan(1100);
            let (threads, lanes) = (threads(2), lanes(seed));
            let backends: [&dyn Backend; 2] = [&threads, &lanes];
            let backend = backends[seed as usize];
            let store = store(backend, &model, layout);
            let batches = 12 - 8 * seed as u32;
            let what = format!("{layout:?}, {seed}");
            triangles_follow(store, &mut model, batches, (200, seed), &what);
        }
    }
}

/// Pages of every size of a handle; and a graph that grows, so that copies need more memory.
#[test]
fn triangles_follow_in_pages_of_every_allocator() {
    let backend = threads(2);
    for (seed, spec) in (0..).zip(keeping(false)) {
        let mut model = Model::new(400, false);
        let form = Form {
            directed: false,
            layout: Layout::Linked,
            loops: true,
        };
        let mut store = form.store(&backend, &spec, Pool::Auto, Kept::of(&model).csr());
        let mut random = Random::new(seed);
        for size in [1, 50, 800, 2000, 1000] {
            let edges = graphs::batch(&mut random, &model, size);
            let found = store
                .update_counting_triangles(&edges, Change::Insert)
                .expect("it fits");
            let before = Results::of(&model, &[]).triangle_count();
            model.apply(&edges, Change::Insert, false);
            let after = Results::of(&model, &[]).triangle_count();
            assert_eq!(found.triangles, Some(after - before), "{spec}, {size}");
        }
        let none = store.update_counting_triangles(&[[0, 999]], Change::Delete);
        assert_eq!(none.map(|none| none.triangles), Ok(Some(0)), "{spec}");
        triangles_follow(store, &mut model, 6, (300, seed), &spec.to_string());
    }
}
