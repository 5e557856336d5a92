//! Random batches: edges to insert, stored edges to delete, and vertices to delete.
//!
//! What is drawn depends on the seed, the number of the draw and the graph alone, so that all
//! backends and allocators get the same batches. The two patterns are those of
//! Winter et al. 2020, section 6.2.2: sources anywhere, or among 1000 vertices.

use std::collections::BTreeSet;
use std::ops::Range;

use heapwood_graphs::Csr;

use super::{Change, Edge};

/// Vertices that the edges of a batch under pressure start from.
const PRESSED: u32 = 1000;

/// Where the sources of random edges are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Pattern {
    /// Anywhere
    #[default]
    Uniform,
    /// Within 1000 consecutive vertices, others in every draw
    Pressure,
}

impl Pattern {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Pressure => "pressure",
        }
    }
}

/// What the edges of an insertion or a deletion are drawn from.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// The seed of all draws.
    pub seed: u64,
    /// Number of the draw.
    pub number: u64,
    /// Where sources are; an insertion and a deletion of the same number have the
    /// same.
    pub pattern: Pattern,
}

impl Draw {
    /// So many edges between vertices below `vertices`; loops and edges that the
    /// graph has may be among them. None if there are no vertices.
    pub fn insertions(&self, count: usize, vertices: u32) -> Vec<Edge> {
        if vertices == 0 {
            return Vec::new();
        }
        let sources = self.sources(vertices);
        let mut random = Random::new(self, Purpose::Change(Change::Insert));
        let width = sources.end - sources.start;
        (0..count)
            .map(|_| [sources.start + random.below(width), random.below(vertices)])
            .collect()
    }

    /// So many different edges of a graph, or all if there are no more: those
    /// that touch the sources of this draw. An undirected edge is drawn once.
    pub fn deletions(&self, count: usize, rows: &Csr) -> Vec<Edge> {
        let sources = self.sources(rows.vertices());
        // Of an undirected edge between two sources, the lesser has it.
        let repeated = |u: u32| {
            let lesser = |v: u32| row_rank(rows, u, v);
            if rows.directed {
                0..0
            } else {
                lesser(sources.start)..lesser(u)
            }
        };
        let candidates = sources.clone().flat_map(|u| {
            let repeated = repeated(u);
            let row = rows.row(u).iter().enumerate();
            row.filter(move |(place, _)| !repeated.contains(place))
                .map(move |(_, &v)| [u, v])
        });
        let mut edges: Vec<Edge> = candidates.collect();
        Random::new(self, Purpose::Change(Change::Delete)).pick(&mut edges, count);
        edges
    }

    /// So many different vertices among those below `vertices` that were not deleted, or all
    /// of these if there are no more; wherever sources are.
    pub fn vertices(&self, count: usize, vertices: u32, deleted: &BTreeSet<u32>) -> Vec<u32> {
        let mut live: Vec<u32> = (0..vertices).filter(|v| !deleted.contains(v)).collect();
        Random::new(self, Purpose::Vertices).pick(&mut live, count);
        live
    }

    fn sources(&self, vertices: u32) -> Range<u32> {
        match self.pattern {
            Pattern::Uniform => 0..vertices,
            Pattern::Pressure => {
                let width = vertices.min(PRESSED);
                let mut random = Random::new(self, Purpose::Sources);
                let start = random.below(vertices - width + 1);
                start..start + width
            }
        }
    }
}

/// How many neighbours of `u` are below `v`.
fn row_rank(rows: &Csr, u: u32, v: u32) -> usize {
    rows.row(u).partition_point(|&neighbour| neighbour < v)
}

/// What random numbers are for; each purpose has a sequence of its own.
#[derive(Clone, Copy)]
enum Purpose {
    Sources,
    Change(Change),
    Vertices,
}

/// Sebastiano Vigna's SplitMix64.
struct Random {
    state: u64,
}

impl Random {
    fn new(draw: &Draw, purpose: Purpose) -> Self {
        let purpose = match purpose {
            Purpose::Sources => 0,
            Purpose::Change(Change::Insert) => 1,
            Purpose::Change(Change::Delete) => 2,
            Purpose::Vertices => 3,
        };
        // Sequences start at places that have nothing to do with each other.
        let seeded = Self { state: draw.seed }.word();
        let place = draw.number << 2 | purpose;
        let state = Self {
            state: seeded ^ place,
        }
        .word();
        Self { state }
    }

    fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = self.state;
        let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// Leaves so many of some things, or all if there are no more: the first steps of a
    /// shuffle.
    fn pick<T>(&mut self, things: &mut Vec<T>, count: usize) {
        let count = count.min(things.len());
        for place in 0..count {
            let left = (things.len() - place) as u32;
            things.swap(place, place + self.below(left) as usize);
        }
        things.truncate(count);
    }

    /// A number below `count`, which is not 0.
    fn below(&mut self, count: u32) -> u32 {
        (((self.word() >> 32) * u64::from(count)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapwood_graphs::{CsrOptions, EdgeList};

    fn draw(seed: u64, number: u64, pattern: Pattern) -> Draw {
        Draw {
            seed,
            number,
            pattern,
        }
    }

    fn graph(vertices: u32, directed: bool) -> Csr {
        let edges = draw(9, 0, Pattern::Uniform).insertions(6 * vertices as usize, vertices);
        let list = EdgeList {
            vertices,
            edges,
            directed,
        };
        let options = CsrOptions {
            keep_self_loops: true,
            ..CsrOptions::default()
        };
        Csr::build(list, options).0
    }

    #[test]
    fn insertions_depend_on_seed_and_number() {
        let edges = |seed, number| draw(seed, number, Pattern::Uniform).insertions(100, 50);
        assert_eq!(edges(1, 1), edges(1, 1));
        assert_ne!(edges(1, 1), edges(2, 1));
        assert_ne!(edges(1, 1), edges(1, 2));
        assert!(edges(1, 1).iter().flatten().all(|&end| end < 50));
        assert!(draw(1, 1, Pattern::Uniform).insertions(5, 0).is_empty());
    }

    #[test]
    fn pressure_keeps_sources_together() {
        let draw = draw(3, 1, Pattern::Pressure);
        let edges = draw.insertions(20_000, 100_000);
        let sources = || edges.iter().map(|&[source, _]| source);
        let (least, most) = (sources().min().unwrap(), sources().max().unwrap());
        assert!(most - least < PRESSED && most - least > PRESSED / 2);
        let targets: BTreeSet<u32> = edges.iter().map(|&[_, target]| target / 1000).collect();
        assert_eq!(targets.len(), 100);
        let rows = graph(100_000, false);
        let deleted = draw.deletions(usize::MAX, &rows);
        for &[source, _] in &deleted {
            assert!(draw.sources(100_000).contains(&source));
        }
        // Those between two sources stand in two rows.
        let sources = draw.sources(100_000);
        let touching: u64 = sources.clone().map(|u| rows.degree(u)).sum();
        let inner = |u: u32| {
            let row = rows.row(u).iter();
            row.filter(|&&v| v > u && sources.contains(&v)).count() as u64
        };
        let inner: u64 = sources.clone().map(inner).sum();
        assert_eq!(deleted.len() as u64, touching - inner);
    }

    #[test]
    fn vertices_are_drawn_from_those_that_are_there() {
        let deleted = BTreeSet::from([0, 7, 99]);
        let vertices =
            |number, count| draw(2, number, Pattern::Uniform).vertices(count, 100, &deleted);
        let some = vertices(1, 40);
        assert_eq!(some, vertices(1, 40));
        assert_ne!(some, vertices(2, 40));
        let different = BTreeSet::from_iter(some);
        assert_eq!(different.len(), 40);
        assert!(different.is_disjoint(&deleted) && different.iter().all(|&v| v < 100));
        assert_eq!(BTreeSet::from_iter(vertices(1, 1000)).len(), 97);
        assert!(
            draw(1, 1, Pattern::Pressure)
                .vertices(5, 0, &deleted)
                .is_empty()
        );
    }

    #[test]
    fn deletions_are_different_edges_of_the_graph() {
        for directed in [false, true] {
            let rows = graph(300, directed);
            let all = rows.to_edges().edges.len();
            let draw = draw(5, 2, Pattern::Uniform);
            let some = draw.deletions(all / 3, &rows);
            assert_eq!(some.len(), all / 3);
            for edges in [some, draw.deletions(2 * all, &rows)] {
                let different: BTreeSet<Edge> = edges.iter().copied().collect();
                assert_eq!(different.len(), edges.len());
                for [u, v] in edges {
                    assert!(rows.row(u).binary_search(&v).is_ok());
                    assert!(directed || !different.contains(&[v, u]) || u == v);
                }
            }
            assert_eq!(draw.deletions(2 * all, &rows).len(), all);
        }
        assert!(
            draw(1, 1, Pattern::Pressure)
                .deletions(9, &graph(0, false))
                .is_empty()
        );
    }
}
