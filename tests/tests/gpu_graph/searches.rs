//! Searches whose frontiers are narrow, wide and narrow again, step by step.

use heapwood::backend::Backend;
use heapwood_device::graph::batch::Change;
use heapwood_device::graph::store::plan::Layout;
use heapwood_graphs::generate::{Kind, Parameters, generate};
use heapwood_tests::graph::Model;
use heapwood_tests::graph::forms::store_of;
use heapwood_tests::graph::graphs::{self, layers};
use heapwood_tests::graph::search::{Rows, check};

use super::Scale;

pub fn narrow_and_wide_frontiers_are_searched(backend: &dyn Backend, scale: Scale) {
    let parameters = Parameters {
        vertices: u64::from(scale.vertices),
        edges: None,
        seed: 3,
        ..Parameters::default()
    };
    let list = generate(Kind::Road, parameters).expect("few edges");
    let mut road = Model::new(scale.vertices, false);
    road.apply(&list.edges, Change::Insert, false);
    // As wide as the memory of a block has room for, a sixteenth of the vertices; and wider.
    let room = 2730.min(scale.vertices);
    let widths = |most: u32| [1, room.div_ceil(4), room, most, most, 3, 1, 1];
    for (what, model) in [
        ("road", road),
        ("path", graphs::path(scale.vertices / 2, 5)),
        ("full", layers(16 * room, &widths(room), false)),
        ("too full", layers(16 * room, &widths(room + 1), true)),
        ("mesh", graphs::mesh(6)),
    ] {
        for rows in Rows::ALL {
            check(backend, &model, rows, 0, what);
        }
    }
}

/// Searches that leave levels, over rows of both layouts.
pub fn deep_graphs_are_searched(backend: &dyn Backend, scale: Scale) {
    let deep = graphs::path(scale.vertices.max(2400), 7);
    let expected = deep.search(0);
    for layout in Layout::ALL {
        let store = store_of(backend, &deep, layout, scale.weighted_pool);
        let found = store.search(0).expect("there is memory");
        assert!(found.depths == expected, "{layout:?}");
        let reached = expected.iter().filter(|&&depth| depth != u32::MAX);
        assert_eq!(Some(&found.state.depth), reached.max(), "{layout:?}");
    }
}
