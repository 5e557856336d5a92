//! `heapwood bench survey`.

use serde_json::Value;

use crate::program::{Folder, assert_keys, number, text};

/// The keys of `bench survey --format json` that scripts rely on.
const KEYS: &str = "\
    figure test allocator parameters backend device pool_bytes threads min_bytes max_bytes graph \
    batch_edges quantity value unit samples status error meta";

/// A run on the CPU with small sizes.
const QUICK: &str = "bench survey --quick --backend cpu --in-process";

/// Figure, quantity and status of a row.
fn summary(row: &Value) -> [&str; 3] {
    ["figure", "quantity", "status"].map(|key| text(row, key))
}

/// The rows of an allocator.
fn rows_of<'r>(rows: &'r Value, allocator: &str) -> Vec<&'r Value> {
    let rows = rows.as_array().unwrap().iter();
    rows.filter(|row| text(row, "allocator") == allocator)
        .collect()
}

#[test]
fn every_figure_has_rows_for_each_allocator() {
    let folder = Folder::new();
    let rows = folder.json(format!(
        "{QUICK} --allocators atomicmalloc,cfmalloc,gallatin --format json"
    ));
    let all = rows.as_array().unwrap();
    for row in all {
        assert_keys(row, KEYS);
        let samples = row["samples"].as_array().unwrap().len();
        assert_eq!(row["value"].is_null(), samples == 0, "{row}");
        assert_eq!(text(row, "status") == "ok", row["error"].is_null(), "{row}");
    }
    let expected = [
        // Figure, quantity, and rows of an allocator.
        ("Sec. 4.1", "registers", 1),
        ("Sec. 4.1", "init", 1),
        ("Fig. 9.a/b", "malloc", 2),
        ("Fig. 9.a/b", "free", 2),
        ("Fig. 9.c", "malloc", 2),
        ("Fig. 9.d", "malloc", 1),
        ("Fig. 9.d", "free", 1),
        ("Fig. 10", "malloc", 2),
        ("Fig. 10", "free", 2),
        ("Fig. 11.a", "range", 2),
        ("Fig. 11.a", "range-per-least", 2),
        ("Fig. 11.b", "granted", 2),
        ("Fig. 11.c", "step", 2),
        ("Fig. 11.c", "prefix-sum", 2),
        ("Fig. 11.d", "step", 2),
        ("Fig. 11.d", "prefix-sum", 2),
        ("Fig. 11.e", "step", 2),
        ("Fig. 11.e", "prefix-sum", 2),
        ("Fig. 11.f", "load", 1),
        ("Fig. 11.g", "insert", 1),
        ("Fig. 11.g", "delete", 1),
        ("no figure", "insert", 1),
        ("no figure", "delete", 1),
    ];
    for allocator in ["atomicmalloc", "cfmalloc", "gallatin"] {
        let rows = rows_of(&rows, allocator);
        for (figure, quantity, count) in expected {
            let of_figure = rows.iter().filter(|row| {
                let [of, what, status] = summary(row);
                let keeps = allocator == "atomicmalloc" && what == "free";
                let is_measured = what != "registers" && !keeps;
                assert_eq!(status == "ok", is_measured, "{row}");
                assert_eq!(row["value"].is_null(), !is_measured, "{row}");
                (of, what) == (figure, quantity)
            });
            assert_eq!(of_figure.count(), count, "{allocator} {figure} {quantity}");
        }
        let count: usize = expected.iter().map(|(_, _, count)| count).sum();
        assert_eq!(rows.len(), count, "{allocator}");
    }
    let mut figures: Vec<&str> = all.iter().map(|row| text(row, "figure")).collect();
    figures.dedup();
    assert_eq!(figures.len(), 13, "figure by figure: {figures:?}");
}

#[test]
fn points_are_those_of_the_tests() {
    let folder = Folder::new();
    let command = format!("{QUICK} --allocators cfmalloc --format json --figures");
    let rows = folder.json(format!("{command} 9c,9d,11b,11d,uniform"));
    let point = |figure: &str, quantity: &str| {
        let rows = rows.as_array().unwrap();
        let mut of = rows
            .iter()
            .filter(|row| summary(row)[..2] == [figure, quantity]);
        of.next_back().unwrap()
    };
    let warps = point("Fig. 9.c", "malloc");
    assert_eq!(
        (&warps["threads"], &warps["max_bytes"]),
        (&256.into(), &1024.into())
    );
    let mixed = point("Fig. 9.d", "free");
    assert_eq!(
        (&mixed["min_bytes"], &mixed["max_bytes"]),
        (&16.into(), &8192.into())
    );
    let granted = point("Fig. 11.b", "granted");
    assert_eq!(granted["pool_bytes"], 64 << 20);
    assert!(
        (50.0..100.0).contains(&number(&granted["value"])),
        "{granted}"
    );
    let work = point("Fig. 11.d", "step");
    assert_eq!(
        (&work["min_bytes"], &work["max_bytes"]),
        (&4.into(), &4096.into())
    );
    assert_eq!(work["samples"].as_array().unwrap().len(), 3);
    let update = point("no figure", "delete");
    assert_eq!(
        (text(update, "graph"), &update["batch_edges"]),
        ("gen:coauthors,vertices=1000", &256.into())
    );
    assert_eq!(
        update["samples"].as_array().unwrap().len(),
        2,
        "a sample per round"
    );
}

#[test]
fn cases_that_fail_have_rows_that_say_why() {
    let folder = Folder::new();
    let command = format!("{QUICK} --format json --allocators");
    let small = "cfmalloc,cfmalloc:coalesce --pool 1MiB --figures 9ab,9c,11c";
    let rows = folder.json(format!("{command} {small}"));
    for row in rows.as_array().unwrap() {
        let is_coalesced = text(&row["parameters"], "coalesce") == "true";
        let (expected, why) = match text(row, "figure") {
            "Fig. 9.c" if is_coalesced => ("unsupported", "nothing to coalesce"),
            "Fig. 11.c" if is_coalesced => ("unsupported", "coalesce has no effect"),
            // 1024 blocks of 1024 bytes.
            "Fig. 9.a/b" if row["max_bytes"] == 1024 => ("oom", "unserved"),
            _ => ("ok", ""),
        };
        assert_eq!(text(row, "status"), expected, "{row}");
        let error = row["error"].as_str().unwrap_or_default();
        assert!(error.contains(why), "{row}");
    }
    let rows = folder.json(format!("{command} awmalloc --figures 9d,11a,11b"));
    for row in rows.as_array().unwrap() {
        let (expected, why) = match summary(row) {
            ["Fig. 9.d", ..] => ("ok", ""),
            _ => ("unsupported", "never full"),
        };
        assert_eq!(text(row, "status"), expected, "{row}");
        let error = row["error"].as_str().unwrap_or_default();
        assert!(error.contains(why), "{row}");
    }
    // In processes of their own, which are ended.
    let slow = "bench survey --quick --backend cpu --allocators cfmalloc --figures 9d,11f";
    let outcome = folder.run(format!("{slow} --timeout 0.001 --format json"));
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let rows: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let status = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| text(row, "status"));
    assert_eq!(status.collect::<Vec<_>>(), ["timeout"; 3]);
}

#[test]
fn graphs_are_those_of_files_and_generators() {
    let folder = Folder::new();
    folder.put("square.el", "0 1\n1 2\n2 3\n3 0\n");
    let command = "bench survey --quick --backend cpu --allocators cfmalloc --figures 11f";
    let rows = folder.json(format!(
        "{command} --graphs @square.el gen:road,vertices=100 --format json"
    ));
    let graphs = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| text(row, "graph"));
    assert_eq!(
        graphs.collect::<Vec<_>>(),
        ["square", "gen:road,vertices=100"]
    );
    folder
        .run(format!("{command} --graphs @none.el"))
        .fails(3, "none.el");
    folder
        .run(format!(
            "{command} --graphs @square.el --format csv -o @square.el"
        ))
        .fails(2, "named twice");
}

#[test]
fn rows_are_written_in_every_format() {
    let folder = Folder::new();
    let command = format!("{QUICK} --allocators cfmalloc,atomicmalloc --figures registers,9d");
    for (format, begin) in [
        ("text", "figure    test"),
        ("csv", "figure,test,allocator,parameters,"),
        ("markdown", "| figure"),
        ("json", "["),
    ] {
        folder
            .run(format!("{command} --format {format} -o @out"))
            .succeeds();
        let text = std::fs::read_to_string(folder.path("out")).unwrap();
        assert!(text.starts_with(begin), "{text}");
        if format != "json" {
            let frees = text.lines().filter(|line| line.contains("does not free"));
            assert_eq!(frees.count(), 1, "{text}");
            let registers = text
                .lines()
                .filter(|line| line.contains("have no registers"));
            assert_eq!(registers.count(), 2, "{text}");
        }
    }
}

#[test]
fn bad_arguments_are_refused() {
    let folder = Folder::new();
    for (bad, part) in [
        (
            "--figures 12",
            "write some of registers, initialization, 9ab",
        ),
        ("--figures 9d,11z", "11z"),
        ("--figures 9d --graphs gen:cactus", "cactus"),
        ("--figures 9d --allocators malloc", "malloc"),
        ("--runs 0", "--runs"),
        ("--pool many", "many"),
    ] {
        let outcome = folder.run(format!("bench survey --quick --backend cpu {bad}"));
        outcome.fails(2, part);
    }
    // Threads of a CPU have no registers of their own.
    let none = folder.run(format!("{QUICK} --allocators cfmalloc --figures registers"));
    assert_eq!(none.code, 1, "{none:?}");
    assert!(
        none.stderr.contains("none of the 1 cases succeeded"),
        "{none:?}"
    );
}
