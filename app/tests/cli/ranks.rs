//! `heapwood trace ranks`.

use serde_json::{Value, json};

use crate::program::{Folder, has, number, text};

/// A row of a comparison with times of steps.
fn row(allocator: &str, frees: bool, ms: [f64; 3]) -> Value {
    let step_ms = json!({ "samples": ms, "median": ms[1] });
    json!({
        "allocator": allocator,
        "frees": frees,
        "status": "ok",
        "error": null,
        "result": { "step_ms": step_ms },
    })
}

#[test]
fn ranks_of_a_replay_stand_beside_the_live_ones() {
    let folder = Folder::new();
    let live = json!([
        row("atomicmalloc", false, [0.1, 0.1, 0.1]),
        row("cfmalloc", true, [1.0, 1.1, 1.2]),
        row("gallatin", true, [0.9, 1.4, 1.3]),
        row("halloc", true, [2.0, 2.0, 2.0]),
        row("xmalloc", true, [3.0, 3.0, 3.0]),
    ]);
    let replayed = json!([
        row("cfmalloc", true, [2.0, 2.0, 2.0]),
        row("gallatin", true, [1.0, 1.0, 1.0]),
        row("halloc", true, [4.0, 4.0, 4.0]),
        { "allocator": "xmalloc", "frees": true, "status": "oom", "error": "-", "result": null },
    ]);
    folder.put("live.json", live.to_string());
    folder.put("replayed.json", replayed.to_string());
    let ranks = folder.json("trace ranks @replayed.json @live.json --format json");
    let found: Vec<_> = ranks["allocators"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                text(row, "allocator"),
                &row["live_rank"],
                &row["replayed_rank"],
            )
        })
        .collect();
    let (tie, one, two, three) = (json!(1.5), json!(1.0), json!(2.0), json!(3.0));
    assert_eq!(
        found,
        [
            ("cfmalloc", &tie, &two),
            ("gallatin", &tie, &one),
            ("halloc", &three, &three),
        ]
    );
    // 1.5 / sqrt(1.5 * 2).
    assert!((number(&ranks["spearman"]) - 0.75_f64.sqrt()).abs() < 1e-12);
    let shown = folder
        .run("trace ranks @replayed.json @live.json")
        .succeeds();
    has(&shown.stdout, "Spearman's coefficient of the ranks: 0.866");

    folder.put("bad.json", "[{}]");
    folder
        .run("trace ranks @bad.json @live.json")
        .fails(3, "bad.json: no rows of `heapwood compare` in JSON");
    folder
        .run("trace ranks @absent.json @live.json")
        .fails(3, "absent.json: cannot read");
}
