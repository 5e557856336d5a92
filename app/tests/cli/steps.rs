//! `heapwood agents`, `heapwood particles`, `heapwood workgen`, and comparisons.

use crate::program::{Folder, assert_keys, keys, number, text};

/// The keys that scripts rely on.
const KEYS: &str = "\
    allocated_bytes allocator allocator_share backend baseline_ms begin_ms check_heap device \
    external_fragmentation freed hash high_water_bytes init_ms internal_fragmentation left_bytes \
    meta parameters pool_bytes refused requests result step_ms steps steps_per_sample \
    steps_per_second verified";
const AGENTS_KEYS: &str = "\
    fish fish_age fish_share height hunger seed shark_age shark_share sharks width";
const PARTICLES_KEYS: &str = "\
    absorbed depth height injected particles particles_per_cell seed temperature width";
const WORKGEN_KEYS: &str = "bytes max_bytes min_bytes seed threads writes";

/// A small lattice on the CPU.
const LATTICE: &str =
    "particles --backend cpu --width 4 --height 3 --depth 2 --particles 300 --steps 8";

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
fn particles_are_verified_and_drawn() {
    let folder = Folder::new();
    let report = folder.json(format!(
        "{LATTICE} --verify --picture @density.png --format json"
    ));
    assert_keys(&report, KEYS);
    let result = &report["result"];
    assert_eq!(keys(result).join(" "), PARTICLES_KEYS);
    assert_eq!(report["left_bytes"], 0);
    let particles = number(&result["particles"]);
    let expected = 24.0 * 300.0 + number(&result["injected"]) - number(&result["absorbed"]);
    assert_eq!(particles, expected);
    let picture = std::fs::read(folder.path("density.png")).unwrap();
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
fn seas_and_lattices_over_allocators_are_compared() {
    let folder = Folder::new();
    for workload in [
        "agents --width 30 --height 30",
        "particles --width 3 --height 2 --depth 4",
    ] {
        let command = "--allocators atomicmalloc,gallatin --steps 5 --backend cpu --format json";
        let rows = folder.json(format!("compare {workload} {command}"));
        let hashes: Vec<String> = rows
            .as_array()
            .unwrap()
            .iter()
            .map(|row| text(&row["result"], "hash").to_owned())
            .collect();
        assert_eq!(hashes.len(), 2);
        assert_eq!(hashes[0], hashes[1]);
    }
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
            "particles --temperature 0.03",
            2,
            "write a number from 0 to 0.02",
        ),
        (
            "particles --width 5000000 --height 16",
            2,
            "--width: a lattice has from 1 to 2^26 cells",
        ),
        (
            "particles --depth 1 --particles 4000000",
            2,
            "--particles: all cells together begin with 2^31 at most",
        ),
        (
            "particles --width 8 --height 8 --depth 1 --steps 20 --allocator atomicmalloc --pool 2MiB",
            4,
            "use a larger --pool",
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
