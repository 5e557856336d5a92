//! `graphalytics`: the output of a small dataset beside reference output, which tests compute by the
//! definitions of the specification.

mod reference;

use std::fs;

use serde_json::Value;

use crate::graph::KEYS;
use crate::program::{Folder, assert_keys, has, keys, text};
use reference::{ALGORITHMS, IDS, edges, properties, put, reference};

const COMMAND: &str = "graphalytics @small.5.properties --backend cpu";

/// The outcomes of the algorithms in a report.
fn outcomes(report: &Value) -> String {
    let rows = report["graphalytics"].as_array().unwrap();
    let outcome = |row: &Value| {
        let outcome = text(&row["comparison"], "outcome");
        format!("{} {outcome}", text(row, "algorithm"))
    };
    rows.iter().map(outcome).collect::<Vec<_>>().join(", ")
}

const ALL_MATCH: &str =
    "bfs matches, cdlp matches, lcc matches, pr matches, sssp matches, wcc matches";

#[test]
fn output_matches_the_reference() {
    for directed in [false, true] {
        let folder = Folder::new();
        put(&folder, directed);
        for layout in ["contiguous", "linked"] {
            for allocator in ["cfmalloc", "ouroboros-p-va --check-heap"] {
                let report = folder.json(format!(
                    "{COMMAND} --layout {layout} --allocator {allocator} --runs 2 --format json"
                ));
                assert_eq!(outcomes(&report), ALL_MATCH, "{layout} {allocator}");
                assert_keys(&report, &format!("{KEYS} graphalytics vertices"));
                assert_eq!(text(&report, "graph"), "small.5");
                assert_eq!(report["directed"], directed);
                assert_eq!(report["vertices"], 7);
                assert_eq!(report["edges_read"], edges(directed).len());
                let ranks = &report["graphalytics"][3];
                assert_eq!(keys(ranks), ["algorithm", "comparison", "ms", "parameters"]);
                let parameters = &ranks["parameters"];
                assert_eq!(text(parameters, "damping-factor"), "0.85");
                assert_eq!(text(parameters, "num-iterations"), "3");
                assert_eq!(ranks["ms"]["samples"].as_array().unwrap().len(), 2);
                assert_eq!(report["pagerank"]["iterations"], 3);
                assert_eq!(report["pagerank"]["method"], "power");
            }
        }
    }
}

#[test]
fn output_is_written_to_a_folder() {
    let folder = Folder::new();
    put(&folder, true);
    for layout in ["contiguous", "linked"] {
        let command = format!("{COMMAND} --layout {layout} --output-folder @out/{layout}");
        folder.run(command).succeeds_quietly();
        let read = |end: &str| {
            let path = folder.path(&format!("out/{layout}/small.5-{end}"));
            fs::read_to_string(path).unwrap()
        };
        for (algorithm, end) in ALGORITHMS {
            match algorithm {
                "bfs" | "cdlp" => assert_eq!(read(end), reference(algorithm, true)),
                _ => assert_eq!(read(end).lines().count(), IDS.len()),
            }
        }
        has(&read("SSSP"), "\n41 Infinity\n");
        has(&read("WCC"), "\n40 2\n41 41\n");
        // The output is reference output of the same graph.
        let other = Folder::new();
        put(&other, true);
        for (_, end) in ALGORITHMS {
            other.put(&format!("small.5-{end}"), read(end));
        }
        let report = other.json(format!("{COMMAND} --format json"));
        assert_eq!(outcomes(&report), ALL_MATCH);
    }
}

#[test]
fn a_difference_is_a_wrong_result() {
    let folder = Folder::new();
    put(&folder, true);
    for (end, from, to, difference) in [
        ("BFS", "9 1\n", "9 2\n", "bfs differs at vertex 9: 1, not 2"),
        (
            "CDLP",
            "41 41\n",
            "41 2\n",
            "cdlp differs at vertex 41: 41, not 2",
        ),
        (
            "LCC",
            "41 0.0",
            "41 0.1",
            "lcc differs at vertex 41: 0.00000000000000e+00, not 1.00000000000000e-01",
        ),
        (
            "SSSP",
            "40 3.0",
            "40 3.1",
            "sssp differs at vertex 40: 3.00000000000000e+00, not 3.10000000000000e+00",
        ),
        (
            "SSSP",
            "40 3.0",
            "40 Infinity\n#",
            "sssp differs at vertex 40: 3.00000000000000e+00, not Infinity",
        ),
        (
            "SSSP",
            "41 Infinity",
            "41 1e9",
            "sssp differs at vertex 41: Infinity, not 1.00000000000000e+09",
        ),
        (
            "WCC",
            "41 7\n",
            "41 8\n",
            "wcc differs at vertex 41: 41, not 2",
        ),
        (
            "WCC",
            "40 8\n",
            "40 9\n",
            "wcc differs at vertex 40: 2, not 40",
        ),
    ] {
        let name = format!("small.5-{end}");
        let right = fs::read_to_string(folder.path(&name)).unwrap();
        assert!(right.contains(from), "{right}");
        folder.put(&name, right.replace(from, to));
        let outcome = folder.run(format!("{COMMAND} --output-folder @out"));
        assert_eq!(outcome.code, 5, "{outcome:?}");
        // The report tells of all algorithms, and the output can be looked at.
        has(
            &outcome.stdout,
            &difference[difference.find("differs").unwrap()..],
        );
        assert_eq!(outcome.stdout.matches("; matches\n").count(), 5);
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
        let message = format!("small.5.properties: verification: {difference}\n");
        assert!(outcome.stderr.ends_with(&message), "{outcome:?}");
        assert!(folder.path("out").join(&name).is_file());
        folder.put(&name, right);
    }
    // A part in ten thousand is none.
    let ranks = fs::read_to_string(folder.path("small.5-PR")).unwrap();
    let scaled = |factor: f64| {
        let lines = ranks.lines().map(|line| line.split_once(' ').unwrap());
        let scale = |rank: &str| factor * rank.parse::<f64>().unwrap();
        lines
            .map(|(id, rank)| format!("{id} {}\n", scale(rank)))
            .collect::<String>()
    };
    folder.put("small.5-PR", scaled(1.00009));
    folder.run(COMMAND).succeeds();
    folder.put("small.5-PR", scaled(1.00012));
    let outcome = folder.run(COMMAND);
    assert_eq!(outcome.code, 5);
    has(&outcome.stderr, "verification: pr differs at vertex 2: ");
}

#[test]
fn unweighted_datasets_have_no_shortest_paths() {
    let folder = Folder::new();
    put(&folder, false);
    let properties = properties(false).replace("sssp, ", "");
    let lines = properties.lines();
    let lines = lines.filter(|line| !line.contains("sssp.") && !line.contains("edge-properties"));
    // The lines of other systems, and a list that goes on.
    let properties = lines.collect::<Vec<_>>().join("\r\n");
    let properties = properties.replace("lcc, pr", "lcc, \\\r\n    pr") + "\r\n! end\r\n";
    folder.put("small.5.properties", properties);
    let edges = edges(false).iter();
    let edges = edges.map(|&(u, v, _)| format!("{} {}\r\n", IDS[u], IDS[v]));
    folder.put("small.5.e", edges.collect::<String>());
    let vertices = fs::read_to_string(folder.path("small.5.v")).unwrap();
    folder.put("small.5.v", vertices.replace('\n', "\r\n"));
    for (algorithm, end) in ALGORITHMS {
        let text = reference(algorithm, false).replace('\n', "\r\n");
        folder.put(&format!("small.5-{end}"), text);
    }
    fs::remove_file(folder.path("small.5-LCC")).unwrap();
    let outcome = folder
        .run(format!("{COMMAND} --format json"))
        .succeeds_quietly();
    let expected = "bfs matches, cdlp matches, lcc no-reference, pr matches, wcc matches";
    let report = outcome.json();
    assert_eq!(outcomes(&report), expected);
    assert!(report["weights"].is_null() && report["sssp"].is_null());
}

#[test]
fn every_format_has_a_line_for_each_algorithm() {
    let folder = Folder::new();
    put(&folder, true);
    fs::remove_file(folder.path("small.5-WCC")).unwrap();
    let command = |name: &str| {
        folder
            .run(format!("{COMMAND} -o @{name}"))
            .succeeds_quietly();
        fs::read_to_string(folder.path(name)).unwrap()
    };
    let text = command("report.txt");
    has(&text, "graphalytics  bfs: source-vertex 5; ");
    has(
        &text,
        "\n              pr: damping-factor 0.85, num-iterations 3; ",
    );
    has(
        &text,
        "\n              sssp: source-vertex 5, weight-property weight; ",
    );
    let last = text
        .lines()
        .find(|line| line.trim_start().starts_with("wcc: "));
    assert!(
        last.unwrap().ends_with(" ms; no reference") || last.unwrap().ends_with("); no reference")
    );
    let csv = command("report.csv");
    assert_eq!(csv.lines().count(), 1 + ALGORITHMS.len());
    has(&csv, ",bfs,source-vertex=5,");
    has(&csv, ",no-reference,,,,");
    let markdown = command("report.md");
    has(&markdown, "| graphalytics | bfs: source-vertex 5; ");
}

#[test]
fn a_dataset_that_cannot_be_used_is_named() {
    let folder = Folder::new();
    put(&folder, true);
    let usual = properties(true);
    for (from, to, why) in [
        (
            "wcc",
            "louvain",
            ".properties:10: graph.small.5.algorithms: `louvain` is no algorithm",
        ),
        (
            "directed =",
            "direct =",
            "no key graph.small.5.directed, which",
        ),
        (
            "cdlp.max",
            "cdlp.min",
            "no key graph.small.5.cdlp.max-iterations, which",
        ),
        (
            "bfs.source-vertex = 5",
            "bfs.source-vertex = 6",
            ":12: graph.small.5.bfs.source-vertex: `6` is no vertex of the graph",
        ),
        ("= small.5.v", "= absent.v", "absent.v: "),
        ("= small.5.e", "= absent.e", "absent.e: "),
        ("= small.5.e", "= small.5-PR", "small.5-PR"),
        (
            "vertex-file",
            "vertices",
            "no key graph.small.5.vertex-file, which",
        ),
    ] {
        folder.put("small.5.properties", usual.replace(from, to));
        folder
            .run(format!("{COMMAND} --output-folder @out"))
            .fails(3, why);
    }
    folder.put("small.5.properties", &usual);
    folder
        .run("graphalytics @absent.properties")
        .fails(3, "cannot read ");
    // Reference output is looked at before anything runs.
    folder.put("small.5-BFS", "2 0\n5 x\n");
    let outcome = folder.run(format!("{COMMAND} --output-folder @out/deep"));
    outcome.fails(3, "small.5-BFS:2: `x` is not a whole number");
    folder.put("small.5-BFS", "2 0\n");
    folder
        .run(COMMAND)
        .fails(3, "small.5-BFS: there is no line for vertex 5");
    // No folder stays without output.
    assert!(!folder.path("out").exists());
}

#[test]
fn nothing_that_is_read_is_written() {
    let folder = Folder::new();
    put(&folder, true);
    let vertices = fs::read(folder.path("small.5.v")).unwrap();
    folder.put("ids.txt", vertices);
    let usual = properties(true).replace("= small.5.v", "= ids.txt");
    folder.put("small.5.properties", &usual);
    let names = folder.names();
    for (arguments, code, why) in [
        ("--output-folder @.", 2, "small.5-BFS is named twice"),
        ("-o @ids.txt", 2, "ids.txt is named twice"),
        ("--output-folder @ids.txt", 3, "ids.txt: cannot write"),
        ("-o @new/report.txt", 3, "new/report.txt: cannot write"),
        (
            "--allocator cfmalloc:coalesce",
            2,
            "coalesce has no effect here",
        ),
        ("--layout rows", 2, "contiguous or linked"),
    ] {
        folder
            .run(format!("{COMMAND} {arguments}"))
            .fails(code, why);
        assert_eq!(folder.names(), names, "{arguments}");
    }
    // Counts of the properties that are wrong are no reason to refuse the files.
    folder.put(
        "small.5.properties",
        usual.replace("edges = 8", "edges = 9"),
    );
    let outcome = folder.run(COMMAND).succeeds();
    let note = "the properties tell 9 edges, but the files have 8";
    has(&outcome.stderr, note);
}
