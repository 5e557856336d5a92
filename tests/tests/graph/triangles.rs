//! Static triangle counting on skewed graphs, whatever vertices are numbered by, against
//! sets of neighbours; by hubs on warps of 32 lanes, in scalar code on threads.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use heapwood::backend::Backend;
use heapwood::graph::Store;
use heapwood_device::allocators::CfmMalloc;
use heapwood_device::graph::batch::Change;
use heapwood_device::graph::store::plan::Layout;
use heapwood_device::graph::triangles::plan::HubLimits;
use heapwood_graphs::generate::{Kind, Parameters, generate};
use heapwood_tests::dirty::{Dirty, threads};
use heapwood_tests::graph::forms::store_of;
use heapwood_tests::graph::{Model, graphs};
use heapwood_tests::lockstep::{LockstepBackend, Random};

fn lanes(seed: u64) -> Dirty<LockstepBackend> {
    Dirty(LockstepBackend::new::<CfmMalloc>(3, 64, seed))
}

fn store<'b>(backend: &'b dyn Backend, model: &Model, layout: Layout) -> Store<'b> {
    store_of(backend, model, layout, 32 << 20)
}

fn model(vertices: u32, edges: &[[u32; 2]]) -> Model {
    let mut model = Model::new(vertices, false);
    model.apply(edges, Change::Insert, false);
    model
}

fn kronecker(vertices: u64, edges: u64) -> Model {
    let parameters = Parameters {
        vertices,
        edges: Some(edges),
        seed: 3,
        ..Parameters::default()
    };
    let list = generate(Kind::Kronecker, parameters).expect("few enough");
    model(list.vertices, &list.edges)
}

/// So many hubs, each joined to the other hubs and to all of so many others.
fn shared(hubs: u32, others: u32) -> Model {
    let vertices = hubs + others;
    let from = |hub| (hub + 1..vertices).map(move |other| [hub, other]);
    let edges: Vec<_> = (0..hubs).flat_map(from).collect();
    model(vertices, &edges)
}

/// Vertices each joined to as many of the others as their number, about: every limit is
/// between two degrees.
fn staircase(vertices: u32) -> Model {
    let pairs = graphs::all_pairs(vertices, false).into_iter();
    let edges: Vec<_> = pairs.filter(|[u, v]| u + v >= vertices).collect();
    model(vertices, &edges)
}

/// Every pair of so many vertices, and others that are joined to the first alone.
fn complete(vertices: u32, pendants: u32) -> Model {
    let mut edges = graphs::all_pairs(vertices, false);
    edges.extend((0..pendants).map(|pendant| [0, vertices + pendant]));
    model(vertices + pendants, &edges)
}

/// The same graph by ascending and by descending degree, and at random.
fn numberings(model: &Model) -> [Model; 4] {
    let degree = |&vertex: &u32| model.rows[vertex as usize].len();
    let mut ascending: Vec<u32> = (0..model.rows.len() as u32).collect();
    let mut random = ascending.clone();
    Random::new(7).shuffle(&mut random);
    ascending.sort_by_key(degree);
    let mut descending = ascending.clone();
    descending.sort_by_key(|vertex| Reverse(degree(vertex)));
    let [up, down, any] = [ascending, descending, random].map(|order| model.only(&order));
    [model.clone(), up, down, any]
}

/// All hubs, few of them dense, none dense, few hubs, none.
const LIMITS: [HubLimits; 5] = [
    HubLimits {
        hubs: u32::MAX,
        dense: u32::MAX,
    },
    HubLimits {
        hubs: u32::MAX,
        dense: 5,
    },
    HubLimits {
        hubs: u32::MAX,
        dense: 0,
    },
    HubLimits { hubs: 12, dense: 4 },
    HubLimits { hubs: 0, dense: 0 },
];

/// Holds the counts of a store against those of the model.
fn check(backend: &dyn Backend, model: &Model, layout: Layout, limits: HubLimits, name: &str) {
    let what = format!("{name}, {layout:?}, {limits:?}");
    let expected = model.triangles();
    let sum: u64 = expected.iter().map(|&count| u64::from(count)).sum();
    let store = store(backend, model, layout);
    let found = store.triangles_by(false, limits).expect("there is memory");
    assert_eq!((found.count, found.per_vertex), (sum / 3, None), "{what}");
    let found = store.triangles_by(true, limits).expect("there is memory");
    assert_eq!(found.count, sum / 3, "{what}");
    assert!(found.per_vertex == Some(expected), "{what}");
}

#[test]
fn numberings_have_the_same_triangles() {
    let backend = threads(2);
    for (name, model) in [
        ("kronecker", kronecker(1 << 10, 1 << 14)),
        ("skewed", graphs::skewed(800, 12_000, false, 3)),
        ("two hubs", shared(2, 3000)),
    ] {
        for model in numberings(&model) {
            for layout in Layout::ALL {
                check(&backend, &model, layout, HubLimits::default(), name);
            }
        }
    }
}

/// On lanes, with every limit for some numbering and layout.
#[test]
fn hubs_find_the_same_triangles() {
    let mut seed = 0;
    for (name, model) in [
        ("kronecker", kronecker(1 << 7, 1 << 10)),
        ("skewed", graphs::skewed(100, 500, false, 2)),
        ("staircase", staircase(50)),
        ("pendant", complete(40, 1)),
    ] {
        for model in numberings(&model) {
            let limits = LIMITS[seed % LIMITS.len()];
            let layout = Layout::ALL[seed % 2];
            check(&lanes(seed as u64), &model, layout, limits, name);
            seed += 1;
        }
    }
}

/// Rows of more entries than a tile has, and than there are words of scratch memory.
#[test]
fn rows_are_longer_than_tiles() {
    for (seed, hubs, dense) in [
        (0, u32::MAX, u32::MAX),
        (1, u32::MAX, 1),
        (2, 1, 1),
        (3, 0, 0),
    ] {
        let limits = HubLimits { hubs, dense };
        for (name, model) in [("star", shared(1, 2100)), ("two hubs", shared(2, 1100))] {
            check(&lanes(seed), &model, Layout::Contiguous, limits, name);
        }
    }
}

/// Triangles of hubs whose codes are in several segments of dense rows, and behind them.
#[test]
fn hubs_are_more_than_a_segment_has() {
    let others = 2200;
    let mut model = shared(1, others);
    // The others in cliques of four, all of the same degree.
    let four = |first: u32| {
        graphs::all_pairs(4, false)
            .into_iter()
            .map(move |pair| pair.map(|v| v + first))
    };
    let edges: Vec<_> = (1..=others).step_by(4).flat_map(four).collect();
    model.apply(&edges, Change::Insert, false);
    for (seed, dense) in [(0, u32::MAX), (1, 1500)] {
        let hubs = u32::MAX;
        check(
            &lanes(seed),
            &model,
            Layout::Contiguous,
            HubLimits { hubs, dense },
            "cliques",
        );
    }
}

/// A complete graph has rows of just under the root of its entries; with one more vertex at one
/// of its own, a row is above that.
#[test]
fn rows_are_long_on_one_side_of_the_bound() {
    for pendants in [0, 1] {
        let model = complete(64, pendants);
        let longest = model.rows.iter().map(BTreeSet::len).max();
        let longest = longest.expect("vertices");
        assert_eq!(longest * longest > model.entries(), pendants == 1);
        check(
            &lanes(5),
            &model,
            Layout::Contiguous,
            HubLimits::default(),
            "complete",
        );
        check(
            &threads(2),
            &model,
            Layout::Contiguous,
            HubLimits::default(),
            "complete",
        );
    }
}
