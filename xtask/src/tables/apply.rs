//! Updates apart from sorting, beside the lower bound.

use super::freeing::can_free;
use super::graph::short;
use super::results::{GraphResult, Meta, Results, Update};
use super::{NOT_MEASURED, distinct, markdown, milliseconds};
use crate::Result;

/// The lower bound.
const BOUND: &str = "atomicmalloc";
/// What `heapwood graph` uses by default.
const DEFAULT: &str = "cfmalloc";

/// A row for each graph and batch, contiguous: what comes after sorting, in milliseconds over
/// the lower bound, and as multiples of that over allocators that can free.
pub fn table(results: &Results) -> Result<String> {
    let titles = [
        "graph",
        "pattern",
        "batch",
        "sorting ms",
        "AtomicMalloc ms",
        "best",
        "default",
        "slowest",
        "slowest allocator",
    ];
    let contiguous = || {
        let rows = results.graphs.iter();
        let rows = rows.filter(|row| row.layout == "contiguous");
        let results = rows.filter_map(|row| row.result.as_ref());
        results.filter(|result| !result.updates.is_empty())
    };
    let (mut rows, mut used) = (Vec::new(), Vec::new());
    for graph in distinct(contiguous().map(|result| result.graph.as_str())) {
        let of_graph: Vec<&GraphResult> = contiguous()
            .filter(|result| result.graph == graph)
            .collect();
        let Some(bound) = of_graph.iter().find(|result| result.allocator == BOUND) else {
            continue;
        };
        for (place, update) in bound.updates.iter().enumerate() {
            let (Some(sort), Some(least)) = (&update.ms.sort, &update.ms.apply) else {
                continue;
            };
            let mut ratios: Vec<(f64, &str)> = Vec::new();
            for result in of_graph.iter().filter(|result| can_free(&result.allocator)) {
                let other = result.updates.get(place);
                let other = other
                    .filter(|other| is_same(other, update))
                    .ok_or_else(|| format!("{graph}: {} has other batches", result.allocator))?;
                let apply = other.ms.apply.as_ref().map(|apply| apply.median);
                ratios.extend(apply.map(|ms| (ms / least.median, result.allocator.as_str())));
            }
            ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (Some(best), Some(slowest)) = (ratios.first(), ratios.last()) else {
                continue;
            };
            let default = ratios.iter().find(|ratio| ratio.1 == DEFAULT);
            rows.push(vec![
                graph.to_owned(),
                update.pattern.clone().unwrap_or_default(),
                format!("{} {}", update.kind, short(update.edges)),
                milliseconds(sort.median),
                milliseconds(least.median),
                format!("{:.2}", best.0),
                default.map_or("-".to_owned(), |ratio| format!("{:.2}", ratio.0)),
                format!("{:.2}", slowest.0),
                slowest.1.to_owned(),
            ]);
        }
        used.extend(of_graph.iter().map(|result| &result.meta));
    }
    if rows.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    Ok(markdown(&titles.map(str::to_owned), &rows) + &Meta::line(used))
}

/// Whether two updates are the same batch.
fn is_same(one: &Update, other: &Update) -> bool {
    (&one.kind, &one.pattern, one.edges) == (&other.kind, &other.pattern, other.edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_and_the_slowest_are_multiples_of_the_bound() {
        let row = |allocator: &str, ms: f64| {
            let row = format!(
                r#"{{"graph": "g", "allocator": "{allocator}", "layout": "contiguous",
                "status": "ok", "result": {{"graph": "g", "vertices": 9, "edges_stored": 40,
                    "directed": false, "allocator": "{allocator}", "init_ms": {{"median": 0.5}},
                    "memory": {{"loaded_bytes": 1, "high_water_bytes": 1}}, "updates": [
                        {{"kind": "insert", "pattern": "uniform", "edges": 10000,
                          "ms": {{"total": {{"median": 9.0}}, "sort": {{"median": 0.25}},
                                  "apply": {{"median": {ms}}}}}}}],
                    "graph_hash": "b", "meta": {{}}}}}}"#
            );
            serde_json::from_str(&row).expect("a row")
        };
        let results = Results {
            graphs: vec![
                row(BOUND, 2.0),
                row("awmalloc", 1.0),
                row("cmalloc", 5.0),
                row(DEFAULT, 3.0),
            ],
            ..Results::default()
        };
        let text = table(&results).expect("a table");
        let row = "| g | uniform | insert 10 K | 0.250 | 2.00 | 1.50 | 1.50 | 2.50 | cmalloc |";
        assert!(text.contains(row), "{text}");
    }

    #[test]
    fn nothing_is_measured_without_results() {
        assert_eq!(table(&Results::default()).expect("a table"), NOT_MEASURED);
    }
}
