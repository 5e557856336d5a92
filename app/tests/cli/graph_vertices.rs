//! `graph` with vertices that come and go: what is counted, that results do not depend on how
//! it is done, and what is refused.

use crate::graph::{ALL, KITE, graph};
use crate::program::{Folder, number, rows, text};

#[test]
fn every_vertex_is_counted() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    // 7 and 8 are new; of the edges to them one is to nowhere.
    folder.put("more.el", "6 7\n0 7\n8 0\n");
    folder.put(
        "gone.txt",
        "# the tail, a corner, and a new one\n5\n1\n\n7\n5\n",
    );
    for layout in ["contiguous", "linked"] {
        let report = graph(
            &folder,
            &format!(
                "@kite.graph {ALL} --bfs 2 --insert-vertices 2 --insert @more.el \
                 --delete-vertices @gone.txt --rounds 2 --layout {layout} --save @saved.el"
            ),
        );
        let updates = report["vertex_updates"].as_array().unwrap();
        let keys = [
            "round",
            "vertices",
            "inserted",
            "deleted",
            "missing",
            "entries_deleted",
            "present",
        ];
        let expected = [
            ("insert", [1, 2, 2, 0, 0, 0, 8]),
            // 5-4, 1-2, 1-3, 1-8 and 7-8.
            ("delete", [1, 4, 0, 3, 1, 10, 5]),
            ("insert", [2, 2, 2, 0, 0, 0, 7]),
            ("delete", [2, 4, 0, 0, 4, 0, 7]),
        ];
        assert_eq!(updates.len(), expected.len());
        for (update, (kind, counts)) in updates.iter().zip(expected) {
            assert_eq!(text(update, "kind"), kind);
            assert_eq!(
                keys.map(|key| number(&update[key]) as u64),
                counts,
                "{update}"
            );
            assert!(number(&update["ms"]["median"]) >= 0.0);
        }
        // One leads to nowhere at first; in the second round all touch who is gone.
        let edges = report["updates"].as_array().unwrap();
        let counts = ["inserted", "rejected"].map(|key| {
            let of = |update: &serde_json::Value| number(&update[key]) as u64;
            edges.iter().map(of).collect::<Vec<_>>()
        });
        assert_eq!(counts, [vec![2, 0], vec![1, 3]]);
        let keys = ["vertices", "vertices_final", "edges_final"];
        assert_eq!(keys.map(|key| number(&report[key]) as u64), [6, 7, 6]);
        assert_eq!(report["triangles"]["count"], 1);
        let saved = std::fs::read_to_string(folder.path("saved.el")).unwrap();
        assert!(saved.contains("# Nodes: 10 Edges: 3"), "{saved}");
        let top = report["pagerank"]["top"].as_array().unwrap();
        assert_eq!(top.len(), 7, "who was deleted has no rank");
        assert!((number(&report["pagerank"]["sum"]) - 1.0).abs() < 1e-5);
    }
    let people = folder.run(
        "graph @kite.graph --insert-vertices 2 --delete-vertices @gone.txt --backend cpu --runs 1",
    );
    for line in [
        "insert        round 1: 2 vertices, 2 inserted; ",
        "delete        round 1: 4 vertices, 3 deleted with 6 stored edges, 1 missing; ",
        "vertices      5 after all updates",
    ] {
        assert!(people.stdout.contains(line), "{}", people.stdout);
    }
}

#[test]
fn random_vertices_are_the_same_however_they_are_deleted() {
    let folder = Folder::new();
    let command = "graph gen:uniform,vertices=2000,edges=8000 --insert-vertices 100 --insert 2000 \
                   --delete 500 --delete-vertices 300 --rounds 3 --pagerank --components \
                   --triangles --verify --check-heap --format json --backend cpu";
    let mut hashes = Vec::new();
    for variant in [
        "--runs 3",
        "--layout linked",
        "--allocator ouroboros-p-va",
        "--allocator cmalloc --batch 77",
        "--cpu-threads 3 --pool 4MiB",
    ] {
        let report = folder.json(format!("{command} --seed 5 {variant}"));
        let updates = report["vertex_updates"].as_array().unwrap();
        let deleted = updates
            .iter()
            .map(|update| number(&update["deleted"]) as u64);
        assert_eq!(deleted.collect::<Vec<_>>(), [0, 300, 0, 300, 0, 300]);
        assert_eq!(report["vertices_final"], 2000 + 3 * 100 - 3 * 300);
        hashes.push(text(&report, "graph_hash").to_owned());
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
    let other = folder.json(format!("{command} --seed 6"));
    assert_ne!(text(&other, "graph_hash"), hashes[0]);
    // Directed, and all of them at last.
    let all = folder.json(
        "graph gen:uniform,vertices=500,directed --delete-vertices 2^20 --pagerank --components \
         --verify --format json --backend cpu",
    );
    assert_eq!(all["vertex_updates"][0]["vertices"], 500);
    let keys = ["vertices_final", "edges_final"];
    assert_eq!(keys.map(|key| number(&all[key])), [0.0; 2]);
    assert_eq!(all["components"]["count"], 0);
}

#[test]
fn ranks_are_carried_over_vertices() {
    let folder = Folder::new();
    let report = folder.json(
        "graph gen:delaunay,vertices=3000 --insert-vertices 3 --delete-vertices 2 --insert 50 \
         --rounds 3 --pagerank --incremental --verify --format json --backend cpu",
    );
    for round in report["incremental"].as_array().unwrap() {
        let ranks = &round["pagerank"];
        assert!(number(&ranks["difference"]) < 1e-5);
        assert!(
            number(&ranks["iterations"]) < number(&ranks["recomputed_iterations"]),
            "{ranks}"
        );
    }
}

/// In both layouts, with directions and without.
#[test]
fn components_are_carried_over_vertices() {
    let folder = Folder::new();
    for variant in [
        "",
        ",directed",
        " --layout linked",
        ",directed --layout linked",
    ] {
        let command = format!(
            "graph gen:uniform,vertices=2000,edges=1500{variant} --insert-vertices 30 \
             --delete-vertices 20 --insert 200 --delete 200 --rounds 3 --components --incremental \
             --verify --runs 2 --format json --backend cpu"
        );
        let report = folder.json(&command);
        let rounds = report["incremental"].as_array().unwrap();
        assert_eq!(rounds.len(), 3, "{variant}");
        assert!(rounds[0]["pagerank"].is_null() && rounds[0]["triangles"].is_null());
        let last = &rounds[2]["components"];
        assert_eq!(last["count"], report["components"]["count"], "{variant}");
        assert!(number(&last["ms"]["median"]) > 0.0);
    }
}

#[test]
fn comparisons_pass_vertices_on() {
    let folder = Folder::new();
    folder.put("gone.txt", "0\n5\n");
    for victims in ["@gone.txt", "2"] {
        let rows = folder.run(format!(
            "compare graph gen:road,vertices=200 --allocators cmalloc,cfmalloc --runs 1 \
                 --insert-vertices 7 --delete-vertices {victims} --verify --backend cpu \
                 --format json"
        ));
        for row in rows.json().as_array().unwrap() {
            assert_eq!(text(row, "status"), "ok", "{row}");
            assert_eq!(row["result"]["vertices_final"], 205);
        }
    }
}

#[test]
fn compact_ids_go_on_behind_the_largest() {
    let folder = Folder::new();
    folder.put("arcs.csv", "5,900\n900,18446744073709551610\n");
    folder.put("more.csv", "18446744073709551611,5\n");
    folder.put("gone.txt", "900\n");
    let command = "graph @arcs.csv --compact-ids --insert @more.csv --delete-vertices @gone.txt \
                   --save @saved.el --verify --format json --backend cpu --runs 1";
    let report = folder.json(format!("{command} --insert-vertices 5"));
    assert_eq!(report["updates"][0]["inserted"], 1);
    assert_eq!(report["vertices_final"], 7);
    let saved = std::fs::read_to_string(folder.path("saved.el")).unwrap();
    assert!(saved.ends_with("\n18446744073709551611 5\n"), "{saved}");
    let unknown = folder.run(command);
    assert!(
        unknown
            .error(3)
            .contains("more.csv:1: vertex id 18446744073709551611")
    );
    folder
        .run(format!("{command} --insert-vertices 6"))
        .fails(2, "no 64-bit ids left");
}

#[test]
fn vertices_that_make_no_sense() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    folder.put("far.txt", "# c\n1\n7\n");
    folder.put("zero.txt", "0\n");
    folder.put("two.txt", "1\n2 3\n");
    for [code, arguments, why] in rows(
        "2 | --insert-vertices 0 | from 1
         2 | --insert-vertices many | from 1
         2 | --insert-vertices 2^31 | 2^31 - 1
         2 | --insert-vertices 2^30 --rounds 3 | more than a store can number
         2 | --delete-vertices 0 | or a file
         2 | --delete-vertices 1,2 | or a file
         3 | --delete-vertices @absent.txt | absent.txt
         3 | --delete-vertices @far.txt | far.txt:3: vertex id 7 is not one of the graph's
         3 | --delete-vertices @zero.txt | zero.txt:1: vertex id 0
         3 | --delete-vertices @two.txt | two.txt:2: a line of 2 values
         2 | --delete-vertices @far.txt -o @far.txt | named twice
         2 | --delete-vertices 1 --incremental --triangles | deletions of vertices do not",
    ) {
        folder
            .run(format!("graph @kite.graph {arguments} --backend cpu"))
            .fails(code.parse().unwrap(), why);
    }
    // A vertex that is inserted may be deleted.
    folder
        .run("graph @kite.graph --insert-vertices 1 --delete-vertices @far.txt --backend cpu")
        .succeeds();
}
