//! Blocks of the user's allocators: sizes that are told or unknown, and blocks that overlap.

use serde_json::Value;

use crate::external::{FAULTY, FREE_LISTS, compile};
use crate::program::{Folder, text};

/// Sizes that an allocator does not tell are unknown, and are not those of requests.
#[test]
fn sizes_of_blocks_are_known_if_the_functions_tell_them() {
    let folder = Folder::new();
    let silent = FREE_LISTS.replace("heapwood_granted", "granted");
    let wrong = FREE_LISTS.replace("return 16ull <<", "return 0 &");
    for (name, source) in [
        ("tells", FREE_LISTS),
        ("silent", &silent),
        ("wrong", &wrong),
    ] {
        if !compile(&folder, source, &[], name) {
            return;
        }
    }
    let tree = "gen:soup,triangles=2000 --runs 1 --backend cpu";
    let graph = "graph gen:uniform,vertices=256 --runs 1 --backend cpu --pool 4MiB";
    for (allocator, link, is_known) in [
        ("external", "--link @tells.so", true),
        ("external", "--link @silent.so", false),
        ("cudamalloc", "", false),
        ("cfmalloc", "", true),
    ] {
        let over = format!("--allocator {allocator} {link}");
        let built = folder.json(format!("kdtree {tree} {over} --format json"));
        for key in ["internal_fragmentation", "pool_high_water_bytes"] {
            assert_eq!(
                built[key].as_f64().is_some_and(|part| part > 0.0),
                is_known,
                "{built}"
            );
            assert_eq!(built[key].is_null(), !is_known, "{built}");
        }
        let shown = folder.run(format!("kdtree {tree} {over}")).stdout;
        assert_eq!(shown.contains("unknown internal"), !is_known, "{shown}");
        assert_eq!(
            shown.contains(", an unknown part of it used"),
            !is_known,
            "{shown}"
        );
        let frames = format!("kdtree --frames {tree} {over} --format json");
        let frames = folder.json(&frames);
        assert_eq!(
            frames["pool_high_water_bytes"].is_null(),
            !is_known,
            "{frames}"
        );
        assert_eq!(
            frames["frames"][0]["tree_bytes"].is_null(),
            !is_known,
            "{frames}"
        );
        let kept = folder.json(format!("{graph} {over} --format json"));
        for key in [
            "internal_fragmentation",
            "loaded_bytes",
            "allocated_bytes",
            "high_water_bytes",
            "loaded_memory_per_csr",
            "memory_per_csr",
        ] {
            assert_eq!(kept["memory"][key].is_null(), !is_known, "{key}: {kept}");
        }
        let rounds = format!("{graph} --insert 9 --rounds 2 {over} --format json");
        let rounds = &folder.json(&rounds)["memory"]["rounds"];
        assert!(rounds["payload_bytes"].is_array(), "{rounds}");
        for key in ["allocated_bytes", "high_water_bytes"] {
            assert_eq!(rounds[key].is_null(), !is_known, "{key}: {rounds}");
        }
        let shown = folder.run(format!("{graph} {over}")).stdout;
        assert_eq!(shown.contains("unknown internal"), !is_known, "{shown}");
        let unknown = shown.contains("blocks of unknown sizes");
        assert_eq!(unknown, !is_known, "{shown}");
        let unknown = shown.contains("\nmemory / CSR  unknown\n");
        assert_eq!(unknown, !is_known, "{shown}");
        for format in ["markdown", "csv"] {
            let compared = format!("compare kdtree {tree} --allocators {allocator} {link}");
            let table = folder.run(format!("{compared} --format {format}")).stdout;
            let cells = |line: &str| -> Vec<String> {
                let cells = line.trim_matches('|').split(['|', ',']);
                cells.map(|cell| cell.trim().to_owned()).collect()
            };
            let titles = cells(table.lines().next().unwrap());
            let row = cells(table.lines().last().unwrap());
            for title in ["used", "internal"] {
                let column = titles.iter().position(|cell| cell == title).unwrap();
                assert_eq!(row[column] == "-", !is_known, "{table}");
            }
        }
    }
    // No block is smaller than its request.
    let built = format!("kdtree {tree} --allocator external --link @wrong.so --format json");
    assert_eq!(folder.json(&built)["internal_fragmentation"], 0.0);
}

/// Kernels that free what they allocate are verified by a round beside them, and say nothing of
/// blocks where they are not.
#[test]
fn blocks_that_overlap_are_found_beside_kernels_that_free_them() {
    let folder = Folder::new();
    if !compile(&folder, FAULTY, &["SAME", "WITH_FREE"], "same") {
        return;
    }
    let options = "--allocators external,cfmalloc --link @same.so --backend cpu --runs 1 \
                   --pool 16MiB --format json";
    for workload in [
        "turns --threads 100 --bytes 64 --mixed",
        "alloc-dealloc --blocks 10 --bytes 64",
        "alloc-cycle-dealloc --blocks 10 --bytes 64",
        "probability --blocks 10",
    ] {
        for heap in ["warm", "cold"] {
            let command = format!("bench {workload} --heap {heap} {options}");
            let outcome = folder.run(&command);
            assert_eq!(outcome.code, 5, "{command}: {outcome:?}");
            let rows: Value = serde_json::from_str(&outcome.stdout).unwrap();
            for row in rows.as_array().unwrap() {
                let is_right = text(row, "allocator") == "cfmalloc";
                assert_eq!(row["corrupt"] == 0, is_right, "{row}");
                assert_eq!(text(row, "status") == "ok", is_right, "{row}");
            }
            let outcome = folder.run(format!("{command} --verify false"));
            assert!(outcome.json()[0]["corrupt"].is_null(), "{outcome:?}");
        }
    }
    let table = "bench turns --threads 100 --bytes 64 --allocators external --link @same.so \
                 --backend cpu --runs 1 --heap warm --verify false";
    let table = folder.run(table).stdout;
    let cells = |line: usize| table.lines().nth(line).unwrap().split_whitespace().rev();
    assert!(table.contains("corrupt  status"), "{table}");
    assert!(cells(1).take(2).eq(["ok", "-"]), "{table}");
}

#[test]
fn more_blocks_than_the_pool_has_room_for_overlap() {
    let folder = Folder::new();
    if !compile(&folder, FAULTY, &["MORE"], "more") {
        return;
    }
    assert!(compile(&folder, FAULTY, &["MORE", "WITH_FREE"], "frees"));
    for (allocator, library) in [("external:free=no", "more"), ("external", "frees")] {
        let command = format!(
            "bench fragmentation --allocators {allocator},cfmalloc --threads 100 --bytes 64 \
             --pool 1MiB --backend cpu --link @{library}.so --format json"
        );
        let outcome = folder.run(&command);
        assert_eq!(outcome.code, 5, "{outcome:?}");
        let rows: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(text(&rows[0], "status"), "fault", "{rows}");
        let why = text(&rows[0], "overlap");
        assert!(why.contains("live blocks lie in 1023.5 KiB"), "{why}");
        assert_eq!(text(&rows[0], "error"), why);
        assert_eq!(text(&rows[1], "status"), "ok", "{rows}");
        assert!(rows[1]["overlap"].is_null(), "{rows}");
    }
}

/// An allocator whose tree differs from most has neither a ratio nor the star.
#[test]
fn results_that_differ_are_not_ranked() {
    let folder = Folder::new();
    if !compile(&folder, FAULTY, &["SAME", "WITH_FREE"], "same") {
        return;
    }
    let command = "compare kdtree gen:soup,triangles=500 --runs 1 --backend cpu --cpu-threads 1 \
                   --allocators atomicmalloc,cfmalloc,external --link @same.so --format json";
    let outcome = folder.run(command);
    assert_eq!(outcome.code, 5, "{outcome:?}");
    let rows: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert!(rows[2]["result"].is_object(), "{rows}");
    assert!(
        rows[2]["ratio"].is_null() && !rows[1]["ratio"].is_null(),
        "{rows}"
    );
    assert_eq!(
        (&rows[1]["fastest"], &rows[2]["fastest"]),
        (&Value::from(true), &Value::from(false))
    );
}

/// An allocator that cannot free uses what was ever requested: no sizes of blocks are mixed in.
#[test]
fn what_cannot_be_freed_counts_as_requested() {
    let folder = Folder::new();
    folder.put("one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let command = "kdtree @one.obj --runs 1 --backend cpu --format json --allocator";
    let used = |allocator: &str| {
        let report = folder.json(format!("{command} {allocator}"));
        report["pool_high_water_bytes"].as_u64()
    };
    // A block of 16 bytes holds the only reference.
    assert_eq!(used("atomicmalloc"), Some(4));
    assert_eq!(used("gallatin"), Some(16));
}
