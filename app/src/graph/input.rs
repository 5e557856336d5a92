//! A graph to load: its rows, and what its file says of it.

use heapwood_graphs::{Csr, CsrOptions, CsrStatistics, EdgeList, Ids};

use super::edges::{Edge, EdgeBatch};
use super::verify::Checker;

/// A graph to load.
#[derive(Clone, Debug)]
pub struct Input {
    /// The name of the graph in results.
    pub name: String,
    /// The names of the vertices in its file.
    pub ids: Ids,
    /// The edges as read, if runs are to be verified by them.
    pub edges: Option<EdgeList>,
    /// How the rows were made of them.
    pub options: CsrOptions,
    /// The neighbours of each vertex.
    pub rows: Csr,
    /// The in-neighbours of each vertex, of a directed graph.
    pub columns: Option<Csr>,
    /// Counts of the edges on their way into the rows.
    pub statistics: CsrStatistics,
}

impl Input {
    /// The graph of some edges, whose vertices are numbered from 0.
    pub fn new(name: &str, edges: EdgeList, options: CsrOptions) -> Self {
        let (rows, statistics) = Csr::build(edges, options);
        let columns = rows.directed.then(|| rows.transposed());
        Self {
            name: name.to_owned(),
            ids: Ids::from(0),
            edges: None,
            options,
            rows,
            columns,
            statistics,
        }
    }

    /// The same with the edges kept, so that the first run is compared with an
    /// implementation on the host at every step.
    pub fn verified(name: &str, edges: EdgeList, options: CsrOptions) -> Self {
        Self {
            edges: Some(edges.clone()),
            ..Self::new(name, edges, options)
        }
    }

    /// The vertex that the file calls so, if there is one.
    pub fn vertex(&self, id: u64) -> Option<u32> {
        self.ids.vertex(id, self.rows.vertices())
    }

    /// The edges of a batch for this graph. In a directed graph an undirected edge becomes one edge
    /// in each direction, of the same weight.
    pub fn batch(&self, list: EdgeList) -> EdgeBatch {
        let (mut ends, mut weights) = (list.edges, list.weights.map(|weights| weights.words));
        if self.rows.directed && !list.directed {
            let is_loop = |[u, v]: &Edge| u == v;
            if let Some(weights) = &mut weights {
                let back = weights.iter().zip(&ends).filter(|(_, edge)| !is_loop(edge));
                let back: Vec<u32> = back.map(|(&weight, _)| weight).collect();
                weights.extend(back);
            }
            let back = ends
                .iter()
                .filter(|edge| !is_loop(edge))
                .map(|&[u, v]| [v, u]);
            let back: Vec<Edge> = back.collect();
            ends.extend(back);
        }
        EdgeBatch { ends, weights }
    }

    /// The graph as it should be, if the edges were kept.
    pub(crate) fn checker(&self) -> Option<Checker> {
        let edges = self.edges.as_ref()?;
        Some(Checker::new(edges, self.options, self.ids.clone()))
    }
}

#[cfg(test)]
mod tests {
    use heapwood_graphs::{WeightKind, Weights};

    use super::*;

    fn input() -> Input {
        let list = EdgeList {
            vertices: 3,
            edges: vec![[0, 2], [1, 2], [2, 2]],
            weights: None,
            directed: true,
        };
        let options = CsrOptions {
            keep_self_loops: true,
            ..CsrOptions::default()
        };
        Input {
            ids: Ids::from(1),
            ..Input::new("three", list, options)
        }
    }

    #[test]
    fn columns_are_rows_turned_round() {
        let columns = input().columns.expect("a directed graph");
        assert_eq!(columns.offsets, [0, 0, 0, 3]);
        assert_eq!(columns.targets, [0, 1, 2]);
    }

    #[test]
    fn undirected_edges_of_a_batch_lead_both_ways_in_a_directed_graph() {
        let list = |directed| EdgeList {
            vertices: 3,
            edges: vec![[0, 1], [2, 2]],
            weights: Some(Weights {
                kind: WeightKind::Integer,
                words: vec![7, 8],
            }),
            directed,
        };
        let weights = |words: &[u32]| Some(words.to_vec());
        let batch = input().batch(list(true));
        assert_eq!(
            (batch.ends, batch.weights),
            (vec![[0, 1], [2, 2]], weights(&[7, 8]))
        );
        let batch = input().batch(list(false));
        assert_eq!(batch.ends, [[0, 1], [2, 2], [1, 0]]);
        assert_eq!(batch.weights, weights(&[7, 8, 7]));
    }

    #[test]
    fn vertices_are_found_by_their_ids() {
        let input = input();
        assert_eq!(
            [0_u64, 1, 3, 4].map(|id| input.vertex(id)),
            [None, Some(0), Some(2), None]
        );
    }
}
