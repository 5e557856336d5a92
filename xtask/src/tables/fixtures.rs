//! Results for tests: what a test says of a row, over what all rows of its type have.

use heapwood_results::benches::{EmbreeRow, GraphCrateRow, KdtreeRayRow};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::results::{AllocatorRow, DeviceRow, GraphRow, MicroRow, TreeReport};

/// A row of `heapwood bench`.
pub fn case(text: &str) -> MicroRow {
    let row = json!({"backend": "cuda", "device": "G", "pool_bytes": 0, "blocks": 0, "meta": {}});
    over(row, text)
}

/// A result of `heapwood kdtree`.
pub fn tree(text: &str) -> TreeReport {
    let row = json!({
        "backend": "cuda", "device": "G", "root_bytes": 0, "build_ms": {}, "references": 0,
        "references_bounded": false, "limited_leaves": 0, "cut_leaves": 0,
        "comparable_sah_cost": 0.0, "meta": {},
        "options": {"traversal_cost": 1.0, "intersection_cost": 2.0, "empty_bonus": 0.2,
            "max_depth": null, "clip": true, "alloc_per_split": false, "check_heap": false},
    });
    over(row, text)
}

/// A row of `heapwood compare graph`.
pub fn row(text: &str) -> GraphRow {
    let row = json!({"result": {
        "first_vertex": 0, "compact_ids": false, "edges_read": 0, "edges_symmetrized": 0,
        "self_loops": 0, "self_loops_kept": false, "duplicates": 0, "backend": "cuda",
        "device": "G", "parameters": {}, "check_heap": false, "layout": "contiguous",
        "pool_bytes": 0, "runs": 1, "vertex_updates": [], "vertices_final": 0, "edges_final": 0,
        "memory": {"payload_bytes": 0, "allocated_bytes": 0}, "meta": {},
    }});
    let mut said: Value = serde_json::from_str(text).expect("JSON");
    for update in said["result"]["updates"]
        .as_array_mut()
        .into_iter()
        .flatten()
    {
        let mut whole = json!({"round": 0});
        merge(&mut whole, update.take());
        *update = whole;
    }
    if let Some(ranks) = said["result"].get_mut("pagerank") {
        let mut whole =
            json!({"method": "power", "converged": true, "residual": 0.0, "sum": 1.0, "top": []});
        merge(&mut whole, ranks.take());
        *ranks = whole;
    }
    if let Some(rounds) = said["result"]["memory"].get_mut("rounds") {
        let mut whole = json!({"payload_bytes": [], "high_water_bytes": []});
        merge(&mut whole, rounds.take());
        *rounds = whole;
    }
    over(row, &said.to_string())
}

/// A row of `heapwood compare graph` whose case failed.
pub fn failed(text: &str) -> GraphRow {
    over(json!({"error": "why", "result": null}), text)
}

/// A row of `heapwood allocators`.
pub fn allocator(text: &str) -> AllocatorRow {
    let row = json!({
        "what": "", "paper": "", "frees": true, "reuses_across_sizes": true, "walkable": true,
        "may_overwrite": false, "system_heap": false, "handle_bytes": 8, "parameters": [],
    });
    over(row, text)
}

/// A row of `heapwood devices`.
pub fn device(text: &str) -> DeviceRow {
    over(json!({"name": "G", "processors": 1}), text)
}

/// A row of the benchmark `kdtree_ray`.
pub fn kdtree_ray(text: &str) -> KdtreeRayRow {
    over(json!({}), text)
}

/// A row of the benchmark `embree`.
pub fn embree(text: &str) -> EmbreeRow {
    over(json!({"triangles": 0, "hits": 0}), text)
}

/// A row of the benchmark `graph_crate`.
pub fn graph_crate(text: &str) -> GraphCrateRow {
    over(json!({"machine": {"cores": 2}}), text)
}

fn over<T: DeserializeOwned>(mut whole: Value, text: &str) -> T {
    merge(&mut whole, serde_json::from_str(text).expect("JSON"));
    serde_json::from_value(whole).expect("a result")
}

/// Puts what a test says in the place of what all rows have.
fn merge(whole: &mut Value, said: Value) {
    match (whole, said) {
        (Value::Object(whole), Value::Object(said)) => {
            for (key, value) in said {
                merge(whole.entry(key).or_insert(Value::Null), value);
            }
        }
        (whole, said) => *whole = said,
    }
}
