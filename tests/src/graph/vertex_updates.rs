//! Random insertions and deletions of vertices in random weighted graphs, between batches of edges;
//! beside a model that shares no code with the device.

use heapwood::allocators::Spec;
use heapwood::backend::Backend;
use heapwood::graph::verify::Checker;
use heapwood::graph::{Change, EdgeBatch, Options, PathOptions, PathTree, Store};
use heapwood::size::Pool;
use heapwood_graphs::{Csr, CsrOptions, Direction, EdgeList, Ids, WeightKind, Weights};

use super::weighted::Weighted;
use crate::lockstep::Random;

/// Changes vertices and edges of the weighted graph of these parameters, whose batches are the changes.
/// After each change, rows, weights and hash are those of the model, and so are distances.
///
/// # Panics
///
/// If they differ, or a change fails.
pub fn vertices_come_and_go(graph: &Weighted, backend: &dyn Backend, spec: &Spec) {
    let mut random = Random::new(graph.seed);
    let (mut store, mut checker) = load(graph, backend, spec, &mut random);
    checker.store(&store).expect("as loaded");
    let source = random.below(graph.vertices.into()) as u32;
    let (tree, _) = PathTree::start(&store, &PathOptions::from(source)).expect("memory");
    let mut tree = tree.with_rounds(random.below(4) as u32);
    let mut present = graph.vertices;
    for number in 0..graph.batches {
        let vertices = store.shape().vertices;
        let mut what = format!("{spec}, seed {}, change {number}: ", graph.seed);
        match random.below(4) {
            0 => {
                // Within the capacity of the records, and beyond it.
                let count = random.choose(&[1, 7, 1 + vertices / 2]);
                what += &format!("{count} vertices come");
                store.insert_vertices(count).expect(&what);
                checker.insert_vertices(count);
                present += count;
            }
            1 => {
                let gone = deletion(&mut random, vertices, source);
                what += &format!("vertices {gone:?} go");
                let found = store.delete_vertices(&gone).expect(&what);
                checker.delete_vertices(&gone, found.deleted).expect(&what);
                present -= found.deleted as u32;
            }
            kind => {
                let change = [Change::Delete, Change::Insert][kind as usize - 2];
                let count = 1 + random.below(graph.largest) as usize;
                what += &format!("{change:?} {count}");
                let mut edges = edges(graph.kind, &mut random, vertices, count);
                if change == Change::Delete && random.one_in(2) {
                    edges.weights = None;
                }
                let found = store.update(&edges, change).expect(&what);
                checker.batch(&edges, change, &found.counts).expect(&what);
            }
        }
        checker.store(&store).expect(&what);
        assert_eq!(store.present(), present, "{what}");
        assert_payload(&store, &what);
        let vertices = store.shape().vertices;
        let mut vertex = || random.below(vertices.into()) as u32;
        let options = PathOptions {
            target: Some(vertex()),
            parents: true,
            ..PathOptions::from(vertex())
        };
        let reference = checker.reference();
        let found = store.shortest_paths(&options).expect(&what);
        reference.paths(&found, &options).expect(&what);
        // At times after several changes.
        if !random.one_in(3) {
            tree.advance(&store).expect(&what);
            let distances = tree.distances(&store).expect(&what);
            reference.distances_from(source, &distances).expect(&what);
        }
    }
    let all: Vec<u32> = (0..store.shape().vertices).collect();
    let deletion = store.delete_vertices(&all).expect("no memory is needed");
    checker
        .delete_vertices(&all, deletion.deleted)
        .expect("those that were left");
    checker.store(&store).expect("an empty graph");
    let memory = store.memory_use().expect("measured");
    assert_eq!(memory.allocated_bytes, 0, "{spec}, seed {}", graph.seed);
    store.check_heap().expect("a heap in order");
}

/// The graph before all changes, in a store and as a model.
fn load<'b>(
    graph: &Weighted,
    backend: &'b dyn Backend,
    spec: &Spec,
    random: &mut Random,
) -> (Store<'b>, Checker) {
    let count = 3 * graph.vertices as usize;
    let mut start = edges(graph.kind, random, graph.vertices, count);
    for end in start.ends.as_flattened_mut() {
        *end %= graph.vertices;
    }
    let list = EdgeList {
        vertices: graph.vertices,
        edges: start.ends,
        weights: start.weights.map(|words| Weights {
            kind: graph.kind,
            words,
        }),
        directed: graph.form.directed,
    };
    let csr_options = CsrOptions {
        keep_self_loops: graph.form.loops,
        direction: Direction::AsRead,
        parallel: graph.parallel,
    };
    let checker = Checker::new(&list, csr_options, Ids::from(0));
    let (rows, _) = Csr::build(list, csr_options);
    let columns = rows.directed.then(|| rows.transposed());
    let options = Options {
        spec: spec.clone(),
        pool: Pool::Bytes(graph.pool),
        layout: graph.form.layout,
        self_loops: graph.form.loops,
        parallel: graph.parallel,
        ..Options::default()
    };
    let store = Store::new(backend, options, &rows, columns.as_ref()).expect("a pool");
    (store, checker)
}

/// Weighted edges: often of hubs, and some of their ends do not exist.
fn edges(kind: WeightKind, random: &mut Random, vertices: u32, count: usize) -> EdgeBatch {
    let sources = random.choose(&[u64::from(vertices), 8, 2]);
    let mut end = |limit| random.below(limit) as u32;
    let ends = (0..count).map(|_| [end(sources), end(u64::from(vertices) + 1)]);
    let ends = ends.collect();
    // Few weights, so that many paths are equally long.
    let mut weight = || match kind {
        WeightKind::Integer => random.choose(&[0, 1, 2, 100, u32::MAX]),
        WeightKind::Real => random.choose(&[0.0_f32, 0.1, 0.3, 1e-40, 1e30]).to_bits(),
    };
    EdgeBatch {
        ends,
        weights: Some((0..count).map(|_| weight()).collect()),
    }
}

/// Vertices to delete: some of them hubs, absent or repeated, and at times the source of a tree.
fn deletion(random: &mut Random, vertices: u32, source: u32) -> Vec<u32> {
    let count = random.choose(&[1, 5, 1 + vertices / 8]);
    let mut vertex = || match random.below(8) {
        0 => random.below(8) as u32,
        1 if random.one_in(count.into()) => source,
        _ => random.below(u64::from(vertices) + 3) as u32,
    };
    (0..count).map(|_| vertex()).collect()
}

/// An entry takes as much again for its weight.
fn assert_payload(store: &Store, what: &str) {
    let directions = if store.shape().directed { 2 } else { 1 };
    let entries = store.entries().expect(what);
    let memory = store.memory_use().expect(what);
    assert_eq!(memory.payload_bytes, 8 * directions * entries, "{what}");
}
