//! `heapwood bench`: its rows, its formats, and how it fails.

use crate::program::{Folder, allocators, assert_keys, has, number, text};
use serde_json::Value;

/// The keys of `bench --format json` that scripts rely on.
const BENCH_KEYS: &str = "\
    workload allocator parameters backend device heap pool_bytes threads blocks bytes status \
    init_ms kernel_ms alloc_ms free_ms draws turns nulls counted_allocations counted_frees \
    counted_nulls overlapping_nulls internal_fragmentation external_fragmentation meta";

#[test]
fn benchmarks_have_a_row_for_every_case() {
    let folder = Folder::new();
    // They do not free block by block.
    let keeps = ["atomicmalloc", "spread", "fdgmalloc"];
    let options = "--backend cpu --runs 2 --warmup 1 --pool 16MiB --format json";
    for (workload, cases, times) in [
        (
            "threads --threads 100,300 --bytes 16,1KiB",
            4,
            ["alloc_ms", "free_ms"],
        ),
        ("mixed --threads 500", 1, ["alloc_ms", "free_ms"]),
        (
            "alloc-dealloc --blocks 3 --bytes 16,65536",
            2,
            ["kernel_ms", "kernel_ms"],
        ),
        (
            "alloc-cycle-dealloc --blocks 3 --bytes 16 --kept 1,128",
            2,
            ["kernel_ms", "kernel_ms"],
        ),
        (
            "probability --blocks 1,3 --p-alloc 0.5",
            2,
            ["kernel_ms", "kernel_ms"],
        ),
        (
            "sizes --threads 10,300 --from 16 --to 40",
            8,
            ["alloc_ms", "free_ms"],
        ),
        (
            "turns --threads 50,300 --bytes 16,1KiB --turns 3 --mixed",
            6,
            ["kernel_ms", "kernel_ms"],
        ),
        ("scaling --threads 10,1000", 2, ["alloc_ms", "free_ms"]),
    ] {
        let rows = folder.json(format!("bench {workload} {options} --in-process"));
        let rows = rows.as_array().unwrap();
        assert_eq!(rows.len(), cases * 2 * allocators().len(), "{workload}");
        for row in rows {
            assert_keys(row, BENCH_KEYS);
            assert_eq!(text(row, "status"), "ok", "{row}");
            assert_eq!(row["nulls"], 0);
            assert_eq!(row["counted_nulls"], 0);
            assert_eq!(row["overlapping_nulls"], 0);
            for key in times {
                if key == "free_ms" && keeps.contains(&text(row, "allocator")) {
                    assert!(row[key].is_null());
                } else {
                    assert_eq!(row[key]["samples"].as_array().unwrap().len(), 2, "{row}");
                }
            }
            assert!(number(&row["init_ms"]["median"]) >= 0.0);
        }
    }
}

#[test]
fn a_full_heap_refuses_and_the_refusal_is_timed() {
    let folder = Folder::new();
    let options = "--backend cpu --heap full --threads 8 --bytes 4096 --pool 1MiB --runs 3";
    let rows = folder.json(format!(
        "bench threads {options} --in-process --format json"
    ));
    for row in rows.as_array().unwrap() {
        if text(row, "allocator") == "awmalloc" {
            assert_eq!(text(row, "status"), "unsupported", "it is never full");
        } else {
            assert_eq!(text(row, "status"), "ok", "{row}");
            assert_eq!(row["nulls"], 8 * 3, "{row}");
            assert_eq!(row["overlapping_nulls"], 0, "{row}");
        }
    }
}

#[test]
fn each_pool_is_a_case() {
    let folder = Folder::new();
    let command = "bench threads --backend cpu --runs 1 --warmup 0 --heap cold --threads 1000 \
                   --bytes 4096 --pool 1MiB,64MiB --allocators cfmalloc";
    let rows = folder.json(format!("{command} --format json"));
    let pools = [&rows[0]["pool_bytes"], &rows[1]["pool_bytes"]];
    assert_eq!(pools.map(Value::as_u64), [Some(1 << 20), Some(64 << 20)]);
    let status = [text(&rows[0], "status"), text(&rows[1], "status")];
    assert_eq!(status, ["oom", "ok"]);
    let shown = folder.run(command);
    has(&shown.stdout, "pool bytes");
    folder
        .run("bench survey --quick --backend cpu --pool 1MiB,2MiB")
        .fails(2, "--pool");
}

#[test]
fn failures_are_rows_and_do_not_end_the_table() {
    let folder = Folder::new();
    let command = "bench threads --backend cpu --runs 1 --warmup 0 --heap cold --format json";
    // 1 MiB has no room for 1000 blocks of 4 KiB, but for 10.
    let sizes = "--threads 10,1000 --bytes 4096 --pool 1MiB --allocators atomicmalloc,cfmalloc";
    let rows = folder.json(format!("{command} {sizes}"));
    let status: Vec<&str> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| text(row, "status"))
        .collect();
    assert_eq!(status, ["ok", "oom", "ok", "oom"]);
    assert!(number(&rows[1]["nulls"]) > 0.0);
    assert!(!text(&rows[1], "error").is_empty());

    let slow = "--threads 1000000 --bytes 16 --allocators atomicmalloc --timeout 0.001";
    let outcome = folder.run(format!("{command} {slow}"));
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let rows: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(text(&rows[0], "status"), "timeout");

    let coalesced =
        "bench alloc-dealloc --blocks 1 --bytes 16 --allocators cmalloc,cmalloc:coalesce";
    let rows = folder.json(format!(
        "{coalesced} --backend cpu --heap warm --runs 1 --pool 16MiB --format json"
    ));
    assert_eq!(text(&rows[0], "status"), "ok");
    assert_eq!(text(&rows[1], "status"), "unsupported");
}

/// One worker frees nothing while it is refused: all of its refusals say that memory
/// did not suffice.
#[test]
fn refusals_are_counted_apart_from_those_that_overlap_frees() {
    let folder = Folder::new();
    let command = "bench alloc-cycle-dealloc --blocks 1 --kept 128 --bytes 16384 --pool 1MiB \
                   --allocators atomicmalloc,cfmalloc,ouroboros-c-s --heap warm --runs 2 \
                   --backend cpu --cpu-threads 1";
    let outcome = folder.run(format!("{command} --format json"));
    let rows: Value = serde_json::from_str(&outcome.stdout).unwrap();
    for row in rows.as_array().unwrap() {
        assert_eq!(text(row, "status"), "oom", "{row}");
        // Eight warps want twice the pool each.
        let counted = number(&row["counted_nulls"]);
        assert!(counted > 8.0 * 60.0, "{row}");
        assert_eq!(number(&row["nulls"]), 2.0 * counted, "{row}");
        assert_eq!(row["overlapping_nulls"], 0, "{row}");
    }
    for (format, titles) in [
        ("table", ["counted nulls", "overlapping"]),
        ("markdown", ["counted nulls", "overlapping"]),
        ("csv", ["counted_nulls", "overlapping_nulls"]),
    ] {
        let outcome = folder.run(format!("{command} --format {format}"));
        for title in titles {
            assert!(outcome.stdout.contains(title), "{outcome:?}");
        }
    }
    let unsupported = "bench alloc-dealloc --blocks 1 --bytes 16 --allocators cmalloc:coalesce \
                       --backend cpu --heap warm --format json";
    let outcome = folder.run(unsupported);
    let rows: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert!(rows[0]["overlapping_nulls"].is_null(), "{rows}");
}

/// The first point of Vinkler and Havran's Figure 5: 4 bytes of a block of 16.
#[test]
fn fragmentation_is_that_of_live_and_of_free_blocks() {
    let folder = Folder::new();
    let command = "bench alloc-dealloc --blocks 2 --bytes 4,1KiB --heap warm --pool 1MiB --runs 1 \
                   --backend cpu --allocators cfmalloc,cmalloc,atomicmalloc,spread";
    let rows = folder.json(format!("{command} --format json"));
    let rows = rows.as_array().unwrap();
    let internal: Vec<f64> = rows[..4]
        .iter()
        .map(|row| number(&row["internal_fragmentation"]))
        .collect();
    assert_eq!(internal, [0.75, 0.0, 0.875, 0.0]);
    for row in &rows[..4] {
        let external = number(&row["external_fragmentation"]);
        assert!((0.0..1.0).contains(&external), "{row}");
    }
    for row in &rows[4..] {
        assert!(row["external_fragmentation"].is_null(), "{row}");
    }
    let outcome = folder.run(command);
    has(&outcome.stdout, "internal");
}

#[test]
fn overwriting_is_never_silent() {
    let folder = Folder::new();
    let command = "bench threads --threads 1000 --bytes 4096 --pool 1MiB --allocators awmalloc \
                   --backend cpu --runs 1 --heap cold --format json";
    let outcome = folder.run(command);
    assert_eq!(outcome.code, 5, "{outcome:?}");
    let rows: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(text(&rows[0], "status"), "fault");
    assert!(number(&rows[0]["corrupt"]) > 0.0);

    folder.scene("knot");
    folder
        .run("kdtree @knot.obj --allocator awmalloc --alloc-per-split --pool 64KiB --backend cpu")
        .fails(4, "awmalloc");
}

#[test]
fn results_are_written_in_every_format() {
    let folder = Folder::new();
    let command =
        "bench mixed --threads 50 --pool 8MiB --runs 1 --backend cpu --allocators cmalloc";
    for (format, begin) in [
        ("table", "allocator"),
        ("csv", "workload,allocator,"),
        ("markdown", "| allocator"),
        ("json", "["),
    ] {
        let outcome = folder.run(format!("{command} --format {format} -o @out"));
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (0, ""),
            "{outcome:?}"
        );
        let text = std::fs::read_to_string(folder.path("out")).unwrap();
        assert!(text.starts_with(begin), "{text}");
        assert!(text.ends_with('\n'));
    }
    assert_eq!(folder.names(), "out");
}

#[test]
fn coalesced_requests_are_measured_too() {
    let folder = Folder::new();
    let command = "bench mixed --threads 500 --pool 16MiB --runs 1 --backend cpu --coalesce";
    let rows = folder.json(format!("{command} --in-process --format json"));
    for row in rows.as_array().unwrap() {
        assert_eq!(text(row, "status"), "ok", "{row}");
        assert_eq!(text(&row["parameters"], "coalesce"), "true");
        assert_eq!(row["corrupt"], 0);
    }
}

/// The keys of `bench host-pool --format json` that scripts rely on.
const HOST_POOL_KEYS: &str = "\
    source pattern bytes threads status error pairs allocate deallocate pairs_per_s hits \
    misses meta";

#[test]
fn the_pool_of_the_host_is_measured_beside_malloc() {
    let folder = Folder::new();
    let options = "--backend cpu --operations 200 --budget 60 --memory 64KiB";
    let sizes = "--bytes 512,4KiB --threads 1,3";
    let rows = folder.json(format!("bench host-pool {options} {sizes} --format json"));
    let rows = rows.as_array().unwrap();
    // Pairs, mixed, cold and warm, of three sources.
    assert_eq!(rows.len(), 3 * (4 + 2 + 2 + 2));
    for row in rows {
        assert_keys(row, HOST_POOL_KEYS);
        assert_eq!(text(row, "status"), "ok", "{row}");
        let (pattern, threads) = (text(row, "pattern"), number(&row["threads"]));
        let is_filled = pattern == "cold" || pattern == "warm";
        let pairs = match is_filled {
            true => (65536.0 / number(&row["bytes"])).min(200.0),
            false => 200.0 * threads,
        };
        assert_eq!(number(&row["pairs"]), pairs, "{row}");
        assert_eq!(row["bytes"].is_null(), pattern == "mixed");
        assert_eq!(row["pairs_per_s"].is_null(), is_filled);
        for key in ["allocate", "deallocate"] {
            let times = ["p50_ns", "p99_ns", "p999_ns", "max_ns"].map(|of| number(&row[key][of]));
            assert!(times.is_sorted() && times[3] > 0.0, "{row}");
        }
        let counts = (&row["hits"], &row["misses"]);
        match (text(row, "source"), pattern) {
            ("malloc", _) => assert!(counts.0.is_null() && counts.1.is_null()),
            (_, "cold") => assert_eq!((number(counts.0), number(counts.1)), (0.0, pairs)),
            (_, "warm") => assert_eq!((number(counts.0), number(counts.1)), (pairs, 0.0)),
            _ => assert_eq!(number(counts.0) + number(counts.1), pairs),
        }
    }
}

#[test]
fn rows_of_the_host_pool_are_tables_too() {
    let folder = Folder::new();
    let options = "--backend cpu --patterns pairs --bytes 1MiB --threads 1 --operations 10";
    let written = |rest: &str| {
        let outcome = folder
            .run(format!("bench host-pool {options} {rest}"))
            .succeeds();
        outcome.stdout
    };
    let table = written("");
    assert_eq!(table.lines().count(), 4, "{table}");
    for word in ["pool-async", "malloc", "1 MiB", "100.0 %", "p99.9"] {
        assert!(table.contains(word), "{table}");
    }
    let csv = written("--format csv");
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(
        csv.starts_with("source,pattern,bytes,threads,status,"),
        "{csv}"
    );
    for bad in [
        "--bytes 0",
        "--threads 0",
        "--patterns some",
        "--operations 0",
    ] {
        assert_eq!(folder.run(format!("bench host-pool {bad}")).code, 2);
    }
    let huge = "--backend cpu --patterns pairs --bytes 1000000GiB --threads 1";
    let failed = folder.run(format!("bench host-pool {huge} -o @none.json"));
    assert_eq!(failed.code, 1);
    let rows = std::fs::read_to_string(folder.path("none.json")).unwrap();
    assert!(rows.contains("\"oom\""), "{rows}");
}
