use heapwood_graphs::{CsrOptions, EdgeList, Ids, Weights};

use super::*;
use crate::allocators::Spec;
use crate::backend::Cpu;
use crate::graph::verify::Checker;
use crate::graph::{Layout, Options, PathOptions};

/// A xorshift generator (Marsaglia 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32 % bound
    }
}

fn csr(list: EdgeList) -> Csr {
    Csr::build(list, CsrOptions::default()).0
}

/// A random graph, in which half of all weights are 0.
fn random(random: &mut Random, kind: WeightKind, directed: bool) -> EdgeList {
    let vertices = 2 + random.below(60);
    let count = random.below(4 * vertices);
    let weight = |random: &mut Random| match (random.below(2), kind) {
        (0, _) => 0,
        (_, WeightKind::Integer) => random.below(4),
        // The small ones vanish beside the sums of the large ones.
        (_, WeightKind::Real) => [1e-9_f32, 0.1, 3.0][random.below(3) as usize].to_bits(),
    };
    let edge = |random: &mut Random| [random.below(vertices), random.below(vertices)];
    EdgeList {
        vertices,
        edges: (0..count).map(|_| edge(random)).collect(),
        weights: Some(Weights {
            kind,
            words: (0..count).map(|_| weight(random)).collect(),
        }),
        directed,
    }
}

fn options() -> Options {
    Options {
        spec: Spec::parse("cfmmalloc").unwrap(),
        ..Options::default()
    }
}

#[test]
fn parents_lead_to_the_source_and_sum_to_the_distance() {
    let cpu = Cpu::with_threads(1).unwrap();
    let mut numbers = Random(7);
    for case in 0..60 {
        let kind = [WeightKind::Integer, WeightKind::Real][case % 2];
        let layout = [Layout::Contiguous, Layout::Linked][case / 2 % 2];
        let list = random(&mut numbers, kind, case % 3 == 0);
        let reference = Checker::new(&list, CsrOptions::default(), Ids::from(0)).reference();
        let rows = csr(list);
        let columns = rows.transposed();
        let options = Options {
            layout,
            ..options()
        };
        let columns = rows.directed.then_some(&columns);
        let store = Store::new(&cpu, options, &rows, columns).unwrap();
        let source = numbers.below(rows.vertices());
        let options = PathOptions {
            parents: true,
            ..PathOptions::from(source)
        };
        let found = store.shortest_paths(&options).unwrap();
        reference.paths(&found, &options).unwrap();
        let parents = found.parents.unwrap();
        for v in 0..rows.vertices() {
            let mut way = vec![v];
            while way.last() != Some(&source) && parents[v as usize] != NO_PARENT {
                way.push(parents[*way.last().unwrap() as usize]);
                assert!(way.len() <= parents.len(), "a cycle from {v}");
            }
            way.reverse();
            let is_reached = found.distances.word(v) != PathSpace::UNREACHED;
            assert_eq!(way[0] == source, is_reached, "vertex {v}");
            let length = way.windows(2).fold(0, |length, pair| {
                let mut row = weighted_row(&rows, pair[0]);
                let (_, weight) = row.find(|&(to, _)| to == pair[1]).expect("an edge");
                sum(length, weight, kind)
            });
            if is_reached {
                assert_eq!(length, found.distances.word(v), "vertex {v}");
            }
        }
    }
}

/// The parents in a directed graph of integers, from vertex 0.
fn parents_of(vertices: u32, edges: &[([u32; 2], u32)]) -> Vec<u32> {
    let (edges, words) = edges.iter().copied().unzip();
    let rows = csr(EdgeList {
        vertices,
        edges,
        weights: Some(Weights {
            kind: WeightKind::Integer,
            words,
        }),
        directed: true,
    });
    let words = super::super::reference::distances(&rows, 0);
    parents(&rows.transposed(), &words, (0, WeightKind::Integer))
}

#[test]
fn the_least_id_counts_among_those_before() {
    // Both ways to 3 have length 2.
    let edges = [([0, 2], 1), ([0, 1], 1), ([2, 3], 1), ([1, 3], 1)];
    assert_eq!(parents_of(5, &edges), [0, 0, 0, 1, NO_PARENT]);
    // Vertices 1 and 2 form a cycle without length; 1 is of lesser id, but behind 3.
    let edges = [([0, 3], 5), ([3, 2], 0), ([2, 1], 0), ([1, 2], 0)];
    assert_eq!(parents_of(4, &edges), [0, 2, 3, 0]);
    // The source is in a cycle; of 1 and 3, which are as far, 4 has the lesser.
    let edges = [
        ([0, 3], 0),
        ([0, 1], 0),
        ([3, 4], 0),
        ([1, 4], 0),
        ([4, 0], 0),
        ([4, 2], 0),
    ];
    assert_eq!(parents_of(5, &edges), [0, 0, 4, 0, 1]);
}

#[test]
fn wrong_parents_are_found() {
    let list = EdgeList {
        vertices: 4,
        edges: vec![[0, 1], [1, 2]],
        weights: Some(Weights {
            kind: WeightKind::Integer,
            words: vec![1, 0],
        }),
        directed: false,
    };
    let reference = Checker::new(&list, CsrOptions::default(), Ids::from(0)).reference();
    let distances = reference.distances(0);
    reference
        .parents(&[0, 0, 1, NO_PARENT], &distances, 0)
        .unwrap();
    for (wrong, message) in [
        ([0, 2, 1, NO_PARENT], "form a cycle"),
        ([0, 0, 0, NO_PARENT], "vertex 2 is on no shortest path"),
        ([0, 0, 1, 0], "vertex 3 is on no shortest path"),
        ([1, 0, 1, NO_PARENT], "vertex 0 is on no shortest path"),
    ] {
        let difference = reference.parents(&wrong, &distances, 0).unwrap_err();
        assert!(difference.to_string().contains(message), "{difference}");
    }
}
