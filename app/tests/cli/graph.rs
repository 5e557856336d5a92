//! `graph`: graphs whose results are known by hand, and keys.

use serde_json::Value;

use crate::program::{Folder, allocators, assert_keys, keys, number, text};

/// The keys of `graph --format json`.
pub const KEYS: &str = "\
    allocator backend betweenness bfs cdlp check_heap compact_ids components device directed duplicates \
    edges_final edges_read edges_stored edges_symmetrized first_vertex graph graph_hash \
    incremental init_ms kcore layout lcc memory meta pagerank parameters pool_bytes problems runs \
    self_loops self_loops_kept sssp stream triangles updates verified vertex_updates vertices_final weights";

/// Two triangles with an edge in common, a tail, and a vertex alone:
/// 1-2 1-3 2-3 2-4 3-4 4-5 6.
pub const KITE: &str = "6 6\n2 3\n1 3 4\n1 2 4\n2 3 5\n4\n\n";

pub const ALL: &str = "--pagerank --triangles --components --verify --format json --backend cpu";

pub fn graph(folder: &Folder, arguments: &str) -> Value {
    folder.json(format!("graph {arguments}"))
}

/// The hash of the graph in a file, without weights.
pub fn hash(folder: &Folder, name: &str) -> String {
    let command = format!("@{name} --weights none --runs 1 --format json --backend cpu");
    text(&graph(folder, &command), "graph_hash").to_owned()
}

#[test]
fn a_kite_is_what_it_is() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    for layout in ["contiguous", "linked"] {
        let report = graph(
            &folder,
            &format!("@kite.graph {ALL} --bfs 1 --layout {layout}"),
        );
        assert_keys(&report, KEYS);
        assert_eq!(
            keys(&report).len(),
            KEYS.split(' ').count() + 1,
            "vertices is there too"
        );
        assert_eq!(text(&report, "graph"), "kite");
        assert_eq!(text(&report, "layout"), layout);
        for (key, expected) in [
            ("vertices", 6),
            ("first_vertex", 1),
            ("edges_read", 6),
            ("edges_symmetrized", 12),
            ("edges_stored", 12),
            ("edges_final", 12),
            ("self_loops", 0),
            ("duplicates", 0),
            ("runs", 3),
        ] {
            assert_eq!(report[key], expected, "{key}");
        }
        assert_eq!(report["directed"], false);
        assert_eq!(report["triangles"]["count"], 2);
        assert_eq!(report["components"]["count"], 2);
        let bfs = &report["bfs"];
        assert_eq!((&bfs["reached"], &bfs["depth"]), (&5.into(), &3.into()));
        assert_eq!(report["memory"]["payload_bytes"], 48);
        assert!(number(&report["memory"]["allocated_bytes"]) >= 48.0);
        assert!(report["incremental"].is_null());
        for timed in ["pagerank", "triangles", "components", "bfs"] {
            let ms = &report[timed]["ms"];
            assert_eq!(ms["samples"].as_array().unwrap().len(), 3, "{timed}");
            assert!(number(&ms["median"]) > 0.0);
        }
        let verified = report["verified"].as_array().unwrap();
        assert_eq!(verified.len(), 5, "{verified:?}");
        assert_eq!(report["meta"]["input_hash"], report["graph_hash"]);
        assert_eq!(report["meta"]["seed"], 0);
    }
}

#[test]
fn ranks_of_a_star_and_of_a_fork() {
    let folder = Folder::new();
    // With damping 1/2 the centre has 5/12, the others 7/36 each.
    folder.put(
        "star.mtx",
        "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n4 1\n4 2\n4 3\n",
    );
    let ranks = graph(&folder, &format!("@star.mtx {ALL} --damping 0.5 --top 2"));
    let ranks = &ranks["pagerank"];
    assert_eq!(
        keys(ranks),
        [
            "converged",
            "iteration_bytes",
            "iterations",
            "method",
            "ms",
            "residual",
            "sum",
            "top"
        ]
    );
    // 6 entries, a sector of ranks for each of the 4 rows, 32 bytes a vertex.
    assert_eq!(number(&ranks["iteration_bytes"]), 6.0 * 4.0 + 4.0 * 64.0);
    let top = |place: usize| (&ranks["top"][place]["vertex"], &ranks["top"][place]["rank"]);
    let close = |value: &Value, expected: f64| (number(value) - expected).abs() < 1e-6;
    assert!(top(0).0 == 4 && close(top(0).1, 5.0 / 12.0), "{ranks}");
    assert!(top(1).0 == 1 && close(top(1).1, 7.0 / 36.0), "{ranks}");
    assert_eq!(ranks["top"].as_array().unwrap().len(), 2);
    assert!(close(&ranks["sum"], 1.0));

    // From 0 to 1 and 2, where there is no way on.
    folder.put("fork.el", "0 1\n0 2\n");
    let command = "@fork.el --pagerank --damping 0.5 --verify --format json --backend cpu";
    let report = graph(&folder, command);
    assert_eq!(report["directed"], true);
    let top = &report["pagerank"]["top"];
    assert!(
        top[0]["vertex"] == 1 && close(&top[0]["rank"], 2.5 / 7.0),
        "{top}"
    );
    assert!(
        top[2]["vertex"] == 0 && close(&top[2]["rank"], 2.0 / 7.0),
        "{top}"
    );
}

#[test]
fn vertices_are_numbered_as_in_the_file() {
    let folder = Folder::new();
    folder.put("path.gr", "p sp 3 2\na 1 2 5\na 2 3 5\n");
    folder.put("path.el", "0 1\n1 2\n");
    folder.put("from_one.el", "1 2\n2 3\n");
    for (file, source) in [
        ("@path.gr", 1),
        ("@path.el", 0),
        ("@from_one.el --one-based", 1),
    ] {
        let command = format!("{file} --bfs {source} --pagerank --format json --backend cpu");
        let report = graph(&folder, &command);
        assert_eq!(report["first_vertex"], source);
        assert_eq!(report["bfs"]["depth"], 2);
        assert_eq!(report["bfs"]["source"], source);
        // The end of the path has the most.
        assert_eq!(report["pagerank"]["top"][0]["vertex"], source + 2);
        let command = format!("graph {file} --backend cpu --bfs {}", source + 3);
        assert!(folder.run(&command).stderr.contains("numbered from"));
    }
    let hashes = ["path.gr", "path.el"].map(|name| hash(&folder, name));
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn directions_and_self_loops() {
    let folder = Folder::new();
    folder.put("loops.el", "0 1\n1 0\n1 1\n0 1\n");
    let stored = |flags: &str| {
        let report = graph(
            &folder,
            &format!("@loops.el {flags} --verify --format json --backend cpu"),
        );
        [
            "edges_read",
            "edges_symmetrized",
            "edges_stored",
            "self_loops",
            "duplicates",
        ]
        .map(|key| number(&report[key]) as u64)
    };
    assert_eq!(stored(""), [4, 4, 2, 1, 1]);
    assert_eq!(stored("--self-loops"), [4, 4, 3, 1, 1]);
    assert_eq!(stored("--undirected"), [4, 7, 2, 1, 4]);
    folder.put("pair.col", "p edge 2 1\ne 1 2\n");
    let report = graph(
        &folder,
        "@pair.col --directed --verify --format json --backend cpu",
    );
    assert_eq!(
        (&report["directed"], &report["edges_stored"]),
        (&true.into(), &2.into())
    );
}

#[test]
fn a_saved_graph_is_read_again() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    let expected = {
        let command = "@kite.graph --insert 4 --runs 1 --format json --backend cpu";
        text(&graph(&folder, command), "graph_hash").to_owned()
    };
    for name in ["a.graph", "a.gr.gz", "a.col", "a.mtx.gz", "a.el"] {
        let command =
            format!("graph @kite.graph --insert 4 --save @{name} -o @out.txt --backend cpu");
        let outcome = folder.run(&command);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (0, ""),
            "{outcome:?}"
        );
        assert_eq!(hash(&folder, name), expected, "{name}");
    }
    let report = std::fs::read_to_string(folder.path("out.txt")).unwrap();
    assert!(
        report
            .lines()
            .any(|line| line == format!("graph hash    {expected}"))
    );
}

#[test]
fn a_graph_of_nothing() {
    let folder = Folder::new();
    folder.put("nothing.graph", "0 0\n");
    folder.put("one.el", "0 1\n");
    let report = graph(&folder, &format!("@nothing.graph {ALL} --insert @one.el"));
    assert_eq!(report["updates"][0]["rejected"], 1);
    for key in ["triangles", "components"] {
        assert_eq!(report[key]["count"], 0);
    }
    folder.put("points.graph", "3 0\n\n\n\n");
    let report = graph(&folder, &format!("@points.graph {ALL} --bfs 3 --delete 5"));
    assert_eq!(report["updates"][0]["edges"], 0, "there is nothing to draw");
    assert_eq!(report["components"]["count"], 3);
    assert_eq!(report["bfs"]["reached"], 1);
}

#[test]
fn lists_of_counts_are_drawn_one_after_the_other() {
    let folder = Folder::new();
    folder
        .run("generate graph uniform --vertices 3000 --edges 9000 -o @some.el")
        .succeeds();
    let command = "@some.el --insert 100,2^10 --delete 50 --pattern pressure,uniform --rounds 2 \
                   --runs 1 --verify --format json --backend cpu";
    let report = graph(&folder, command);
    let updates = report["updates"].as_array().unwrap();
    let done = |update: &Value| {
        let words = ["kind", "pattern"].map(|key| text(update, key).to_owned());
        (words.join(" "), number(&update["edges"]) as u32)
    };
    let done: Vec<(String, u32)> = updates.iter().map(done).collect();
    let round = ["pressure", "uniform"].map(|pattern| {
        [("insert", 100), ("delete", 50), ("insert", 1024)]
            .map(|(kind, count)| (format!("{kind} {pattern}"), count))
    });
    assert_eq!(done, [round.concat(), round.concat()].concat());
    // Were the draws of a round alike, most of the larger would be there already.
    assert!(number(&updates[2]["duplicates"]) < 50.0);
}

#[test]
fn allocators_and_layouts_are_compared() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    folder.put("more.graph", "6 1\n6\n\n\n\n\n1\n");
    let command = "compare graph @kite.graph --backend cpu --layouts contiguous,linked --runs 1 \
                   --insert @more.graph --delete 2 --pagerank --damping 0.7 --top 2 --triangles \
                   --components --bfs 6 --verify --seed 3 --pool 1MiB --check-heap --format json";
    let rows = folder.json(command);
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 2 * allocators().len());
    let alone = folder.json(
        command
            .replace("compare graph", "graph")
            .replace("--layouts contiguous,linked", "--layout linked"),
    );
    for (place, row) in rows.iter().enumerate() {
        assert_eq!(text(row, "allocator"), allocators()[place / 2]);
        assert_eq!(text(row, "layout"), ["contiguous", "linked"][place % 2]);
        assert_eq!(text(row, "graph"), "kite");
        assert_eq!(text(row, "status"), "ok", "{row}");
        let result = &row["result"];
        assert_keys(result, KEYS);
        for key in ["graph_hash", "verified", "pool_bytes", "edges_final"] {
            assert_eq!(result[key], alone[key], "{key}");
        }
        assert_eq!(result["pagerank"]["top"], alone["pagerank"]["top"]);
        assert_eq!(result["bfs"]["reached"], alone["bfs"]["reached"]);
    }
    let table = folder
        .run("compare graph @kite.graph --backend cpu --runs 1 --insert 5")
        .succeeds();
    assert_eq!(table.stdout.lines().count(), 1 + allocators().len());
}
