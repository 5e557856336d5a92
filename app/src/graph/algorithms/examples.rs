//! Small graphs whose results are known, for the tests of the algorithms.

use heapwood_graphs::{Csr, CsrOptions, EdgeList, Ids};

use crate::graph::verify::{Checker, Reference};

fn list(vertices: u32, edges: &[[u32; 2]], directed: bool) -> EdgeList {
    EdgeList {
        vertices,
        edges: edges.to_vec(),
        weights: None,
        directed,
    }
}

/// The rows of these edges, loops kept.
pub fn csr(vertices: u32, edges: &[[u32; 2]], directed: bool) -> Csr {
    let options = CsrOptions {
        keep_self_loops: true,
        ..CsrOptions::default()
    };
    Csr::build(list(vertices, edges, directed), options).0
}

/// Two triangles with an edge in common, a tail, a loop, and a vertex alone.
pub fn kite() -> Csr {
    let edges = [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [3, 4], [4, 4]];
    csr(6, &edges, false)
}

/// The reference for results on the graph of these edges; its first vertex is called `first_id`.
pub fn reference(vertices: u32, edges: &[[u32; 2]], directed: bool, first_id: u32) -> Reference {
    let list = list(vertices, edges, directed);
    Checker::new(&list, CsrOptions::default(), Ids::from(first_id)).reference()
}

/// The same of a path of three vertices, numbered from 1.
pub fn path() -> Reference {
    reference(3, &[[0, 1], [1, 2]], false, 1)
}
