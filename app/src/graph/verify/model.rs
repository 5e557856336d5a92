//! A graph as sorted sets of neighbours, changed edge by edge.

use std::collections::{BTreeSet, HashSet};

use heapwood_graphs::{Csr, CsrOptions, Direction, EdgeList};

use crate::graph::{Change, Counts, Edge};

/// A set of neighbours for each vertex.
pub(super) struct Model {
    rows: Vec<BTreeSet<u32>>,
    directed: bool,
    self_loops: bool,
    /// Vertices that were deleted.
    deleted: BTreeSet<u32>,
}

impl Model {
    /// The graph of a list of edges.
    pub fn new(list: &EdgeList, options: CsrOptions) -> Self {
        let directed = match options.direction {
            Direction::AsRead => list.directed,
            Direction::Directed => true,
            Direction::Undirected => false,
        };
        let mut model = Self {
            rows: vec![BTreeSet::new(); list.vertices as usize],
            directed,
            self_loops: options.keep_self_loops,
            deleted: BTreeSet::new(),
        };
        for &[source, target] in &list.edges {
            if source != target || options.keep_self_loops {
                model.rows[source as usize].insert(target);
                if !directed || !list.directed {
                    model.rows[target as usize].insert(source);
                }
            }
        }
        model
    }

    /// Applies a batch, and counts what became of each edge.
    pub fn apply(&mut self, edges: &[Edge], change: Change) -> Counts {
        let mut counts = Counts::default();
        let mut seen = HashSet::new();
        for &[source, target] in edges {
            let exist = [source, target].iter().all(|&end| self.has(end));
            if !exist || (source == target && !self.self_loops) {
                counts.rejected += 1;
                continue;
            }
            // The ends of an undirected edge have no order.
            let edge = match self.directed {
                true => (source, target),
                false => (source.min(target), source.max(target)),
            };
            let repeated = !seen.insert(edge);
            let present = self.rows[source as usize].contains(&target);
            match change {
                _ if repeated => counts.duplicates += 1,
                Change::Insert if present => counts.duplicates += 1,
                Change::Delete if !present => counts.missing += 1,
                _ => {
                    counts.applied += 1;
                    self.change(source, target, change);
                    if !self.directed {
                        self.change(target, source, change);
                    }
                }
            }
        }
        counts
    }

    fn has(&self, vertex: u32) -> bool {
        (vertex as usize) < self.rows.len() && !self.deleted.contains(&vertex)
    }

    /// Adds vertices without edges.
    pub fn insert_vertices(&mut self, count: u32) {
        let vertices = self.rows.len() + count as usize;
        self.rows.resize(vertices, BTreeSet::new());
    }

    /// Deletes vertices with their edges; returns how many there were.
    pub fn delete_vertices(&mut self, vertices: &[u32]) -> u64 {
        let gone: BTreeSet<u32> = vertices.iter().copied().filter(|&v| self.has(v)).collect();
        for (vertex, row) in (0..).zip(&mut self.rows) {
            match gone.contains(&vertex) {
                true => row.clear(),
                false => row.retain(|neighbour| !gone.contains(neighbour)),
            }
        }
        self.deleted.extend(&gone);
        gone.len() as u64
    }

    /// The vertices that were deleted.
    pub fn deleted(&self) -> &BTreeSet<u32> {
        &self.deleted
    }

    fn change(&mut self, source: u32, target: u32, change: Change) {
        let row = &mut self.rows[source as usize];
        match change {
            Change::Insert => row.insert(target),
            Change::Delete => row.remove(&target),
        };
    }

    /// The sets as rows.
    pub fn rows(&self) -> Csr {
        self.csr(&self.rows)
    }

    /// Rows of the vertices from which edges come; of an undirected graph, the
    /// same as `rows`.
    pub fn columns(&self) -> Csr {
        if !self.directed {
            return self.rows();
        }
        let mut columns = vec![BTreeSet::new(); self.rows.len()];
        for (source, row) in (0..).zip(&self.rows) {
            for &target in row {
                columns[target as usize].insert(source);
            }
        }
        self.csr(&columns)
    }

    fn csr(&self, rows: &[BTreeSet<u32>]) -> Csr {
        let mut csr = Csr {
            offsets: vec![0],
            targets: Vec::new(),
            directed: self.directed,
        };
        for row in rows {
            csr.targets.extend(row);
            csr.offsets.push(csr.targets.len() as u64);
        }
        csr
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(directed: bool, keep_self_loops: bool) -> Model {
        let list = EdgeList {
            vertices: 4,
            edges: vec![[0, 1], [1, 2], [3, 3]],
            directed,
        };
        let options = CsrOptions {
            keep_self_loops,
            ..CsrOptions::default()
        };
        Model::new(&list, options)
    }

    #[test]
    fn every_edge_is_counted_once() {
        let mut model = model(false, false);
        let edges = [[0, 1], [2, 0], [0, 2], [3, 3], [3, 4], [3, 1]];
        let counts = model.apply(&edges, Change::Insert);
        let expected = Counts {
            applied: 2,
            duplicates: 2,
            missing: 0,
            rejected: 2,
        };
        assert_eq!(counts, expected);
        let counts = model.apply(&[[1, 0], [0, 1], [2, 3], [9, 0]], Change::Delete);
        let expected = Counts {
            applied: 1,
            duplicates: 1,
            missing: 1,
            rejected: 1,
        };
        assert_eq!(counts, expected);
        let rows = model.rows();
        assert_eq!(rows.offsets, [0, 1, 3, 5, 6]);
        assert_eq!(rows.targets, [2, 2, 3, 0, 1, 1]);
    }

    #[test]
    fn vertices_go_with_their_edges() {
        for directed in [false, true] {
            let mut model = model(directed, true);
            assert_eq!(model.delete_vertices(&[1, 1, 4]), 1);
            assert_eq!(model.rows().targets, [3]);
            assert_eq!(model.delete_vertices(&[3, 1]), 1);
            model.insert_vertices(2);
            let counts = model.apply(&[[0, 1], [3, 3], [5, 4], [6, 0]], Change::Insert);
            assert_eq!((counts.applied, counts.rejected), (1, 3));
            assert_eq!(model.rows().offsets.len(), 7);
            assert_eq!(model.rows().row(5), [4]);
            assert!(model.deleted().iter().eq(&[1, 3]));
        }
    }

    #[test]
    fn directions_and_loops_count() {
        let mut model = model(true, true);
        let counts = model.apply(&[[1, 0], [3, 3], [2, 2]], Change::Insert);
        assert_eq!((counts.applied, counts.duplicates), (2, 1));
        assert_eq!(model.rows().targets, [1, 0, 2, 2, 3]);
        assert_eq!(model.columns().targets, [1, 0, 1, 2, 3]);
    }

    #[test]
    fn undirected_edges_of_a_directed_graph_lead_both_ways() {
        let list = EdgeList {
            vertices: 2,
            edges: vec![[1, 0]],
            directed: false,
        };
        let options = CsrOptions {
            direction: Direction::Directed,
            ..CsrOptions::default()
        };
        let model = Model::new(&list, options);
        assert_eq!(model.rows().targets, [1, 0]);
        assert!(model.rows().directed);
    }
}
