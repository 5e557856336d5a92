//! Every allocator's registers, microbenchmark and real work, in one table.

use super::freeing::shown;
use super::outcome::Outcome;
use super::results::{Results, origin_line};
use super::work::{REQUESTS, Work};
use super::{NOT_MEASURED, bench, markdown, milliseconds};
use crate::Result;

/// A row an allocator: registers, `malloc` and `free` on a warm heap beside the published
/// code, the tree of a scene, and the slowest batch of edges of a graph.
pub fn table(results: &Results, scene: &str, graph: &str) -> Result<String> {
    if results.bench.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let titles = [
        "allocator".to_owned(),
        "registers".to_owned(),
        "malloc".to_owned(),
        "free".to_owned(),
        format!("tree of {scene}"),
        format!("10^6 edges, {graph}"),
    ];
    let work = Work::of(results, scene, graph)?;
    let time = |outcome: &Outcome| match outcome {
        Ok(ms) => milliseconds(*ms),
        Err(instead) => instead.clone(),
    };
    let mut rows = Vec::new();
    for times in &work.times {
        let name = times.allocator;
        let mut listed = results.allocators.iter();
        let listed = listed.find(|listed| listed.name == name);
        let registers = listed.and_then(|listed| Some(listed.costs.plain?.registers.to_string()));
        let mut row = vec![shown(name), registers.unwrap_or("-".to_owned())];
        for kernel in ["malloc", "free"] {
            let found = bench::warm_threads(results, kernel, name, REQUESTS);
            row.push(found.map_or("-".to_owned(), |(kind, case)| {
                bench::cell(results, kind, case)
            }));
        }
        row.extend([time(&times.tree), time(&times.batch)]);
        rows.push(row);
    }
    Ok(markdown(&titles, &rows) + &origin_line(work.metas))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    #[test]
    fn a_row_has_all_of_an_allocator() {
        let bench = r#"{"workload": "threads", "allocator": "cmalloc", "parameters": {},
            "heap": "warm", "threads": 100000, "bytes": 1024, "status": "ok",
            "alloc_ms": {"median": 0.5}, "free_ms": {"median": 0.25}, "meta": {}}"#;
        let tree = r#"{"scene": "s", "triangles": 12, "allocator": "cmalloc",
            "options": {"alloc_per_split": false}, "build_ms": {"median": 1.5}, "nodes": 5,
            "leaves": 3, "max_depth": 2, "references_per_triangle": 1.25, "sah_cost": 7.0,
            "tree_hash": "a", "meta": {}}"#;
        let graph = r#"{"graph": "g", "allocator": "cmalloc", "layout": "contiguous",
            "status": "ok", "result": {"graph": "g", "vertices": 9, "edges_stored": 40,
                "directed": false, "allocator": "cmalloc", "init_ms": {"median": 0.5},
                "memory": {"loaded_bytes": 1, "high_water_bytes": 1}, "updates": [
                    {"kind": "insert", "edges": 1000000, "ms": {"total": {"median": 2.0}}},
                    {"kind": "delete", "edges": 950000, "ms": {"total": {"median": 3.0}}},
                    {"kind": "insert", "edges": 10000, "ms": {"total": {"median": 9.0}}}],
                "graph_hash": "b", "meta": {}}}"#;
        let results = Results {
            bench: vec![fixtures::case(bench)],
            kdtree: vec![fixtures::tree(tree)],
            graphs: vec![fixtures::row(graph)],
            ..Results::default()
        };
        let text = table(&results, "s", "g").expect("a table");
        let row = "| cmalloc | - | 0.500 | 0.250 | 1.50 | 3.00 |";
        assert!(text.contains(row), "{text}");
        let text = table(&results, "other", "other").expect("a table");
        assert!(text.contains("| 0.250 | - | - |"), "{text}");
    }
}
