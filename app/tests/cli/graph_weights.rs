//! `graph` with weights of edges: shortest paths, batches that change weights, and files.

use std::fs;

use serde_json::Value;

use crate::graph::graph;
use crate::program::{Folder, has, number, text};

/// Two ways from 1 to 4, the one of more arcs being shorter; 5 cannot be reached.
const ROADS: &str = "p sp 5 5\na 1 4 10\na 1 2 2\na 2 3 3\na 3 4 4\na 5 1 1\n";

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path(name)).unwrap()
}

fn verified(folder: &Folder, arguments: &str) -> Value {
    graph(
        folder,
        &format!("{arguments} --runs 1 --verify --format json --backend cpu"),
    )
}

#[test]
fn shortest_paths_are_by_weights() {
    let folder = Folder::new();
    folder.put("roads.gr", ROADS);
    for layout in ["contiguous", "linked"] {
        let report = verified(
            &folder,
            &format!("@roads.gr --layout {layout} --sssp 1 --path-to 4 --save-sssp @distances"),
        );
        assert_eq!(text(&report, "weights"), "integer");
        let found = &report["sssp"];
        assert_eq!(
            (&found["reached"], &found["source"]),
            (&4.into(), &1.into())
        );
        assert_eq!(number(&found["greatest"]), 9.0);
        assert_eq!(found["path"]["vertices"], serde_json::json!([1, 2, 3, 4]));
        let expected = format!("1 0\n2 2\n3 5\n4 9\n5 {}\n", i64::MAX);
        assert_eq!(read(&folder, "distances"), expected);
    }
    let lines = folder
        .run("graph @roads.gr --backend cpu --runs 1 --sssp 1 --path-to 5")
        .succeeds();
    has(&lines.stdout, "integer weights");
    has(&lines.stdout, "path          there is none to 5");
    folder.put("real.el", "0 1 0.5\n1 2 0.25\n0 3 1e-3\n");
    let report = verified(&folder, "@real.el --sssp 0 --delta 0.125 --save-sssp @real");
    assert_eq!(number(&report["sssp"]["delta"]), 0.125);
    has(&read(&folder, "real"), "2 7.50000000000000e-01\n");
}

#[test]
fn a_path_is_written_with_coordinates() {
    let folder = Folder::new();
    folder.put("roads.gr", ROADS);
    let coordinates = "c\np aux sp co 5\nv 1 0 -7\nv 2 5 6\nv 3 1 2\nv 4 8 9\nv 5 0 0\n";
    folder.put("roads.co", coordinates);
    folder.put("few.co", "p aux sp co 1\nv 1 0 0\n");
    let command = "graph @roads.gr --backend cpu --runs 1 --sssp 1";
    for (options, expected) in [
        ("--path-to 4", "1\n2\n3\n4\n"),
        (
            "--path-to 3 --coordinates @roads.co",
            "1 0 -7\n2 5 6\n3 1 2\n",
        ),
        ("--path-to 5 --coordinates @roads.co", ""),
    ] {
        let command = format!("{command} {options} --save-path @path");
        folder.run(command).succeeds_quietly();
        assert_eq!(read(&folder, "path"), expected);
    }
    for (options, expected) in [
        ("--path-to 2", "vertex\n1\n2\n"),
        (
            "--path-to 2 --coordinates @roads.co",
            "vertex,x,y\n1,0,-7\n2,5,6\n",
        ),
    ] {
        let command = format!("{command} {options} --save-path @path.csv");
        folder.run(command).succeeds_quietly();
        assert_eq!(read(&folder, "path.csv"), expected);
    }
    let printed = format!("{command} --path-to 2 --save-path - -o @report");
    assert_eq!(folder.run(printed).succeeds().stdout, "1\n2\n");
    for (options, code, message) in [
        ("--save-path @x", 2, "--path-to"),
        ("--path-to 2 --coordinates @roads.co", 2, "--save-path"),
        (
            "--path-to 2 --save-path @x --coordinates @few.co",
            3,
            "few.co: there are no coordinates of vertex 2",
        ),
        (
            "--path-to 2 --save-path @x --coordinates @roads.gr",
            3,
            "roads.gr:1: header `p sp 5 5`: `p aux sp co vertices` is needed",
        ),
        (
            "--path-to 2 --save-path @roads.co --coordinates @roads.co",
            2,
            "roads.co",
        ),
        (
            "--path-to 2 --save-path @x --coordinates @roads.co --insert-vertices 1",
            2,
            "--insert-vertices",
        ),
        (
            "--path-to 2 --save-path - --save-sssp -",
            2,
            "standard output",
        ),
    ] {
        folder
            .run(format!("{command} {options}"))
            .fails(code, message);
    }
    assert_eq!(read(&folder, "roads.co"), coordinates);
}

#[test]
fn parents_form_a_tree_of_shortest_paths() {
    let folder = Folder::new();
    // 2 and 3 form a cycle of weight 0.
    folder.put(
        "roads.gr",
        "p sp 5 6\na 1 4 10\na 1 3 2\na 2 3 0\na 3 2 0\na 2 4 8\na 5 1 1\n",
    );
    for layout in ["contiguous", "linked"] {
        verified(
            &folder,
            &format!("@roads.gr --layout {layout} --sssp 1 --save-sssp @tree --parents"),
        );
        let expected = format!("1 0 1\n2 2 3\n3 2 1\n4 10 1\n5 {} -1\n", i64::MAX);
        assert_eq!(read(&folder, "tree"), expected);
    }
    let outcome = folder.run("graph @roads.gr --backend cpu --sssp 1 --parents");
    outcome.fails(2, "--save-sssp");
}

#[test]
fn batches_change_weights() {
    let folder = Folder::new();
    folder.put("roads.gr", ROADS);
    // 1-4 twice: the last counts, or the least; 2-3 as it is; 4-5 is new.
    folder.put("more.gr", "p sp 5 4\na 1 4 3\na 1 4 7\na 2 3 3\na 4 5 1\n");
    for (parallel, distance) in [("last", 7.0), ("least", 3.0)] {
        for layout in ["contiguous", "linked"] {
            let report = verified(
                &folder,
                &format!(
                    "@roads.gr --layout {layout} --parallel {parallel} --insert @more.gr --sssp 1 \
                     --path-to 4"
                ),
            );
            let update = &report["updates"][0];
            let counts = ["inserted", "reweighted", "duplicates"];
            assert_eq!(counts.map(|key| number(&update[key])), [1.0, 1.0, 2.0]);
            assert_eq!(number(&report["sssp"]["path"]["distance"]), distance);
        }
    }
    // Random edges have weights, too; events change them.
    let random = "@roads.gr --insert 20 --delete 5 --rounds 4 --sssp 1 --undirected";
    verified(&folder, random);
    folder.put("events", "+ 1 4 1\n- 2 3\n+ 5 4 8\n+ 1 4 2\n");
    let report = verified(
        &folder,
        "@roads.gr --stream @events --batch 9 --sssp 1 --path-to 4",
    );
    assert_eq!(report["stream"]["reweighted"], 1);
    assert_eq!(number(&report["sssp"]["path"]["distance"]), 2.0);
    // A graph without weights takes the edges of the file alone.
    let report = verified(&folder, "@roads.gr --weights none --insert @more.gr");
    assert_eq!(report["updates"][0]["reweighted"], 0);
    assert!(report["weights"].is_null());
}

#[test]
fn weights_are_kept_in_files() {
    let folder = Folder::new();
    folder.put("roads.gr", ROADS);
    let of = |command: &str| {
        let command = format!("{command} --runs 1 --format json --backend cpu");
        text(&graph(&folder, &command), "graph_hash").to_owned()
    };
    let expected = of("@roads.gr");
    for name in ["a.mtx", "b.el", "c.gr.gz"] {
        let command = format!("graph @roads.gr --backend cpu --runs 1 --save @{name}");
        folder.run(command).succeeds();
        assert_eq!(of(&format!("@{name}")), expected, "{name}");
    }
    assert_ne!(of("@roads.gr --weights none"), expected);
    let generate = "generate graph road --vertices 100 --lengths -o @lengths.gr";
    folder.run(generate).succeeds();
    let made = "gen:road,vertices=100,lengths --undirected";
    assert_eq!(of(made), of("@lengths.gr --undirected"));
}

#[test]
fn edges_without_weights_join_with_weight_1() {
    let folder = Folder::new();
    folder.put("roads.gr", ROADS);
    folder.put("bare.el", "0 3\n");
    folder.put("real.el", "0 1 0.5\n1 3 2.5\n");
    folder.put("events", "+ 1 4\n");
    for (command, distance) in [
        ("@roads.gr --sssp 1 --path-to 4 --insert @bare.el", 1.0),
        ("@real.el --sssp 0 --path-to 3 --insert @bare.el", 1.0),
        (
            "@roads.gr --sssp 1 --path-to 4 --stream @events --batch 5",
            1.0,
        ),
    ] {
        let report = verified(&folder, command);
        assert_eq!(number(&report["sssp"]["path"]["distance"]), distance);
        let outcome = folder.run(format!("graph {command} --backend cpu --runs 1"));
        has(
            &outcome.stderr,
            "has no weights: its edges get the weight 1",
        );
    }
    let made = "graph @real.el --insert gen:road,vertices=4 --backend cpu --runs 1 --verify";
    let outcome = folder.run(made).succeeds();
    has(
        &outcome.stderr,
        "has no weights: its edges get the weight 1",
    );
    let none = "gen:road,vertices=9,lengths --weights none";
    assert!(verified(&folder, none)["weights"].is_null());
    let real = "gen:road,vertices=9,lengths --weights real --sssp 0";
    assert_eq!(text(&verified(&folder, real), "weights"), "real");
}

#[test]
fn what_has_no_weights_says_so() {
    let folder = Folder::new();
    folder.put("roads.gr", ROADS);
    folder.put("bad.el", "0 1 2\n1 2 -3\n");
    folder.put("bare.el", "0 1\n");
    folder.put("real.el", "0 1 0.5\n");
    for (command, code, message) in [
        (
            "@bad.el",
            3,
            "bad.el:2: the weight `-3` is negative; --weights none reads",
        ),
        (
            "@bare.el --weights real",
            3,
            "bare.el has no weights of edges",
        ),
        (
            "@real.el --weights integer",
            3,
            "real.el:1: the weight `0.5` is a real number",
        ),
        (
            "gen:road,vertices=9 --weights real",
            3,
            "has no weights of edges",
        ),
        ("@bare.el --sssp 0", 4, "shortest paths are by weights"),
        ("@roads.gr --sssp 6", 2, "no vertex 6 to start from"),
        (
            "@roads.gr --sssp 1 --path-to 0",
            2,
            "no vertex 0 to lead to",
        ),
        ("@roads.gr --sssp 1 --delta 0", 2, "write a number above 0"),
        ("@real.el --save @real.gr", 2, "holds integers as weights"),
        (
            "@roads.gr --weights whole",
            2,
            "choose from file, none, integer, real",
        ),
        ("@roads.gr --parallel most", 2, "choose from last, least"),
    ] {
        let outcome = folder.run(format!("graph {command} --backend cpu --runs 1"));
        outcome.fails(code, message);
    }
}
