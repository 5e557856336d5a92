//! Rows and updates that a store refuses.

use heapwood_graphs::{CsrOptions, EdgeList};

use super::*;
use crate::allocators::Spec;
use crate::backend::Cpu;
use crate::graph::Limits;

fn rows(directed: bool) -> Csr {
    let edges = vec![[0, 1], [1, 2]];
    let list = EdgeList {
        vertices: 3,
        edges,
        directed,
    };
    Csr::build(list, CsrOptions::default()).0
}

#[test]
fn what_directed_graphs_need_and_do_not_have_is_an_error() {
    let backend = Cpu::new(Some(1), None).unwrap();
    let store = |rows: &Csr, columns: Option<&Csr>| {
        let options = Options {
            spec: Spec::parse("cfmalloc").unwrap(),
            pool: Pool::Auto,
            layout: Layout::Contiguous,
            self_loops: false,
            limits: Limits::default(),
        };
        Store::new(&backend, options, rows, columns)
    };
    let (directed, undirected) = (rows(true), rows(false));
    let error = |found: Result<Store, StoreError>| found.err().unwrap().to_string();
    assert!(error(store(&directed, None)).contains("give its transposed rows as columns"));
    assert!(error(store(&undirected, Some(&directed))).ends_with("give none"));
    let mut kept = store(&directed, Some(&directed)).unwrap();
    for edges in [&[][..], &[[2, 0]]] {
        let counted = kept.update(edges, Change::Insert, true);
        assert_eq!(counted.err(), Some(StoreError::Directed));
    }
    assert_eq!(kept.triangles(false).err(), Some(StoreError::Directed));
    assert_eq!(
        kept.update(&[[2, 0]], Change::Insert, false)
            .unwrap()
            .counts
            .applied,
        1
    );
}
