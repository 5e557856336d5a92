//! No bytes make a reader panic, and what it accepts keeps its promises.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use heapwood_graphs::{
    Csr, CsrOptions, Events, Format, GraphError, Ids, MAX_VERTICES, Numbering, Problems,
    ReadOptions, ReadWeights, WeightKind, Weights, load_coordinates, load_events, load_problems,
    load_vertices, read_graph,
};
use proptest::prelude::*;

/// One right file for each format and form.
const FILES: [(&str, &str); 9] = [
    ("a.graph", "% c\n5 5\n2 3\n1 3 4\n1 2\n2 5\n4\n"),
    (
        "b.graph",
        "4 3 11 2\n1 2 2 7\n1 2 1 7 3 8 4 9\r\n3 4 2 8\n5\t6 2 9\n",
    ),
    ("c.graph", "3 2 100\n7 2\n7 1 3\n7 2\n"),
    (
        "d.gr",
        "c roads\np sp 4 4\na 1 2 5\na 2 1 5\na 2 3 1\na 4 4 9\n",
    ),
    ("e.col", "c x\np edge 4 3\nn 1 5\ne 1 2\ne 2 3\ne 1 4\n"),
    (
        "f.mtx",
        "%%MatrixMarket matrix coordinate real symmetric\n% c\n4 4 3\n2 1 0.5\n3 2 1e3\n4 4 2\n",
    ),
    (
        "g.el",
        "# Undirected graph\n# Nodes: 6 Edges: 3\n0 1 3\n1 2 0.5\n3 0 1 2\n",
    ),
    ("h", "3 2 0\n2\n1 3\n2\n"),
    (
        "i.csv",
        "# c\nfrom,to,weight,time\n0,1,0.5\n2 , 1, 0\r\n1,2,3,4\n",
    ),
];

/// Reads the bytes in every way; checks what is accepted.
fn survives(name: &str, bytes: &[u8]) {
    let formats = Format::ALL.into_iter().map(Some).chain([None]);
    for format in formats {
        for (one_based, weights) in [
            (false, ReadWeights::ByFile),
            (true, ReadWeights::None),
            (true, ReadWeights::Real),
        ] {
            let options = ReadOptions {
                format,
                one_based,
                weights,
                largest_text: 1 << 20,
                ..ReadOptions::default()
            };
            check(read_graph(name, bytes.to_vec(), options));
            let compact = Numbering::Compact;
            let options = ReadOptions {
                numbering: compact,
                ..options
            };
            check(read_graph(name, bytes.to_vec(), options));
        }
    }
}

fn check(result: Result<heapwood_graphs::Loaded, GraphError>) {
    let loaded = match result {
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains('\n') && message.len() < 400, "{message}");
            return;
        }
        Ok(loaded) => loaded,
    };
    let edges = loaded.edges;
    assert!(edges.vertices <= MAX_VERTICES);
    assert_eq!(edges.first_out_of_range(), None);
    if let Some(Weights { kind, words }) = &edges.weights {
        assert_eq!(words.len(), edges.edges.len());
        let infinite = f32::INFINITY.to_bits();
        assert!(*kind == WeightKind::Integer || words.iter().all(|&word| word < infinite));
    }
    for note in loaded.notes {
        assert!(!note.to_string().contains('\n'));
    }
    // Rows of graphs with large ids would take the tests' time.
    if edges.vertices < 10_000 {
        let (csr, statistics) = Csr::build(edges, CsrOptions::default());
        assert_eq!(csr.targets.len() as u64, statistics.edges_stored);
        let accounted = statistics.edges_stored + statistics.self_loops + statistics.duplicates;
        assert_eq!(accounted, statistics.edges_symmetrized);
    }
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Words that reach deep into the readers.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::sample::select(vec![
            "c", "p", "sp", "edge", "col", "a", "e", "n", "%", "#", "%%MatrixMarket", "matrix",
            "coordinate", "pattern", "real", "general", "symmetric", "Nodes:", "Edges:",
            "undirected", "graph", "\n", "\n", "\n", "\n", "\r", "\r\n", "\t", "0", "1", "2", "3",
            "4", "10", "11", "100", "111", "-1", "1.5", "1e400", "nan", "é", "\u{a0}",
            "weight", "{'weight':", "3}", "integer", "268435456", "268435457", "4294967295", "4294967296", "18446744073709551615",
            "18446744073709551616",
            ",", "1,2", "a,b\n",
        ]).prop_map(str::to_owned),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => any::<f32>().prop_map(|x| x.to_string()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        survives("any", &bytes);
    }

    #[test]
    fn random_bytes_without_zeroes(bytes in prop::collection::vec(1_u8.., 0..2000)) {
        survives("any.graph", &bytes);
    }

    #[test]
    fn random_bytes_after_the_gzip_magic(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        survives("any", &[&[0x1f, 0x8b, 8][..], &bytes].concat());
    }

    #[test]
    fn random_words(words in prop::collection::vec(word(), 0..300)) {
        survives("any", words.join(" ").as_bytes());
    }

    #[test]
    fn random_words_after_a_right_start(
        words in prop::collection::vec(word(), 0..100),
        start in prop::sample::select(vec![
            "4 3 0\n", "4 3 1\n", "4 3 11\n", "4 3 100\n", "4 3 111 2\n", "p sp 4 3\na ", "p col 4 3\ne ",
            "%%MatrixMarket matrix coordinate integer general\n4 4 3\n", "# Nodes: 4\n", "a,b,weight\n",
        ]),
    ) {
        survives("any.graph", (start.to_owned() + &words.join(" ")).as_bytes());
    }

    #[test]
    fn random_words_of_lists_and_streams(
        words in prop::collection::vec(prop_oneof![
            8 => prop::sample::select(vec![
                "\n", "\n", "\n+ 0 1\n", "\n- 1 2\n", "\n0 1 5\n", "\n0,1,6\n", "\n+ 0 1 .5\n", "+", "-", "0", "1", "2",
                "3", "7", "#", ",",
            ]).prop_map(str::to_owned),
            1 => word(),
        ], 0..40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("any");
        std::fs::write(&path, words.join(" ")).unwrap();
        for ids in [Ids::from(1), Ids::listed(vec![0, 1, 7, 1 << 40])] {
            let one_line = |error: GraphError| assert!(!error.to_string().contains('\n'));
            match load_vertices(&path, &ids, 4) {
                Ok(vertices) => assert!(vertices.iter().all(|&vertex| vertex < 4)),
                Err(error) => one_line(error),
            }
            let list = match load_events(&path, &ids, 4, ReadWeights::ByFile) {
                Ok(list) => list,
                Err(error) => {
                    one_line(error);
                    continue;
                }
            };
            let ends: Vec<[u32; 2]> = match list.events {
                Events::Signed(events) => events.iter().map(|event| event.edge).collect(),
                Events::Timed(events) => {
                    assert!(events.is_sorted_by_key(|event| event.time));
                    events.iter().map(|event| event.edge).collect()
                }
            };
            assert!(list.weights.is_none_or(|weights| weights.words.len() == ends.len()));
            assert!(!ends.is_empty() && ends.as_flattened().iter().all(|&end| end < 4));
        }
    }

    #[test]
    fn random_words_of_problems_and_coordinates(
        start in prop::sample::select(vec![
            "", "p aux sp ss 1", "p aux sp p2p 2", "p aux sp co 2",
            "%%MatrixMarket matrix array integer general\n2 1",
            "%%MatrixMarket matrix coordinate integer general\n2 1 1",
            "%%MatrixMarket matrix coordinate pattern general\n1 2 1",
        ]),
        words in prop::collection::vec(prop_oneof![
            8 => prop::sample::select(vec![
                "\ns 1", "\nq 1 2", "\nq 2 2", "\nv 1 0 7", "\nv 2 -1 3", "\nc", "\n1", "\n1 2", "\n1 1 2", "\n", "-1", "#",
            ]).prop_map(str::to_owned),
            1 => word(),
        ], 0..8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("any");
        std::fs::write(&path, format!("{start} {}", words.join(" "))).unwrap();
        let one_line = |error: GraphError| assert!(!error.to_string().contains('\n'));
        match load_problems(&path, &Ids::from(1), 2) {
            Ok(Problems::SingleSource(sources)) => {
                assert!(!sources.is_empty() && sources.iter().all(|&source| source < 2));
            }
            Ok(Problems::PointToPoint(pairs)) => {
                assert!(!pairs.is_empty() && pairs.as_flattened().iter().all(|&end| end < 2));
            }
            Err(error) => one_line(error),
        }
        match load_coordinates(&path, &Ids::from(1), 2) {
            Ok(coordinates) => assert_eq!(coordinates.len(), 2),
            Err(error) => one_line(error),
        }
    }

    #[test]
    fn mutated_files(
        file in prop::sample::select(FILES.to_vec()),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let (name, text) = file;
        let mut bytes = text.as_bytes().to_vec();
        for (at, byte, edit) in edits {
            let at = at.index(bytes.len());
            match edit {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => bytes[at] = b" \n0123456789-%,"[usize::from(byte) % 15],
            }
        }
        survives(name, &bytes);
        let mut packed = gzipped(&bytes);
        bytes.truncate(cut.index(bytes.len()));
        survives(name, &bytes);
        packed.truncate(cut.index(packed.len()));
        survives(name, &packed);
    }
}

#[test]
fn the_unmutated_files_are_accepted() {
    for (name, text) in FILES {
        let options = ReadOptions::default();
        let plain = read_graph(name, text.as_bytes().to_vec(), options).unwrap();
        let packed = read_graph(name, gzipped(text.as_bytes()), options).unwrap();
        assert_eq!(plain.edges, packed.edges);
        assert!(plain.edges.edges.len() >= 2);
    }
}

#[test]
fn every_cut_of_a_file_with_counts_is_found() {
    // The last value can be cut to another right one: a weight of 9 from 95.
    for (name, text) in FILES
        .into_iter()
        .filter(|(name, _)| !name.ends_with(".el") && !name.ends_with(".csv"))
    {
        let format = read_graph(name, text.as_bytes().to_vec(), ReadOptions::default());
        let options = ReadOptions {
            format: Some(format.unwrap().format),
            ..ReadOptions::default()
        };
        let whole = text.trim_end().len();
        for cut in 0..whole {
            let result = read_graph(name, text.as_bytes()[..cut].to_vec(), options);
            assert!(result.is_err(), "{name} cut to {:?}", &text[..cut]);
        }
    }
}

#[test]
fn long_repetitions_are_read_in_linear_time() {
    // Quadratic work would take minutes here.
    for (start, part) in [
        ("", "\n"),
        ("", "% \n"),
        ("", "c\n"),
        ("", "# Nodes: 1 "),
        ("1 1\n", "1 "),
        ("500000 0\n", "\n"),
        ("500000 500000\n", "1\n"),
        ("", "9"),
        ("p sp 2 300000\n", "a 1 2 3\n"),
        ("", "1 2 "),
        ("", "1,2,"),
        ("a,b\n", "1,2\n"),
        ("", ","),
    ] {
        let text = start.to_owned() + &part.repeat(300_000);
        for format in Format::ALL.into_iter().map(Some).chain([None]) {
            let options = ReadOptions {
                format,
                ..ReadOptions::default()
            };
            check(read_graph("any", text.clone().into_bytes(), options));
        }
    }
}
