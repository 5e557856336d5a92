//! `heapwood report` and `heapwood compare results`.

use std::fs;

use heapwood::page::{Collection, Section, cases};

use super::program::{Folder, has, keys, text};

const MICRO: &str = "bench threads --threads 64 --bytes 16,64,256 --heap warm --runs 3 \
    --pool 1MiB --allocators atomicmalloc,cfmalloc,gallatin --in-process --backend cpu";

const WORK: &str = "compare workgen --threads 100 --steps 3 \
    --allocators atomicmalloc,cfmalloc --backend cpu";

/// A folder with the results of three commands.
fn measured() -> Folder {
    let folder = Folder::new();
    folder
        .run(format!("{MICRO} -o @micro.json"))
        .succeeds_quietly();
    folder
        .run(format!("{WORK} -o @work.json"))
        .succeeds_quietly();
    let allocators = folder
        .run("allocators --backend cpu --format json")
        .succeeds_quietly();
    folder.put("allocators.json", &allocators.stdout);
    folder
}

#[test]
fn a_page_has_all_results_and_takes_more() {
    let folder = measured();
    let first = folder
        .run("report @micro.json @allocators.json -o @page.html")
        .succeeds_quietly();
    has(&first.stdout, "page.html: 15 results of 2 files\n");
    let page = fs::read_to_string(folder.path("page.html")).unwrap();
    for part in [
        "Microbenchmarks",
        "gallatin",
        "threads malloc, warm, 64 x 256 B",
        "<svg",
    ] {
        has(&page, part);
    }
    assert!(!page.contains("Work generation"));
    let more = folder
        .run("report @page.html @work.json -o @page.html")
        .succeeds_quietly();
    has(&more.stdout, "page.html: 18 results of 3 files\n");
    let page = fs::read_to_string(folder.path("page.html")).unwrap();
    has(&page, "Work generation");
    has(&page, "none (prefix sum)");
}

#[test]
fn every_command_on_a_page_parses() {
    let mut collection = Collection::default();
    let reports = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/tests/reports");
    for entry in fs::read_dir(reports).unwrap() {
        let path = entry.unwrap().path();
        // Some reports measure no allocator.
        let _ = collection.add("a.json", &fs::read(path).unwrap());
    }
    let mut parsed = 0;
    for command in &collection.commands {
        if command.words[0] != "heapwood" {
            continue;
        }
        let lists = command.lists.iter();
        let lists = lists.flat_map(|(option, value)| [option.clone(), value.clone()]);
        let words: Vec<String> = command.words.iter().cloned().chain(lists).collect();
        let found = heapwood::cli::command().try_get_matches_from(&words);
        assert!(found.is_ok(), "{words:?}: {}", found.unwrap_err());
        parsed += 1;
    }
    assert!(parsed > 20, "{parsed} commands");
}

#[test]
fn files_that_are_no_results_are_refused_and_leave_no_page() {
    let folder = measured();
    folder.put("empty.json", "");
    folder.put("other.json", "{\"pixels\": 1}");
    folder.put(
        "old.json",
        "[{\"workload\": \"threads\", \"heap\": \"warm\"}]",
    );
    let names = folder.names();
    for (command, code, message) in [
        (
            "report @empty.json -o @page.html",
            3,
            "empty.json: the file is empty",
        ),
        (
            "report @none.json -o @page.html",
            3,
            "none.json: cannot read: No such file",
        ),
        (
            "report @micro.json @other.json -o @page.html",
            3,
            "other.json: no results that a page",
        ),
        (
            "report @old.json -o @page.html",
            3,
            "old.json: results of another version",
        ),
        ("report @micro.json -o @page.json", 2, "page.json"),
        ("report @micro.json -o @micro.json", 2, "micro.json"),
        ("report @micro.json -o @none/page.html", 3, "cannot write"),
        ("report -o @page.html", 2, "<FILE>..."),
        (
            "compare results @micro.json @work.json",
            3,
            "no case in common",
        ),
        (
            "compare results @micro.json @micro.json --noise=-1",
            2,
            "--noise",
        ),
    ] {
        folder.run(command).fails(code, message);
    }
    assert_eq!(folder.names(), names);
}

#[test]
fn changes_beyond_noise_have_a_verdict_and_an_exit_code() {
    let folder = measured();
    let same = folder
        .run("compare results @micro.json @micro.json")
        .succeeds_quietly();
    assert_eq!(same.stdout, "15 within noise\n");
    // A kernel that takes a second longer.
    let mut collection = Collection::default();
    let json = fs::read_to_string(folder.path("micro.json")).unwrap();
    collection.add("micro.json", json.as_bytes()).unwrap();
    assert_eq!(cases(&collection, Section::Micro).len(), 6);
    let mut rows: serde_json::Value = serde_json::from_str(&json).unwrap();
    rows[0]["alloc_ms"]["median"] = 1000.0.into();
    rows[0]["alloc_ms"]["samples"] = vec![1000.0; 3].into();
    folder.put("slow.json", rows.to_string());
    let worse = folder.run("compare results @micro.json @slow.json --format json -o @changes.json");
    worse.fails(5, "14 within noise, 1 worse");
    let report = fs::read_to_string(folder.path("changes.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(keys(&report).join(" "), "changes noise same");
    let change = &report["changes"][0];
    assert_eq!(
        keys(change).join(" "),
        "after allocator before case change ratio section"
    );
    assert_eq!(text(change, "change"), "worse");
    assert_eq!(change["after"], 1000.0);
    let better = folder
        .run("compare results @slow.json @micro.json")
        .succeeds_quietly();
    has(&better.stdout, "14 within noise, 1 better\n");
}
