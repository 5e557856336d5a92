//! Compressed sparse rows: the neighbours of each vertex, sorted, each once.
//!
//! Built by counting, prefix sums and scattering with one atomic cursor a row;
//! sorting the rows afterwards makes the result independent of how threads met.
//! Weights are placed when the rows are there.

mod weights;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use crate::rows::{blocks, prefix_sums};
use crate::{EdgeList, WeightKind, Weights, hash};

/// Rows longer than this are sorted by all threads together.
const LONG_ROW: usize = 1 << 17;

/// A graph as compressed sparse rows.
///
/// Row `v` is `targets[offsets[v]..offsets[v + 1]]`: ascending, without
/// duplicates. In an undirected graph `u` is in row `v` whenever `v` is in
/// row `u`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csr {
    /// Where each row starts, and the number of entries at the end.
    pub offsets: Vec<u64>,
    /// The rows, one after the other.
    pub targets: Vec<u32>,
    /// The weights of the entries in their order, if the edges have any. Both directions of an
    /// undirected edge have the same weight.
    pub weights: Option<Weights>,
    /// Whether an entry says nothing about the opposite direction.
    pub directed: bool,
}

/// Which directions of an edge are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Both of an undirected list, one of a directed list.
    #[default]
    AsRead,
    /// As before, but the graph counts as directed: of an undirected list both
    /// directions become edges of their own.
    Directed,
    /// Both, whatever the list.
    Undirected,
}

/// The weight of parallel edges, which become one entry. They have equal ends, in an undirected
/// graph in either direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parallel {
    /// The weight of the last one in the list.
    #[default]
    Last,
    /// The least weight.
    Least,
}

impl Parallel {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Last, Self::Least];

    /// A short name, as used on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Last => "last",
            Self::Least => "least",
        }
    }
}

/// There is no choice of parallel edges of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("choose from {}", Parallel::ALL.map(Parallel::name).join(", "))]
pub struct UnknownParallel;

/// By the short name.
impl FromStr for Parallel {
    type Err = UnknownParallel;

    fn from_str(name: &str) -> Result<Self, UnknownParallel> {
        let found = Self::ALL.into_iter().find(|choice| choice.name() == name);
        found.ok_or(UnknownParallel)
    }
}

impl fmt::Display for Parallel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a list of edges becomes rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CsrOptions {
    /// Store edges from a vertex to itself instead of leaving them out.
    pub keep_self_loops: bool,
    /// Which directions of an edge are stored.
    pub direction: Direction,
    /// The weight of parallel edges.
    pub parallel: Parallel,
}

/// Counts of the edges on their way into the rows.
///
/// `edges_stored` is `edges_symmetrized` less `duplicates` and, unless they were
/// kept, less `self_loops`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CsrStatistics {
    /// Edges in the list.
    pub edges_read: u64,
    /// Entries after both directions of undirected edges were made; a self loop
    /// is one entry.
    pub edges_symmetrized: u64,
    /// Entries in the rows.
    pub edges_stored: u64,
    /// Edges from a vertex to itself.
    pub self_loops: u64,
    /// Entries left out because they were there already.
    pub duplicates: u64,
}

/// How many neighbours the vertices have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Degrees {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
    /// The largest.
    pub max: u64,
}

impl Csr {
    /// Makes rows of a list of edges.
    ///
    /// Takes 4 bytes an entry and 16 a vertex beside the list, and as much again
    /// for the entries if there are duplicates. Weights take 4 bytes an entry, and 8 more while the
    /// last of parallel edges are found.
    ///
    /// # Panics
    /// If an end of an edge is not below the number of vertices, or weights are not one per edge.
    pub fn build(list: EdgeList, options: CsrOptions) -> (Self, CsrStatistics) {
        let EdgeList {
            vertices,
            edges,
            weights,
            directed,
        } = list;
        let both_ways = !directed || options.direction == Direction::Undirected;
        let directed = match options.direction {
            Direction::AsRead => directed,
            Direction::Directed => true,
            Direction::Undirected => false,
        };
        let vertices = vertices as usize;
        let edges_read = edges.len() as u64;
        let loops = edges.par_iter().filter(|[u, v]| u == v).count() as u64;

        let cursors: Vec<AtomicU64> = zeroes(vertices);
        for_each_entry(&edges, both_ways, options.keep_self_loops, |u, _| {
            cursors[u as usize].fetch_add(1, Relaxed);
        });
        let mut offsets: Vec<u64> = cursors.iter().map(|count| count.load(Relaxed)).collect();
        prefix_sums(&mut offsets);
        let entries = offsets[vertices];
        cursors
            .par_iter()
            .zip(&offsets)
            .for_each(|(cursor, &start)| cursor.store(start, Relaxed));
        let targets: Vec<AtomicU32> = zeroes(entries as usize);
        for_each_entry(&edges, both_ways, options.keep_self_loops, |u, v| {
            let place = cursors[u as usize].fetch_add(1, Relaxed);
            targets[place as usize].store(v, Relaxed);
        });
        drop(cursors);
        // Without weights the list is freed here.
        let weighted = weights.map(|weights| (edges, weights));
        let mut targets: Vec<u32> = targets.into_iter().map(AtomicU32::into_inner).collect();

        let duplicates = sort_rows(&mut offsets, &mut targets);
        let statistics = CsrStatistics {
            edges_read,
            edges_symmetrized: entries + if options.keep_self_loops { 0 } else { loops },
            edges_stored: targets.len() as u64,
            self_loops: loops,
            duplicates,
        };
        let mut csr = Self {
            offsets,
            targets,
            weights: None,
            directed,
        };
        if let Some((edges, Weights { kind, words })) = weighted {
            let parallel = (duplicates > 0).then_some(options.parallel);
            let edges = weights::WeightedEdges {
                rows: &csr,
                edges: &edges,
                words: &words,
                both_ways,
            };
            let words = edges.place(parallel);
            csr.weights = Some(Weights { kind, words });
        }
        (csr, statistics)
    }

    /// Number of vertices.
    pub fn vertices(&self) -> u32 {
        (self.offsets.len() - 1) as u32
    }

    /// The neighbours of vertex `v`, ascending.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn row(&self, v: u32) -> &[u32] {
        &self.targets[self.entries(v)]
    }

    /// The words of the weights of vertex `v`'s entries, if there are weights.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn row_weights(&self, v: u32) -> Option<&[u32]> {
        let weights = self.weights.as_ref()?;
        Some(&weights.words[self.entries(v)])
    }

    /// The entries of the row of vertex `v`, by their positions.
    fn entries(&self, v: u32) -> Range<usize> {
        let v = v as usize;
        self.offsets[v] as usize..self.offsets[v + 1] as usize
    }

    /// The rows of the in-neighbours.
    pub fn transposed(&self) -> Self {
        let mut list = self.to_edges();
        for edge in &mut list.edges {
            edge.reverse();
        }
        let options = CsrOptions {
            keep_self_loops: true,
            ..CsrOptions::default()
        };
        Self::build(list, options).0
    }

    /// The kind of the weights, if there are weights.
    pub fn weight_kind(&self) -> Option<WeightKind> {
        self.weights.as_ref().map(|weights| weights.kind)
    }

    /// Number of neighbours of vertex `v`.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn degree(&self, v: u32) -> u64 {
        self.offsets[v as usize + 1] - self.offsets[v as usize]
    }

    /// Statistics of the degrees; all 0 without vertices.
    pub fn degrees(&self) -> Degrees {
        let count = f64::from(self.vertices().max(1));
        let mean = self.targets.len() as f64 / count;
        let degrees = || self.offsets.windows(2).map(|pair| pair[1] - pair[0]);
        let variance = degrees().map(|d| (d as f64 - mean).powi(2)).sum::<f64>() / count;
        Degrees {
            mean,
            deviation: variance.sqrt(),
            max: degrees().max().unwrap_or(0),
        }
    }

    /// The rows as a list of edges; of an undirected graph each edge once, from
    /// its smaller end to its larger.
    pub fn to_edges(&self) -> EdgeList {
        let weights = self.weights.as_ref().map(|weights| Weights {
            kind: weights.kind,
            words: self.of_edges(|_, entry| weights.words[entry]),
        });
        EdgeList {
            vertices: self.vertices(),
            edges: self.of_edges(|u, entry| [u, self.targets[entry]]),
            weights,
            directed: self.directed,
        }
    }

    /// A value of each edge, by its source and its entry there.
    fn of_edges<T: Send>(&self, value: impl Fn(u32, usize) -> T + Sync) -> Vec<T> {
        let value = &value;
        (0..self.vertices())
            .into_par_iter()
            .flat_map_iter(|u| {
                let is_kept = move |&entry: &usize| self.directed || u <= self.targets[entry];
                let entries = self.entries(u).filter(is_kept);
                entries.map(move |entry| value(u, entry))
            })
            .collect()
    }

    /// Identifies vertices and entries, however they came about; whether the
    /// graph counts as directed makes no difference. The words of weights count, not their kind.
    pub fn graph_hash(&self) -> u64 {
        (0..self.vertices())
            .into_par_iter()
            .map(|u| {
                let row = self.row(u).iter();
                match self.row_weights(u) {
                    None => sum(row.map(|&v| hash::of_entry(u, v))),
                    Some(words) => {
                        let entries = row.zip(words);
                        sum(entries.map(|(&v, &word)| hash::of_weighted_entry(u, v, word)))
                    }
                }
            })
            .reduce(|| 0, u64::wrapping_add)
            .wrapping_add(hash::of_vertices(self.vertices()))
    }
}

/// The sum modulo 2^64.
fn sum(parts: impl Iterator<Item = u64>) -> u64 {
    parts.fold(0, u64::wrapping_add)
}

/// Calls `act` with source and target of every entry that the edges make.
fn for_each_entry(
    edges: &[[u32; 2]],
    both_ways: bool,
    keep_self_loops: bool,
    act: impl Fn(u32, u32) + Sync,
) {
    edges.par_iter().for_each(|&[u, v]| {
        if u == v {
            if keep_self_loops {
                act(u, v);
            }
            return;
        }
        act(u, v);
        if both_ways {
            act(v, u);
        }
    });
}

fn zeroes<T: Default + Send>(count: usize) -> Vec<T> {
    (0..count).into_par_iter().map(|_| T::default()).collect()
}

/// Sorts every row and closes the gaps that its duplicates leave; returns how
/// many those were.
fn sort_rows(offsets: &mut Vec<u64>, targets: &mut Vec<u32>) -> u64 {
    let starts = &offsets[..];
    let mut lengths: Vec<u64> = blocks(starts, targets)
        .into_par_iter()
        .flat_map_iter(|block| {
            let mut rest = block.entries;
            block.rows.map(move |row| {
                let length = (starts[row + 1] - starts[row]) as usize;
                let (row, tail) = std::mem::take(&mut rest).split_at_mut(length);
                rest = tail;
                sort_and_deduplicate(row) as u64
            })
        })
        .collect();
    let stored: u64 = lengths.par_iter().sum();
    let duplicates = targets.len() as u64 - stored;
    if duplicates == 0 {
        return 0;
    }
    prefix_sums(&mut lengths);
    let mut packed = vec![0; stored as usize];
    blocks(&lengths, &mut packed)
        .into_par_iter()
        .for_each(|block| {
            let mut rest = block.entries;
            for row in block.rows {
                let length = (lengths[row + 1] - lengths[row]) as usize;
                let (place, tail) = rest.split_at_mut(length);
                let start = starts[row] as usize;
                place.copy_from_slice(&targets[start..start + length]);
                rest = tail;
            }
        });
    *targets = packed;
    *offsets = lengths;
    duplicates
}

/// Sorts a row and moves its distinct values to the front; returns their number.
fn sort_and_deduplicate(row: &mut [u32]) -> usize {
    if row.len() > LONG_ROW {
        row.par_sort_unstable();
    } else {
        row.sort_unstable();
    }
    let mut kept = 0;
    for i in 0..row.len() {
        if kept == 0 || row[kept - 1] != row[i] {
            row[kept] = row[i];
            kept += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests;
