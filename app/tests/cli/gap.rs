//! `gap`: the trials and sources of the GAP benchmark suite, and its lines.

use std::fs;

use serde_json::{Value, json};

use crate::graph::{KEYS, KITE};
use crate::program::{Folder, assert_keys, has, keys, number, text};

/// Two ways from 1 to 4, the one of more arcs being shorter; 5 cannot be reached.
const ROADS: &str = "p sp 5 5\na 1 4 10\na 1 2 2\na 2 3 3\na 3 4 4\na 5 1 1\n";

/// The kernels of a report with the numbers of their trials.
fn trials(report: &Value) -> String {
    let kernels = report["gap"].as_array().unwrap().iter();
    let trials = kernels.map(|kernel| {
        let count = kernel["trials"].as_array().unwrap().len();
        assert_eq!(kernel["ms"]["samples"].as_array().unwrap().len(), count);
        format!("{} {count}", text(kernel, "kernel"))
    });
    trials.collect::<Vec<_>>().join(", ")
}

/// The sources of a kernel, one trial after the other.
fn sources(kernel: &Value) -> Vec<&Value> {
    let trials = kernel["trials"].as_array().unwrap().iter();
    let sources = trials.map(|trial| trial["sources"].as_array().unwrap());
    sources.flatten().collect()
}

#[test]
fn every_kernel_is_verified_in_both_layouts() {
    let folder = Folder::new();
    folder.put("roads.gr", ROADS);
    for layout in ["contiguous", "linked"] {
        for allocator in ["cfmalloc", "ouroboros-p-va --check-heap"] {
            let report = folder.json(format!(
                "gap @roads.gr --undirected --verify --layout {layout} --allocator {allocator} \
                 --format json --backend cpu"
            ));
            assert_keys(&report, &format!("{KEYS} gap read_ms vertices"));
            assert_eq!(
                trials(&report),
                "bfs 64, sssp 64, pr 16, cc 16, bc 16, tc 3"
            );
            assert_eq!(
                (text(&report, "layout"), &report["runs"]),
                (layout, &1.into())
            );
            assert_eq!(
                report["verified"],
                json!([
                    "rows, counts and hash",
                    "bfs",
                    "sssp",
                    "pr",
                    "cc",
                    "bc",
                    "tc"
                ])
            );
            let kernels = report["gap"].as_array().unwrap();
            assert_eq!(keys(&kernels[0]), ["average_ms", "kernel", "ms", "trials"]);
            for searches in [1, 4] {
                assert_eq!(sources(&kernels[0]), sources(&kernels[searches]));
            }
            assert_eq!(
                kernels[4]["trials"][0]["sources"].as_array().unwrap().len(),
                4
            );
            let result = |kernel: usize, key: &str| &kernels[kernel]["trials"][0]["result"][key];
            assert_eq!(result(0, "reached"), 5);
            assert_eq!(result(1, "reached"), 5);
            assert!(number(result(2, "iterations")) > 1.0);
            assert_eq!(
                (result(3, "components"), result(5, "triangles")),
                (&1.into(), &0.into())
            );
            let ranks = &kernels[2]["trials"][15];
            assert_eq!(
                keys(ranks),
                ["result", "sources", "total_error", "verification_ms"]
            );
            assert!(number(&ranks["total_error"]) < 1e-4);
        }
    }
}

#[test]
fn sources_are_those_of_gapbs_in_the_numbers_of_the_file() {
    let folder = Folder::new();
    // gapbs draws 159, 95, 72, 182, ... of 200 vertices, which it numbers from 0.
    let star: String = (2..=200).map(|leaf| format!("1 {leaf}\n")).collect();
    let header = "%%MatrixMarket matrix coordinate pattern symmetric\n200 200 199\n";
    folder.put("star.mtx", format!("{header}{star}"));
    let bfs = "--kernels bfs --trials 8 --format json --backend cpu";
    let report = folder.json(format!("gap @star.mtx {bfs}"));
    let expected = [160, 96, 73, 183, 149, 189, 151, 71];
    assert!(
        sources(&report["gap"][0])
            .iter()
            .copied()
            .eq(&expected.map(Value::from))
    );
    // Vertices without out-edges are no sources.
    folder.put("arcs.el", "70 40\n30 50\n");
    let arcs = "gap @arcs.el --compact-ids --kernels bfs --trials 3 --format json --backend cpu";
    let report = folder.json(arcs);
    let found = sources(&report["gap"][0]);
    assert!(
        found
            .iter()
            .all(|source| [30, 70].map(Value::from).contains(source))
    );
}

#[test]
fn sources_of_a_file_are_taken_in_turn() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    folder.put("kite.el", "10 20\n10 30\n20 40\n30 40\n40 50\n");
    let vector = "%%MatrixMarket matrix array integer general\n% of the suite\n3 1\n4\n1\n5\n";
    folder.put("sources.mtx", vector);
    let packed = heapwood_files::compress(b"# ids\n4\n1\n5\n").unwrap();
    folder.put("sources.txt.gz", packed);
    folder.put("ids.txt", "40\n10\n50\n");
    let common = "--kernels bfs,bc --trials 2 --verify --format json --backend cpu";
    for (files, ids) in [
        ("@kite.graph --sources @sources.mtx", [4, 1, 5]),
        ("@kite.graph --sources @sources.txt.gz", [4, 1, 5]),
        // A vector counts vertices from 1 also where ids have gaps.
        (
            "@kite.el --compact-ids --undirected --sources @sources.mtx",
            [40, 10, 50],
        ),
        (
            "@kite.el --compact-ids --undirected --sources @ids.txt",
            [40, 10, 50],
        ),
    ] {
        let report = folder.json(format!("gap {files} {common}"));
        let of = |kernel: usize| sources(&report["gap"][kernel]).into_iter().cloned();
        let expected = || ids.into_iter().cycle().map(Value::from);
        assert!(of(0).eq(expected().take(2)), "{files}");
        assert!(of(1).eq(expected().take(8)), "{files}");
    }
}

#[test]
fn lines_are_those_of_gapbs() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    let command = "gap @kite.graph --kernels pr,tc --trials 2 --backend cpu";
    let outcome = folder.run(format!("{command} --verify")).succeeds_quietly();
    // Behind the lines of heapwood, a block for each kernel.
    let blocks: Vec<&str> = outcome.stdout.split("\n\n").collect();
    assert_eq!(blocks.len(), 3, "{outcome:?}");
    has(
        blocks[0],
        "graph         kite, undirected, 6 vertices numbered from 1\n",
    );
    has(blocks[0], "verified      rows, counts and hash, pr, tc");
    let time = |line: &str, label: &str| {
        let (name, seconds) = line.split_at(21);
        assert_eq!(name.trim_end(), label, "{line}");
        let (_, digits) = seconds.split_once('.').unwrap();
        assert_eq!(digits.len(), 5, "{line}");
        seconds.parse::<f64>().unwrap()
    };
    for (block, kernel, error) in [(blocks[1], "pr", true), (blocks[2], "tc", false)] {
        let mut lines = block.trim_end().lines();
        let mut next = || lines.next().unwrap();
        assert_eq!(next(), format!("Kernel:                   {kernel}"));
        assert!(time(next(), "Read Time:") > 0.0);
        assert!(time(next(), "Build Time:") > 0.0);
        assert_eq!(
            next(),
            "Graph has 6 nodes and 6 undirected edges for degree: 1"
        );
        for _ in 0..2 {
            time(next(), "Trial Time:");
            if error {
                assert!(time(next(), "Total Error:") < 1e-4);
            }
            assert_eq!(next(), "Verification:           PASS");
            time(next(), "Verification Time:");
        }
        time(next(), "Average Time:");
        assert_eq!(lines.next(), None);
    }
    let outcome = folder
        .run(format!("{command} --directed"))
        .fails(2, "--undirected");
    assert_eq!(outcome.stdout, "");
    let outcome = folder
        .run("gap @kite.graph --directed --trials 1 --backend cpu")
        .succeeds();
    has(
        &outcome.stdout,
        "Graph has 6 nodes and 12 directed edges for degree: 2\n",
    );
    assert!(!outcome.stdout.contains("PASS"));
    assert_eq!(outcome.stdout.matches("Average Time: ").count(), 4);
}

#[test]
fn every_format_has_the_kernels() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    let write = |name: &str| {
        let command =
            format!("gap @kite.graph --kernels cc,bfs --trials 2 --backend cpu -o @{name}");
        folder.run(command).succeeds_quietly();
        fs::read_to_string(folder.path(name)).unwrap()
    };
    let csv = write("report.csv");
    assert_eq!(csv.lines().count(), 3);
    has(
        &csv,
        ",kernel,trials,average_ms,median_ms,min_ms,max_ms,verified,",
    );
    has(&csv, ",cc,2,");
    has(&csv, ",bfs,2,");
    has(
        &write("report.md"),
        "| gap          | cc: 2 trials, average ",
    );
    let report: Value = serde_json::from_str(&write("report.json")).unwrap();
    assert_eq!(trials(&report), "cc 2, bfs 2");
    for kernel in report["gap"].as_array().unwrap() {
        let samples = kernel["ms"]["samples"].as_array().unwrap().iter();
        let mean = samples.map(number).sum::<f64>() / 2.0;
        assert!((number(&kernel["average_ms"]) - mean).abs() < 1e-9);
        assert!(kernel["trials"][0]["verification_ms"].is_null());
    }
}

#[test]
fn kernels_that_make_no_sense_are_refused() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    folder.put("arc.el", "0 1 7\n");
    folder.put("none.el", "# Nodes: 3\n");
    let banner = "%%MatrixMarket matrix array";
    folder.put("far.mtx", format!("{banner} integer general\n2 1\n1\n7\n"));
    folder.put(
        "square.mtx",
        format!("{banner} integer general\n2 2\n1\n1\n1\n1\n"),
    );
    folder.put("real.mtx", format!("{banner} real general\n1 1\n1.0\n"));
    folder.put("empty.txt", "# nothing\n");
    let names = folder.names();
    for (arguments, code, why) in [
        ("@kite.graph --kernels bfs,apsp", 2, "'apsp'"),
        (
            "@kite.graph --kernels bfs,",
            2,
            "write some of bfs,sssp,pr,cc,bc,tc",
        ),
        (
            "@kite.graph --kernels sssp",
            4,
            "or draw them by gen:KIND,weight-range=1..255",
        ),
        (
            "@arc.el --kernels tc",
            2,
            "this one is directed: use --undirected",
        ),
        (
            "@none.el --kernels cc,bfs",
            2,
            "bfs starts from vertices with out-edges",
        ),
        ("@kite.graph --trials 0", 2, "--trials"),
        (
            "@kite.graph --sources @far.mtx",
            3,
            "far.mtx:4: vertex id 7 is not one of the graph's",
        ),
        (
            "@kite.graph --sources @square.mtx",
            3,
            "square.mtx:2: header `2 2`: a list of vertices has one column or one row",
        ),
        (
            "@kite.graph --sources @real.mtx",
            3,
            "real.mtx:1: header `%%MatrixMarket matrix array real general`: a list of vertices is",
        ),
        (
            "@kite.graph --sources @empty.txt",
            3,
            "empty.txt is empty: there are no sources in it",
        ),
        ("@kite.graph --sources @absent.txt", 3, "absent.txt"),
        (
            "@kite.graph --sources @far.mtx -o @far.mtx",
            2,
            "far.mtx is named twice",
        ),
        ("@absent.el", 3, "absent.el"),
        ("@kite.graph -o @kite.graph", 2, "kite.graph is named twice"),
        ("@kite.graph -o @kite.dat", 2, "kite.dat"),
        ("@kite.graph --layout rows", 2, "contiguous or linked"),
        (
            "@kite.graph --allocator cfmalloc:coalesce",
            2,
            "coalesce has no effect here",
        ),
        (
            "gen:uniform,vertices=9 --file-format metis",
            2,
            "--file-format is for files",
        ),
    ] {
        let command = format!("gap {arguments} --backend cpu");
        folder.run(command).fails(code, why);
        assert_eq!(folder.names(), names, "{arguments}");
    }
    let report = folder.json("gap @none.el --backend cpu --format json --undirected");
    assert_eq!(trials(&report), "pr 16, cc 16, tc 3");
    let report = folder.json("gap @arc.el --backend cpu --format json");
    assert_eq!(trials(&report), "bfs 64, sssp 64, pr 16, cc 16, bc 16");
}
