//! Rows and updates that a store refuses.

use heapwood_graphs::{CsrOptions, EdgeList, Parallel};

use super::*;
use crate::allocators::Spec;
use crate::backend::Cpu;
use crate::graph::Edge;
use crate::graph::Limits;

fn options(layout: Layout) -> Options {
    Options {
        spec: Spec::parse("cfmalloc").unwrap(),
        pool: Pool::Auto,
        layout,
        self_loops: true,
        parallel: Parallel::Last,
        limits: Limits::default(),
    }
}

fn rows(directed: bool) -> Csr {
    let edges = vec![[0, 1], [1, 2]];
    let list = EdgeList {
        vertices: 3,
        edges,
        weights: None,
        directed,
    };
    Csr::build(list, CsrOptions::default()).0
}

#[test]
fn what_directed_graphs_need_and_do_not_have_is_an_error() {
    let backend = Cpu::with_threads(1).unwrap();
    let store = |rows: &Csr, columns: Option<&Csr>| {
        Store::new(&backend, options(Layout::Contiguous), rows, columns)
    };
    let (directed, undirected) = (rows(true), rows(false));
    let error = |found: Result<Store, StoreError>| found.err().unwrap().to_string();
    assert!(error(store(&directed, None)).contains("give its transposed rows as columns"));
    assert!(error(store(&undirected, Some(&directed))).ends_with("give none"));
    let mut kept = store(&directed, Some(&directed)).unwrap();
    for edges in [&[][..], &[[2, 0]]] {
        let counted = kept.update_counting_triangles(edges, Change::Insert);
        assert_eq!(counted.err(), Some(StoreError::Directed));
    }
    assert_eq!(kept.triangles().err(), Some(StoreError::Directed));
    assert_eq!(
        kept.update(&[[2, 0]], Change::Insert)
            .unwrap()
            .counts
            .applied,
        1
    );
}

/// Rows of more than a page, a loop, a vertex without edges, and a deleted one.
#[test]
fn neighbours_are_the_row_of_a_vertex() {
    let backend = Cpu::with_threads(2).unwrap();
    let mut edges: Vec<Edge> = (1..200).map(|target| [3, target]).collect();
    edges.extend([[7, 5], [9, 8], [199, 0]]);
    for (layout, directed) in [
        (Layout::Contiguous, false),
        (Layout::Contiguous, true),
        (Layout::Linked, false),
        (Layout::Linked, true),
    ] {
        let list = EdgeList {
            vertices: 201,
            edges: edges.clone(),
            weights: None,
            directed,
        };
        let (rows, _) = Csr::build(list, CsrOptions::default());
        let columns = directed.then(|| rows.transposed());
        let mut store = Store::new(&backend, options(layout), &rows, columns.as_ref()).unwrap();
        store.update(&[[3, 3], [7, 1]], Change::Insert).unwrap();
        store.delete_vertices(&[9]).unwrap();
        let expected = store.csr().unwrap();
        for vertex in 0..201 {
            assert_eq!(
                store.neighbours(vertex).unwrap(),
                expected.row(vertex),
                "{vertex}"
            );
        }
        assert!(store.neighbours(9).unwrap().is_empty());
        assert!(store.neighbours(3).unwrap().contains(&3));
        let error = store.neighbours(201).unwrap_err().to_string();
        assert!(
            error.starts_with("there is no vertex 201 in a graph of 201"),
            "{error}"
        );
    }
}
