//! Pairs of files with vertices and edges, as LDBC Graphalytics has them.

use std::fs;

use heapwood_graphs::{
    Csr, CsrOptions, Format, GraphError, Ids, Loaded, Note, Numbering, ReadOptions, ReadWeights,
    WeightKind, Weights, load,
};
use tempfile::TempDir;

/// A folder with files of these names and contents.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn read(folder: &TempDir, name: &str) -> Result<Loaded, String> {
    let loaded = load(folder.path().join(name), ReadOptions::default());
    let folder = format!("{}/", folder.path().display());
    loaded.map_err(|error| error.to_string().replace(&folder, ""))
}

/// Ids with gaps, one of a vertex without edges.
const VERTICES: &str = "3\n7\n70\n9000000000\n";
const EDGES: &str = "7 3 0.5\n9000000000 3 0.25\n";
const PROPERTIES: &str = "# a graph\ngraph.small.vertex-file = small.v\n\
                          graph.small.meta.vertices = 4\ngraph.small.directed = false\n";

#[test]
fn both_files_are_the_graph_whichever_is_named() {
    let files = [
        ("small.v", VERTICES),
        ("small.e", EDGES),
        ("small.properties", PROPERTIES),
    ];
    let folder = folder(&files);
    for name in ["small.v", "small.e"] {
        let loaded = read(&folder, name).unwrap();
        assert_eq!(loaded.edges.vertices, 4);
        assert_eq!(loaded.edges.edges, [[1, 0], [3, 0]]);
        assert!(!loaded.edges.directed && loaded.notes.is_empty());
        let words = vec![0.5_f32.to_bits(), 0.25_f32.to_bits()];
        let kind = WeightKind::Real;
        assert_eq!(loaded.edges.weights, Some(Weights { kind, words }));
        assert_eq!(loaded.format, Format::EdgeList);
        assert_eq!(loaded.ids, Ids::listed(vec![3, 7, 70, 9_000_000_000]));
        let (rows, _) = Csr::build(loaded.edges, CsrOptions::default());
        assert_eq!(rows.degree(2), 0);
    }
    // Whatever ids are taken for: they are those listed.
    let options = ReadOptions {
        numbering: Numbering::Compact,
        ..ReadOptions::default()
    };
    let loaded = load(folder.path().join("small.e"), options).unwrap();
    assert_eq!(loaded.edges.vertices, 4);
    let options = ReadOptions {
        bipartite: true,
        ..ReadOptions::default()
    };
    let refused = load(folder.path().join("small.e"), options);
    assert!(matches!(refused, Err(GraphError::NoSides { .. })));
    // A batch of edges is no graph.
    let numbering = Numbering::Known {
        ids: &loaded.ids,
        vertices: 4,
    };
    let options = ReadOptions {
        numbering,
        ..ReadOptions::default()
    };
    let batch = load(folder.path().join("small.e"), options).unwrap();
    assert!(batch.edges.directed);
}

#[test]
fn properties_tell_the_direction() {
    for (properties, directed) in [
        (PROPERTIES.replace("false", "true"), Some(true)),
        (PROPERTIES.to_owned(), Some(false)),
        ("graph.x.directed:true".to_owned(), Some(true)),
        (
            "graph.x.directed = maybe\n#graph.x.directed = false".to_owned(),
            None,
        ),
        (String::new(), None),
    ] {
        let files = [
            ("a.v", VERTICES),
            ("a.e", EDGES),
            ("a.properties", &properties),
        ];
        let folder = folder(&files);
        let loaded = read(&folder, "a.e").unwrap();
        assert_eq!(
            loaded.edges.directed,
            directed.unwrap_or(true),
            "{properties}"
        );
        let is_told = matches!(loaded.notes[..], [Note::NoProperties { .. }]);
        assert_eq!(is_told, directed.is_none(), "{properties}");
    }
}

#[test]
fn a_graph_may_have_no_edges() {
    let folder = folder(&[("a.v", "5\n\n3\r\n"), ("a.e", "")]);
    let loaded = read(&folder, "a.v").unwrap();
    assert_eq!((loaded.edges.vertices, loaded.edges.edges.len()), (2, 0));
    assert_eq!(loaded.ids, Ids::listed(vec![3, 5]));
}

#[test]
fn what_does_not_fit_together_is_named() {
    for (vertices, edges, expected) in [
        (
            "3\n7\n",
            "3 7\n3 8\n",
            "a.e:2: vertex id 8 is not one of the graph's",
        ),
        (
            "3\n7\n3\n",
            "3 7\n",
            "a.v:3: vertex id 3 is listed twice: each vertex has one line",
        ),
        (
            "3\n7 8\n",
            "3 7\n",
            "a.v:2: a line of 2 values: a vertex a line is needed",
        ),
        ("3\nx\n", "3 7\n", "a.v:2: `x` is not a whole number"),
        ("", "", "a.v is empty: there is no graph in it"),
    ] {
        let folder = folder(&[("a.v", vertices), ("a.e", edges)]);
        for name in ["a.v", "a.e"] {
            assert_eq!(read(&folder, name).unwrap_err(), expected);
        }
    }
}

#[test]
fn missing_weights_are_those_of_the_file_of_edges() {
    let folder = folder(&[("a.v", VERTICES), ("a.e", "7 3\n")]);
    let with = |weights| {
        let options = ReadOptions {
            weights,
            ..ReadOptions::default()
        };
        load(folder.path().join("a.v"), options)
    };
    assert_eq!(with(ReadWeights::ByFile).unwrap().edges.weights, None);
    let message = with(ReadWeights::Integer).unwrap_err().to_string();
    assert!(message.contains("a.e has no weights"), "{message}");
}

#[test]
fn a_file_alone_is_no_pair() {
    let folder = folder(&[("a.e", "0 1\n"), ("b.v", "0\n1\n")]);
    assert_eq!(read(&folder, "a.e").unwrap().ids, Ids::from(0));
    let expected = "b.v lists vertices, and b.e with their edges is not there";
    assert_eq!(read(&folder, "b.v").unwrap_err(), expected);
    let absent = load(folder.path().join("c.v"), ReadOptions::default());
    assert!(matches!(absent, Err(GraphError::Read { .. })));
}
