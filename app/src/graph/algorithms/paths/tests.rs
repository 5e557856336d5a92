use heapwood_graphs::{Csr, CsrOptions, EdgeList, Ids, Weights};

use super::*;
use crate::allocators::Spec;
use crate::backend::Cpu;
use crate::graph::verify::Checker;
use crate::graph::{Change, EdgeBatch, Options};

/// Two ways from 0 to 3, the one with more edges being shorter, and a vertex alone.
fn list(kind: WeightKind, words: [u32; 5]) -> EdgeList {
    EdgeList {
        vertices: 5,
        edges: vec![[0, 3], [0, 1], [1, 2], [2, 3], [3, 3]],
        weights: Some(Weights {
            kind,
            words: words.to_vec(),
        }),
        directed: false,
    }
}

fn store(cpu: &Cpu, list: EdgeList) -> Store<'_> {
    let (rows, _) = Csr::build(list, CsrOptions::default());
    let options = Options {
        spec: Spec::parse("cfmmalloc").unwrap(),
        ..Options::default()
    };
    Store::new(cpu, options, &rows, None).unwrap()
}

fn to(target: u32) -> PathOptions {
    PathOptions {
        target: Some(target),
        ..PathOptions::from(0)
    }
}

#[test]
fn a_path_of_more_edges_may_be_shorter() {
    let cpu = Cpu::with_threads(1).unwrap();
    let mut store = store(&cpu, list(WeightKind::Integer, [10, 2, 3, 4, 1]));
    let found = store.shortest_paths(&to(3)).unwrap();
    let expected = Distances::Integer(vec![0, 2, 5, 9, u64::MAX]);
    assert_eq!(found.distances, expected);
    let way = found.way.unwrap();
    assert_eq!((way.vertices, way.distance), (vec![0, 1, 2, 3], Some(9.0)));
    // The other way gets a lesser weight.
    let edges = EdgeBatch {
        ends: vec![[3, 0]],
        weights: Some(vec![8]),
    };
    let update = store.update(&edges, Change::Insert).unwrap();
    assert_eq!((update.counts.reweighted, update.counts.applied), (1, 0));
    let way = store.shortest_paths(&to(3)).unwrap().way.unwrap();
    assert_eq!((way.vertices, way.distance), (vec![0, 3], Some(8.0)));
    let none = store.shortest_paths(&to(4)).unwrap().way.unwrap();
    assert_eq!((none.vertices, none.distance), (Vec::new(), None));
}

#[test]
fn real_sums_are_rounded_at_each_edge() {
    let cpu = Cpu::with_threads(1).unwrap();
    let words = [1.0_f32, 0.1, 0.2, 0.3, 0.0].map(f32::to_bits);
    let found = store(&cpu, list(WeightKind::Real, words))
        .shortest_paths(&to(3))
        .unwrap();
    let third = 0.1_f32 + 0.2;
    let expected = [0.0, 0.1, third, third + 0.3, f32::INFINITY];
    assert_eq!(found.distances, Distances::Real(expected.to_vec()));
    // A sum that is too large is none.
    let words = [f32::MAX; 5].map(f32::to_bits);
    let found = store(&cpu, list(WeightKind::Real, words))
        .shortest_paths(&to(2))
        .unwrap();
    let [none, most] = [f32::INFINITY, f32::MAX];
    assert_eq!(
        found.distances,
        Distances::Real(vec![0.0, most, none, most, none])
    );
    assert_eq!(found.way.unwrap().distance, None);
}

#[test]
fn circles_of_weight_0_have_an_end() {
    let cpu = Cpu::with_threads(1).unwrap();
    let found = store(&cpu, list(WeightKind::Integer, [0; 5]))
        .shortest_paths(&to(2))
        .unwrap();
    assert_eq!(
        found.distances,
        Distances::Integer(vec![0, 0, 0, 0, u64::MAX])
    );
    assert_eq!(found.way.unwrap().vertices, [0, 1, 2]);
}

#[test]
fn wrong_paths_are_found() {
    let list = list(WeightKind::Integer, [10, 2, 3, 4, 1]);
    let reference = Checker::new(&list, CsrOptions::default(), Ids::from(0)).reference();
    let cpu = Cpu::with_threads(1).unwrap();
    let right = store(&cpu, list).shortest_paths(&to(3)).unwrap();
    reference.paths(&right, &to(3)).unwrap();
    let mut wrong = right.clone();
    wrong.distances = Distances::Integer(vec![0, 2, 5, 10, u64::MAX]);
    reference.paths(&wrong, &to(3)).unwrap_err();
    for vertices in [vec![0, 3], vec![0, 2, 3], vec![0, 1, 2], Vec::new()] {
        let mut wrong = right.clone();
        wrong.way.as_mut().unwrap().vertices = vertices;
        reference.paths(&wrong, &to(3)).unwrap_err();
    }
}

#[test]
fn a_graph_without_weights_has_no_shortest_paths() {
    let cpu = Cpu::with_threads(1).unwrap();
    let mut unweighted = list(WeightKind::Integer, [0; 5]);
    unweighted.weights = None;
    let mut store = store(&cpu, unweighted);
    assert_eq!(store.shortest_paths(&to(1)), Err(StoreError::Unweighted));
    let edges = EdgeBatch {
        ends: vec![[0, 2]],
        weights: Some(vec![1]),
    };
    let wanted = StoreError::Weights {
        edges: "a batch",
        graph: None,
    };
    assert_eq!(store.update(&edges, Change::Insert), Err(wanted));
}
