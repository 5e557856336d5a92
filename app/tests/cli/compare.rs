//! `heapwood compare`: what rows say of each other.

use serde_json::{Value, json};

use crate::graph::KITE;
use crate::program::{Folder, has, number, text};

/// The median of a row's builds.
fn build(row: &Value) -> f64 {
    number(&row["result"]["build_ms"]["median"])
}

/// The allocators of the rows that are marked as the fastest.
fn fastest(rows: &[Value]) -> Vec<&str> {
    let marked = rows.iter().filter(|row| row["fastest"] == json!(true));
    marked.map(|row| text(row, "allocator")).collect()
}

#[test]
fn builds_are_compared_with_a_reference_and_the_fastest_that_frees_is_marked() {
    let folder = Folder::new();
    folder.scene("knot");
    let command = "compare kdtree @knot.obj --backend cpu --runs 1 \
                   --allocators atomicmalloc,awmalloc,cmalloc,cfmalloc:frag=2";
    let rows = folder.json(format!("{command} --format json"));
    let mut rows = rows.as_array().unwrap().clone();
    let frees: Vec<bool> = rows.iter().map(|row| row["frees"] == json!(true)).collect();
    assert_eq!(frees, [false, false, true, true]);
    for row in &rows {
        assert_eq!(text(row, "reference"), "atomicmalloc");
        assert_eq!(number(&row["ratio"]), build(row) / build(&rows[0]));
    }
    // Times that leave no doubt; those that do not free are the shortest.
    for (row, ms) in rows.iter_mut().zip([1.0, 2.0, 8.0, 4.0]) {
        row["result"]["build_ms"]["median"] = json!(ms);
    }
    folder.put("a.json", serde_json::to_string(&rows).unwrap());
    let again = |options: &str| {
        let command = format!("{command} --resume @a.json {options}");
        let outcome = folder.run(&command).succeeds();
        outcome.stdout
    };
    let parsed = |text: &str| -> Vec<Value> { serde_json::from_str(text).unwrap() };
    let rows = parsed(&again("--format json"));
    assert_eq!(fastest(&rows), ["cfmalloc:frag=2"]);
    let rows = parsed(&again("--format json --reference cfmalloc:frag=2"));
    for (row, ratio) in rows.iter().zip([0.25, 0.5, 2.0, 1.0]) {
        assert_eq!(text(row, "reference"), "cfmalloc:frag=2");
        assert_eq!(number(&row["ratio"]), ratio, "{row}");
    }
    let table = again("--reference cfmalloc:frag=2");
    let stars: Vec<bool> = table.lines().map(|line| line.contains(" * ")).collect();
    assert_eq!(stars, [false, false, false, false, true], "{table}");
    assert!(table.contains("2.00"), "{table}");
    let csv = again("--format csv");
    assert!(csv.contains("cfmalloc:frag=2,4.000,4.00,*,"), "{csv}");
}

#[test]
fn graphs_are_compared_within_a_layout() {
    let folder = Folder::new();
    folder.put("kite.graph", KITE);
    let command = "compare graph @kite.graph --backend cpu --runs 3 --insert 4 --rounds 2 \
                   --insert-vertices 1 --pagerank --layouts contiguous,linked \
                   --allocators cfmalloc,cmalloc,atomicmalloc --reference cmalloc";
    let rows = folder.json(format!("{command} --format json"));
    let mut rows = rows.as_array().unwrap().clone();
    let changes = |row: &Value| -> f64 {
        let result = &row["result"];
        let updates = result["updates"].as_array().unwrap().iter();
        let vertices = result["vertex_updates"].as_array().unwrap().iter();
        let medians = updates.map(|update| &update["ms"]["total"]["median"]);
        let medians = medians.chain(vertices.map(|update| &update["ms"]["median"]));
        medians.map(number).sum()
    };
    // Layouts alternate; the reference is the second allocator.
    for layout in 0..2 {
        let reference = changes(&rows[2 + layout]);
        for allocator in 0..3 {
            let row = &rows[2 * allocator + layout];
            let expected = changes(row) / reference;
            assert!(
                (number(&row["ratio"]) / expected - 1.0).abs() < 1e-9,
                "{row}"
            );
        }
    }
    for (row, ms) in rows.iter_mut().zip([8e3, 3e3, 9e3, 2e3, 1e3, 1e3]) {
        row["result"]["updates"][0]["ms"]["total"]["median"] = json!(ms);
    }
    folder.put("a.json", serde_json::to_string(&rows).unwrap());
    let rows = folder.json(format!("{command} --resume @a.json --format json"));
    let rows = rows.as_array().unwrap();
    assert_eq!(fastest(rows), ["cfmalloc", "cmalloc"]);
    assert_eq!(text(&rows[0], "layout"), "contiguous");
    assert_eq!(rows[0]["fastest"], json!(true));
    let table = folder.run(format!("{command} --resume @a.json"));
    assert_eq!(table.stdout.matches(" * ").count(), 2, "{table:?}");
    // Where nothing changes, loading is compared.
    let command = "compare graph @kite.graph --backend cpu --allocators cmalloc,atomicmalloc";
    let rows = folder.json(format!("{command} --format json"));
    let load = |row: &Value| number(&row["result"]["init_ms"]["median"]);
    assert_eq!(number(&rows[0]["ratio"]), load(&rows[0]) / load(&rows[1]));
}

#[test]
fn what_failed_is_neither_compared_nor_marked() {
    let folder = Folder::new();
    folder.scene("knot");
    let command = "compare kdtree @knot.obj --backend cpu --runs 1 --alloc-per-split \
                   --pool 64KiB --allocators atomicmalloc,cmalloc";
    let outcome = folder.run(format!("{command} --format json"));
    let rows: Vec<Value> = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(text(&rows[0], "status"), "oom");
    for row in &rows {
        assert!(row["ratio"].is_null(), "{row}");
        let is_ok = text(row, "status") == "ok";
        assert_eq!(row["fastest"], json!(is_ok), "{row}");
    }
}

/// Processes of a comparison read what the command line names, whatever its name is.
#[cfg(unix)]
#[test]
fn names_of_files_need_not_be_text() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use std::process::Command;

    let folder = Folder::new();
    let named = |name: &[u8], content: &[u8]| {
        let path = folder.path("").join(OsString::from_vec(name.to_vec()));
        std::fs::write(&path, content).map(|()| path)
    };
    let triangle = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    // Not all systems have such names.
    let Ok(scene) = named(b"scene\xff.obj", triangle) else {
        return;
    };
    let graph = named(b"graph\xff.graph", KITE.as_bytes()).unwrap();
    let events = named(b"events\xff.txt", b"+ 1 2\n- 1 2\n").unwrap();
    for (command, files) in [
        ("compare kdtree", vec![&scene]),
        ("compare kdtree --runs 1 --frames", vec![&scene, &scene]),
        ("compare graph --runs 1", vec![&graph]),
        ("compare graph --batch 1 --stream", vec![&events, &graph]),
    ] {
        let done = Command::new(crate::program::program())
            .args(command.split(' '))
            .args(files)
            .args("--backend cpu --allocators cmalloc,cfmalloc --format json".split(' '))
            .output()
            .unwrap();
        let rows: Vec<Value> = serde_json::from_slice(&done.stdout).unwrap_or_default();
        assert_eq!(rows.len(), 2, "{command}: {done:?}");
        assert!(
            rows.iter().all(|row| text(row, "status") == "ok"),
            "{rows:?}"
        );
    }
}

#[test]
fn a_reference_is_one_of_those_compared() {
    let folder = Folder::new();
    folder.scene("knot");
    let command = "compare kdtree @knot.obj --backend cpu --runs 1 --allocators cmalloc,cfmalloc";
    for (reference, why) in [
        ("cfmmalloc", "--reference cfmmalloc is not among"),
        ("cmalloc:frag=2", "--reference cmalloc:frag=2 is not among"),
    ] {
        folder
            .run(format!("{command} --reference {reference}"))
            .fails(2, why);
    }
    let unknown = folder.run(format!("{command} --reference malloc"));
    assert_eq!(unknown.code, 2);
    has(&unknown.stderr, "no allocator `malloc`");
    // Without one, those without AtomicMalloc have no ratio.
    let rows = folder.json(format!("{command} --format json"));
    assert!(
        rows[0]["ratio"].is_null() && rows[1]["ratio"].is_null(),
        "{rows}"
    );
    assert_eq!(fastest(rows.as_array().unwrap()).len(), 1);
}
