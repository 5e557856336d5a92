//! Random batches: edges to insert, stored edges to delete, and vertices to delete.
//!
//! Batches depend on the seed, the number of the draw and the graph alone, so that all backends and
//! allocators get the same ones. The two patterns are those of Winter et al. 2020, section 6.2.2:
//! sources anywhere, or among 1000 vertices.

use std::collections::BTreeSet;
use std::ops::Range;

use ahash::AHashMap;
use heapwood_graphs::{Csr, WeightKind};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Change, Edge, Store};
use crate::backend::BackendError;
use crate::random::SplitMix64;

/// Vertices that the edges of a batch under pressure start from.
const PRESSED: u32 = 1000;

/// Where the sources of random edges are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
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

/// The parameters of random edges for insertions and deletions.
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

    /// The weights of so many edges to insert.
    pub fn weights(&self, count: usize, range: &WeightRange) -> Vec<u32> {
        let mut random = Random::new(self, Purpose::Weights);
        (0..count).map(|_| range.at(random.0.word())).collect()
    }

    /// So many different edges of a graph, or all if there are no more: those
    /// that touch the sources of this draw. An undirected edge is drawn once.
    ///
    /// The edges are numbered, source by source and in the order of targets, and numbers are
    /// drawn. So the work is that of the draw and of the sources, whatever edges there are.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn deletions(&self, count: usize, graph: &Store) -> Result<Vec<Edge>, BackendError> {
        let sources = self.sources(graph.shape().vertices);
        let counts = graph.count_edges_of(sources.clone())?;
        let all: u64 = counts.iter().copied().map(u64::from).sum();
        let mut random = Random::new(self, Purpose::Change(Change::Delete));
        // A store numbers its entries by 32 bits.
        let numbers = random.numbers(all as u32, count);
        // In ascending order one pass over the counts finds all of them, where a search for
        // each would miss the cache at every step.
        let mut ascending: Vec<(u32, usize)> = numbers.into_iter().zip(0..).collect();
        ascending.sort_unstable();
        let mut picks = vec![(0, 0); ascending.len()];
        let mut ascending = ascending.into_iter().peekable();
        let mut first = 0;
        for (source, edges) in sources.clone().zip(counts) {
            let end = first + u64::from(edges);
            let is_here = |&(number, _): &(u32, usize)| u64::from(number) < end;
            while let Some((number, place)) = ascending.next_if(is_here) {
                picks[place] = (source, (u64::from(number) - first) as u32);
            }
            first = end;
        }
        graph.numbered_edges(sources.start, &picks)
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

/// The weights that random edges have: each between two, which are among them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WeightRange {
    /// Integers.
    Integer(u32, u32),
    /// Real numbers, not negative and finite.
    Real(f32, f32),
}

impl WeightRange {
    /// The range of the weights of a graph, or 1 if it has no edges; none if it has no weights.
    pub fn of(rows: &Csr) -> Option<Self> {
        let weights = rows.weights.as_ref()?;
        // The bits of real weights order as the weights do.
        let least = weights.words.par_iter().min().copied();
        let greatest = weights.words.par_iter().max().copied();
        let bounds = least.zip(greatest);
        Some(match weights.kind {
            WeightKind::Integer => {
                let (least, greatest) = bounds.unwrap_or((1, 1));
                Self::Integer(least, greatest)
            }
            WeightKind::Real => {
                let real = |(least, greatest)| (f32::from_bits(least), f32::from_bits(greatest));
                let (least, greatest) = bounds.map_or((1.0, 1.0), real);
                Self::Real(least, greatest)
            }
        })
    }

    /// The weight, as a word, that a random word stands for.
    fn at(&self, random: u64) -> u32 {
        match *self {
            Self::Integer(least, greatest) => {
                let width = u64::from(greatest - least) + 1;
                least + (((random >> 32) * width) >> 32) as u32
            }
            Self::Real(least, greatest) => {
                let fraction = (random >> 40) as f32 / (1 << 24) as f32;
                let weight = least + (greatest - least) * fraction;
                weight.clamp(least, greatest).to_bits()
            }
        }
    }
}

/// The purpose of random numbers; each purpose has a sequence of its own.
#[derive(Clone, Copy)]
enum Purpose {
    Sources,
    Change(Change),
    Vertices,
    Weights,
}

/// The random numbers of a purpose.
struct Random(SplitMix64);

impl Random {
    fn new(draw: &Draw, purpose: Purpose) -> Self {
        let purpose = match purpose {
            Purpose::Sources => 0,
            Purpose::Change(Change::Insert) => 1,
            Purpose::Change(Change::Delete) => 2,
            Purpose::Vertices => 3,
            // No draw has this number: as many would take for ever.
            Purpose::Weights => 1 << 63,
        };
        // Sequences start at places that have nothing to do with each other.
        let seeded = SplitMix64::new(draw.seed).word();
        let place = draw.number << 2 | purpose;
        let state = SplitMix64::new(seeded ^ place).word();
        Self(SplitMix64::new(state))
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

    /// So many different numbers below `end`, or all if there are no more: as [`Random::pick`]
    /// would leave them of all, without having them all if few are drawn.
    fn numbers(&mut self, end: u32, count: usize) -> Vec<u32> {
        let count = count.min(end as usize) as u32;
        if count > end / 8 {
            let mut all = (0..end).collect();
            self.pick(&mut all, count as usize);
            return all;
        }
        // The numbers at the positions that swaps have changed.
        let mut moved = AHashMap::new();
        let mut draw = |place| {
            let here = moved.remove(&place).unwrap_or(place);
            match place + self.below(end - place) {
                other if other == place => here,
                other => moved.insert(other, here).unwrap_or(other),
            }
        };
        (0..count).map(&mut draw).collect()
    }

    /// A number below `count`, which is not 0.
    fn below(&mut self, count: u32) -> u32 {
        (((self.0.word() >> 32) * u64::from(count)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(seed: u64, number: u64, pattern: Pattern) -> Draw {
        Draw {
            seed,
            number,
            pattern,
        }
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
    fn numbers_are_those_that_a_shuffle_leaves() {
        for (seed, end) in [(1, 0), (2, 1), (3, 9), (4, 1000), (5, 70_000)] {
            let random = || Random(SplitMix64::new(seed));
            let mut all: Vec<u32> = (0..end).collect();
            random().pick(&mut all, usize::MAX);
            // Few and many, which are drawn in different ways.
            for count in [0, 1, end / 50, end / 8, end / 8 + 1, end / 2, end, u32::MAX] {
                let numbers = random().numbers(end, count as usize);
                assert_eq!(numbers, all[..count.min(end) as usize], "{count} of {end}");
            }
        }
    }
}
