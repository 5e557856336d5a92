//! Betweenness: scores that are known, and their bits, which no order of threads changes.

use heapwood::backend::Backend;
use heapwood::graph::Edge;
use heapwood_device::graph::batch::Change;
use heapwood_device::graph::store::plan::Layout;
use heapwood_tests::dirty::threads;
use heapwood_tests::graph::forms::store_of;
use heapwood_tests::graph::{Model, graphs};

use super::algorithms::lanes;

const LAYOUTS: [Layout; 2] = [Layout::Contiguous, Layout::Linked];

fn scores(backend: &dyn Backend, model: &Model, layout: Layout, sources: &[u32]) -> Vec<f64> {
    let store = store_of(backend, model, layout, 8 << 20);
    store.betweenness(sources).expect("there is memory").scores
}

/// Joints with two ways from each to the next: vertex 3 i is a joint, and the two after it are between.
fn diamonds(count: u32, directed: bool) -> Model {
    let mut model = Model::new(3 * count + 1, directed);
    let edges = (0..count).flat_map(|diamond| {
        let joint = 3 * diamond;
        [1, 2].into_iter().flat_map(move |way| {
            let between = joint + way;
            [[joint, between], [between, joint + 3]]
        })
    });
    let edges: Vec<Edge> = edges.collect();
    model.apply(&edges, Change::Insert, false);
    model
}

/// There are 2^i shortest paths to joint i, far more than an `f64` can hold.
#[test]
fn more_paths_than_a_number_can_count() {
    let check = |backend: &dyn Backend, count: u32| {
        for (directed, layout) in [(false, LAYOUTS[0]), (true, LAYOUTS[0]), (true, LAYOUTS[1])] {
            let model = diamonds(count, directed);
            let found = scores(backend, &model, layout, &[0]);
            let behind = |joint: u32| f64::from(3 * (count - joint));
            for joint in 1..=count {
                assert_eq!(found[3 * joint as usize], behind(joint), "joint {joint}");
            }
            for diamond in 0..count {
                // Half of the paths to the next joint and to whatever is behind it.
                let half = (1.0 + behind(diamond + 1)) / 2.0;
                let first = 3 * diamond as usize + 1;
                assert_eq!(found[first..first + 2], [half; 2], "diamond {diamond}");
            }
        }
    };
    check(&threads(2), 2500);
    check(&lanes(5), 270);
}

/// Rows of one entry, of a lane, of a warp and of several chunks.
#[test]
fn scores_have_the_same_bits_on_threads_and_lanes() {
    let mut hubs = Model::new(700, true);
    for (hub, degree) in [(0, 699), (1, 32), (2, 33), (3, 256), (4, 257), (5, 513)] {
        let edges = (0..degree).flat_map(|end| {
            let end = 699 - end;
            [[end, hub], [hub, (end + 7) % 700]]
        });
        let edges: Vec<Edge> = edges.collect();
        hubs.apply(&edges, Change::Insert, false);
    }
    let graphs = [
        graphs::skewed(300, 9000, false, 4),
        graphs::uniform(200, 900, true, 5),
        graphs::mesh(5),
        graphs::fan(1100),
        hubs,
    ];
    for (seed, model) in (0..).zip(&graphs) {
        let sources = [3, 50, 3];
        let expected = scores(&threads(1), model, LAYOUTS[0], &sources);
        assert!(expected.iter().any(|&score| score > 0.0));
        for layout in LAYOUTS {
            let bits = |backend: &dyn Backend| scores(backend, model, layout, &sources);
            assert!(bits(&threads(2)) == expected, "graph {seed}, {layout:?}");
            assert!(
                bits(&lanes(seed)) == expected,
                "graph {seed}, {layout:?}, lanes"
            );
        }
    }
}
