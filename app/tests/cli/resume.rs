//! Comparisons that go on from an earlier one.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::graph::KITE;
use crate::program::{Folder, Outcome, allocators, program, text};

const GRAPH: &str = "compare graph @kite.graph --backend cpu --cpu-threads 2 --runs 1 --seed 3 \
                     --insert 5 --delete 2 --layouts contiguous,linked \
                     --allocators cmalloc,cfmalloc,ouroboros-p-s";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    folder
}

fn rows(folder: &Folder, name: &str) -> Vec<Value> {
    serde_json::from_slice(&fs::read(folder.path(name)).unwrap()).unwrap()
}

fn put(folder: &Folder, name: &str, rows: &[Value]) {
    folder.put(name, serde_json::to_string(rows).unwrap());
}

/// Runs a comparison that writes nothing to the standard output.
fn compare(folder: &Folder, command: &str) -> Outcome {
    let outcome = folder.run(command);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, ""),
        "{outcome:?}"
    );
    outcome
}

/// The same row of a case that did not end well.
fn failed(row: &Value) -> Value {
    let mut row = row.clone();
    row["status"] = json!("timeout");
    row["error"] = json!("not done after 1 s");
    row["result"] = Value::Null;
    row
}

/// A row with a time that no case takes, by which it is known again.
fn marked(row: &Value, key: &str) -> Value {
    let mut row = row.clone();
    row["result"][key]["median"] = json!(0.123_456_789_012_345_68);
    row
}

#[test]
fn what_succeeded_is_taken_over_and_the_rest_run() {
    let folder = folder();
    compare(&folder, &format!("{GRAPH} -o @a.json"));
    let whole = rows(&folder, "a.json");
    assert_eq!(whole.len(), 6);
    // Of the second there is nothing, the fourth has failed.
    let earlier = [
        marked(&whole[0], "init_ms"),
        marked(&whole[2], "init_ms"),
        failed(&whole[3]),
        marked(&whole[5], "init_ms"),
    ];
    put(&folder, "a.json", &earlier);
    put(&folder, "kept.json", &earlier);
    compare(&folder, &format!("{GRAPH} --resume @a.json -o @a.json"));
    compare(&folder, &format!("{GRAPH} --resume @kept.json -o @b.json"));
    assert_eq!(rows(&folder, "kept.json"), earlier);
    for name in ["a.json", "b.json"] {
        let found = rows(&folder, name);
        assert_eq!(found.len(), 6);
        for (place, (found, before)) in found.iter().zip(&whole).enumerate() {
            for key in ["allocator", "layout", "graph", "options"] {
                assert_eq!(found[key], before[key], "{name}, {place}");
            }
            assert_eq!(text(found, "status"), "ok");
            let is_marked = found["result"] == marked(before, "init_ms")["result"];
            assert_eq!(is_marked, [0, 2, 5].contains(&place), "{name}, {place}");
        }
    }
    // A complete result is written again unchanged.
    let before = fs::read(folder.path("a.json")).unwrap();
    compare(&folder, &format!("{GRAPH} --resume @a.json -o @a.json"));
    assert_eq!(fs::read(folder.path("a.json")).unwrap(), before);
    // More cases may follow, and the result may be a table.
    let more = GRAPH.replace("ouroboros-p-s", "ouroboros-p-s,cmmalloc");
    let table = folder.run(format!("{more} --resume @a.json"));
    assert_eq!(
        (table.code, table.stdout.lines().count()),
        (0, 9),
        "{table:?}"
    );
}

#[test]
fn a_comparison_that_is_ended_leaves_what_it_has() {
    let folder = folder();
    for command in [
        "compare graph gen:road,vertices=2000 --backend cpu --runs 2 --pagerank",
        "compare kdtree gen:terrain,triangles=4000 --backend cpu --runs 2",
    ] {
        end_and_resume(&folder, command);
    }
    assert_eq!(folder.names(), "kite.graph out.json");
}

/// Ends a comparison of all allocators when it has written something, and goes on from that.
fn end_and_resume(folder: &Folder, command: &str) {
    let out = folder.path("out.json");
    let _ = fs::remove_file(&out);
    let words = command.split(' ').map(str::to_owned);
    let mut child = Command::new(program())
        .args(words.chain(["-o".to_owned(), out.display().to_string()]))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !out.exists() && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let first = rows(folder, "out.json");
    assert!(!first.is_empty(), "{command}");
    for (row, allocator) in first.iter().zip(allocators()) {
        assert_eq!(text(row, "allocator"), allocator);
    }
    compare(
        folder,
        &format!("{command} --resume @out.json -o @out.json"),
    );
    let second = rows(folder, "out.json");
    assert_eq!(second.len(), allocators().len());
    for (first, second) in first.iter().zip(&second) {
        assert_eq!(first["result"], second["result"], "{command}");
    }
}

#[test]
fn results_of_another_comparison_are_refused() {
    let folder = folder();
    compare(&folder, &format!("{GRAPH} -o @whole.json"));
    let whole = rows(&folder, "whole.json");
    let edited = |path: &[&str], value: Value| {
        let mut rows = whole.clone();
        let place = path.iter().fold(&mut rows[1], |at, key| &mut at[*key]);
        assert!(!place.is_null() || path.contains(&"gpu"), "{path:?}");
        *place = value;
        serde_json::to_string(&rows).unwrap()
    };
    let mut keyless = whole.clone();
    keyless[1]["result"]
        .as_object_mut()
        .unwrap()
        .remove("layout");
    let mut other = whole.clone();
    other[1]["result"]["new"] = json!(1);
    let mut twice = whole.clone();
    twice[1] = whole[0].clone();
    let json = |rows: &[Value]| serde_json::to_string(rows).unwrap();
    for (content, why) in [
        (String::new(), "no rows in JSON"),
        ("{}".to_owned(), "no rows in JSON"),
        (json(&whole)[..700].to_owned(), "no rows in JSON"),
        (
            "[{\"graph\": 1}]".to_owned(),
            "row 1 is not what this version",
        ),
        (json(&keyless), "row 2 is not what this version"),
        (json(&other), "row 2 is not what this version"),
        (json(&twice), "row 2 is cmalloc, contiguous, which is not"),
        (
            edited(&["allocator"], "cmmalloc".into()),
            "row 2 is cmmalloc, linked, which is",
        ),
        (
            edited(&["result", "graph"], "kit".into()),
            "another name of the input: kit, not kite",
        ),
        (
            edited(&["result", "meta", "input_hash"], "0".into()),
            "another hash of the input",
        ),
        (
            edited(&["result", "device"], "abacus".into()),
            "another device: abacus, not ",
        ),
        (
            edited(&["result", "backend"], "cuda".into()),
            "another backend: cuda, not cpu",
        ),
        (
            edited(&["result", "meta", "commit"], "c0ffee".into()),
            "another commit: c0ffee, not",
        ),
    ] {
        folder.put("out.json", &content);
        folder
            .run(format!("{GRAPH} --resume @out.json -o @out.json"))
            .fails(3, why)
            .fails(3, "out.json: ")
            .fails(3, "leave out --resume");
        let left = fs::read_to_string(folder.path("out.json")).unwrap();
        assert_eq!(left, content);
    }
    // A row that failed tells what it was made with, too.
    put(&folder, "failed.json", &[failed(&whole[0])]);
    for (from, to, why) in [
        ("--seed 3", "--seed 4", "with --seed=3, not with --seed=4"),
        ("--runs 1", "--runs 2", "with --runs=1, not with --runs=2"),
        (
            "--insert 5",
            "--insert 6",
            "with --insert=5, not with --insert=6",
        ),
        ("--delete 2", "", "with --delete=2"),
        ("--delete 2", "--delete 2 --batch 1", "without --batch=1"),
        (
            "--delete 2",
            "--delete 2 --check-heap",
            "without --check-heap",
        ),
        (
            "--cpu-threads 2",
            "--cpu-threads 1",
            "--cpu-threads=2, not with",
        ),
        (
            "cfmalloc,",
            "",
            "row 3 is cfmalloc, contiguous, which is not",
        ),
        (
            "@kite.graph",
            "@other.graph",
            "another name of the input: kite, not other",
        ),
    ] {
        folder.put("other.graph", KITE);
        let command = GRAPH.replace(from, to);
        let resume = |name: &str| folder.run(format!("{command} --resume @{name}"));
        let message = resume("whole.json").error(3).to_owned();
        assert!(message.contains(why), "{message}");
        if why.starts_with("with") {
            let message = resume("failed.json").error(3).to_owned();
            assert!(message.contains(why), "{message}");
        }
    }
}

/// Rows of a version that wrote the arguments of a command for each case.
#[test]
fn rows_of_an_earlier_version_are_refused_by_its_commit_and_read_by_their_options() {
    const COMMIT: &str = "5f8e936b9a80";
    let folder = Folder::new();
    folder.put("earlier.json", include_str!("earlier.json"));
    let command = "compare kdtree gen:knot --backend cpu --cpu-threads 2 --runs 1 \
                   --allocators cmalloc,cfmalloc";
    let refused = folder.run(format!("{command} --resume @earlier.json"));
    let why = format!("earlier.json: row 1 has another commit: {COMMIT}, not ");
    assert!(refused.error(3).contains(&why), "{refused:?}");
    // The same row as if this program on this machine had written it.
    compare(&folder, &format!("{command} -o @now.json"));
    let now = rows(&folder, "now.json");
    let mut earlier = rows(&folder, "earlier.json");
    for key in ["device", "meta"] {
        earlier[0]["result"][key] = now[0]["result"][key].clone();
    }
    assert_ne!(earlier[0]["options"], now[0]["options"], "in another order");
    put(&folder, "earlier.json", &earlier);
    let resumed = format!("{command} --resume @earlier.json -o @resumed.json");
    compare(&folder, &resumed);
    let found = rows(&folder, "resumed.json");
    assert_eq!(found[0]["result"], earlier[0]["result"]);
    let other = resumed.replace("--runs 1", "--runs 2");
    let why = "row 1 was made with --runs=1, not with --runs=2";
    assert!(folder.run(&other).error(3).contains(why));
}

#[test]
fn other_hashes_are_found_in_what_is_taken_over() {
    let folder = folder();
    compare(&folder, &format!("{GRAPH} -o @a.json"));
    let mut rows = rows(&folder, "a.json");
    rows[4]["result"]["graph_hash"] = json!("0000000000000000");
    put(&folder, "a.json", &rows);
    folder
        .run(format!("{GRAPH} --resume @a.json -o @b.json"))
        .fails(5, "ended with different graphs");
    // The result is written all the same, for inspection.
    assert!(folder.path("b.json").is_file());
}

#[test]
fn a_file_that_is_not_there_begins_only_if_it_is_written() {
    let folder = folder();
    let absent = folder.run(format!("{GRAPH} --resume @absent.json -o @out.json"));
    assert!(
        absent
            .error(3)
            .contains("absent.json: there is no such file")
    );
    assert_eq!(folder.names(), "kite.graph");
    compare(
        &folder,
        &format!("{GRAPH} --resume @out.json -o @./out.json"),
    );
    assert_eq!(rows(&folder, "out.json").len(), 6);
    folder
        .run(format!("{GRAPH} --resume @a.csv -o @a.csv"))
        .fails(2, "--resume goes on from JSON");
    folder
        .run(format!("{GRAPH} --resume @."))
        .fails(3, "cannot read");
}

#[test]
fn trees_go_on_too_with_ratios_to_all() {
    let folder = Folder::new();
    folder.scene("knot");
    let command = "compare kdtree @knot.obj --backend cpu --runs 1 \
                   --allocators atomicmalloc,cmalloc,cfmalloc";
    compare(&folder, &format!("{command} -o @a.json"));
    let whole = rows(&folder, "a.json");
    // Without the row that the others are compared with, there are no ratios.
    let mut left = marked(&whole[1], "build_ms");
    left["ratio"] = Value::Null;
    put(&folder, "a.json", &[left.clone()]);
    compare(&folder, &format!("{command} --resume @a.json -o @a.json"));
    let found = rows(&folder, "a.json");
    assert_eq!(found.len(), 3);
    assert_eq!(found[1]["result"], left["result"]);
    let base = found[0]["result"]["build_ms"]["median"].as_f64().unwrap();
    for row in &found {
        let median = row["result"]["build_ms"]["median"].as_f64().unwrap();
        assert_eq!(row["ratio"].as_f64(), Some(median / base));
    }
    let other = folder.run(format!("{command} --no-clip --resume @a.json"));
    assert!(other.error(3).contains("row 1 was made without --no-clip"));
    folder.scene("terrain");
    let other = command.replace("knot", "terrain");
    let other = folder.run(format!("{other} --resume @a.json"));
    assert!(
        other
            .error(3)
            .contains("another name of the input: knot, not terrain")
    );
}
