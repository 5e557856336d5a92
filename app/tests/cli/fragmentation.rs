//! `heapwood bench fragmentation`.

use serde_json::Value;

use crate::program::{Folder, allocators, assert_keys, has_gpu, number, text};

/// The keys of `bench fragmentation --format json` that scripts rely on.
const KEYS: &str = "\
    allocator parameters backend device pool_bytes threads bytes status error overlap range \
    fill growth meta";

/// The bytes of a pool that holds thousands of blocks. The processors of a GPU divide it.
fn pool_bytes(backend: &str) -> u64 {
    if backend == "cpu" { 2 << 20 } else { 8 << 20 }
}

/// Rows over a pool of so many bytes.
fn rows(folder: &Folder, backend: &str, options: &str) -> Vec<Value> {
    let pool = pool_bytes(backend);
    let command = format!("bench fragmentation --backend {backend} --pool {pool} --format json");
    let rows = folder.json(format!("{command} {options}"));
    rows.as_array().unwrap().clone()
}

/// Checks what is so for any allocator that is never given more than its pool.
fn check(row: &Value) {
    let pool = pool_bytes(text(row, "backend")) as f64;
    assert_eq!(number(&row["pool_bytes"]), pool, "{row}");
    // The C library's heap is anywhere.
    let is_within = |range: &Value| number(range) <= pool || text(row, "allocator") == "cudamalloc";
    assert_keys(row, KEYS);
    assert_eq!(text(row, "status"), "ok", "{row}");
    let bytes = number(&row["bytes"]);
    let range = &row["range"];
    let padded = (bytes / 16.0).ceil() * 16.0;
    assert_eq!(range["blocks"], 100, "{row}");
    assert_eq!(number(&range["least_bytes"]), 99.0 * padded + bytes);
    assert!(number(&range["ratio"]) >= 1.0, "{row}");
    assert!(is_within(&range["range_bytes"]), "{row}");

    let fill = &row["fill"];
    let share = number(&fill["pool_share"]);
    assert_eq!(share, number(&fill["blocks"]) * bytes / pool, "{row}");
    assert!(number(&fill["range_bytes"]) >= share * pool, "{row}");
    assert!(is_within(&fill["range_bytes"]), "{row}");

    let growth = &row["growth"];
    if growth.is_null() {
        return;
    }
    assert_eq!(growth["exhausted"], true, "{row}");
    let live = number(&growth["live_bytes"]);
    assert_eq!(number(&growth["pool_share"]), live / pool);
    // Half of 100 blocks stay in each step; the last step wants room for all of them.
    let served = number(&growth["steps_served"]);
    assert!(live >= 50.0 * served * bytes, "{row}");
    assert!(live < (50.0 * served + 100.0) * bytes, "{row}");
    let steps = growth["steps"].as_array().unwrap();
    assert!(!steps.is_empty() && steps.len() <= 64, "{row}");
    let last = steps.last().unwrap();
    assert_eq!(number(&last["number"]), served);
    for step in steps {
        let kept = 50.0 * number(&step["number"]) * bytes;
        assert_eq!(number(&step["live_bytes"]), kept, "{row}");
    }
    let ranges = steps.iter().map(|step| number(&step["range_bytes"]));
    assert!(ranges.is_sorted(), "{row}");
    assert!(number(&growth["range_bytes"]) >= number(&last["range_bytes"]));
}

#[test]
fn every_allocator_is_filled_and_grows_until_it_is_full() {
    let folder = Folder::new();
    let gpu = has_gpu(&folder).then_some("cuda");
    for backend in ["cpu"].into_iter().chain(gpu) {
        let rows = rows(
            &folder,
            backend,
            // A million launches: with one thread none of them waits for another to wake up.
            "--threads 100 --bytes 16,1000 --steps 20000 --in-process --cpu-threads 1",
        );
        assert_eq!(rows.len(), 2 * allocators().len());
        for row in &rows {
            match text(row, "allocator") {
                "awmalloc" => assert_eq!(text(row, "status"), "unsupported", "{row}"),
                allocator => {
                    check(row);
                    let frees = !["atomicmalloc", "spread", "fdgmalloc"].contains(&allocator);
                    assert_eq!(!row["growth"].is_null(), frees, "{row}");
                }
            }
        }
    }
}

#[test]
fn most_of_a_pool_is_granted() {
    let folder = Folder::new();
    let options = "--threads 100 --bytes 1000 --allocators atomicmalloc,cfmalloc,ouroboros-p-s";
    for row in &rows(&folder, "cpu", options) {
        let share = number(&row["fill"]["pool_share"]);
        assert!(share > 0.7 && share < 1.0, "{row}");
        if text(row, "allocator") == "atomicmalloc" {
            // Side by side.
            assert_eq!(number(&row["range"]["range_bytes"]), 99.0 * 1008.0 + 1000.0);
        } else {
            let live = number(&row["growth"]["pool_share"]);
            assert!(live > 0.9 * share && live < 1.0, "{row}");
        }
    }
}

/// Blocks that growth frees are granted again: without that, half as many steps would fill the
/// pool.
#[test]
fn growth_reuses_what_it_frees() {
    let folder = Folder::new();
    let row = &rows(
        &folder,
        "cpu",
        "--threads 100 --bytes 1024 --allocators cfmalloc",
    )[0];
    let blocks = number(&row["fill"]["blocks"]);
    let served = number(&row["growth"]["steps_served"]);
    assert!(100.0 * served > 1.5 * blocks, "{row}");
    let row = &rows(
        &folder,
        "cpu",
        "--threads 100 --bytes 1024 --allocators cfmalloc --steps 7",
    )[0];
    assert_eq!(row["growth"]["steps_served"], 7);
    assert_eq!(row["growth"]["exhausted"], false);
}

#[test]
fn what_has_no_block_is_out_of_memory() {
    let folder = Folder::new();
    let command = "bench fragmentation --backend cpu --pool 8MiB --threads 10";
    let options = "--bytes 16MiB,64 --allocators cmalloc,cmalloc:coalesce";
    let outcome = folder.run(format!("{command} {options} --format json"));
    let rows: Vec<Value> = serde_json::from_str(&outcome.stdout).unwrap();
    let status: Vec<&str> = rows.iter().map(|row| text(row, "status")).collect();
    assert_eq!(status, ["oom", "ok", "oom", "ok"]);
    assert!(rows[0]["range"].is_null() && rows[0]["fill"].is_null());
    assert!(text(&rows[0], "error").contains("16 MiB"), "{}", rows[0]);
    assert_eq!(text(&rows[3]["parameters"], "coalesce"), "true");
    let none = folder.run(format!("{command} --bytes 16MiB --allocators cmalloc"));
    assert_eq!(none.code, 1, "{none:?}");
    assert!(none.stderr.contains("none of the 1 cases succeeded"));
}

#[test]
fn time_limits_are_rows_and_bad_arguments_are_not() {
    let folder = Folder::new();
    let command = "bench fragmentation --backend cpu --pool 64MiB --allocators cmalloc --bytes 16 \
                   --timeout 0.001 --format json";
    let outcome = folder.run(command);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let rows: Vec<Value> = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(text(&rows[0], "status"), "timeout");
    for bad in [
        "--threads 0",
        "--bytes 0",
        "--steps 0",
        "--allocators malloc",
    ] {
        let outcome = folder.run(format!("bench fragmentation --backend cpu {bad}"));
        assert_eq!(outcome.code, 2, "{bad}: {outcome:?}");
    }
}

#[test]
fn rows_are_written_in_every_format() {
    let folder = Folder::new();
    let command = "bench fragmentation --backend cpu --pool 8MiB --threads 50 --bytes 64,128 \
                   --allocators cfmalloc,atomicmalloc";
    for (format, begin) in [
        ("table", "allocator"),
        ("csv", "allocator,parameters,"),
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
        if format == "csv" {
            // Commas in quotes separate nothing.
            let columns = |line: &str| -> usize {
                let unquoted = line.split('"').step_by(2);
                1 + unquoted
                    .map(|part| part.matches(',').count())
                    .sum::<usize>()
            };
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(lines.len(), 5, "{text}");
            assert!(lines.iter().all(|line| columns(line) == 22), "{text}");
        }
    }
}
