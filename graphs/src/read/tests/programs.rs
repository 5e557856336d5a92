//! Texts as programs and collections of graphs write them.

use super::faults::fault;
use super::*;
use LineProblem::*;

/// A triangle and a tail, each edge once.
fn kite() -> Vec<[u32; 2]> {
    vec![[0, 1], [1, 2], [2, 0], [2, 3]]
}

/// Reads `text` as a bipartite graph.
fn bipartite(name: &str, text: &str) -> Result<Loaded, GraphError> {
    let options = ReadOptions {
        bipartite: true,
        ..ReadOptions::default()
    };
    read_graph(name, text.as_bytes().to_vec(), options)
}

#[test]
fn konect_says_direction_and_counts_from_1() {
    let body = "1 2\n2 3\n3 1\n3 4\n";
    for (header, directed) in [
        ("% sym unweighted\n% 4 4 4\n", false),
        ("% asym unweighted\n% 4 4 4 \n", true),
        ("% sym\n", false),
        ("%asym positive\n%4 4\n", true),
        ("\n% sym weighted\r\n", false),
    ] {
        let weighted = body.replace('\n', " 1 1082040961\n");
        let tabs = body.replace(' ', "\t");
        for body in [body, &weighted, &tabs] {
            let text = format!("{header}{body}");
            for name in ["out.kite", "out.kite.graph", "a.edges", "a.txt", "a"] {
                let loaded = read(name, &text).unwrap();
                assert_eq!(loaded.format, Format::EdgeList, "{text}");
                assert_eq!(loaded.ids.first(), 1, "{text}");
                assert_eq!(loaded.notes, [], "{text}");
                assert_eq!(graph(name, &text), (4, kite(), directed), "{text}");
            }
        }
    }
    // The sizes of the header hold, and a note gives a difference to the edges found.
    let text = "% sym unweighted\n% 5 9 9\n1 2\n";
    assert_eq!(graph("out.a", text), (9, vec![[0, 1]], false));
    let (declared, found) = (5, 1);
    let notes = read("out.a", text).unwrap().notes;
    assert_eq!(notes, [Note::CommentedCount { declared, found }]);
    let notes = read("out.a", "% sym unweighted\n% 1 2 2\n1 3\n")
        .unwrap()
        .notes;
    let (declared, found) = (2, 3);
    assert_eq!(notes, [Note::CommentedVertices { declared, found }]);
    assert_eq!(fault("out.a", "% sym unweighted\n1 2\n0 1\n"), (3, ZeroId));
    // Other comments are no such headers.
    for comment in [
        "% symmetric",
        "% sym of Erdos",
        "# sym unweighted",
        "%\n% sym",
    ] {
        let text = format!("{comment}\n0 1\n");
        assert_eq!(graph("a.el", &text), (2, vec![[0, 1]], true), "{text}");
    }
}

#[test]
fn sides_of_a_bipartite_graph_are_kept_apart_or_refused() {
    let text = "% bip unweighted\n% 4 3 2\n1 1\n1 2\n2 1\n3 2\n";
    assert_eq!(fault("out.a", text), (1, Bipartite));
    let edges = vec![[0, 3], [0, 4], [1, 3], [2, 4]];
    let sides = |left, first_right| Note::Sides { left, first_right };
    for (name, text, base) in [
        ("out.a", text, 1),
        ("out.a", "% bip positive\n1 1 3\n1 2 1\n2 1 1\n3 2 1\n", 1),
        ("a.el", "0 0\n0 1\n1 0\n2 1\n", 0),
        ("a.csv", "0,0\n0,1\n1,0\n2,1\n", 0),
        (
            "a.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n3 2 4\n1 1\n1 2\n2 1\n3 2\n",
            1,
        ),
    ] {
        let loaded = bipartite(name, text).unwrap();
        assert_eq!(loaded.edges.edges, edges, "{text}");
        assert_eq!((loaded.edges.vertices, loaded.edges.directed), (5, false));
        assert_eq!(loaded.notes, [sides(3, 3 + base)], "{text}");
        assert_eq!(loaded.ids.first(), base, "{text}");
    }
    // Vertices without edges are on their side.
    let loaded = bipartite("out.a", "% bip unweighted\n% 1 5 7\n1 1\n").unwrap();
    assert_eq!(
        (loaded.edges.vertices, loaded.edges.edges),
        (12, vec![[0, 5]])
    );
    for name in ["a.graph", "a.gr", "a.col"] {
        let error = bipartite(name, "p edge 2 1\n").unwrap_err();
        assert!(matches!(error, GraphError::NoSides { .. }), "{error}");
    }
    let refused = fault(
        "a.mtx",
        "%%MatrixMarket matrix coordinate pattern general\n3 2 0\n",
    );
    assert!(matches!(refused.1, LineProblem::NotSquare { .. }));
    let dynamic = "% asym dynamic\n1 2 1 7\n1 2 -1 9\n";
    assert_eq!(fault("out.a", dynamic), (1, Dynamic));
}

#[test]
fn attributes_of_networkx_hold_weights() {
    let list = |attributes: [&str; 4]| {
        let line = |(edge, rest): (&[u32; 2], &&str)| format!("{} {} {rest}\n", edge[0], edge[1]);
        let lines = kite();
        lines.iter().zip(&attributes).map(line).collect::<String>()
    };
    let weights = |text: &str| read("a.edgelist", text).unwrap().edges.weights;
    let other = ["{}", "{'colour': 'a b'}", "{'w': {'weight': 1}}", "{}"];
    let weighted = [
        "{'weight': 3}",
        "{'weight': 4, 'colour': 'a, b'}",
        "{'w': {'weight': 1}, 'weight': 5}",
        "{\"weight\":6}",
    ];
    for (attributes, expected) in [(other, None), (weighted, integers(&[3, 4, 5, 6]))] {
        let text = list(attributes);
        for name in ["a.edgelist", "a"] {
            assert_eq!(graph(name, &text), (4, kite(), true), "{text}");
        }
        assert_eq!(weights(&text), expected);
        let lines = text.lines().map(|line| line.replacen(' ', ",", 2) + "\n");
        let commas: String = lines.collect();
        assert_eq!(weights(&commas), expected, "{commas}");
    }
    // A number in front of the attributes is the weight.
    assert_eq!(weights("0 1 7 {'weight': 3}\n"), integers(&[7]));
    assert_eq!(weights("0,1,7,{'weight': 3}\n"), integers(&[7]));
    assert_eq!(weights("0 1 {'weight': 0.5, 'a': 1}\n"), reals(&[0.5]));
    let problem = NotANumber("{\\'a\\':".to_owned());
    assert_eq!(fault("a.edgelist", "0 1 {'a': 1\n"), (1, problem));
}

#[test]
fn csv_of_spreadsheets_and_gephi() {
    let kite = kite();
    for text in [
        "source;target;weight\n0;1;2,5\n1;2;3\n2;0;1\n2;3;1\n",
        "0;1;2,5\n1;2;3\n2;0;1,25;7\n2;3;0\n",
        "\u{feff}Source;Target\r\n0;1\r\n1;2\r\n2;0\r\n2;3\r\n",
        // The index of pandas, and the names of rows of R.
        ",source,target\n0,0,1\n1,1,2\n2,2,0\n3,2,3\n",
        "\"\",\"from\",\"to\"\n\"1\",0,1\n\"2\",1,2\n\"3\",2,0\n\"4\",2,3\n",
        "\"from\",\"to\"\n\"0\",\"1\"\n\"1\",\"2\"\n\"2\",\"0\"\n\"2\",\"3\"\n",
        "weight,dst,src\n.5,1,0\n.5,2,1\n.5,0,2\n.5,3,2\n",
        "source,target,label\n0,1,\"a, \"\"b\"\"\"\n1,2,\n2,0,c\n2,3,d;e\n",
        "FromNodeId\tToNodeId\tLabel\n0\t1\ta b\n1\t2\t\n2\t0\tc\n2\t3\n",
        "from to\n0 1\n1 2\n2 0\n2 3\n",
    ] {
        for name in ["a.csv", "a.tsv", "a"] {
            assert_eq!(graph(name, text), (4, kite.clone(), true), "{text}");
        }
    }
    let gephi = |types: [&str; 4]| {
        let line =
            |(edge, kind): (&[u32; 2], &&str)| format!("{},{},{kind},7,,,1.0\n", edge[0], edge[1]);
        let lines = kite.iter().zip(&types).map(line).collect::<String>();
        format!("Source,Target,Type,Id,Label,timeset,Weight\n{lines}")
    };
    for (kind, directed) in [("Undirected", false), ("Directed", true)] {
        assert_eq!(
            graph("a.csv", &gephi([kind; 4])),
            (4, kite.clone(), directed)
        );
    }
    let mixed = gephi(["Directed", "Directed", "Undirected", "Directed"]);
    let (line, problem) = fault("a.csv", &mixed);
    assert!(
        line == 4 && matches!(problem, MixedTypes { .. }),
        "{problem}"
    );
    // A column of this name may hold anything else.
    let other = gephi(["friend", "Undirected", "", "x"]);
    assert_eq!(graph("a.csv", &other), (4, kite.clone(), true));
}

#[test]
fn columns_that_are_missing_are_named_with_their_line() {
    let rule = "source and target are needed, and no more than the first line names";
    let values = |found| Values { found, rule };
    for (text, expected) in [
        ("weight,source,target\n1,2,3\n1,2\n", (3, values(2))),
        ("source,target\n1,2,3\n", (2, values(3))),
        (
            "source,target,name\n1,2,\"a, b\n\"\n",
            (2, OpenQuote("\\\"a, b".to_owned())),
        ),
        ("source;target\n1,2\n", (2, NotAnId("1,2".to_owned()))),
        ("source,target\n,2\n", (2, NotANumber(String::new()))),
    ] {
        assert_eq!(fault("a.csv", text), expected, "{text}");
    }
}

#[test]
fn names_of_vertices_are_refused_as_such() {
    for (text, line, name) in [
        ("# weighted, names\na\tb\t3\na\tc\t2\nc\td\t1\n", 2, "a"),
        ("e f\nn m\n", 1, "e"),
        ("0 1\nzoe max\n", 2, "zoe"),
    ] {
        for file in ["a.edgelist", "a.tsv"] {
            let problem = NotAnId(name.to_owned());
            assert_eq!(fault(file, text), (line, problem), "{text}");
        }
    }
}

#[test]
fn lines_of_colouring_files_that_describe_vertices() {
    let text = "c a graph\np edge 4 4\nd 2 1\nv 1 2\nv .5 -1\nn 1 3\nx SEED 7\n\
                e 1 2\ne 2 3\ne 3 1\ne 3 4\n";
    for name in ["a.col", "a"] {
        assert_eq!(graph(name, text), (4, kite(), false));
    }
}

#[test]
fn instances_of_pace() {
    for problem in ["tw", "td", "ds", "cep"] {
        let text = format!("c x\np {problem} 4 4\n1 2\nc\n2 3\n3 1\n\n3 4\n");
        for name in ["a.gr", "a.graph", "a.txt", "a"] {
            assert_eq!(graph(name, &text), (4, kite(), false), "{text}");
            let loaded = read(name, &text).unwrap();
            assert_eq!((loaded.ids.first(), loaded.notes), (1, vec![]));
        }
    }
    let rule = "an edge is two vertices";
    for (line, expected) in [
        ("1", Values { found: 1, rule }),
        ("1 2 3", Values { found: 3, rule }),
        ("0 1", ZeroId),
        ("1 5", IdRange { id: 5, vertices: 4 }),
        ("-1 2", Negative("-1".to_owned())),
    ] {
        let text = format!("p tw 4 1\n{line}\n");
        assert_eq!(fault("a.gr", &text), (2, expected), "{text}");
    }
    let (declared, found) = (2, 1);
    let problem = EdgeCount { declared, found };
    assert_eq!(fault("a.gr", "p tw 4 2\n1 2\n"), (1, problem));
}

#[test]
fn matrix_market_of_networkrepository() {
    let body = "1 2\n2 3\n3 1\n3 4\n";
    for start in [
        "%MatrixMarket matrix coordinate pattern symmetric\n4 4 4\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n% 4 4 4\n",
        "%MatrixMarket matrix coordinate pattern symmetric\n%\n%4 4 4\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n% 9 9 9\n4 4 4\n",
    ] {
        let text = format!("{start}{body}");
        for name in ["a.mtx", "a.edges", "a.txt"] {
            assert_eq!(graph(name, &text), (4, kite(), false), "{text}");
        }
    }
    let real = "%%MatrixMarket matrix coordinate real general\n% 4 4 4\n";
    let text = format!("{real}{}", body.replace('\n', " .5\n"));
    assert_eq!(graph("a.mtx", &text), (4, kite(), true));
}

#[test]
fn line_ends_of_every_system() {
    for (name, text) in [
        ("a.el", "0 1\n1 2\n2 0\n2 3\n"),
        ("a", "# c\n0 1\n1 2\n2 0\n2 3"),
        ("a.csv", "source,target\n0,1\n1,2\n2,0\n2,3\n"),
    ] {
        for end in ["\r", "\r\n", "\r\r\n"] {
            let text = text.replace('\n', end);
            assert_eq!(graph(name, &text).1, kite(), "{text:?}");
        }
    }
    let metis = "4 4\n2 3\n1 3\n1 2 4\n3\n".replace('\n', "\r");
    assert_eq!(graph("a.graph", &metis).0, 4);
    // The line is that of the system that wrote it.
    assert_eq!(fault("a.el", "0 1\r1 2\r2 x\r").0, 3);
    // A carriage return inside a line is no blank: edges would be taken for weights.
    let mixed = fault("a.el", "0 1\n1 2\r2 0\r");
    assert_eq!(mixed.0, 2);
}

#[test]
fn short_edge_lists_are_not_taken_for_metis() {
    let format = |text: &str| read("stdin", text).unwrap().format;
    assert_eq!(format("0 1\n1 2\n"), Format::EdgeList);
    for text in ["2 1\n1 0\n", "2 1\n1 2\n", "3 2\n0 1\n1 2\n"] {
        let loaded = read("stdin", text).unwrap();
        assert_eq!(loaded.format, Format::EdgeList, "{text}");
        assert!(
            matches!(loaded.notes[..], [.., Note::NotMetis { .. }]),
            "{text}"
        );
    }
    // A file that is no edge list either has its fault reported as METIS.
    let problem = Asymmetric { from: 2, to: 3 };
    assert_eq!(fault("stdin", "3 2\n2\n1 3\n3\n"), (3, problem));
}

#[test]
fn a_list_that_counts_from_1_is_told() {
    assert_eq!(read("a.el", "1 2\n2 3\n").unwrap().notes, [Note::NoZero]);
    assert_eq!(
        read("a.el", "# Nodes: 2\n1 2\n").unwrap().notes,
        [Note::NoZero]
    );
    for text in ["0 1\n", "2 3\n", "# Nodes: 3\n1 2\n"] {
        assert_eq!(read("a.el", text).unwrap().notes, []);
    }
}
