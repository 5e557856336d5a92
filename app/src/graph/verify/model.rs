//! A graph as sorted maps from neighbours to weights, changed edge by edge.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use heapwood_graphs::{Csr, CsrOptions, Direction, EdgeList, Parallel, WeightKind, Weights};

use crate::graph::{Change, Counts, EdgeSlice};

/// A map from neighbours to weights for each vertex; without weights, these are 0.
pub(super) struct Model {
    rows: Vec<BTreeMap<u32, u32>>,
    weights: Option<WeightKind>,
    directed: bool,
    self_loops: bool,
    parallel: Parallel,
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
            rows: vec![BTreeMap::new(); list.vertices as usize],
            weights: list.weights.as_ref().map(|weights| weights.kind),
            directed,
            self_loops: options.keep_self_loops,
            parallel: options.parallel,
            deleted: BTreeSet::new(),
        };
        let both_ways = !directed || !list.directed;
        for (place, &[source, target]) in list.edges.iter().enumerate() {
            let weight = (list.weights.as_ref()).map_or(0, |weights| weights.words[place]);
            if source != target || options.keep_self_loops {
                model.add(source, target, weight);
                if both_ways && source != target {
                    model.add(target, source, weight);
                }
            }
        }
        model
    }

    /// Adds an edge of a list, which may be there.
    fn add(&mut self, source: u32, target: u32, weight: u32) {
        let parallel = self.parallel;
        let kept = self.rows[source as usize].entry(target).or_insert(weight);
        *kept = parallel_weight(parallel, *kept, weight);
    }

    /// Applies a batch, and counts what became of each edge.
    pub fn apply(&mut self, edges: EdgeSlice, change: Change) -> Counts {
        let mut counts = Counts::default();
        // The ends of an undirected edge have no order.
        let directed = self.directed;
        let ends = |[source, target]: [u32; 2]| match directed {
            true => (source, target),
            false => (source.min(target), source.max(target)),
        };
        // The weight that counts of all that the batch has for an edge.
        let mut weights = HashMap::new();
        for (place, &edge) in edges.ends.iter().enumerate() {
            let weight = edges.weights.map_or(0, |weights| weights[place]);
            let kept = weights.entry(ends(edge)).or_insert(weight);
            *kept = parallel_weight(self.parallel, *kept, weight);
        }
        let mut seen = HashSet::new();
        for &[source, target] in edges.ends {
            let exist = [source, target].iter().all(|&end| self.has(end));
            if !exist || (source == target && !self.self_loops) {
                counts.rejected += 1;
                continue;
            }
            let edge = ends([source, target]);
            let weight = weights[&edge];
            let repeated = !seen.insert(edge);
            let present = self.rows[source as usize].get(&target).copied();
            match (change, present) {
                _ if repeated => counts.duplicates += 1,
                (Change::Insert, Some(old)) if self.weights.is_none() || old == weight => {
                    counts.duplicates += 1;
                }
                (Change::Delete, None) => counts.missing += 1,
                _ => {
                    match (change, present) {
                        (Change::Insert, Some(_)) => counts.reweighted += 1,
                        _ => counts.applied += 1,
                    }
                    self.change(source, target, weight, change);
                    if !self.directed {
                        self.change(target, source, weight, change);
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
        self.rows.resize(vertices, BTreeMap::new());
    }

    /// Deletes vertices with their edges; returns how many there were.
    pub fn delete_vertices(&mut self, vertices: &[u32]) -> u64 {
        let gone: BTreeSet<u32> = vertices.iter().copied().filter(|&v| self.has(v)).collect();
        for (vertex, row) in (0..).zip(&mut self.rows) {
            match gone.contains(&vertex) {
                true => row.clear(),
                false => row.retain(|neighbour, _| !gone.contains(neighbour)),
            }
        }
        self.deleted.extend(&gone);
        gone.len() as u64
    }

    /// The vertices that were deleted.
    pub fn deleted(&self) -> &BTreeSet<u32> {
        &self.deleted
    }

    fn change(&mut self, source: u32, target: u32, weight: u32, change: Change) {
        let row = &mut self.rows[source as usize];
        match change {
            Change::Insert => row.insert(target, weight),
            Change::Delete => row.remove(&target),
        };
    }

    /// The maps as rows.
    pub fn rows(&self) -> Csr {
        self.csr(&self.rows)
    }

    /// Rows of the vertices from which edges come; of an undirected graph, the
    /// same as `rows`.
    pub fn columns(&self) -> Csr {
        if !self.directed {
            return self.rows();
        }
        let mut columns = vec![BTreeMap::new(); self.rows.len()];
        for (source, row) in (0..).zip(&self.rows) {
            for (&target, &weight) in row {
                columns[target as usize].insert(source, weight);
            }
        }
        self.csr(&columns)
    }

    fn csr(&self, rows: &[BTreeMap<u32, u32>]) -> Csr {
        let (mut offsets, mut targets, mut words) = (vec![0], Vec::new(), Vec::new());
        for row in rows {
            targets.extend(row.keys());
            words.extend(row.values());
            offsets.push(targets.len() as u64);
        }
        Csr {
            offsets,
            targets,
            weights: self.weights.map(|kind| Weights { kind, words }),
            directed: self.directed,
        }
    }
}

/// The weight that counts of two parallel edges, where `later` follows `earlier`.
fn parallel_weight(parallel: Parallel, earlier: u32, later: u32) -> u32 {
    match parallel {
        Parallel::Last => later,
        Parallel::Least => earlier.min(later),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(directed: bool, keep_self_loops: bool) -> Model {
        let list = EdgeList {
            vertices: 4,
            edges: vec![[0, 1], [1, 2], [3, 3]],
            weights: None,
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
        let counts = model.apply((&edges).into(), Change::Insert);
        let expected = Counts {
            applied: 2,
            duplicates: 2,
            reweighted: 0,
            missing: 0,
            rejected: 2,
        };
        assert_eq!(counts, expected);
        let counts = model.apply((&[[1, 0], [0, 1], [2, 3], [9, 0]]).into(), Change::Delete);
        let expected = Counts {
            applied: 1,
            duplicates: 1,
            reweighted: 0,
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
            let counts = model.apply((&[[0, 1], [3, 3], [5, 4], [6, 0]]).into(), Change::Insert);
            assert_eq!((counts.applied, counts.rejected), (1, 3));
            assert_eq!(model.rows().offsets.len(), 7);
            assert_eq!(model.rows().row(5), [4]);
            assert!(model.deleted().iter().eq(&[1, 3]));
        }
    }

    #[test]
    fn directions_and_loops_count() {
        let mut model = model(true, true);
        let counts = model.apply((&[[1, 0], [3, 3], [2, 2]]).into(), Change::Insert);
        assert_eq!((counts.applied, counts.duplicates), (2, 1));
        assert_eq!(model.rows().targets, [1, 0, 2, 2, 3]);
        assert_eq!(model.columns().targets, [1, 0, 1, 2, 3]);
    }

    #[test]
    fn undirected_edges_of_a_directed_graph_lead_both_ways() {
        let list = EdgeList {
            vertices: 2,
            edges: vec![[1, 0]],
            weights: None,
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
