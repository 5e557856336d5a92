//! Written graphs are read back unchanged, in every format.

use std::path::Path;

use heapwood_graphs::{
    Csr, CsrOptions, Direction, EdgeList, Format, Loaded, Parallel, ReadOptions, ReadWeights, load,
    save,
};
use proptest::prelude::*;

const LOOPS: CsrOptions = CsrOptions {
    keep_self_loops: true,
    direction: Direction::AsRead,
    parallel: Parallel::Last,
};

fn graph(vertices: u32, edges: Vec<[u32; 2]>, directed: bool) -> Csr {
    let list = EdgeList {
        vertices,
        edges,
        weights: None,
        directed,
    };
    Csr::build(list, LOOPS).0
}

/// Writes `graph` under this name and reads it. Arcs of a `.gr` have weights even if its edges have
/// none.
fn again(folder: &Path, graph: &Csr, name: &str) -> Loaded {
    let path = folder.join(name);
    save(graph, &path, None).unwrap();
    let options = ReadOptions {
        weights: ReadWeights::None,
        ..ReadOptions::default()
    };
    load(&path, options).unwrap()
}

fn check(graph: &Csr) {
    let folder = tempfile::tempdir().unwrap();
    for (name, format) in [
        ("a.graph", Format::Metis),
        ("a.gr", Format::Gr),
        ("a.clq", Format::Col),
        ("a.mtx", Format::MatrixMarket),
        ("a.el", Format::EdgeList),
        ("a.txt", Format::EdgeList),
    ] {
        if graph.directed && matches!(format, Format::Metis | Format::Col) {
            continue;
        }
        for name in [name.to_owned(), format!("{name}.gz")] {
            let loaded = again(folder.path(), graph, &name);
            assert_eq!(loaded.format, format, "{name}");
            let (read, statistics) = Csr::build(loaded.edges, LOOPS);
            assert_eq!(statistics.duplicates, 0);
            assert_eq!(read.offsets, graph.offsets, "{name}");
            assert_eq!(read.targets, graph.targets, "{name}");
            assert_eq!(read.graph_hash(), graph.graph_hash());
            // DIMACS-9 has arcs only.
            assert_eq!(read.directed, graph.directed || format == Format::Gr);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn small_graphs(
        vertices in 1u32..60,
        ends in prop::collection::vec((any::<u32>(), any::<u32>()), 0..200),
        directed: bool,
    ) {
        let edges = ends.iter().map(|(u, v)| [u % vertices, v % vertices]).collect();
        check(&graph(vertices, edges, directed));
    }
}

#[test]
fn a_graph_of_many_blocks() {
    // Several megabytes of text, so that it is read in pieces too.
    let n = 150_000_u32;
    let edges = (0..n).flat_map(|v| [[v, (v + 1) % n], [v, v.wrapping_mul(2_654_435_761) % n]]);
    let edges: Vec<_> = edges.collect();
    for directed in [false, true] {
        check(&graph(n, edges.clone(), directed));
    }
}

#[test]
fn a_format_can_be_forced_in_and_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph");
    let graph = graph(3, vec![[0, 1], [1, 2]], false);
    for format in Format::ALL {
        save(&graph, &path, Some(format)).unwrap();
        let options = ReadOptions {
            format: Some(format),
            weights: ReadWeights::None,
            ..ReadOptions::default()
        };
        let read = Csr::build(load(&path, options).unwrap().edges, LOOPS).0;
        assert_eq!(read.graph_hash(), graph.graph_hash(), "{format}");
    }
}
