//! `graph --problems`: the problem files of DIMACS's ninth challenge.

use std::fs;

use serde_json::{Value, json};

use crate::graph::graph;
use crate::program::{Folder, has, number, text};

/// Two ways from 1 to 4, the one of more arcs being shorter; 5 cannot be reached.
const ROADS: &str = "p sp 5 5\na 1 4 10\na 1 2 2\na 2 3 3\na 3 4 4\na 5 1 1\n";

const SOURCES: &str = "c two sources\np aux sp ss 2\ns 1\ns 4\n";

const PAIRS: &str = "p aux sp p2p 3\nq 1 4\nq 4 1\nq 5 3\n";

fn put() -> Folder {
    let folder = Folder::new();
    folder.put("roads.gr", ROADS);
    folder.put("a.ss", SOURCES);
    folder.put("a.p2p", PAIRS);
    folder
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path(name)).unwrap()
}

fn verified(folder: &Folder, arguments: &str) -> Value {
    let common = "--runs 2 --verify --format json --backend cpu";
    graph(folder, &format!("{arguments} {common}"))
}

/// A value of each problem.
fn each(found: &Value, key: &str) -> Value {
    let problems = found["problems"].as_array().unwrap();
    problems
        .iter()
        .map(|problem| problem[key].clone())
        .collect()
}

#[test]
fn single_source_problems_have_a_sum() {
    let folder = put();
    for layout in ["contiguous", "linked"] {
        let command = "@roads.gr --problems @a.ss --save-problems @sums";
        let report = verified(&folder, &format!("{command} --layout {layout}"));
        let found = &report["problems"];
        assert_eq!(text(found, "kind"), "single-source");
        assert_eq!(found["count"], 2);
        assert_eq!(each(found, "source"), json!([1, 4]));
        assert_eq!(each(found, "reached"), json!([4, 1]));
        assert_eq!(each(found, "greatest"), json!([9.0, 0.0]));
        assert_eq!(each(found, "sum"), json!([16, 0]));
        assert_eq!(each(found, "target"), json!([null, null]));
        let times = ["min", "median", "mean", "max"].map(|key| number(&found["problem_ms"][key]));
        assert!(times[0] <= times[1] && times[1] <= times[3] && times[0] <= times[2]);
        assert_eq!(found["ms"]["samples"].as_array().unwrap().len(), 2);
        let verified = report["verified"].as_array().unwrap();
        assert!(verified.contains(&"2 problems".into()), "{verified:?}");
        // The source, the vertices that were reached, the sum of their distances.
        assert_eq!(read(&folder, "sums"), "1 4 16\n4 1 0\n");
    }
}

#[test]
fn point_to_point_problems_have_a_distance() {
    let folder = put();
    let command = "@roads.gr --problems @a.p2p --delta 3 --save-problems @distances";
    let found = &verified(&folder, command)["problems"];
    assert_eq!(text(found, "kind"), "point-to-point");
    assert_eq!(each(found, "target"), json!([4, 1, 3]));
    assert_eq!(each(found, "distance"), json!([9, null, 6]));
    assert_eq!(each(found, "sum"), json!([null, null, null]));
    let expected = format!("1 4 9\n4 1 {}\n5 3 6\n", i64::MAX);
    assert_eq!(read(&folder, "distances"), expected);
    // Lists, of a graph that counts from 0 and has real weights.
    folder.put("real.el", "0 1 0.5\n1 2 0.25\n3 4 1\n");
    folder.put("pairs", "# a list\n0 2\n0 3\n");
    let command = "@real.el --problems @pairs --save-problems @real";
    let found = &verified(&folder, command)["problems"];
    assert_eq!(each(found, "distance"), json!([0.75, null]));
    assert_eq!(
        read(&folder, "real"),
        "0 2 7.50000000000000e-01\n0 3 Infinity\n"
    );
    folder.put("sources", "1\n");
    let found = &verified(&folder, "@real.el --problems @sources")["problems"];
    assert_eq!(each(found, "sum"), json!([0.25]));
}

#[test]
fn problems_are_those_of_the_graph_after_updates() {
    let folder = put();
    folder.put("more.gr", "p sp 5 1\na 4 1 8\n");
    folder.put("gone", "2\n");
    let command = "@roads.gr --problems @a.p2p --sssp 1 --insert @more.gr --delete-vertices @gone";
    let report = verified(&folder, command);
    assert_eq!(each(&report["problems"], "distance"), json!([10, 8, null]));
    assert_eq!(report["sssp"]["reached"], 2);
}

#[test]
fn the_report_for_people_lists_problems() {
    let folder = put();
    let lines = folder
        .run("graph @roads.gr --backend cpu --runs 1 --problems @a.p2p")
        .succeeds_quietly();
    has(&lines.stdout, "problems      3 point-to-point: median ");
    has(&lines.stdout, "\n              1 to 4: length 9; ");
    has(&lines.stdout, "\n              4 to 1: no path; ");
    let pairs: String = (0..12).map(|_| "1 4\n").collect();
    folder.put("many", pairs);
    let lines = folder
        .run("graph @roads.gr --backend cpu --runs 1 --problems @many")
        .succeeds_quietly();
    has(&lines.stdout, "\n              and 2 more\n");
    let lines = folder
        .run("graph @roads.gr --backend cpu --runs 1 --problems @a.ss")
        .succeeds_quietly();
    has(
        &lines.stdout,
        "1: 4 of 5 vertices reached, distance up to 9; ",
    );
    let csv = folder
        .run("graph @roads.gr --backend cpu --runs 1 --problems @a.ss --format csv")
        .succeeds_quietly();
    has(&csv.stdout, ",problems,problem_ms,");
}

#[test]
fn allocators_are_compared_with_problems() {
    let folder = put();
    let command = "compare graph @roads.gr --problems @a.p2p --allocators cfmalloc,gallatin --runs 1 \
                   --verify --backend cpu --format json";
    let report = folder.json(command);
    for row in report.as_array().unwrap() {
        let found = &row["result"]["problems"];
        assert_eq!(each(found, "distance"), json!([9, null, 6]), "{row}");
    }
}

#[test]
fn faults_of_problems_are_named() {
    let folder = put();
    folder.put("bare.el", "0 1\n");
    folder.put("far.ss", "p aux sp ss 1\ns 6\n");
    folder.put("zero.ss", "p aux sp ss 1\ns 0\n");
    folder.put("few.ss", "p aux sp ss 2\ns 1\n");
    folder.put("none", "# nothing\n");
    folder.put("a.co", "p aux sp co 1\nv 1 0 0\n");
    for (command, code, message) in [
        (
            "@roads.gr --problems @far.ss",
            3,
            "far.ss:2: vertex id 6 is not one of the graph's",
        ),
        (
            "@roads.gr --problems @zero.ss",
            3,
            "zero.ss:2: vertex id 0 is not one of the graph's",
        ),
        (
            "@roads.gr --problems @few.ss",
            3,
            "few.ss:1: the header declares 2 problems",
        ),
        (
            "@roads.gr --problems @none",
            3,
            "none is empty: there are no problems in it",
        ),
        (
            "@roads.gr --problems @a.co",
            3,
            "`p aux sp ss problems` or `p aux sp p2p problems` is needed",
        ),
        (
            "@roads.gr --problems @roads.gr",
            3,
            "roads.gr:1: header `p sp 5 5`",
        ),
        ("@roads.gr --problems @absent", 3, "cannot read"),
        (
            "@bare.el --problems @a.ss",
            4,
            "shortest paths are by weights",
        ),
        (
            "@roads.gr --save-problems @x",
            2,
            "--problems has to name the file whose answers are saved",
        ),
        ("@roads.gr --delta 2", 2, "required"),
        (
            "@roads.gr --problems @a.ss --save-problems @a.ss",
            2,
            "a.ss",
        ),
    ] {
        let outcome = folder.run(format!("graph {command} --backend cpu --runs 1"));
        outcome.fails(code, message);
    }
    assert_eq!(read(&folder, "a.ss"), SOURCES);
}
