//! Weighted graphs are read back with the same weights from every format that can hold them, and
//! refused by the others.

use std::path::Path;

use heapwood_graphs::{
    Csr, CsrOptions, EdgeList, Format, GraphError, Ids, Numbering, ReadOptions, WeightKind,
    Weights, load, save, save_with_ids,
};
use proptest::prelude::*;

/// A file of each format.
const FILES: [(&str, Format); 6] = [
    ("a.graph", Format::Metis),
    ("a.gr", Format::Gr),
    ("a.clq", Format::Col),
    ("a.mtx", Format::MatrixMarket),
    ("a.el", Format::EdgeList),
    ("a.wel.gz", Format::EdgeList),
];

fn build(list: EdgeList) -> Csr {
    let options = CsrOptions {
        keep_self_loops: true,
        ..CsrOptions::default()
    };
    Csr::build(list, options).0
}

fn read(path: &Path, options: ReadOptions) -> Csr {
    build(load(path, options).unwrap().edges)
}

/// Whether a format holds a graph.
fn holds(format: Format, graph: &Csr, kind: WeightKind) -> bool {
    match format {
        Format::Metis => !graph.directed && kind == WeightKind::Integer,
        Format::Gr => kind == WeightKind::Integer,
        Format::Col => false,
        Format::MatrixMarket | Format::EdgeList => true,
    }
}

/// Writes a graph in every format, and from each of them in every other one.
fn check(graph: &Csr) {
    let kind = graph.weights.as_ref().unwrap().kind;
    let [first, second] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    for (name, format) in FILES {
        let path = first.path().join(name);
        if !holds(format, graph, kind) {
            assert!(save(graph, &path, None).is_err(), "{name}");
            assert!(!path.exists());
            continue;
        }
        save(graph, &path, None).unwrap();
        let again = read(&path, ReadOptions::default());
        // An edge list without edges has no weights.
        let is_empty = |format| graph.targets.is_empty() && format == Format::EdgeList;
        if is_empty(format) {
            assert_eq!(again.weights, None);
            continue;
        }
        // DIMACS-9 has arcs only.
        assert_eq!(again.directed, graph.directed || format == Format::Gr);
        let again = Csr {
            directed: graph.directed,
            ..again
        };
        assert_eq!(&again, graph, "{name}");
        assert_eq!(again.graph_hash(), graph.graph_hash());
        for (other, format) in FILES {
            if holds(format, &again, kind) && !is_empty(format) {
                let other = second.path().join(other);
                save(&again, &other, None).unwrap();
                let last = read(&other, ReadOptions::default());
                assert_eq!(last.weights, graph.weights, "{name} {format}");
                assert_eq!(last.targets, graph.targets, "{name} {format}");
            }
        }
    }
}

/// Words that are weights of a kind, the extremes among them.
fn word(kind: WeightKind) -> BoxedStrategy<u32> {
    match kind {
        WeightKind::Integer => prop_oneof![any::<u32>(), 0_u32..10, Just(u32::MAX)].boxed(),
        WeightKind::Real => {
            let max = f32::MAX.to_bits();
            let whole = (0_u16..100).prop_map(|number| f32::from(number).to_bits());
            prop_oneof![0..=max, whole, Just(0), Just(1), Just(max)].boxed()
        }
    }
}

fn graph() -> impl Strategy<Value = Csr> {
    let kinds = prop::sample::select(vec![WeightKind::Integer, WeightKind::Real]);
    let sized = (kinds, 1_u32..40, any::<bool>());
    sized.prop_flat_map(|(kind, vertices, directed)| {
        let edge = ((0..vertices, 0..vertices), word(kind));
        prop::collection::vec(edge, 0..120).prop_map(move |edges| {
            let (ends, words): (Vec<_>, Vec<_>) = edges.into_iter().unzip();
            build(EdgeList {
                vertices,
                edges: ends.into_iter().map(|(u, v)| [u, v]).collect(),
                weights: Some(Weights { kind, words }),
                directed,
            })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn weighted_graphs_are_read_back(graph in graph()) {
        check(&graph);
    }

    #[test]
    fn ids_with_gaps_have_weights_too(graph in graph()) {
        prop_assume!(!graph.targets.is_empty());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.el");
        let listed = (0..u64::from(graph.vertices())).map(|vertex| 5 + (vertex << 40)).collect();
        let ids = Ids::listed(listed);
        save_with_ids(&graph, &ids, &path, None).unwrap();
        let vertices = graph.vertices();
        let options = ReadOptions {
            numbering: Numbering::Known { ids: &ids, vertices },
            ..ReadOptions::default()
        };
        prop_assert_eq!(read(&path, options), graph);
    }
}

#[test]
fn formats_that_cannot_hold_weights_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let list = |kind| EdgeList {
        vertices: 2,
        edges: vec![[0, 1]],
        weights: Some(Weights {
            kind,
            words: vec![0],
        }),
        directed: false,
    };
    let refused = |kind, name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, "old").unwrap();
        let error: GraphError = save(&build(list(kind)), &path, None).unwrap_err();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        let folder = format!("{}/", folder.path().display());
        error.to_string().replace(&folder, "")
    };
    for (kind, name, expected) in [
        (
            WeightKind::Integer,
            "a.col",
            "a.col: DIMACS edge format holds no weights: use .graph, .gr, .mtx or .el, or write the \
             edges alone, without weights",
        ),
        (
            WeightKind::Real,
            "a.gr.gz",
            "a.gr.gz: DIMACS-9 holds integers as weights: use .mtx or .el, or write the edges alone, \
             without weights",
        ),
        (
            WeightKind::Real,
            "a.graph",
            "a.graph: DIMACS-10/METIS holds integers as weights: use .mtx or .el, or write the edges \
             alone, without weights",
        ),
    ] {
        assert_eq!(refused(kind, name), expected);
    }
    assert!(refused(WeightKind::Real, "a.clq").contains("holds no weights"));
}
