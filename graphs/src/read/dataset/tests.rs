use std::fs;

use tempfile::TempDir;

use super::*;
use crate::{Ids, WeightKind};

/// A dataset with all algorithms, whose name has a dot.
const PROPERTIES: &str = "\
# A comment.
graph.a.5.vertex-file = a.v
graph.a.5.edge-file = a.e

graph.a.5.meta.vertices = 3
graph.a.5.meta.edges = 2
graph.a.5.directed = false
graph.a.5.edge-properties.names = weight, time
graph.a.5.edge-properties.types = real, integer
graph.a.5.algorithms = bfs, cdlp, LCC, pr, sssp, wcc
graph.a.5.bfs.source-vertex = 70
graph.a.5.cdlp.max-iterations = 10
graph.a.5.pr.damping-factor = 0.85
graph.a.5.pr.num-iterations = 14
graph.a.5.sssp.weight-property = weight
graph.a.5.sssp.source-vertex = 3
";

/// A folder with these properties, and the files that they name.
fn folder(properties: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("b.properties", properties),
        ("a.v", "3\n7\n70\n"),
        ("a.e", "7 3 0.5\n70 3 2\n"),
    ];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn open(folder: &TempDir) -> Result<Dataset, String> {
    let dataset = Dataset::open(folder.path().join("b.properties"));
    dataset.map_err(|error| message(folder, &error))
}

fn message(folder: &TempDir, error: &GraphError) -> String {
    let folder = format!("{}/", folder.path().display());
    error.to_string().replace(&folder, "")
}

#[test]
fn properties_describe_the_graph_and_its_algorithms() {
    for text in [PROPERTIES.to_owned(), PROPERTIES.replace('\n', "\r\n")] {
        let folder = folder(&text);
        let dataset = open(&folder).unwrap();
        assert_eq!(dataset.name, "a.5");
        let expected = [
            DatasetAlgorithm::Bfs { source: 70 },
            DatasetAlgorithm::Cdlp { iterations: 10 },
            DatasetAlgorithm::Lcc,
            DatasetAlgorithm::PageRank {
                damping: 0.85,
                iterations: 14,
            },
            DatasetAlgorithm::Sssp {
                source: 3,
                weight: "weight".to_owned(),
            },
            DatasetAlgorithm::Wcc,
        ];
        assert_eq!(dataset.algorithms, expected);
        let names = dataset.algorithms.iter();
        let names: Vec<String> = names
            .map(|algorithm| dataset.output_name(algorithm))
            .collect();
        let expected = [
            "a.5-BFS", "a.5-CDLP", "a.5-LCC", "a.5-PR", "a.5-SSSP", "a.5-WCC",
        ];
        assert_eq!(names, expected);
        let loaded = dataset.load().unwrap();
        assert!(!loaded.edges.directed && loaded.notes.is_empty());
        assert_eq!(loaded.edges.edges, [[1, 0], [2, 0]]);
        let weights = loaded.edges.weights.unwrap();
        assert_eq!(weights.kind, WeightKind::Real);
        assert_eq!(weights.words, [0.5_f32, 2.0].map(f32::to_bits));
        fs::write(folder.path().join("a.5-LCC"), "").unwrap();
        let files = dataset.files().into_iter();
        let files: Vec<_> = files
            .map(|file| file.file_name().unwrap().to_owned())
            .collect();
        assert_eq!(files, ["b.properties", "a.v", "a.e", "a.5-LCC"]);
    }
}

#[test]
fn weights_are_read_for_shortest_paths_alone() {
    let folder = folder(&PROPERTIES.replace("pr, sssp,", "pr,"));
    let loaded = open(&folder).unwrap().load().unwrap();
    assert_eq!((loaded.edges.weights, loaded.notes.len()), (None, 0));
    let text = PROPERTIES.replace("types = real", "types = integer");
    let loaded = open(&self::folder(&text)).unwrap();
    assert_eq!(loaded.weights, ReadWeights::Real);
}

#[test]
fn counts_that_differ_are_noted() {
    let text = PROPERTIES.replace("vertices = 3", "vertices = 4");
    let folder = folder(&text.replace("edges = 2", "edges = 1"));
    let notes = open(&folder).unwrap().load().unwrap().notes;
    let declared = |what, declared, found| Note::DeclaredCount {
        what,
        declared,
        found,
    };
    assert_eq!(notes, [declared("vertices", 4, 3), declared("edges", 1, 2)]);
}

#[test]
fn of_several_graphs_that_one_counts_whose_name_the_file_has() {
    let other = PROPERTIES
        .replace(".a.5.", ".b.")
        .replace("= false", "= true");
    let dataset = open(&folder(&format!("{PROPERTIES}{other}"))).unwrap();
    assert_eq!((dataset.name.as_str(), dataset.directed), ("b", true));
    let other = PROPERTIES.replace(".a.5.", ".c.");
    let error = open(&folder(&format!("{PROPERTIES}{other}"))).unwrap_err();
    let expected = "b.properties:18: graph.c.vertex-file: `a.v` is of a second graph: give the file \
                    the name of one of them";
    assert_eq!(error, expected);
}

#[test]
fn keys_that_are_not_there_are_named() {
    for key in [
        "edge-file",
        "directed",
        "algorithms",
        "bfs.source-vertex",
        "cdlp.max-iterations",
        "pr.damping-factor",
        "pr.num-iterations",
        "sssp.source-vertex",
        "sssp.weight-property",
        "edge-properties.names",
        "edge-properties.types",
    ] {
        let text = PROPERTIES.replace(&format!("graph.a.5.{key} "), "graph.other ");
        let expected = format!(
            "b.properties: there is no key graph.a.5.{key}, which LDBC Graphalytics asks for"
        );
        assert_eq!(open(&folder(&text)).unwrap_err(), expected);
    }
    for text in ["", "# nothing\n", "a = b\n", "vertex-file = a.v\n"] {
        let error = open(&folder(text)).unwrap_err();
        assert!(error.contains("no key graph.b.vertex-file,"), "{error}");
    }
    // Algorithms that are not listed need no parameters.
    let text = PROPERTIES.replace("bfs, cdlp, LCC, pr, sssp, wcc", "wcc");
    let text = text.replace(".source-vertex", ".other");
    assert_eq!(
        open(&folder(&text)).unwrap().algorithms,
        [DatasetAlgorithm::Wcc]
    );
}

#[test]
fn values_that_make_no_sense_are_named_with_their_line() {
    for (from, to, expected) in [
        (
            "= false",
            "= no",
            "7: graph.a.5.directed: `no` is neither true nor false",
        ),
        (
            "LCC,",
            "louvain,",
            "10: graph.a.5.algorithms: `louvain` is no algorithm: choose from bfs, cdlp, lcc, pr, \
             sssp and wcc",
        ),
        (
            "LCC,",
            "BFS,",
            "10: graph.a.5.algorithms: `BFS` is listed twice",
        ),
        (
            "bfs, cdlp, LCC, pr, sssp, wcc",
            ",",
            "10: graph.a.5.algorithms: `,` lists no algorithm: choose from bfs, cdlp, lcc, pr, sssp \
             and wcc",
        ),
        (
            "= 70",
            "= -1",
            "11: graph.a.5.bfs.source-vertex: `-1` is no vertex id: write a whole number",
        ),
        (
            "iterations = 10",
            "iterations = 0",
            "12: graph.a.5.cdlp.max-iterations: `0` is no number of iterations: write a whole number \
             from 1",
        ),
        (
            "0.85",
            "1",
            "13: graph.a.5.pr.damping-factor: `1` is no damping: write a number from 0 up to 1, but \
             not 1 itself",
        ),
        (
            "= 14",
            "= 1e2",
            "14: graph.a.5.pr.num-iterations: `1e2` is no number of iterations: write a whole number \
             from 1 to 100000",
        ),
        (
            "property = weight",
            "property = length",
            "15: graph.a.5.sssp.weight-property: `length` is no property of edges: list it in \
             edge-properties.names",
        ),
        (
            "property = weight",
            "property = time",
            "15: graph.a.5.sssp.weight-property: `time` is not the first property of edges, which \
             alone is read",
        ),
        (
            "= real,",
            "= text,",
            "9: graph.a.5.edge-properties.types: `text` is no type of weights: write real or integer",
        ),
    ] {
        let error = open(&folder(&PROPERTIES.replace(from, to))).unwrap_err();
        assert_eq!(error, format!("b.properties:{expected}"));
    }
    let error = open(&folder(&PROPERTIES.replace("a.5", "../a"))).unwrap_err();
    assert!(error.contains("a slash in its name"), "{error}");
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let load = |folder: &TempDir| {
        let loaded = open(folder).unwrap().load();
        message(folder, &loaded.unwrap_err())
    };
    for (file, key) in [("a.v", "vertex-file"), ("a.e", "edge-file")] {
        let text = PROPERTIES.replace(&format!("{key} = {file}"), &format!("{key} = absent"));
        let error = load(&folder(&text));
        assert!(error.starts_with("cannot read absent: "), "{error}");
    }
    let error = load(&folder(&PROPERTIES.replace("= 70", "= 71")));
    let expected = "b.properties:11: graph.a.5.bfs.source-vertex: `71` is no vertex of the graph";
    assert_eq!(error, expected);
    let unweighted = folder(PROPERTIES);
    fs::write(unweighted.path().join("a.e"), "7 3\n").unwrap();
    let error = load(&unweighted);
    let expected = "b.properties:15: graph.a.5.sssp.weight-property: `weight` is no property that edges \
                    have: leave sssp out of the algorithms";
    assert_eq!(error, expected);
    let absent = Dataset::open("/no/b.properties").unwrap_err().to_string();
    assert!(
        absent.starts_with("cannot read /no/b.properties: "),
        "{absent}"
    );
}

/// The reference output in a file, or the error.
fn reference(algorithm: &DatasetAlgorithm, text: &str) -> Result<ReferenceValues, String> {
    let folder = folder(PROPERTIES);
    let dataset = open(&folder).unwrap();
    let ids = Ids::listed(vec![3, 7, 70]);
    assert_eq!(dataset.reference(algorithm, &ids, 3).unwrap(), None);
    fs::write(dataset.reference_file(algorithm), text).unwrap();
    let found = dataset.reference(algorithm, &ids, 3);
    found
        .map(|found| found.unwrap())
        .map_err(|error| message(&folder, &error))
}

#[test]
fn reference_output_has_a_value_for_each_vertex() {
    let far = i64::MAX as u64;
    let text = "70 5\r\n# c\n\n3 9223372036854775807\n 7\t0 \n";
    let values = vec![far, 0, 5];
    let bfs = DatasetAlgorithm::Bfs { source: 3 };
    assert_eq!(
        reference(&bfs, text),
        Ok(ReferenceValues::Exact(values.clone()))
    );
    let wcc = reference(&DatasetAlgorithm::Wcc, text);
    assert_eq!(wcc, Ok(ReferenceValues::Equivalence(values)));
    let reals = reference(&DatasetAlgorithm::Lcc, "3 Infinity\n7 1e-3\n70 0\n");
    let expected = vec![f64::INFINITY, 1e-3, 0.0];
    assert_eq!(reals, Ok(ReferenceValues::Epsilon(expected)));
}

#[test]
fn reference_output_with_a_fault_is_named_with_its_line() {
    let bfs = DatasetAlgorithm::Bfs { source: 3 };
    for (algorithm, text, expected) in [
        (
            &bfs,
            "3 0\n8 1\n",
            "a.5-BFS:2: vertex id 8 is not one of the graph's",
        ),
        (
            &bfs,
            "3 0\n7 1\n70 1\n7 1\n",
            "a.5-BFS:4: vertex id 7 is listed twice: each vertex has one line",
        ),
        (
            &bfs,
            "3 0\n70 1\n",
            "a.5-BFS: there is no line for vertex 7: the output may be cut off",
        ),
        (&bfs, "3 0.5\n", "a.5-BFS:1: `0.5` is not a whole number"),
        (
            &bfs,
            "3 0 1\n",
            "a.5-BFS:1: a line of 3 values: a vertex and its value are needed",
        ),
        (
            &bfs,
            "3\n",
            "a.5-BFS:1: a line of 1 values: a vertex and its value are needed",
        ),
        (
            &DatasetAlgorithm::Lcc,
            "3 x\n",
            "a.5-LCC:1: `x` is not a number",
        ),
        (
            &DatasetAlgorithm::Lcc,
            "3 NaN\n",
            "a.5-LCC:1: `NaN` is not a number",
        ),
    ] {
        assert_eq!(reference(algorithm, text), Err(expected.to_owned()));
    }
}
