//! Narrow frontiers, which a block searches level after level: how far a launch comes, where it
//! hands over to the grid and back, and that it finds the same.

use heapwood::backend::Backend;
use heapwood::graph::Edge;
use heapwood_device::allocators::CfmMalloc;
use heapwood_device::graph::batch::Change;
use heapwood_device::graph::bfs::plan::SearchState;
use heapwood_tests::dirty::{Dirty, threads};
use heapwood_tests::graph::graphs::layers;
use heapwood_tests::graph::search::{Rows, check};
use heapwood_tests::graph::{Model, graphs};
use heapwood_tests::lockstep::{LockstepBackend, Random};

fn lanes(seed: u64) -> Dirty<LockstepBackend> {
    Dirty(LockstepBackend::new::<CfmMalloc>(2, 64, seed))
}

fn graph(vertices: u32, directed: bool, edges: impl IntoIterator<Item = Edge>) -> Model {
    let mut model = Model::new(vertices, directed);
    let edges: Vec<_> = edges.into_iter().collect();
    model.apply(&edges, Change::Insert, false);
    model
}

/// Searches on threads, or in lanes, with rows of both kinds; the states after the first step.
fn first_states(backend: &dyn Backend, model: &Model, source: u32, what: &str) -> [SearchState; 2] {
    Rows::ALL.map(|rows| check(backend, model, rows, source, what)[0])
}

fn state(reached: u32, depth: u32, ended: bool) -> SearchState {
    SearchState {
        reached,
        depth,
        ended,
    }
}

#[test]
fn a_launch_searches_a_path() {
    let path = graph(120, false, (1..120).map(|v| [v - 1, v]));
    let found = first_states(&threads(2), &path, 0, "path");
    assert_eq!(found, [state(120, 119, true); 2]);
    let found = first_states(&threads(2), &path, 30, "path from within");
    assert_eq!(found, [state(120, 89, true); 2]);
    let cycle = graph(160, false, (0..160).map(|v| [v, (v + 1) % 160]));
    let found = first_states(&lanes(1), &cycle, 5, "cycle");
    assert_eq!(found, [state(160, 80, true); 2]);
}

#[test]
fn a_launch_ends_after_so_many_levels() {
    let vertices = 300;
    let path = graph(vertices, false, (1..vertices).map(|v| [v - 1, v]));
    for rows in Rows::ALL {
        let states = check(&threads(1), &path, rows, 0, "long path");
        assert_eq!(states[0], state(128, 127, false));
        // Seven steps of a level each, and as many levels as before.
        assert_eq!(states[7], state(135, 134, false));
        assert_eq!(states[8], state(263, 262, false));
    }
}

/// Frontiers of as many quads as there is room for, and of one more.
#[test]
fn the_widest_narrow_frontier_is_searched() {
    // Room for a sixteenth of the vertices. A vertex with four children has two quads.
    let narrow = layers(1600, &[1, 25, 100, 100, 100, 7, 3], false);
    let wide = layers(1600, &[1, 25, 100, 100, 101, 7, 3], false);
    let whole = state(336, 6, true);
    let part = state(226, 3, false);
    let on_threads = threads(2);
    let in_lanes = lanes(2);
    let backends: [&dyn Backend; 2] = [&on_threads, &in_lanes];
    for backend in backends {
        assert_eq!(first_states(backend, &narrow, 0, "narrow"), [whole; 2]);
        assert_eq!(first_states(backend, &wide, 0, "wide"), [part; 2]);
    }
    // With directions, the last layers have no edges, and that is known at the end of the launch.
    let narrow = layers(1600, &[1, 25, 100, 100, 100], true);
    let found = first_states(&in_lanes, &narrow, 0, "directed");
    assert_eq!(found, [state(226, 3, false); 2]);
    let wide = layers(1600, &[1, 25, 100, 101, 101], true);
    let found = first_states(&in_lanes, &wide, 0, "directed and wide");
    assert_eq!(found, [state(126, 2, false); 2]);
}

/// A frontier that a block takes over has a quad for four of its edges, and one for each chunk.
#[test]
fn a_frontier_is_taken_over_up_to_the_limit() {
    // A source with 64 and with 65 edges: 17 quads and 18, for which 272 vertices make room.
    let found = first_states(&threads(2), &layers(272, &[1, 64], false), 0, "a chunk");
    assert_eq!(found, [state(1, 0, false); 2]);
    let found = first_states(&threads(2), &layers(272, &[1, 65], false), 0, "two chunks");
    assert_eq!(found, [state(0, 0, false); 2]);
}

#[test]
fn the_memory_of_a_block_is_filled() {
    let vertices = 1 << 16;
    // Of one thread, and of a block of lanes.
    for (backend, room) in [
        (&threads(2) as &dyn Backend, 512),
        (&lanes(3) as &dyn Backend, 2730),
    ] {
        let (fan, more) = (room / 4, room + 1);
        let narrow = layers(vertices, &[1, fan, room, room, 2, 1], false);
        let states = check(backend, &narrow, Rows::Padded, 0, "full");
        assert_eq!(states[0], state(4 + fan + 2 * room, 5, true));
        let wide = layers(vertices, &[1, fan, room, more, 2, 1], false);
        let states = check(backend, &wide, Rows::Padded, 0, "too full");
        assert_eq!(states[0], state(1 + fan + room, 2, false));
    }
}

/// A row that has no room beside others, and one that has no room at all.
#[test]
fn hubs_go_to_the_queue() {
    for (vertices, leaves) in [(1600, 397), (1600, 401), (4000, 2500)] {
        // Two paths of 30, one of them to the hub, and a path from a leaf.
        let paths = (0..30).flat_map(|v| [[2 * v, 2 * v + 2], [2 * v + 1, 2 * v + 3]]);
        let hub = 62;
        let edges = paths
            .chain([[0, 1], [60, hub]])
            .chain((1..=leaves).map(|leaf| [hub, hub + leaf]))
            .chain((0..20).map(|at| [hub + leaves + at, hub + leaves + at + 1]));
        let model = graph(vertices, false, edges);
        for source in [0, 31, hub + leaves + 20] {
            for rows in Rows::ALL {
                check(&threads(2), &model, rows, source, "a hub");
            }
            check(&lanes(4), &model, Rows::Padded, source, "a hub in lanes");
        }
    }
}

/// A graph of parts that are wide and narrow in turn.
fn varied(random: &mut Random, directed: bool) -> Model {
    let mut edges: Vec<Edge> = Vec::new();
    let mut first = 0;
    for _ in 0..2 + random.below(4) {
        let below = |random: &mut Random, limit: u32| random.below(u64::from(limit)) as u32;
        let size = 2 + below(random, 400);
        let part = match random.below(6) {
            0 => layers(size, &[1, (size / 3).max(1), size / 2], false),
            1 => graphs::uniform(size, 4 * size, false, random.bits()),
            2 => graphs::path(size.div_ceil(2), random.bits()),
            // A comb, a grid, a cycle.
            3 => graph(size, false, (2..size).map(|v| [(v - 1) & !1, v])),
            4 => {
                let across = (20..size).map(|v| [v - 20, v]);
                graph(size, false, across.chain((1..size).map(|v| [v - 1, v])))
            }
            _ => graph(size, false, (0..size).map(|v| [v, (v + 1) % size])),
        };
        for (source, row) in (first..).zip(&part.rows) {
            edges.extend(row.iter().map(|target| [source, first + target]));
        }
        if first > 0 {
            edges.push([below(random, first), first + below(random, size)]);
        }
        first += part.rows.len() as u32;
    }
    // One direction of some edges alone.
    edges.retain(|_| !directed || random.below(16) > 0);
    graph(first + random.below(300) as u32, directed, edges)
}

#[test]
fn drawn_graphs_are_searched() {
    let mut random = Random::new(1);
    for seed in 0..60 {
        let model = varied(&mut random, seed % 3 == 0);
        let source = random.below(model.rows.len() as u64) as u32;
        for rows in Rows::ALL {
            check(&threads(2), &model, rows, source, &format!("drawn {seed}"));
        }
        if seed % 6 == 0 {
            let rows = Rows::ALL[seed as usize / 6 % 2];
            check(&lanes(seed), &model, rows, 0, &format!("in lanes {seed}"));
        }
    }
}
