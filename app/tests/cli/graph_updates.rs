//! `graph` with updates: what of a batch is counted, that results do not depend on how
//! it is made, and what is carried along.

use serde_json::Value;

use crate::graph::{ALL, KITE, graph, hash};
use crate::program::{Folder, allocators, number, text};

#[test]
fn every_edge_of_a_batch_is_counted() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    // Of edges numbered from 0: one new, one twice, one that is there, a loop,
    // and one to nowhere.
    folder.put("more.el", "0 4\n1 0\n4 0\n5 5\n5 9\n");
    folder.put("less.el", "0 4\n0 3\n");
    let report = graph(
        &folder,
        &format!("@kite.graph --insert @more.el --delete @less.el {ALL} --save @saved.mtx"),
    );
    let updates = report["updates"].as_array().unwrap();
    let expected = [
        ("insert", [5, 1, 2, 0, 0, 2]),
        ("delete", [2, 0, 0, 1, 1, 0]),
    ];
    for (update, (kind, counts)) in updates.iter().zip(expected) {
        assert_eq!(text(update, "kind"), kind);
        assert_eq!(
            (&update["round"], &update["batches"]),
            (&1.into(), &1.into())
        );
        assert!(update["pattern"].is_null());
        let keys = [
            "edges",
            "inserted",
            "duplicates",
            "deleted",
            "missing",
            "rejected",
        ];
        assert_eq!(
            keys.map(|key| number(&update[key]) as u64),
            counts,
            "{update}"
        );
        // Of each run, since medians do not add up.
        let samples = |part: &str| update["ms"][part]["samples"].as_array().unwrap();
        for (run, total) in samples("total").iter().map(number).enumerate() {
            let ms = |part| number(&samples(part)[run]);
            let phases = ["classify", "allocate", "copy", "free"].map(ms);
            assert!(phases.iter().chain(&[ms("sort")]).all(|&ms| ms > 0.0));
            assert!((phases.iter().sum::<f64>() - ms("apply")).abs() < 1e-9 * total);
            assert!((ms("sort") + ms("apply") - total).abs() < 1e-9 * total);
        }
        assert!(number(&update["per_second"]) > 0.0);
    }
    assert_eq!(text(&report, "graph_hash"), hash(&folder, "kite.graph"));
    assert_eq!(hash(&folder, "saved.mtx"), hash(&folder, "kite.graph"));

    folder.put("one.el", "0 4\n");
    let note = folder.run("graph @kite.graph --insert @one.el --backend cpu");
    assert!(note.stderr.contains("numbers vertices from 0"), "{note:?}");
    assert!(
        note.stdout.contains("1 inserted") && note.stdout.contains("14 stored"),
        "{note:?}"
    );
    // An undirected edge is two of a directed graph.
    folder.put("arcs.gr", "p sp 3 1\na 1 2 1\n");
    folder.put("edges.col", "p edge 3 2\ne 1 2\ne 2 3\n");
    let report = graph(
        &folder,
        "@arcs.gr --insert @edges.col --verify --format json --backend cpu",
    );
    let update = &report["updates"][0];
    assert_eq!(
        (&update["edges"], &update["inserted"]),
        (&4.into(), &3.into())
    );
}

#[test]
fn random_updates_end_alike_however_they_are_made() {
    let folder = Folder::new();
    folder
        .run("generate graph uniform --vertices 3000 --edges 9000 -o @some.el")
        .succeeds();
    let command = "graph @some.el --insert 2000 --delete 1500 --rounds 2 --seed 5 --runs 2 \
                   --verify --check-heap --format json --backend cpu";
    for pattern in ["uniform", "pressure"] {
        let mut variants: Vec<String> = allocators()
            .iter()
            .map(|allocator| format!("--allocator {allocator}"))
            .collect();
        variants.extend(["--layout linked", "--batch 77", "--cpu-threads 3"].map(String::from));
        let mut hashes: Vec<String> = Vec::new();
        for variant in variants {
            let report = folder.json(format!("{command} --pattern {pattern} {variant}"));
            let updates = report["updates"].as_array().unwrap();
            assert_eq!(updates.len(), 4);
            assert_eq!(text(&updates[0], "pattern"), pattern);
            assert_eq!(updates[0]["edges"], 2000);
            assert_eq!(
                updates[1]["deleted"], 1500,
                "{variant}: stored edges are drawn"
            );
            assert_ne!(updates[0]["inserted"], 0);
            hashes.push(text(&report, "graph_hash").to_owned());
        }
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
        let other = format!("{command} --pattern {pattern} --seed 6");
        let other = folder.json(other.replace("--seed 5 ", ""));
        assert_ne!(text(&other, "graph_hash"), hashes[0]);
    }
}

#[test]
fn what_is_carried_along_is_what_is_computed_anew() {
    let folder = Folder::new();
    folder
        .run("generate graph delaunay --vertices 2000 -o @mesh.graph")
        .succeeds();
    for layout in ["contiguous", "linked"] {
        let report = graph(
            &folder,
            &format!(
                "@mesh.graph {ALL} --insert 500 --delete 400 --batch 150 --rounds 3 --incremental \
                 --layout {layout}"
            ),
        );
        carried_is_computed(&report);
    }
}

#[test]
fn distances_are_carried_along() {
    let folder = Folder::new();
    folder
        .run("generate graph road --vertices 3000 --lengths -o @roads.gr")
        .succeeds();
    for variant in ["--layout contiguous", "--layout linked --weights real"] {
        let report = graph(
            &folder,
            &format!(
                "@roads.gr {variant} --sssp 5 --incremental --insert 40 --delete 60 \
                 --insert-vertices 9 --delete-vertices 3 --rounds 3 --verify --format json \
                 --backend cpu"
            ),
        );
        let rounds = report["incremental"].as_array().unwrap();
        assert_eq!(rounds.len(), 3);
        for round in rounds {
            let paths = &round["sssp"];
            assert!(number(&paths["raised"]) > 0.0, "{paths}");
            assert!(number(&paths["raised"]) < 3000.0, "{paths}");
            assert!(number(&paths["steps"]) > 0.0, "{paths}");
            assert!(number(&paths["ms"]["median"]) > 0.0, "{paths}");
            assert!(number(&paths["recomputed_ms"]["median"]) > 0.0, "{paths}");
        }
        let verified = report["verified"].as_array().unwrap();
        assert!(verified.contains(&"distances from those before".into()));
    }
    let people = folder.run("graph @roads.gr --sssp 5 --incremental --delete 9 --backend cpu");
    let people = people.succeeds();
    let line = "incremental   round 1: distances from those before, ";
    assert!(people.stdout.contains(line), "{people:?}");
    folder.put("events.txt", "+ 1 2 7\n- 3 4\n+ 1 2 9\n");
    let report = graph(
        &folder,
        "@roads.gr --sssp 5 --incremental --stream @events.txt --batch 1 --verify --format json \
         --backend cpu",
    );
    assert_eq!(report["stream"]["batches"].as_array().unwrap().len(), 3);
    assert_eq!(report["incremental"][0]["round"], 3);
    folder
        .run("graph @roads.gr --bfs 5 --incremental --delete 9 --backend cpu")
        .fails(2, "--sssp");
}

/// Incremental results over three rounds equal those computed at the end.
fn carried_is_computed(report: &Value) {
    let rounds = report["incremental"].as_array().unwrap();
    assert_eq!(rounds.len(), 3);
    let last = &rounds[2];
    for carried in ["triangles", "components"] {
        assert_eq!(last[carried]["count"], report[carried]["count"]);
        assert!(number(&last[carried]["recomputed_ms"]["median"]) > 0.0);
    }
    assert!(number(&last["components"]["ms"]["median"]) > 0.0);
    assert!(number(&report["updates"][0]["ms"]["components"]["median"]) > 0.0);
    assert!(number(&last["pagerank"]["difference"]) < 1e-5);
    assert!(number(&last["pagerank"]["iterations"]) < number(&report["pagerank"]["iterations"]));
    assert_eq!(report["updates"][0]["batches"], 4);
}

#[test]
fn people_read_what_was_computed_and_what_was_carried_along() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    let command = "graph @kite.graph --bfs 1 --pagerank --triangles --components --insert 2 \
                   --incremental --rounds 2 --runs 1 --backend cpu";
    let outcome = folder.run(command);
    for words in [
        "of 6 vertices reached from 1, depth",
        "triangles by the batches",
        "components from those before",
        "round 1: ranks by",
        "round 2: ranks by",
    ] {
        assert!(outcome.stdout.contains(words), "{words}: {outcome:?}");
    }
}

/// Results are compared by their seeds, over versions too: these hashes are those of a program
/// that listed all edges to draw from.
#[test]
fn a_seed_draws_the_same_edges_for_ever() {
    let folder = Folder::new();
    let counts = "--insert 300,3000 --delete 300,3000 --pattern uniform,pressure --rounds 3";
    for (work, expected) in [
        (
            format!("gen:kronecker,vertices=2^13 {counts}"),
            "127414a80b8a2ce8",
        ),
        (
            format!("gen:kronecker,vertices=2^13 --directed --layout linked {counts}")
                .replace("--delete 300,3000", "--delete 300,9000"),
            "788829ec800ddc12",
        ),
        (
            "gen:road,vertices=5000 --layout linked --insert 300 --delete 20000 --rounds 2 \
             --self-loops"
                .to_owned(),
            "52aa26c37a1e532f",
        ),
    ] {
        let report = graph(
            &folder,
            &format!("{work} --seed 42 --runs 1 --backend cpu --format json"),
        );
        assert_eq!(text(&report, "graph_hash"), expected, "{work}");
    }
}
