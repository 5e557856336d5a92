//! `heapwood agents`, `heapwood workgen`, and comparisons of both.

use crate::program::{Folder, assert_keys, keys, number, text};

/// The keys that scripts rely on.
const KEYS: &str = "\
    allocated_bytes allocator allocator_share backend baseline_ms begin_ms check_heap device \
    external_fragmentation freed hash high_water_bytes init_ms internal_fragmentation left_bytes \
    meta parameters pool_bytes refused requests result step_ms steps steps_per_sample \
    steps_per_second verified";
const AGENTS_KEYS: &str = "\
    fish fish_age fish_share height hunger seed shark_age shark_share sharks width";
const WORKGEN_KEYS: &str = "bytes max_bytes min_bytes seed threads writes";

/// A small sea on the CPU.
const SEA: &str = "agents --backend cpu --width 60 --height 40 --steps 30";

#[test]
fn a_sea_is_verified_and_drawn() {
    let folder = Folder::new();
    let report = folder.json(format!("{SEA} --verify --picture @sea.png --format json"));
    assert_keys(&report, KEYS);
    assert_eq!(keys(&report["result"]).join(" "), AGENTS_KEYS);
    assert_eq!(report["step_ms"]["samples"].as_array().unwrap().len(), 30);
    assert_eq!(
        (&report["left_bytes"], &report["refused"]),
        (&0.into(), &0.into())
    );
    assert!(number(&report["requests"]) > number(&report["freed"]));
    let picture = std::fs::read(folder.path("sea.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
}

#[test]
fn work_is_verified_with_and_without_an_allocator() {
    let folder = Folder::new();
    let command = "workgen --backend cpu --threads 500 --steps 4 --verify --format json";
    let report = folder.json(command);
    assert_keys(&report, KEYS);
    assert_eq!(keys(&report["result"]).join(" "), WORKGEN_KEYS);
    assert_eq!(report["requests"], 4 * 500);
    assert!(number(&report["baseline_ms"]["median"]) > 0.0);
}

#[test]
fn seas_over_allocators_are_compared() {
    let folder = Folder::new();
    let command = "--width 30 --height 30 --steps 5 --backend cpu --format json";
    let rows = folder.json(format!(
        "compare {} {command}",
        "agents --allocators atomicmalloc,gallatin"
    ));
    let hashes: Vec<String> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| text(&row["result"], "hash").to_owned())
        .collect();
    assert_eq!(hashes.len(), 2);
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn options_that_do_not_fit_are_one_line() {
    let folder = Folder::new();
    for (command, code, why) in [
        (
            "agents --fish 0.6 --sharks 0.6",
            2,
            "--fish: together with sharks it is less than 1",
        ),
        (
            "workgen --min-bytes 5",
            2,
            "--min-bytes: it and max-bytes are multiples of 4",
        ),
        (
            "workgen --max-bytes 4096 --threads 2000 --pool 100KiB",
            4,
            "use a larger --pool",
        ),
        ("agents --picture @a.jpg", 2, "name it .png"),
    ] {
        folder
            .run(format!("{command} --backend cpu"))
            .fails(code, why);
    }
}
