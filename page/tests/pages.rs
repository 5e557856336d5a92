//! Pages of results as every command writes them, and of files that are none.

use std::fs;
use std::path::{Path, PathBuf};

use heapwood_page::{Collection, PageFault, Section, cases, changes, html};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The JSON files in a folder, in order.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect(folder);
    let paths = entries.map(|entry| entry.expect(folder).path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|suffix| suffix == "json"))
        .collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn collected(paths: &[PathBuf]) -> Collection {
    let mut collection = Collection::default();
    for path in paths {
        // Other files of results are refused, which another test lists.
        let _ = collection.add(&name(path), &fs::read(path).unwrap());
    }
    collection
}

#[test]
fn results_of_all_commands_are_shown_but_those_that_measure_no_allocator() {
    let mut refused = Vec::new();
    for path in files("results/tests/reports") {
        let mut collection = Collection::default();
        match collection.add(&name(&path), &fs::read(&path).unwrap()) {
            Ok(()) => {
                let is_list = name(&path) == "allocators.json" || name(&path) == "devices.json";
                assert!(is_list || !collection.measured.is_empty(), "{path:?}");
                for measured in &collection.measured {
                    assert!(measured.command < collection.commands.len());
                    assert!(measured.machine < collection.machines.len());
                }
                let page = html(&collection, &[]);
                for measured in &collection.measured {
                    assert!(
                        page.contains(&measured.allocator),
                        "{path:?}: {}",
                        measured.allocator
                    );
                }
            }
            Err(error) => {
                assert!(matches!(error.why, PageFault::Unknown(_)), "{error}");
                refused.push(name(&path));
            }
        }
    }
    let others = [
        "changes",
        "diff",
        "picture",
        "picture_of_file",
        "ranks",
        "sequence",
        "trace",
    ];
    assert_eq!(refused, others.map(|other| format!("{other}.json")));
}

#[test]
fn a_page_can_be_added_to() {
    let paths = files("results/tests/reports");
    let (first, rest) = paths.split_at(paths.len() / 2);
    let page = html(&collected(first), &[]);
    let mut added = Collection::default();
    added.add("page.html", page.as_bytes()).unwrap();
    for path in rest {
        let _ = added.add(&name(path), &fs::read(path).unwrap());
    }
    let whole = html(&collected(&paths), &[]);
    assert_eq!(html(&added, &[]), whole);
    // A page that is added to itself is the same.
    added.add("whole.html", whole.as_bytes()).unwrap();
    assert_eq!(html(&added, &[]), whole);
}

#[test]
fn the_recorded_results_make_a_page_below_a_megabyte() {
    let runs = fs::read_dir(root().join("docs/results/runs")).unwrap();
    let mut runs: Vec<PathBuf> = runs.map(|run| run.unwrap().path()).collect();
    runs.sort();
    let paths: Vec<PathBuf> = runs
        .iter()
        .filter(|run| run.is_dir())
        .flat_map(|run| files(&run.display().to_string()))
        .collect();
    let collection = collected(&paths);
    assert!(
        collection.measured.len() > 5000,
        "{}",
        collection.measured.len()
    );
    let page = html(&collection, &[]);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    // Nothing is taken from elsewhere.
    for from in ["src=\"http", "href=\"http", "url(", "@import", "fetch("] {
        assert!(!page.contains(from), "{from}");
    }
}

/// The message about a file.
fn refusal(file: &str, content: &[u8]) -> String {
    let mut collection = Collection::default();
    let error = collection.add(file, content).expect_err(file).to_string();
    assert!(!error.contains('\n'), "{error}");
    assert!(collection.measured.is_empty());
    error
}

#[test]
fn files_that_cannot_be_shown_are_refused_in_one_line() {
    let micro = fs::read_to_string(root().join("results/tests/reports/micro.json")).unwrap();
    let older = micro.replacen("\"pool_bytes\"", "\"heap_bytes\"", 1);
    let page = html(&collected(&files("results/tests/reports")[..3]), &[]);
    let data = page.find("id=\"collection\"").unwrap();
    for (content, expected) in [
        ("", "a.json: the file is empty: "),
        (" \n", "a.json: the file is empty: "),
        ("[]", "a.json: there is no row in it: "),
        (
            "[1]",
            "a.json: no results that a page shows (its keys are none)",
        ),
        (
            "{\"pixels\": 1}",
            "a.json: no results that a page shows (its keys are pixels)",
        ),
        (
            "workload,heap\nthreads,warm\n",
            "a.json: no JSON (expected value at line 1 column 1)",
        ),
        (
            &micro[..micro.len() / 2],
            "a.json: no JSON (EOF while parsing",
        ),
        (
            &older,
            "a.json: results of another version of heapwood (row 1: missing field `pool_bytes`",
        ),
        ("<!DOCTYPE html><p>text", "a.json: no page of heapwood"),
        (
            &page[..data + 500],
            "a.json: the results that the page carries cannot be read",
        ),
        (
            &page.replace("data-version=\"2\"", "data-version=\"3\""),
            "a.json: the results that the page carries cannot be read (they are of another version)",
        ),
    ] {
        let message = refusal("a.json", content.as_bytes());
        assert!(message.starts_with(expected), "{message}");
    }
    assert!(refusal("b", &[0xff, 0xfe, 0]).starts_with("b: no JSON (the bytes are no text)"));
}

/// A comparison without a success.
const FAILURES: &str = r#"[
    {"allocator": "cmalloc", "frees": true, "reference": "atomicmalloc", "ratio": null,
     "fastest": false, "options": ["--steps=3"], "status": "timeout",
     "error": "no answer <within> 1 s", "result": null},
    {"allocator": "halloc", "frees": true, "reference": "atomicmalloc", "ratio": null,
     "fastest": false, "options": ["--steps=3"], "status": "oom", "error": null, "result": null}]"#;

#[test]
fn failures_alone_are_shown_as_failures() {
    let mut collection = Collection::default();
    collection
        .add("failures.json", FAILURES.as_bytes())
        .unwrap();
    let page = html(&collection, &[]);
    assert!(page.contains("2 results failed"), "{page}");
    assert!(page.contains("no answer &lt;within&gt; 1 s"));
    let found = cases(&collection, Section::Unknown);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].reference(), None);
}

#[test]
fn a_failure_stands_in_the_row_of_its_case() {
    let path = root().join("results/tests/reports/compare_graph.json");
    let mut rows: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let failed = &mut rows[1];
    failed["status"] = "fault".into();
    failed["error"] = "it crashed".into();
    failed["result"] = serde_json::Value::Null;
    let allocator = failed["allocator"].as_str().unwrap().to_owned();
    let mut collection = Collection::default();
    collection
        .add("a.json", rows.to_string().as_bytes())
        .unwrap();
    let found = cases(&collection, Section::Updates);
    let all = found
        .iter()
        .find(|case| case.name.starts_with("all changes"))
        .unwrap();
    assert!(all.cells.len() > 1 && all.cells.contains_key(allocator.as_str()));
    assert_eq!(all.multiple(&allocator), None);
}

/// Results of microbenchmarks, whose times are scaled.
fn scaled(by: f64) -> Collection {
    let text = fs::read_to_string(root().join("results/tests/reports/micro.json")).unwrap();
    let mut rows: serde_json::Value = serde_json::from_str(&text).unwrap();
    for row in rows.as_array_mut().unwrap() {
        for key in ["alloc_ms", "free_ms", "kernel_ms"] {
            if row[key].is_object() {
                row[key]["median"] = (row[key]["median"].as_f64().unwrap() * by).into();
                let samples = row[key]["samples"].as_array_mut().unwrap();
                for sample in samples {
                    *sample = (sample.as_f64().unwrap() * by).into();
                }
            }
        }
    }
    let mut collection = Collection::default();
    collection
        .add("micro.json", rows.to_string().as_bytes())
        .unwrap();
    collection
}

#[test]
fn changes_beyond_noise_are_found_and_others_are_not() {
    let [once, slower] = [1.0, 100.0].map(scaled);
    let same = changes(&once, &once, 0.2).unwrap();
    assert!(
        same.changes.is_empty() && same.same > 0,
        "{}",
        same.verdict()
    );
    let worse = changes(&once, &slower, 0.2).unwrap();
    assert!(worse.changes.iter().any(|row| row.change.is_regression()));
    for row in &worse.changes {
        assert!((row.ratio.unwrap() - 100.0).abs() < 0.1, "{row:?}");
    }
    let better = changes(&slower, &once, 0.2).unwrap();
    assert_eq!(better.changes.len(), worse.changes.len());
    assert!(better.changes.iter().all(|row| !row.change.is_regression()));
    let within = changes(&once, &scaled(1.15), 0.2).unwrap();
    assert!(within.changes.is_empty(), "{}", within.verdict());
    // A case that is gone, and one that fails.
    let mut fewer = once.clone();
    fewer.measured.pop();
    let found = changes(&once, &fewer, 0.2).unwrap();
    assert!(
        found.verdict().ends_with(", 1 missing"),
        "{}",
        found.verdict()
    );
    let found = changes(&fewer, &once, 0.2).unwrap();
    assert!(found.verdict().ends_with(", 1 new"), "{}", found.verdict());
}

#[test]
fn results_that_do_not_belong_together_are_not_compared() {
    let once = scaled(1.0);
    let mut elsewhere = once.clone();
    for machine in &mut elsewhere.machines {
        machine.device = "NVIDIA H100".to_owned();
    }
    let refused = changes(&once, &elsewhere, 0.2).unwrap_err();
    assert!(
        matches!(refused, PageFault::OtherMachine { .. }),
        "{refused}"
    );
    let mut other = once.clone();
    for measured in &mut other.measured {
        measured.case += ", of another kind";
    }
    assert_eq!(
        changes(&once, &other, 0.2).unwrap_err(),
        PageFault::NothingInCommon
    );
    // A page shows both, each as what it is.
    let mut both = once.clone();
    both.add("page.html", html(&elsewhere, &[]).as_bytes())
        .unwrap();
    let names: Vec<String> = cases(&both, Section::Micro)
        .into_iter()
        .map(|case| case.name)
        .collect();
    assert!(
        names.iter().any(|name| name.ends_with(", on NVIDIA H100")),
        "{names:?}"
    );
}
