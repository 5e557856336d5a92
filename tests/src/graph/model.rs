//! A graph as plain sets of neighbours.

use std::collections::{BTreeSet, HashMap};

use heapwood::graph::Edge;
use heapwood_device::graph::batch::{Change, Counts};
use heapwood_graphs::Csr;

/// A set of neighbours for each vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The neighbours.
    pub rows: Vec<BTreeSet<u32>>,
    /// Whether edges have a direction.
    pub directed: bool,
}

impl Model {
    /// A graph without edges.
    pub fn new(vertices: u32, directed: bool) -> Self {
        Self {
            rows: vec![BTreeSet::new(); vertices as usize],
            directed,
        }
    }

    /// Applies a batch as its definition says, edge by edge.
    pub fn apply(&mut self, edges: &[Edge], change: Change, no_loops: bool) -> Counts {
        let mut counts = Counts::default();
        let mut seen = BTreeSet::new();
        for &[source, target] in edges {
            let vertices = self.rows.len() as u32;
            if source >= vertices || target >= vertices || (no_loops && source == target) {
                counts.rejected += 1;
                continue;
            }
            let [from, to] = if self.directed || source < target {
                [source, target]
            } else {
                [target, source]
            };
            let present = self.rows[from as usize].contains(&to);
            let repeated = !seen.insert([from, to]);
            match change {
                _ if repeated => counts.duplicates += 1,
                Change::Insert if present => counts.duplicates += 1,
                Change::Delete if !present => counts.missing += 1,
                Change::Insert => {
                    counts.applied += 1;
                    self.rows[from as usize].insert(to);
                    if !self.directed {
                        self.rows[to as usize].insert(from);
                    }
                }
                Change::Delete => {
                    counts.applied += 1;
                    self.rows[from as usize].remove(&to);
                    if !self.directed {
                        self.rows[to as usize].remove(&from);
                    }
                }
            }
        }
        counts
    }

    /// The graph with all edges turned round.
    pub fn transposed(&self) -> Self {
        let mut other = Self::new(self.rows.len() as u32, self.directed);
        for (source, row) in (0..).zip(&self.rows) {
            for &target in row {
                other.rows[target as usize].insert(source);
            }
        }
        other
    }

    /// The graph of some vertices alone, which are numbered anew in the order
    /// given.
    pub fn only(&self, vertices: &[u32]) -> Self {
        let numbers: HashMap<u32, u32> = vertices.iter().copied().zip(0..).collect();
        let row = |&vertex: &u32| {
            let row = self.rows[vertex as usize].iter();
            row.filter_map(|target| numbers.get(target).copied())
                .collect()
        };
        Self {
            rows: vertices.iter().map(row).collect(),
            directed: self.directed,
        }
    }

    /// The CSR form.
    pub fn csr(&self) -> Csr {
        let mut csr = Csr {
            offsets: vec![0],
            targets: Vec::new(),
            weights: None,
            directed: self.directed,
        };
        for row in &self.rows {
            csr.targets.extend(row);
            csr.offsets.push(csr.targets.len() as u64);
        }
        csr
    }

    /// Entries.
    pub fn entries(&self) -> usize {
        self.rows.iter().map(BTreeSet::len).sum()
    }
}
