//! `heapwood bench probability` and the sizes of `heapwood bench sizes`.

use serde_json::{Value, json};

use crate::program::{Folder, has_gpu, number, text};

/// Rows of `bench probability`, on the CPU if no other backend is named.
fn rows(folder: &Folder, options: &str) -> Vec<Value> {
    let backend = match options.contains("--backend") {
        true => "",
        false => "--backend cpu",
    };
    let command = format!("bench probability {backend} --runs 2 --heap warm --format json");
    let outcome = folder.run(format!("{command} {options}"));
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

/// The counted allocations and frees of a row.
fn counted(row: &Value) -> (f64, f64) {
    (
        number(&row["counted_allocations"]),
        number(&row["counted_frees"]),
    )
}

#[test]
fn the_defaults_are_those_of_table_2() {
    let folder = Folder::new();
    let rows = rows(&folder, "--allocators cmalloc --pool 16MiB");
    let blocks: Vec<f64> = rows.iter().map(|row| number(&row["blocks"])).collect();
    assert_eq!(blocks, [1.0, 15.0, 30.0, 60.0, 120.0]);
    for row in &rows {
        assert_eq!(row["bytes"], 4);
        let draws = json!({ "launches": 10, "p_alloc": 0.75, "p_free": 0.75 });
        assert_eq!(row["draws"], draws);
    }
}

/// Table 2 counts 1450 allocations and 986 deallocations of 960 warps in ten launches.
#[test]
fn a_quarter_gives_the_counts_of_table_2() {
    let folder = Folder::new();
    let options = "--blocks 120 --allocators cmalloc,atomicmalloc --p-alloc 0.25 --p-free 0.25 \
                   --pool 16MiB";
    let rows = rows(&folder, options);
    let (allocations, frees) = counted(&rows[0]);
    assert!((allocations - 1450.0).abs() < 75.0, "{allocations}");
    assert!((frees - 986.0).abs() < 75.0, "{frees}");
    // The same draws over every allocator.
    assert_eq!(counted(&rows[1]), (allocations, frees));
}

#[test]
fn the_gpu_draws_as_the_cpu_does() {
    let folder = Folder::new();
    if !has_gpu(&folder) {
        return println!("skipped: there is no GPU");
    }
    let options = "--blocks 7,120 --bytes 100 --allocators cfmalloc --pool 16MiB";
    let cpu = rows(&folder, options);
    let gpu = rows(&folder, &format!("{options} --backend cuda"));
    assert_eq!(text(&gpu[0], "backend"), "cuda");
    for (cpu, gpu) in cpu.iter().zip(&gpu) {
        assert_eq!(counted(cpu), counted(gpu), "{gpu}");
    }
}

#[test]
fn certain_draws_are_counted_exactly() {
    let folder = Folder::new();
    for (options, expected) in [
        // All allocate, all free, by turns.
        ("--p-alloc 1 --p-free 1 --launches 5", (72.0, 48.0)),
        ("--p-alloc 1 --p-free 0 --launches 5", (24.0, 0.0)),
        ("--p-alloc 0 --launches 2", (0.0, 0.0)),
        ("--p-alloc 1 --launches 1", (24.0, 0.0)),
    ] {
        let options = format!(
            "--blocks 3 --bytes 100 --pool 16MiB --allocators cfmalloc,ouroboros-p-s {options}"
        );
        for row in rows(&folder, &options) {
            assert_eq!(text(&row, "status"), "ok", "{row}");
            assert_eq!(counted(&row), expected, "{options}: {row}");
            assert_eq!(row["kernel_ms"]["samples"].as_array().unwrap().len(), 2);
        }
    }
}

/// Blocks that a round leaves are freed before the next one; refusals are counted.
#[test]
fn rounds_leave_nothing_and_a_full_pool_refuses() {
    let folder = Folder::new();
    // 24 blocks of 16 KiB fit into 1 MiB twice, but not once a round.
    let options = "--blocks 3 --p-alloc 1 --p-free 0 --pool 1MiB --warmup 9";
    let fitting = format!("{options} --bytes 16KiB --allocators cfmalloc,atomicmalloc");
    for row in &rows(&folder, &fitting) {
        assert_eq!(text(row, "status"), "ok", "{row}");
    }
    let full = format!("{options} --bytes 100KiB --allocators cfmalloc,atomicmalloc");
    let rows = rows(&folder, &full);
    for row in &rows {
        assert_eq!(text(row, "status"), "oom", "{row}");
        let (allocations, frees) = counted(row);
        assert!(allocations > 0.0 && allocations < 11.0, "{row}");
        assert_eq!(frees, 0.0);
        // Those that were refused ask again in each of ten launches.
        let refused = number(&row["counted_nulls"]);
        assert!(refused >= 10.0 * (24.0 - 10.0), "{row}");
    }
}

#[test]
fn draws_are_in_every_format_and_no_other_benchmark_has_them() {
    let folder = Folder::new();
    let options = "--backend cpu --runs 1 --pool 16MiB --allocators cmalloc --heap cold";
    let csv = folder.run(format!(
        "bench probability --blocks 1 --launches 3 {options} --format csv"
    ));
    assert!(csv.stdout.contains(",launches,p_alloc,p_free,"), "{csv:?}");
    assert!(csv.stdout.contains(",3,0.75,0.75,,ok,"), "{csv:?}");
    let table = folder.run(format!("bench probability --blocks 1 {options}"));
    assert!(table.stdout.contains("allocations"), "{table:?}");
    let other = format!("bench alloc-dealloc --blocks 1 --bytes 16 {options} --format json");
    let other = folder.json(&other);
    assert!(other[0]["draws"].is_null());
    assert_eq!(counted(&other[0]), (8.0, 8.0));
    let threads = format!("bench threads --threads 9 --bytes 16 {options} --format json");
    let threads = folder.json(&threads);
    assert!(threads[0]["counted_frees"].is_null());
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let folder = Folder::new();
    for bad in [
        "probability --p-alloc 1.5",
        "probability --p-free -0.1",
        "probability --p-alloc nan",
        "probability --launches 0",
        "sizes --between 64",
        "sizes --from 0",
        "sizes --from 64 --to 16",
    ] {
        let outcome = folder.run(format!("bench {bad} --backend cpu"));
        assert_eq!(outcome.code, 2, "{bad}: {outcome:?}");
        assert_eq!(outcome.stdout, "", "{bad}");
    }
}

#[test]
fn sizes_are_powers_of_two_and_some_between() {
    let folder = Folder::new();
    let command = "bench sizes --backend cpu --runs 1 --warmup 0 --heap cold --pool 64MiB \
                   --allocators cfmalloc --threads 20 --from 16 --to 100 --format json";
    let bytes = |options: &str| -> Vec<u64> {
        let rows = folder.json(format!("{command} {options}"));
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| {
            assert_eq!(text(row, "workload"), "sizes");
            assert_eq!(text(row, "status"), "ok");
            row["bytes"].as_u64().unwrap()
        })
        .collect()
    };
    assert_eq!(bytes(""), [16, 24, 32, 48, 64, 96, 100]);
    assert_eq!(bytes("--between 0"), [16, 32, 64, 100]);
}
