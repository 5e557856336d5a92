use super::*;

/// A path of three vertices and one vertex without edges, as METIS.
fn path() -> (u32, Vec<[u32; 2]>, bool) {
    (4, vec![[0, 1], [1, 2]], false)
}

#[test]
fn metis_with_every_form_of_weights() {
    use Note::{MultiEdges, VertexSizes, VertexWeights};
    let five_and_six = || integers(&[5, 6]);
    for (text, notes, weights) in [
        ("4 2\n2\n1 3\n2\n\n", vec![], None),
        ("4 2 0\n2\n1 3\n2\n\n", vec![], None),
        ("4 2 000\n2\n1 3\n2\n\n", vec![], None),
        ("4 2 1\n2 5\n1 5 3 .5\n2 .5\n\n", vec![], reals(&[5.0, 0.5])),
        ("4 2 001\n2 5\n1 5 3 6\n2 6\n\n", vec![], five_and_six()),
        ("4 2 10\n9 2\n9 1 3\n9 2\n9\n", vec![VertexWeights], None),
        ("4 2 10 1\n9 2\n9 1 3\n9 2\n9\n", vec![VertexWeights], None),
        (
            "4 2 10 2\n9 8 2\n9 8 1 3\n9 8 2\n9 8\n",
            vec![VertexWeights],
            None,
        ),
        ("4 2 010 0\n2\n1 3\n2\n\n", vec![], None),
        (
            "4 2 11\n-9 2 5\n9 1 5 3 6\n.9 2 6\n9\n",
            vec![VertexWeights],
            five_and_six(),
        ),
        (
            "4 2 011 3\n9 9 9 2 5\n9 9 9 1 5 3 6\n9 9 9 2 6\n9 9 9",
            vec![VertexWeights],
            five_and_six(),
        ),
        ("4 2 100\n2\n1 3\n2\n\n", vec![MultiEdges], None),
        ("4 2 100\n7 2\n7 1 3\n7 2\n7\n", vec![VertexSizes], None),
        (
            "4 2 101\n2 5\n1 5 3 6\n2 6\n\n",
            vec![MultiEdges],
            five_and_six(),
        ),
        (
            "4 2 101\n7 2 5\n7 1 5 3 6\n7 2 6\n7\n",
            vec![VertexSizes],
            five_and_six(),
        ),
        (
            "4 2 110\n9 2\n9 1 3\n9 2\n9\n",
            vec![MultiEdges, VertexWeights],
            None,
        ),
        (
            "4 2 111 2\n7 9 9 2 5\n7 9 9 1 5 3 6\n7 9 9 2 6\n7 9 9\n",
            vec![VertexSizes, VertexWeights],
            five_and_six(),
        ),
    ] {
        assert_eq!(graph("a.graph", text), path(), "{text}");
        let loaded = read("a.graph", text).unwrap();
        assert_eq!(loaded.notes, notes, "{text}");
        assert_eq!(loaded.edges.weights, weights, "{text}");
        assert_eq!(loaded.format, Format::Metis);
        let alone = read_with("a.graph", text, ReadWeights::None).unwrap();
        assert_eq!(alone.edges.edges, loaded.edges.edges);
        let is_told = alone.notes.contains(&Note::Weights);
        assert_eq!(is_told, weights.is_some(), "{text}");
    }
}

#[test]
fn metis_with_comments_blanks_and_line_ends() {
    for text in [
        "4 2\n2\n1 3\n2\n",
        "%c\n\n % c\n4 2\n%\n2\n 1 3 \n\t% 7 7 7\n2\n\n\n\n \n%\n",
        "4\t2\t0\r\n2\r\n1\t3\r\n2\r\n\r\n",
        "\u{feff}4 2\n2 \n1 3\n2\n\n",
    ] {
        assert_eq!(graph("a.graph", text), path(), "{text}");
    }
    assert_eq!(graph("a.graph", "0 0"), (0, vec![], false));
    assert_eq!(graph("a.graph", "1 0\n"), (1, vec![], false));
    // An empty line in the middle is a vertex too.
    assert_eq!(graph("a.graph", "3 1\n3\n\n1"), (3, vec![[0, 2]], false));
}

#[test]
fn metis_with_loops_and_multiple_edges() {
    let expected = (2, vec![[0, 1], [0, 1], [1, 1]], false);
    // The loop is listed once and counted, or not counted.
    assert_eq!(graph("a.graph", "2 3 100\n2 2\n1 2 1\n"), expected);
    assert_eq!(graph("a.graph", "2 3\n2 2\n1 2 1\n"), expected);
    assert_eq!(graph("a.graph", "2 2\n2 2\n1 2 1\n"), expected);
    // Listed twice, it is there twice.
    let twice = graph("a.graph", "2 2\n2\n1 2 2\n");
    assert_eq!(twice, (2, vec![[0, 1], [1, 1], [1, 1]], false));
}

#[test]
fn dimacs_9() {
    let expected = (3, vec![[0, 1], [2, 0], [0, 1]], true);
    let text = "c x\nc\n\np sp 3 3\na 1 2 5\nc p\n\na 3 1 7\r\n a\t1 2 0\n";
    assert_eq!(graph("a.gr", text), expected);
    assert_eq!(graph("a", text), expected);
    assert_eq!(graph("a.graph", text), expected);
    assert_eq!(
        read("a.gr", text).unwrap().edges.weights,
        integers(&[5, 7, 0])
    );
    assert_eq!(graph("a.gr", "p sp 5 0"), (5, vec![], true));
}

#[test]
fn dimacs_colouring_and_cliques() {
    for kind in ["edge", "edges", "col"] {
        let text = format!("c x\np {kind} 3 2\nn 1 5\ne 1 2\nc\ne 3 1\nn 2 1\n");
        for name in ["a.col", "a.clq", "a", "a.txt"] {
            assert_eq!(graph(name, &text), (3, vec![[0, 1], [2, 0]], false));
        }
    }
}

#[test]
fn matrix_market_of_every_field_and_symmetry() {
    for (field, values, weights) in [
        ("pattern", ["", ""], None),
        ("integer", ["4", "0"], integers(&[4, 0])),
        ("real", ["1e-3", "+.5"], reals(&[0.001, 0.5])),
        ("real", ["1", "2"], reals(&[1.0, 2.0])),
        ("complex", ["1 2", "3 -4"], None),
    ] {
        for (symmetry, directed) in [
            ("general", true),
            ("symmetric", false),
            ("skew-symmetric", false),
            ("hermitian", false),
        ] {
            let text = format!(
                "%%MatrixMarket matrix coordinate {field} {symmetry}\n%c\n\n% c\n3 3 2\n\
                 2 1 {}\n\n%\n3 3 {}\r\n",
                values[0], values[1]
            );
            let expected = vec![[1, 0], [2, 2]];
            let has_values = field != "pattern";
            for name in ["a.mtx", "a.graph"] {
                let alone = read_with(name, &text, ReadWeights::None).unwrap();
                let edges = alone.edges;
                assert_eq!(edges.edges, expected, "{text}");
                assert_eq!((edges.vertices, edges.directed), (3, directed), "{text}");
                assert_eq!(edges.weights, None);
                assert_eq!(alone.notes.contains(&Note::Weights), has_values);
            }
            if symmetry == "skew-symmetric" && weights.is_some() {
                continue;
            }
            assert_eq!(graph("a.mtx", &text), (3, expected, directed), "{text}");
            let loaded = read("a.mtx", &text).unwrap();
            assert_eq!(loaded.edges.weights, weights, "{text}");
            let is_told = loaded.notes.contains(&Note::Weights);
            assert_eq!(is_told, field == "complex", "{text}");
        }
    }
    let text = "%%matrixmarket MATRIX Coordinate Pattern General\n2 2 0\n";
    assert_eq!(graph("a", text), (2, vec![], true));
}

#[test]
fn edge_lists() {
    let expected = (6, vec![[5, 0], [0, 3], [0, 3]], true);
    for text in [
        "5 0\n0 3\n0 3\n",
        "# c\n%c\n\n5\t0\r\n  0 3\n#\n0 3",
        "5 0 1.5\n0 3 2 1082040961\n0 3 1\n",
        "# Directed graph\n# Nodes: 3 Edges: 3\n5 0\n0 3\n0 3\n",
    ] {
        for name in ["a.txt", "a.el", "a", "a.tsv", "a.dat"] {
            assert_eq!(graph(name, text), expected, "{text}");
            assert_eq!(read(name, text).unwrap().notes, []);
        }
    }
    let text = "# Undirected graph: x\n# Nodes: 9 Edges: 4\n0 1\n";
    assert_eq!(graph("a.txt", text), (9, vec![[0, 1]], false));
    let notes = read("a.txt", text).unwrap().notes;
    let (declared, found) = (4, 1);
    assert_eq!(notes, [Note::CommentedCount { declared, found }]);
    assert_eq!(graph("a.txt", "# Nodes: 2\n"), (2, vec![], true));
    let options = ReadOptions {
        one_based: true,
        ..ReadOptions::default()
    };
    let loaded = read_graph("a.el", b"1 2\n".to_vec(), options).unwrap();
    assert_eq!(
        (loaded.edges.vertices, loaded.edges.edges),
        (2, vec![[0, 1]])
    );
}

#[test]
fn edge_lists_with_commas() {
    let expected = (6, vec![[5, 0], [0, 3], [0, 3]], true);
    for text in [
        "5,0\n0,3\n0,3\n",
        "# c\n\n5,0\r\n 0 , 3 \n#\n%\n0\t,3",
        "\u{feff}5,0,1.5\n0,3,2e3,1082040961\n0,3,7\n",
    ] {
        for name in ["a.csv", "a.el", "a.txt", "a", "a.dat"] {
            assert_eq!(graph(name, text), expected, "{text}");
            assert_eq!(read(name, text).unwrap().notes, []);
        }
    }
    for (header, source, target) in [
        ("source,target", "source", "target"),
        ("from, to, weight", "from", "to"),
        ("\"src\",\"dst\",3", "\\\"src\\\"", "\\\"dst\\\""),
        ("a,b", "a", "b"),
        ("p,q", "p", "q"),
    ] {
        let text = format!("%\n{header}\n5,0\n0,3\n0,3\n");
        let [source, target] = [source, target].map(str::to_owned);
        for name in ["a.csv", "a"] {
            assert_eq!(graph(name, &text), expected, "{text}");
            let notes = read(name, &text).unwrap().notes;
            let columns = Note::Columns {
                source: source.clone(),
                target: target.clone(),
            };
            assert_eq!(notes, [columns], "{text}");
        }
    }
    // Comments count as with blanks.
    let text = "# Undirected graph\n# Nodes: 9\n0,1\n";
    assert_eq!(graph("a.csv", text), (9, vec![[0, 1]], false));
    // Other formats have no commas.
    assert!(read("a.graph", "2 1\n2,\n1\n").is_err());
    assert!(read("a.gr", "p sp 2 1\na 1,2 1\n").is_err());
}

/// Reads `text` as an edge list with ids of this kind.
fn numbered(text: &str, numbering: Numbering) -> Result<Loaded, GraphError> {
    let options = ReadOptions {
        numbering,
        ..ReadOptions::default()
    };
    read_graph("a.el", text.as_bytes().to_vec(), options)
}

#[test]
fn ids_with_gaps_are_numbered_in_their_order() {
    for text in [
        "18446744073709551615 7\n7 900\n# c\n900 900\n",
        "18446744073709551615,7,0\n7,900,1\n900,900,2\n",
    ] {
        let loaded = numbered(text, Numbering::Compact).unwrap();
        assert_eq!(loaded.edges.edges, [[2, 0], [0, 1], [1, 1]]);
        assert_eq!(loaded.edges.vertices, 3);
        assert_eq!(loaded.ids, Ids::listed(vec![7, 900, u64::MAX]));
        assert_eq!(loaded.notes, []);
    }
    // The number of vertices in a comment must be that of the ids, or a note says so.
    let notes = |count: u64| {
        let text = format!("# Nodes: {count} Edges: 1\n0 5000000000\n");
        numbered(&text, Numbering::Compact).unwrap().notes
    };
    assert_eq!(notes(2), []);
    let (declared, found) = (6_000_000_000, 2);
    assert_eq!(
        notes(declared),
        [Note::CommentedVertices { declared, found }]
    );
    // Many pieces, and ids in any order.
    let id = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8;
    let lines = (0..500).map(|i| format!("{} {}\n", id(i % 100), id(i % 99)));
    let loaded = numbered(&lines.collect::<String>(), Numbering::Compact).unwrap();
    assert_eq!(loaded.edges.vertices, 100);
    for (i, edge) in (0..).zip(&loaded.edges.edges) {
        let found = edge.map(|vertex| loaded.ids.of(vertex));
        assert_eq!(found, [id(i % 100), id(i % 99)]);
    }
}

#[test]
fn known_ids_are_those_of_the_graph() {
    let ids = &Ids::listed(vec![7, 900, 1 << 50]);
    let vertices = 4;
    let known = |text: &str| numbered(text, Numbering::Known { ids, vertices });
    // The fourth vertex was inserted later.
    let loaded = known("900 7\n7 1125899906842624\n1125899906842625 7\n").unwrap();
    assert_eq!(loaded.edges.edges, [[1, 0], [0, 2], [3, 0]]);
    assert_eq!((loaded.edges.vertices, &loaded.ids), (4, ids));
    for unknown in ["8", "0", "1125899906842626"] {
        let error = known(&format!("900 7\n7 {unknown}\n")).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("a.el:2: vertex id {unknown} is not one of the graph's")
        );
    }
}

#[test]
fn numbers_alone_are_told_apart_by_their_count() {
    let format = |name: &str, text: &str| read(name, text).unwrap().format;
    for name in ["a", "a.txt", "a.dat.gz"] {
        assert_eq!(format(name, "4 2\n2\n1 3\n2\n\n"), Format::Metis);
        assert_eq!(format(name, "%\n3 1 1\n2 1\n1 1\n\n"), Format::Metis);
        assert_eq!(format(name, "3 1 100\n8 2\n8 1\n8\n"), Format::Metis);
        assert_eq!(format(name, "1 2\n3 4\n"), Format::EdgeList);
        assert_eq!(format(name, "2 1\n2 2\n1 1\n"), Format::EdgeList);
        assert_eq!(format(name, "2 1\n"), Format::EdgeList);
    }
    assert_eq!(format("a.el", "2 1\n2 0\n1 1\n"), Format::EdgeList);
    let forced = ReadOptions {
        format: Some(Format::EdgeList),
        ..ReadOptions::default()
    };
    let loaded = read_graph("a.graph", b"2 1\n2 0\n1 1\n".to_vec(), forced).unwrap();
    assert_eq!(loaded.edges.edges.len(), 3);
}

#[test]
fn formats_number_vertices_in_their_way() {
    for (name, text, first_id) in [
        ("a.graph", "2 1\n2\n1\n", 1),
        ("a.gr", "p sp 2 1\na 1 2 1\n", 1),
        ("a.col", "p edge 2 1\ne 1 2\n", 1),
        (
            "a.mtx",
            "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
            1,
        ),
        ("a.el", "0 1\n", 0),
    ] {
        assert_eq!(read(name, text).unwrap().ids.first(), first_id, "{name}");
    }
    let options = ReadOptions {
        one_based: true,
        ..ReadOptions::default()
    };
    let loaded = read_graph("a.el", b"1 2\n".to_vec(), options).unwrap();
    assert_eq!((loaded.ids.first(), loaded.edges.vertices), (1, 2));
}
