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

/// The distances from vertex 0.
fn tree(store: &Store, rounds: u32) -> PathTree {
    let (tree, _) = PathTree::start(store, &PathOptions::from(0)).unwrap();
    tree.with_rounds(rounds)
}

/// Sets the weights of edges, and brings the distances up to date; returns how many were raised.
fn set(tree: &mut PathTree, store: &mut Store, ends: &[[u32; 2]], weights: &[u32]) -> u64 {
    let edges = EdgeBatch {
        ends: ends.to_vec(),
        weights: Some(weights.to_vec()),
    };
    store.update(&edges, Change::Insert).unwrap();
    tree.advance(store).unwrap().state.raised
}

#[test]
fn only_what_hangs_on_a_lost_edge_is_raised() {
    let cpu = Cpu::with_threads(2).unwrap();
    for (kind, layout, rounds) in [
        (WeightKind::Integer, Layout::Contiguous, 0),
        (WeightKind::Integer, Layout::Contiguous, 1),
        (WeightKind::Integer, Layout::Linked, 9),
        (WeightKind::Real, Layout::Contiguous, 9),
    ] {
        let mut store = store(&cpu, kind, layout);
        let mut tree = tree(&store, rounds);
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
    for rounds in [0, 1, 9] {
        change_weights_and_vertices(rounds);
    }
}

fn change_weights_and_vertices(rounds: u32) {
    let cpu = Cpu::with_threads(2).unwrap();
    let mut store = store(&cpu, WeightKind::Integer, Layout::Contiguous);
    let mut tree = tree(&store, rounds);
    let mut insert = |store: &mut Store, edge, weight| set(&mut tree, store, &[edge], &[weight]);
    // A lesser weight raises nothing but vertex 7; a greater one what hangs on the edge.
    assert_eq!(insert(&mut store, [2, 3], 0), 1);
    assert_eq!(insert(&mut store, [3, 4], 9), 4);
    assert_eq!(insert(&mut store, [0, 4], 2), 2);
    assert_eq!(words(&tree, &store), [0, 1, 2, 2, 2, 3, 3, 3, NONE]);
    store.insert_vertices(20).unwrap();
    let mut insert = |store: &mut Store, edge, weight| {
        set(&mut tree, store, &[edge], &[weight]);
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

#[test]
fn changes_that_no_word_holds_are_found_anew() {
    let cpu = Cpu::with_threads(2).unwrap();
    let half = 1 << 31;
    for rounds in [0, 9] {
        let mut store = store(&cpu, WeightKind::Integer, Layout::Contiguous);
        let mut tree = tree(&store, rounds);
        let mut set = |ends: &[[u32; 2]], weights: &[u32]| {
            let raised = set(&mut tree, &mut store, ends, weights);
            (raised, words(&tree, &store))
        };
        // The change of one edge, which the vertices 6 and 4 hang on.
        let (raised, found) = set(&[[0, 1]], &[u32::MAX]);
        assert_eq!(raised, 6);
        assert_eq!(found, [0, 9, 8, 7, 6, 7, 3, 7, NONE]);
        // The sum of two on one path, where a word holds each.
        let (raised, found) = set(&[[0, 6], [4, 6]], &[half, half]);
        assert_eq!(raised, 7);
        let far = 2 * u64::from(half);
        let other = u64::from(u32::MAX) + 3;
        assert_eq!(found[4], far.min(other));
        assert_eq!(found[6], u64::from(half));
        // And back, which is as much less.
        let (_, found) = set(&[[0, 1], [0, 6], [4, 6]], &[1, 3, 3]);
        assert_eq!(found, [0, 1, 2, 3, 4, 5, 3, 5, NONE]);
    }
}

/// The edges of a grid, each with a weight by its number.
fn grid(side: u32, weight: impl Fn(u32) -> u32) -> EdgeList {
    let at = |x, y| y * side + x;
    let cells = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    let edges = cells.flat_map(|(x, y)| {
        let right = (x + 1 < side).then(|| [at(x, y), at(x + 1, y)]);
        let below = (y + 1 < side).then(|| [at(x, y), at(x, y + 1)]);
        [right, below].into_iter().flatten()
    });
    let edges: Vec<_> = edges.collect();
    EdgeList {
        vertices: side * side,
        weights: Some(Weights {
            kind: WeightKind::Integer,
            words: (0..edges.len() as u32).map(weight).collect(),
        }),
        edges,
        directed: false,
    }
}

#[test]
fn rounds_find_the_distances_of_a_search() {
    let cpu = Cpu::with_threads(2).unwrap();
    // A draw by number, as good as any.
    let drawn = |number: u32| number.wrapping_mul(0x9e37_79b9) >> 22;
    let list = grid(48, |number| 500 + drawn(number));
    let all = list.edges.clone();
    let (rows, _) = Csr::build(list, CsrOptions::default());
    for rounds in [0, 2, 16] {
        let options = Options {
            spec: Spec::parse("cfmmalloc").unwrap(),
            ..Options::default()
        };
        let mut store = Store::new(&cpu, options, &rows, None).unwrap();
        let mut tree = tree(&store, rounds);
        for batch in 0..24_u32 {
            let changed = (0..10).map(|i| all[(drawn(10 * batch + i) * 4) as usize % all.len()]);
            let changed: Vec<_> = changed.collect();
            if batch % 4 == 3 {
                store.update(&changed, Change::Delete).unwrap();
            } else {
                let weights = (0..10).map(|i| 1 + 3 * drawn(batch * i));
                let edges = EdgeBatch {
                    ends: changed,
                    weights: Some(weights.collect()),
                };
                store.update(&edges, Change::Insert).unwrap();
            }
            tree.advance(&store).unwrap();
            let anew = store.shortest_paths(&PathOptions::from(0)).unwrap();
            assert_eq!(tree.distances(&store).unwrap(), anew.distances);
        }
    }
}
