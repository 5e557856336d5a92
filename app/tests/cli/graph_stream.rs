//! `graph --stream`: events that come in batches, with and without a window.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::graph::{KITE, graph, hash};
use crate::program::{Folder, number, rows, text};

const FLAGS: &str = "--verify --format json --backend cpu";

/// Numbers that look random.
fn random(i: u64) -> u64 {
    i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33
}

/// The ends of event `i` among so many vertices, no loop.
fn ends(i: u64, vertices: u64) -> [u64; 2] {
    let source = random(2 * i) % vertices;
    let target = random(2 * i + 1) % (vertices - 1);
    [source, if target < source { target } else { target + 1 }]
}

fn sorted([u, v]: [u64; 2]) -> [u64; 2] {
    [u.min(v), u.max(v)]
}

/// Writes an undirected graph on so many vertices.
fn put(folder: &Folder, name: &str, vertices: u64, edges: &BTreeSet<[u64; 2]>) {
    let lines: String = edges.iter().map(|[u, v]| format!("{u} {v}\n")).collect();
    folder.put(
        name,
        format!("# Undirected graph\n# Nodes: {vertices}\n{lines}"),
    );
}

fn counts(stream: &Value) -> [u64; 7] {
    let keys = [
        "events",
        "superseded",
        "inserted",
        "duplicates",
        "deleted",
        "missing",
        "rejected",
    ];
    keys.map(|key| number(&stream[key]) as u64)
}

#[test]
fn signed_events_are_counted() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    // Numbered as the graph: 4-6 comes, 1-2 goes and comes again, 5-6 comes and goes at once.
    folder.put(
        "events",
        "# c\n+ 4 6\n- 1 2\n+ 2 1\n\n+ 5 6\n- 6 5\n+ 4 5\n",
    );
    let stream = |batch: &str| {
        let command = format!("@kite.graph --stream @events --batch {batch} --triangles {FLAGS}");
        graph(&folder, &command)
    };
    let (whole, single) = (stream("100"), stream("1"));
    assert_eq!(counts(&whole["stream"]), [6, 2, 1, 2, 0, 1, 0]);
    assert_eq!(counts(&single["stream"]), [6, 0, 3, 1, 2, 0, 0]);
    assert_eq!(whole["graph_hash"], single["graph_hash"]);
    assert_eq!(whole["triangles"]["count"], 2);
    assert!(whole["stream"]["window"].is_null() && whole["stream"]["rank_iterations"].is_null());
    let batches = single["stream"]["batches"].as_array().unwrap();
    assert_eq!(batches.len(), 6);
    assert_eq!(batches[1]["deleted"], 1);
    assert_eq!(
        batches[1]["latency_ms"].as_array().unwrap().len(),
        3,
        "a run each"
    );
    for key in ["latency_ms", "kernel_ms"] {
        let of = ["p50", "p95", "p99", "max"].map(|part| number(&single["stream"][key][part]));
        assert!(of[0] > 0.0 && of.is_sorted(), "{of:?}");
    }
    let kernels = number(&single["stream"]["kernel_ms"]["max"]);
    assert!(kernels <= number(&single["stream"]["latency_ms"]["max"]));
    let people = folder.run(
        "graph @kite.graph --stream @events --batch 4 --backend cpu --runs 1 --pagerank \
         --incremental",
    );
    for line in [
        "stream        6 events in 2 batches: 2 inserted, 1 deleted, 2 duplicates, 1 superseded\n",
        "latency       p50 ",
        " iterations of ranks in all\n",
        "incremental   round 2: ranks by ",
        "edges         14 stored after all updates\n",
    ] {
        assert!(people.stdout.contains(line), "{line}: {}", people.stdout);
    }
}

/// Whatever the batches, layout and allocator, the graph is that of the definition.
#[test]
fn a_window_leaves_the_young_edges() {
    let folder = Folder::new();
    let vertices = 60;
    let loaded: BTreeSet<[u64; 2]> = (5000..5040).map(|i| sorted(ends(i, vertices))).collect();
    put(&folder, "start.el", vertices, &loaded);
    let events: Vec<([u64; 2], u64)> = (0..1500)
        .map(|i| (ends(i, vertices), 1000 + i / 4 * 3))
        .collect();
    let lines: String = events
        .iter()
        .map(|([u, v], time)| format!("{u},{v},{time}\n"))
        .collect();
    folder.put("events.csv", lines);
    let last = events.last().unwrap().1;
    for window in [0, 50, 10_000] {
        let young = events.iter().filter(|(_, time)| time + window >= last);
        let mut expected = loaded.clone();
        expected.extend(young.map(|&(edge, _)| sorted(edge)));
        put(&folder, "expected.el", vertices, &expected);
        let expected = hash(&folder, "expected.el");
        for variant in [
            "--batch 1500 --runs 1",
            "--batch 40 --layout linked",
            "--batch-time 70 --allocator ouroboros-c-vl --check-heap",
            "--batch-time 1000000 --runs 2",
            "--batch 64 --triangles --pagerank --components --incremental",
            "--batch 64 --triangles --components --incremental --layout linked",
        ] {
            let command =
                format!("@start.el --stream @events.csv --window {window} {variant} {FLAGS}");
            let report = graph(&folder, &command);
            assert_eq!(text(&report, "graph_hash"), expected, "{window}, {variant}");
            let stream = &report["stream"];
            assert_eq!(
                (&stream["window"], &stream["events"]),
                (&window.into(), &1500.into())
            );
            let [_, _, inserted, _, deleted, missing, rejected] = counts(stream);
            assert_eq!((missing, rejected), (0, 0));
            let stored = number(&report["edges_final"]) as u64 / 2;
            assert_eq!(loaded.len() as u64 + inserted - deleted, stored);
        }
    }
}

#[test]
fn what_is_carried_along_is_what_is_computed_anew() {
    let folder = Folder::new();
    let lines = |i: u64| {
        let [u, v] = ends(i, 2000);
        format!("{u} {v} {i}\n")
    };
    folder.put("events", (0..4000).map(lines).collect::<String>());
    for verify in ["", "--verify"] {
        let report = graph(
            &folder,
            &format!(
                "gen:delaunay,vertices=2000 --stream @events --window 1000 --batch 500 --pagerank \
                 --triangles --components --incremental --runs 2 --format json --backend cpu \
                 {verify}"
            ),
        );
        // After the last batch, numbered as that.
        let compared = report["incremental"].as_array().unwrap();
        assert_eq!((compared.len(), &compared[0]["round"]), (1, &8.into()));
        for carried in ["triangles", "components"] {
            assert_eq!(compared[0][carried]["count"], report[carried]["count"]);
        }
        assert!(number(&compared[0]["pagerank"]["difference"]) < 1e-5);
        assert!(report["stream"]["rank_iterations"].as_u64().unwrap() >= 8);
        assert_eq!(report["stream"]["batches"].as_array().unwrap().len(), 8);
    }
}

#[test]
fn comparisons_apply_the_stream_too() {
    let folder = Folder::new();
    folder.put("start.csv", "5,900\n900,18446744073709551610\n");
    folder.put(
        "events",
        "900 5 10\n18446744073709551610 5 20\n5 900 1000\n",
    );
    let rows = folder.json(
        "compare graph @start.csv --compact-ids --stream @events --window 100 --batch-time 10 \
         --allocators cmalloc,cfmalloc --layouts contiguous,linked --runs 1 --verify --backend cpu \
         --format json",
    );
    for row in rows.as_array().unwrap() {
        assert_eq!(text(row, "status"), "ok", "{row}");
        // 5 to 900 was loaded, the others have gone.
        assert_eq!(
            counts(&row["result"]["stream"]),
            [3, 0, 2, 1, 2, 0, 0],
            "{row}"
        );
    }
}

#[test]
fn a_pool_that_does_not_suffice_says_at_which_batch() {
    let folder = Folder::new();
    let lines = |i: u64| {
        let [u, v] = ends(i, 500);
        format!("+ {u} {v}\n")
    };
    folder.put("events", (0..60_000).map(lines).collect::<String>());
    let command = "graph gen:uniform,vertices=500,edges=1000 --stream @events --batch 6000 \
                   --pool 256KiB --verify --backend cpu --save @out.el";
    let outcome = folder.run(command);
    let message = outcome.error(4);
    for part in [
        "insertions of batch ",
        " of 10: ",
        "--pool",
        "as before these",
    ] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(folder.names(), "events");
}

#[test]
fn streams_that_make_no_sense() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    folder.put("signed", "+ 1 2\n");
    folder.put("timed", "1 2 5\n");
    folder.put("back", "1 2 5\n1 3 4\n");
    folder.put("far", "# c\n+ 1 2\n+ 1 7\n");
    folder.put("mixed", "+ 1 2\n1 2 5\n");
    folder.put("short", "1 2\n");
    folder.put("none", "# c\n");
    for [code, arguments, why] in rows(
        "2 | --stream @signed | say --batch EVENTS or --batch-time T
         2 | --stream @signed --batch-time 5 | signed ones have no time
         2 | --stream @signed --batch 5 --window 5 | signed ones have no time
         2 | --stream @timed --batch 5 --batch-time 5 | cannot be used with
         2 | --stream @timed --batch-time 0 | from 1
         2 | --stream @timed --batch 0 | from 1
         2 | --stream @timed --batch 5 --window many | whole number
         2 | --stream @timed --batch 5 --insert 3 | cannot be used with
         2 | --stream @timed --batch 5 --delete-vertices 3 | cannot be used with
         2 | --stream @timed --batch 5 --rounds 3 | cannot be used with
         2 | --window 5 --insert 3 | --stream
         2 | --stream @timed --batch 5 --save @timed | named twice
         3 | --stream @absent --batch 5 | absent
         3 | --stream @back --batch 5 | back:2: time 4 is before 5
         3 | --stream @far --batch 1 | far:3: vertex id 7 is not one of the graph's
         3 | --stream @mixed --batch 5 | mixed:2: `1` starts no line
         3 | --stream @short --batch 5 | short:1: a line of 2 values
         3 | --stream @none --batch 5 | none is empty: there are no events",
    ) {
        folder
            .run(format!("graph @kite.graph {arguments} --backend cpu"))
            .fails(code.parse().unwrap(), why);
    }
}
