//! `graph --save-ALGORITHM`: the values of all vertices in the form of LDBC Graphalytics, whose
//! output for a graph in its own form is known.

use std::collections::BTreeMap;
use std::fs;

use crate::graph::KITE;
use crate::program::{Folder, has};

/// A graph with gaps between ids, and a vertex alone.
const VERTICES: &str = "2\n5\n9\n40\n41\n1000000007\n";
const EDGES: &str = "2 5 0.5\n5 9 1\n9 2 0.25\n9 40 2\n1000000007 2 1\n";

/// Ranks after three iterations with a damping of 0.85, by Graphalytics' definition in double
/// precision.
const RANKS: [[f64; 6]; 2] = [
    [
        2.927795138888889e-01,
        1.777032214506173e-01,
        2.927795138888889e-01,
        1.036102430555556e-01,
        2.951726466049383e-02,
        1.036102430555556e-01,
    ],
    [
        2.016291473765432e-01,
        2.302231867283951e-01,
        3.064870756172839e-01,
        1.544561149691358e-01,
        5.3602237654321e-02,
        5.3602237654321e-02,
    ],
];

fn put(folder: &Folder, directed: bool) {
    folder.put("small.v", VERTICES);
    folder.put("small.e", EDGES);
    folder.put(
        "small.properties",
        format!("graph.small.directed = {directed}\n"),
    );
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path(name)).unwrap()
}

#[test]
fn values_are_those_of_graphalytics() {
    for directed in [false, true] {
        let folder = Folder::new();
        put(&folder, directed);
        let command = "graph @small.e --backend cpu --runs 2 --method power --iterations 3 \
                       --tolerance 0 --save-pagerank @pr --save-components @wcc --bfs 2 \
                       --save-bfs @bfs --save-lcc @lcc --save-cdlp @cdlp --cdlp-iterations 2 \
                       --verify --format json";
        for layout in ["contiguous", "linked"] {
            let report = folder.json(format!("{command} --layout {layout}"));
            assert_eq!(report["directed"], directed);
            assert_eq!(report["pagerank"]["iterations"], 3);
            let ranks = read(&folder, "pr");
            let lines = ranks.lines().map(|line| line.split_once(' ').unwrap());
            let (ids, ranks): (Vec<&str>, Vec<&str>) = lines.unzip();
            assert_eq!(ids.join("\n") + "\n", VERTICES);
            for (rank, expected) in ranks.iter().zip(RANKS[usize::from(directed)]) {
                let off = rank.parse::<f64>().unwrap() - expected;
                assert!(off.abs() < 1e-6, "{rank} is not {expected}");
                // 15 significant digits.
                assert_eq!(rank.find('e'), Some(16), "{rank}");
            }
            let last = if directed { i64::MAX } else { 1 };
            let [far, nine, forty] = if directed {
                [i64::MAX, 2, 3]
            } else {
                [i64::MAX, 1, 2]
            };
            assert_eq!(
                read(&folder, "bfs"),
                format!("2 0\n5 1\n9 {nine}\n40 {forty}\n41 {far}\n1000000007 {last}\n")
            );
            assert_eq!(
                read(&folder, "wcc"),
                "2 2\n5 2\n9 2\n40 2\n41 41\n1000000007 2\n"
            );
            let [hub, five] = if directed {
                ["1.66666666666667e-01", "5.00000000000000e-01"]
            } else {
                ["3.33333333333333e-01", "1.00000000000000e+00"]
            };
            let zero = "0.00000000000000e+00";
            assert_eq!(
                read(&folder, "lcc"),
                format!("2 {hub}\n5 {five}\n9 {hub}\n40 {zero}\n41 {zero}\n1000000007 {zero}\n")
            );
            assert_eq!(
                read(&folder, "cdlp"),
                "2 2\n5 2\n9 2\n40 2\n41 41\n1000000007 5\n"
            );
            let mean = report["lcc"]["mean"].as_f64().unwrap();
            let expected = [5.0 / 18.0, 5.0 / 36.0][usize::from(directed)];
            assert!((mean - expected).abs() < 1e-12, "{mean}");
            assert_eq!(report["cdlp"]["count"], 3);
            assert_eq!(report["cdlp"]["iterations"], 2);
        }
    }
}

#[test]
fn an_algorithm_is_asked_for_by_its_file() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    let report = folder.json(
        "graph @kite.graph --backend cpu --save-triangles @t.gz --save-pagerank @pr --top 1 \
         --damping 0.5 --format json",
    );
    assert_eq!(report["triangles"]["count"], 2);
    assert_eq!(report["pagerank"]["top"].as_array().unwrap().len(), 1);
    assert!(report["components"].is_null() && report["bfs"].is_null());
    let packed = fs::read(folder.path("t.gz")).unwrap();
    let text = heapwood_files::decompress(packed, 1000).unwrap();
    assert_eq!(text, b"1 1\n2 2\n3 2\n4 1\n5 0\n6 0\n");
    // Both flags are one wish.
    let both = "graph @kite.graph --backend cpu --pagerank --save-pagerank @pr --components \
                --save-components @wcc --incremental --insert 1 --format json";
    assert_eq!(folder.json(both)["pagerank"]["converged"], true);
    let implied = "graph @kite.graph --backend cpu --save-components @wcc --incremental --insert 1";
    folder.run(implied).succeeds();
    assert_eq!(folder.names(), "kite.graph pr t.gz wcc");
}

#[test]
fn the_standard_output_has_values_alone() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    let outcome = folder
        .run("graph @kite.graph --backend cpu --bfs 5 --save-bfs - --runs 1")
        .succeeds();
    let expected = "1 3\n2 2\n3 2\n4 1\n5 0\n6 9223372036854775807\n";
    assert_eq!(outcome.stdout, expected);
    has(&outcome.stderr, "search        5 of 6");
    let with_file =
        folder.run("graph @kite.graph --backend cpu --bfs 5 --save-bfs - --runs 1 -o @report.json");
    assert_eq!(
        (&with_file.stdout[..], &with_file.stderr[..]),
        (expected, "")
    );
    assert!(read(&folder, "report.json").contains("\"reached\": 5"));
}

#[test]
fn deleted_vertices_have_no_line_and_inserted_ones_have() {
    let folder = Folder::new();
    put(&folder, false);
    folder.put("gone", "9\n2\n");
    folder.put("more", "1000000008 41\n");
    let command = "graph @small.v --backend cpu --insert-vertices 1 --insert @more \
                   --delete-vertices @gone --save-pagerank @pr --save-components @wcc \
                   --save-triangles @tri --save-bfs @bfs --verify";
    folder.run(format!("{command} --bfs 41")).succeeds();
    assert_eq!(
        read(&folder, "wcc"),
        "5 5\n40 40\n41 41\n1000000007 1000000007\n1000000008 41\n"
    );
    let far = i64::MAX;
    assert_eq!(
        read(&folder, "bfs"),
        format!("5 {far}\n40 {far}\n41 0\n1000000007 {far}\n1000000008 1\n")
    );
    assert_eq!(
        read(&folder, "tri"),
        "5 0\n40 0\n41 0\n1000000007 0\n1000000008 0\n"
    );
    let ranks: BTreeMap<u64, f64> = read(&folder, "pr")
        .lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(id, rank)| (id.parse().unwrap(), rank.parse().unwrap()))
        .collect();
    assert_eq!(ranks.len(), 5);
    assert!((ranks.values().sum::<f64>() - 1.0).abs() < 1e-6);
    // From a vertex that is gone, none is reached; verification expects that too.
    let outcome = folder.run(format!("{command} --bfs 9")).succeeds();
    let text = "search        0 of 5 vertices reached from 9, which was deleted";
    assert!(outcome.stdout.contains(text), "{outcome:?}");
    let depths = read(&folder, "bfs");
    assert!(depths.lines().all(|line| line.ends_with(&far.to_string())));
}

#[test]
fn files_for_values_that_make_no_sense_are_refused() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    folder.put("arcs.el", "0 1\n");
    put(&folder, false);
    for (command, why) in [
        ("@kite.graph --save-bfs @bfs", "--bfs SOURCE"),
        ("@arcs.el --save-triangles @t", "--undirected"),
        ("@kite.graph --save-pagerank @a.zst", ".zst is not written"),
        (
            "@kite.graph --save-pagerank @a --save-components @a",
            "named twice",
        ),
        ("@kite.graph --save-pagerank @kite.graph", "named twice"),
        // Files of one graph are read together.
        (
            "@small.v --save-pagerank @small.e",
            "small.e is named twice",
        ),
        (
            "@small.e --save-pagerank @./small.v",
            "small.v is named twice",
        ),
        (
            "@small.e --save-components @small.properties",
            "small.properties is named twice",
        ),
        ("@small.v --save @small.e", "small.e is named twice"),
        ("@small.v --output @small.e", "small.e is named twice"),
        ("@kite.graph --save-pagerank @a --output @a", "named twice"),
        (
            "@kite.graph --save-pagerank - --save-components -",
            "standard output",
        ),
        ("@kite.graph --save @kite.el.zst", "suffix"),
        ("@kite.graph --save-pagerank", "--save-pagerank"),
    ] {
        folder
            .run(format!("graph {command} --backend cpu"))
            .fails(2, why);
    }
    folder
        .run("graph @kite.graph --save-pagerank @no/folder --backend cpu")
        .fails(3, "no/folder");
    let names = "arcs.el kite.graph small.e small.properties small.v";
    assert_eq!(folder.names(), names);
}

#[test]
fn ranks_that_no_comparison_can_hold_are_not_verified() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    let command = "graph @kite.graph --backend cpu --pagerank --verify --damping 0.999999999";
    folder.run(command).fails(5, "--method power");
    // Acceleration leaves their sum a little off, within the bound.
    let accelerated = command.replace("0.999999999", "0.9999");
    folder.run(&accelerated).succeeds();
    let power = folder.run(format!("{command} --method power")).succeeds();
    assert!(power.stdout.contains("ranks, as after "), "{power:?}");
    let incremental = "--insert 1 --rounds 2 --incremental";
    let power = folder
        .run(format!("{command} --method power {incremental}"))
        .succeeds();
    has(&power.stdout, "ranks from those before");
    folder
        .run(format!("{command} {incremental}"))
        .fails(5, "--method power");
}
