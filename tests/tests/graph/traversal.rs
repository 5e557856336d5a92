//! Breadth-first search and components on the shapes that decide how they go: hubs, deep
//! graphs, several components, vertices without edges; in lanes and on threads.

use heapwood::backend::Backend;
use heapwood::graph::{Edge, Store};
use heapwood_device::allocators::CfmMalloc;
use heapwood_device::graph::batch::Change;
use heapwood_device::graph::store::plan::Layout;
use heapwood_graphs::generate::{Kind, Parameters, generate};
use heapwood_tests::dirty::{Dirty, threads};
use heapwood_tests::graph::forms::store_of;
use heapwood_tests::graph::{Model, graphs};
use heapwood_tests::lockstep::LockstepBackend;

fn lanes(seed: u64) -> Dirty<LockstepBackend> {
    Dirty(LockstepBackend::new::<CfmMalloc>(3, 64, seed))
}

fn store<'b>(backend: &'b dyn Backend, model: &Model, layout: Layout) -> Store<'b> {
    store_of(backend, model, layout, 32 << 20)
}

fn graph(vertices: u32, directed: bool, edges: impl IntoIterator<Item = Edge>) -> Model {
    let mut model = Model::new(vertices, directed);
    let edges: Vec<_> = edges.into_iter().collect();
    model.apply(&edges, Change::Insert, false);
    model
}

/// Holds a store's distances from each source and its components to those of a model, some
/// of whose vertices were deleted.
fn assert_on(store: &Store, model: &Model, deleted: &[u32], sources: &[u32], what: &str) {
    for &source in sources {
        let expected = model.search(source);
        let found = store.search(source).expect("there is memory");
        assert!(found.depths == expected, "{what}: depths from {source}");
        let reached = || expected.iter().filter(|&&depth| depth != u32::MAX);
        let (count, depth) = (found.state.reached as usize, found.state.depth);
        assert_eq!(count, reached().count(), "{what}: reached from {source}");
        assert_eq!(Some(&depth), reached().max(), "{what}: depth from {source}");
        assert!(found.state.ended, "{what}");
    }
    let mut labels = model.components();
    for &vertex in deleted {
        labels[vertex as usize] = u32::MAX;
    }
    let found = store.components().expect("there is memory");
    assert!(found.labels == labels, "{what}: labels");
    let roots = (0..).zip(&labels).filter(|(v, label)| v == *label);
    assert_eq!(found.count, roots.count() as u64, "{what}: components");
}

/// In both layouts, on threads, and in lanes if the graph is small enough.
fn check(model: &Model, sources: &[u32], in_lanes: bool, what: &str) {
    for layout in Layout::ALL {
        let what = format!("{what}, directed {}, {layout:?}", model.directed);
        let backend = threads(2);
        assert_on(&store(&backend, model, layout), model, &[], sources, &what);
        if in_lanes {
            let backend = lanes(sources.len() as u64);
            assert_on(&store(&backend, model, layout), model, &[], sources, &what);
        }
    }
}

/// The edges of a graph, numbered from `first` on.
fn moved(model: &Model, first: u32) -> impl Iterator<Item = Edge> + '_ {
    let rows = (first..).zip(&model.rows);
    rows.flat_map(move |(source, row)| row.iter().map(move |&to| [source, first + to]))
}

/// In lanes, a search leaves levels after a few hundred narrow ones, and meets a hub and cycles afterwards.
#[test]
fn deep_searches_leave_levels() {
    let (length, leaves) = (2500, 300);
    let path = (1..length).map(|v| [v - 1, v]);
    let hub = (0..leaves).map(|leaf| [1500, length + leaf]);
    // Ways back, short cuts, and two ways of the same length.
    let others = [
        [2499, 1000],
        [700, 720],
        [2000, 1990],
        [500, 300],
        [800, 2800],
        [2800, 802],
    ];
    for directed in [false, true] {
        let edges = path.clone().chain(hub.clone()).chain(others);
        let deep = graph(length + leaves + 1, directed, edges);
        check(&deep, &[0], true, "deep");
        check(&deep, &[1200, 2499], false, "deep");
    }
}

#[test]
fn a_hub_is_searched_from_and_to() {
    // The hub is the first vertex, the last, and in the middle: its label is decided by
    // the leaves or decides theirs.
    for (vertices, hub) in [(700, 0), (700, 699), (2100, 1000)] {
        let spokes = (0..vertices).map(|leaf| [hub, leaf]);
        for directed in [false, true] {
            let star = graph(vertices, directed, spokes.clone());
            check(&star, &[hub, hub / 2 + 1], vertices < 1000, "star");
        }
        let star = graph(vertices, true, spokes.map(|[hub, leaf]| [leaf, hub]));
        check(
            &star,
            &[hub, hub / 2 + 1],
            vertices < 1000,
            "star of in-edges",
        );
    }
}

#[test]
fn hubs_beside_the_largest_component_are_joined() {
    // A large component, and two of hubs, a chunk of rows and many chunks long.
    let large = graphs::uniform(2000, 12_000, false, 1);
    for directed in [false, true] {
        let edges = moved(&large, 0)
            .chain((0..300).map(|leaf| [2000, 2001 + leaf]))
            .chain((0..1500).map(|leaf| [2301 + leaf, 3801]));
        let model = graph(3900, directed, edges);
        check(&model, &[0, 2000, 3801, 2400, 3899], false, "two hubs");
    }
    // The same in lanes, smaller.
    let large = graphs::uniform(100, 400, false, 2);
    for directed in [false, true] {
        let edges = moved(&large, 0).chain((0..600).map(|leaf| [101 + leaf, 100]));
        let model = graph(701, directed, edges);
        check(&model, &[1, 100, 300], true, "a hub");
    }
}

/// Every row is long and its parents come last, or never: bottom-up a warp looks at a row
/// together.
#[test]
fn parents_at_the_end_of_long_rows_are_found() {
    // From the source to 60 vertices of the highest numbers, each with the same 200
    // neighbours, which have 100 others before these.
    let vertices = 600;
    let near = (500..560).map(|to| [599, to]);
    let far = (0..200).flat_map(|to| (500..560).map(move |from| [from, to]));
    let others = (0..200).flat_map(|from| (200..300).map(move |to| [from, to]));
    for directed in [false, true] {
        let model = graph(
            vertices,
            directed,
            near.clone().chain(far.clone()).chain(others.clone()),
        );
        check(&model, &[599, 250, 560], true, "long rows");
        check(&model.transposed(), &[250, 599], true, "long rows turned");
    }
}

#[test]
fn deep_graphs_are_searched_to_their_ends() {
    // A path in order and one at random: more levels than launches at a time.
    let path = graph(400, false, (1..400).map(|v| [v - 1, v]));
    check(&path, &[0, 200, 399], false, "path");
    check(&graphs::path(300, 4), &[0, 5, 599], false, "path at random");
    let arcs = graph(40, true, (1..40).map(|v| [v, v - 1]));
    check(&arcs, &[39, 20, 0], true, "arcs");
    check(&graphs::mesh(5), &[0, 62], true, "mesh");
    // A dense part with a long tail: the search turns from bottom-up to top-down.
    let dense = graphs::uniform(300, 6000, false, 3);
    for directed in [false, true] {
        let tail = (300..420).map(|v| [v - 1, v]);
        let model = graph(500, directed, moved(&dense, 0).chain(tail));
        check(&model, &[0, 419, 450], !directed, "a tail");
    }
    // Tails at many places of it, and many vertices beside it.
    let tails = (0..60).flat_map(|at| {
        let vertex = move |step| {
            if step == 0 {
                5 * at
            } else {
                290 + 10 * at + step
            }
        };
        (1..=10).map(move |step| [vertex(step - 1), vertex(step)])
    });
    let model = graph(3000, false, moved(&dense, 0).chain(tails));
    check(&model, &[1, 320, 900], true, "tails");
    // The dense part is behind a path, and a path between two dense parts.
    let model = graph(
        660,
        false,
        moved(&dense, 0)
            .chain((300..360).map(|v| [v - 1, v]))
            .chain(moved(&dense, 360))
            .chain([[359, 360]]),
    );
    check(&model, &[7, 330, 600], false, "two dense parts");
}

#[test]
fn kronecker_graphs_are_searched() {
    for (scale, in_lanes) in [(9, true), (12, false)] {
        let parameters = Parameters {
            vertices: 1 << scale,
            edges: Some(16 << scale),
            seed: 7,
            ..Parameters::default()
        };
        let list = generate(Kind::Kronecker, parameters).expect("few edges");
        for directed in [false, true] {
            let model = graph(1 << scale, directed, list.edges.iter().copied());
            let alone = (0..).zip(&model.rows).find(|(_, row)| row.is_empty());
            let alone: u32 = alone.expect("a vertex without edges").0;
            let hub = (0..1 << scale).max_by_key(|&v: &u32| model.rows[v as usize].len());
            let hub = hub.expect("vertices");
            check(&model, &[1, alone, hub], in_lanes, "kronecker");
        }
    }
}

#[test]
fn components_of_one_size_are_told_apart() {
    // No tree is larger than another, or one by little.
    for size in [1, 2, 3, 40] {
        let count = 240 / size;
        let part = graphs::path(size, u64::from(size));
        for directed in [false, true] {
            let edges = (0..count).flat_map(|at| moved(&part, at * size).collect::<Vec<_>>());
            let model = graph(count * size + size, directed, edges);
            check(&model, &[0, 239], true, "parts");
        }
    }
}

#[test]
fn deleted_vertices_are_left_out() {
    let deleted: Vec<u32> = (0..500).step_by(7).collect();
    for directed in [false, true] {
        for layout in Layout::ALL {
            let mut model = graphs::skewed(500, 4000, directed, 5);
            let backends: [Box<dyn Backend>; 2] = [Box::new(threads(2)), Box::new(lanes(2))];
            let mut stores: Vec<Store> = backends
                .iter()
                .map(|backend| store(&**backend, &model, layout))
                .collect();
            for &vertex in &deleted {
                model.rows[vertex as usize].clear();
            }
            for row in &mut model.rows {
                row.retain(|neighbour| !deleted.contains(neighbour));
            }
            for store in &mut stores {
                store.delete_vertices(&deleted).expect("it fits");
                let what = format!("directed {directed}, {layout:?}");
                assert_on(store, &model, &deleted, &[1, 499, 250], &what);
            }
        }
    }
}

#[test]
fn one_vertex_and_none_have_components() {
    let loop_alone = graph(1, false, [[0, 0]]);
    check(&loop_alone, &[0], true, "a loop");
    check(&graph(1, true, []), &[0], true, "one vertex");
    check(&graph(0, false, []), &[], true, "no vertices");
    check(
        &graph(33, true, [[32, 32], [32, 0]]),
        &[32, 0, 5],
        true,
        "a word and one",
    );
}
