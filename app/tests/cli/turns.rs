//! `heapwood bench turns`.

use serde_json::Value;

use crate::program::{Folder, has_gpu, number, text};

/// Rows of `bench turns`, on the CPU if no other backend is named.
fn rows(folder: &Folder, options: &str) -> Vec<Value> {
    let backend = match options.contains("--backend") {
        true => "",
        false => "--backend cpu",
    };
    let command = format!("bench turns {backend} --runs 2 --heap warm --format json");
    let outcome = folder.run(format!("{command} {options}"));
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

/// The allocations, frees and refusals of the round that counts.
fn counted(row: &Value) -> [f64; 3] {
    ["counted_allocations", "counted_frees", "counted_nulls"].map(|key| number(&row[key]))
}

#[test]
fn every_thread_allocates_and_frees_once_a_turn() {
    let folder = Folder::new();
    let options = "--threads 70,300 --bytes 16,1KiB --mixed --turns 7 --pool 16MiB \
                   --allocators cfmalloc,ouroboros-p-va,atomicmalloc";
    let rows = rows(&folder, options);
    assert_eq!(rows.len(), 3 * 2 * 3);
    for row in &rows {
        assert_eq!(text(row, "status"), "ok", "{row}");
        assert_eq!(row["turns"], 7);
        let all = number(&row["threads"]) * 7.0;
        assert_eq!(counted(row), [all, all, 0.0], "{row}");
        assert_eq!(row["kernel_ms"]["samples"].as_array().unwrap().len(), 2);
        assert!(row["alloc_ms"].is_null() && row["free_ms"].is_null());
    }
    let bytes: Vec<&Value> = rows[..3].iter().map(|row| &row["bytes"]).collect();
    assert_eq!(bytes, [&Value::from(16), &Value::from(1024), &Value::Null]);
}

/// 100 turns of 100 threads request 10 MiB in all; 100 KiB live at a time.
#[test]
fn later_turns_have_what_earlier_ones_freed() {
    let folder = Folder::new();
    let options = "--threads 100 --bytes 1KiB --pool 4MiB --allocators cmalloc,atomicmalloc";
    let rows = rows(&folder, options);
    assert_eq!(rows[0]["turns"], 100, "as in Lee's Figure 5");
    assert_eq!(text(&rows[0], "status"), "ok", "{}", rows[0]);
    assert_eq!(text(&rows[1], "status"), "oom", "{}", rows[1]);
    assert!(number(&rows[1]["counted_nulls"]) > 0.0);
}

#[test]
fn the_gpu_serves_as_many_as_the_cpu() {
    let folder = Folder::new();
    if !has_gpu(&folder) {
        return println!("skipped: there is no GPU");
    }
    let options = "--threads 5000 --bytes 64 --mixed --turns 9 --allocators cfmalloc \
                   --pool 256MiB --backend cuda";
    for row in rows(&folder, options) {
        assert_eq!(text(&row, "status"), "ok", "{row}");
        assert_eq!(counted(&row), [45_000.0, 45_000.0, 0.0], "{row}");
    }
}

#[test]
fn turns_are_in_every_format_and_no_other_benchmark_has_them() {
    let folder = Folder::new();
    let options = "--backend cpu --runs 1 --pool 16MiB --allocators cmalloc --heap cold";
    let turns = format!("bench turns --threads 9 --bytes 16 --turns 3 {options}");
    let csv = folder.run(format!("{turns} --format csv"));
    assert!(csv.stdout.contains(",p_free,turns,"), "{csv:?}");
    assert!(csv.stdout.contains(",3,ok,"), "{csv:?}");
    let table = folder.run(&turns);
    assert!(table.stdout.contains("turns"), "{table:?}");
    let other = format!("bench threads --threads 9 --bytes 16 {options} --format json");
    assert!(folder.json(&other)[0]["turns"].is_null());
}

#[test]
fn what_has_no_turns_is_refused() {
    let folder = Folder::new();
    for bad in ["--turns 0", "--turns many", "--threads 0", "--bytes 0"] {
        let outcome = folder.run(format!("bench turns {bad} --backend cpu"));
        assert_eq!(outcome.code, 2, "{bad}: {outcome:?}");
        assert_eq!(outcome.stdout, "", "{bad}");
    }
    let options = "--threads 9 --pool 16MiB --allocators cmalloc --coalesce";
    for row in rows(&folder, options) {
        assert_eq!(text(&row, "status"), "unsupported", "{row}");
    }
}
