use heapwood_graphs::{Csr, CsrOptions, EdgeList, Weights};

use super::*;
use crate::allocators::Spec;
use crate::backend::Cpu;
use crate::graph::{Change, EdgeBatch, Layout, NO_PARENT, Options};

/// A road along the vertices 0 to 5, a longer one from 0 by 6 to 4, and an edge of no length from 5 to 7.
fn store(cpu: &Cpu, kind: WeightKind, layout: Layout) -> Store<'_> {
    let lengths = [1, 1, 1, 1, 1, 3, 3, 0];
    let word = |length: u32| match kind {
        WeightKind::Integer => length,
        WeightKind::Real => (length as f32).to_bits(),
    };
    let list = EdgeList {
        vertices: 9,
        edges: vec![
            [0, 1],
            [1, 2],
            [2, 3],
            [3, 4],
            [4, 5],
            [0, 6],
            [6, 4],
            [5, 7],
        ],
        weights: Some(Weights {
            kind,
            words: lengths.map(word).to_vec(),
        }),
        directed: false,
    };
    let (rows, _) = Csr::build(list, CsrOptions::default());
    let options = Options {
        spec: Spec::parse("cfmmalloc").unwrap(),
        layout,
        ..Options::default()
    };
    Store::new(cpu, options, &rows, None).unwrap()
}

fn words(tree: &PathTree, store: &Store) -> Vec<u64> {
    match tree.distances(store).unwrap() {
        Distances::Integer(words) => words,
        Distances::Real(lengths) => lengths.iter().map(|&length| length as u64).collect(),
    }
}

const NONE: u64 = u64::MAX;

#[test]
fn only_what_hangs_on_a_lost_edge_is_raised() {
    let cpu = Cpu::with_threads(2).unwrap();
    for (kind, layout) in [
        (WeightKind::Integer, Layout::Contiguous),
        (WeightKind::Integer, Layout::Linked),
        (WeightKind::Real, Layout::Contiguous),
    ] {
        let mut store = store(&cpu, kind, layout);
        let (mut tree, _) = PathTree::start(&store, &PathOptions::from(0)).unwrap();
        assert_eq!(words(&tree, &store), [0, 1, 2, 3, 4, 5, 3, 5, NONE]);
        let none = NO_PARENT;
        let parents = [none, 0, 1, 2, 3, 4, 0, none, none];
        assert_eq!(tree.parents().unwrap(), parents);
        // Vertex 7 has no parent, since its distance is that of 5.
        let advance = tree.advance(&store).unwrap();
        assert_eq!(advance.state.raised, 1);
        assert_eq!(tree.parents().unwrap(), parents);
        // The edge of 6 and 4 is of no tree, and that of 1 and 2 has the vertices 2 to 5 and 7.
        store.update(&[[4, 6]], Change::Delete).unwrap();
        assert_eq!(tree.advance(&store).unwrap().state.raised, 1);
        store.update(&[[1, 2]], Change::Delete).unwrap();
        assert_eq!(tree.advance(&store).unwrap().state.raised, 5);
        assert_eq!(
            words(&tree, &store)[1..8],
            [1, NONE, NONE, NONE, NONE, 3, NONE]
        );
        assert_eq!(tree.advance(&store).unwrap().state.raised, 0);
    }
}

#[test]
fn weights_and_vertices_may_change() {
    let cpu = Cpu::with_threads(2).unwrap();
    let mut store = store(&cpu, WeightKind::Integer, Layout::Contiguous);
    let (mut tree, _) = PathTree::start(&store, &PathOptions::from(0)).unwrap();
    let mut insert = |store: &mut Store, edge, weight| {
        let edges = EdgeBatch {
            ends: vec![edge],
            weights: Some(vec![weight]),
        };
        store.update(&edges, Change::Insert).unwrap();
        tree.advance(store).unwrap().state.raised
    };
    // A lesser weight raises nothing but vertex 7; a greater one what hangs on the edge.
    assert_eq!(insert(&mut store, [2, 3], 0), 1);
    assert_eq!(insert(&mut store, [3, 4], 9), 4);
    assert_eq!(insert(&mut store, [0, 4], 2), 2);
    assert_eq!(words(&tree, &store), [0, 1, 2, 2, 2, 3, 3, 3, NONE]);
    store.insert_vertices(20).unwrap();
    let mut insert = |store: &mut Store, edge, weight| {
        let edges = EdgeBatch {
            ends: vec![edge],
            weights: Some(vec![weight]),
        };
        store.update(&edges, Change::Insert).unwrap();
        tree.advance(store).unwrap();
        words(&tree, store)
    };
    assert_eq!(insert(&mut store, [28, 5], 4)[27..], [NONE, 7]);
    store.delete_vertices(&[4]).unwrap();
    let found = insert(&mut store, [28, 3], 1);
    assert_eq!(found[..9], [0, 1, 2, 2, NONE, 7, 3, 7, NONE]);
    assert_eq!(found[27..], [NONE, 3]);
    // Without its source, a graph has no paths.
    store.delete_vertices(&[0]).unwrap();
    tree.advance(&store).unwrap();
    assert_eq!(words(&tree, &store), [NONE; 29]);
}
