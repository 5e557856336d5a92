//! Figure 4 of Winter and others (2020): graphs whose rows are contiguous blocks of Ouroboros,
//! beside rows of linked pages and beside CUDA's heap.

use heapwood_results::geometric_mean;

use super::super::graph::{graphs, is_of_size, of_graph};
use super::super::results::{GraphReport, GraphRow, Results, origin_line};
use super::super::{NOT_MEASURED, markdown};
use super::ratio;
use crate::Result;

/// The variant of Ouroboros.
const ALLOCATOR: &str = "ouroboros-p-s";
/// Edges of a batch.
const EDGES: u64 = 100_000;
/// Batches: how they change the graph, and the pattern of their sources.
const BATCHES: [(&str, &str); 4] = [
    ("insert", "uniform"),
    ("delete", "uniform"),
    ("insert", "pressure"),
    ("delete", "pressure"),
];
/// The paper's means, where it tells them: CUDA's load, and the two algorithms.
const PAPER: [Option<f64>; 9] = [
    Some(1785.0),
    None,
    None,
    None,
    None,
    None,
    None,
    Some(1.5),
    Some(1.8),
];

/// A row per graph: ratios of times, and of bytes after loading.
pub fn table(results: &Results) -> Result<String> {
    let mut titles = ["graph", "load, CUDA's heap", "load"]
        .map(str::to_owned)
        .to_vec();
    titles.extend(BATCHES.map(|(kind, pattern)| format!("{kind}, {pattern}")));
    titles.extend(["memory", "PageRank", "triangles"].map(str::to_owned));
    let mut metas = Vec::new();
    let mut columns = vec![Vec::new(); PAPER.len()];
    let mut rows = Vec::new();
    for graph in graphs(results) {
        let updated = of_graph(results, graph, true)?;
        let loaded = of_graph(results, graph, false)?;
        let heap = find(&updated, "cudamalloc", "contiguous");
        let pairs = [&updated, &loaded]
            .map(|rows| ["linked", "contiguous"].map(|layout| find(rows, ALLOCATOR, layout)));
        metas.extend(pairs.iter().flatten().flatten().map(|found| &found.meta));
        metas.extend(heap.map(|found| &found.meta));
        let [updates, algorithms] = pairs;
        let load = |found: &GraphReport| Some(found.init_ms.median);
        let mut values = vec![divided([heap, updates[1]], load), divided(updates, load)];
        values.extend(BATCHES.map(|batch| divided(updates, |found| update(found, batch))));
        values.push(divided(updates, |found| {
            Some(found.memory.loaded_bytes? as f64)
        }));
        values.push(divided(algorithms, |found| {
            let ranks = found.algorithms.ranks.as_ref()?;
            Some(ranks.ms.median / f64::from(ranks.iterations))
        }));
        values.push(divided(algorithms, |found| {
            Some(found.algorithms.triangles.as_ref()?.ms.median)
        }));
        for (column, value) in columns.iter_mut().zip(&values) {
            column.extend(*value);
        }
        rows.push(row(graph, values));
    }
    if metas.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let means = columns.into_iter();
    let means = means.map(|column| geometric_mean(column.into_iter()));
    rows.push(row("mean", means));
    rows.push(row("paper, mean", PAPER));
    Ok(markdown(&titles, &rows) + &origin_line(metas))
}

fn row(name: &str, values: impl IntoIterator<Item = Option<f64>>) -> Vec<String> {
    let cells = values.into_iter().map(ratio);
    std::iter::once(name.to_owned()).chain(cells).collect()
}

/// The result over an allocator in a layout.
fn find<'r>(rows: &[&'r GraphRow], allocator: &str, layout: &str) -> Option<&'r GraphReport> {
    let mut rows = rows.iter();
    let row = rows.find(|row| row.allocator == allocator && row.layout == layout);
    row?.outcome.result.as_ref()
}

/// The figure of the first result divided by that of the second.
fn divided(
    pair: [Option<&GraphReport>; 2],
    figure: impl Fn(&GraphReport) -> Option<f64>,
) -> Option<f64> {
    let [first, second] = pair.map(|found| found.and_then(&figure));
    Some(first? / second?)
}

/// Milliseconds of a batch.
fn update(found: &GraphReport, (kind, pattern): (&str, &str)) -> Option<f64> {
    let mut updates = found.updates.iter();
    let update = updates.find(|update| {
        update.kind == kind
            && update.pattern.as_deref() == Some(pattern)
            && is_of_size(update, EDGES)
    });
    Some(update?.ms.total.median)
}

#[cfg(test)]
mod tests {
    use super::super::super::fixtures;
    use super::*;

    #[test]
    fn layouts_are_divided() {
        let row = |allocator: &str, layout: &str, ms: f64, updates: &str| {
            fixtures::row(&format!(
                r#"{{"graph": "g", "allocator": "{allocator}", "layout": "{layout}",
                    "status": "ok", "result": {{"graph": "g", "vertices": 9, "edges_stored": 40,
                    "directed": false, "allocator": "{allocator}", "init_ms": {{"median": {ms}}},
                    "memory": {{"loaded_bytes": 8}}, "updates": [{updates}],
                    "pagerank": {{"iterations": 10, "ms": {{"median": {ms}}}}},
                    "graph_hash": "h", "meta": {{}}}}}}"#
            ))
        };
        let batch = |ms: f64| {
            format!(
                r#"{{"kind": "insert", "pattern": "uniform", "edges": {EDGES},
                    "ms": {{"total": {{"median": {ms}}}}}}}"#
            )
        };
        let results = Results {
            graphs: vec![
                row("cudamalloc", "contiguous", 8.0, &batch(9.0)),
                row(ALLOCATOR, "contiguous", 2.0, &batch(3.0)),
                row(ALLOCATOR, "linked", 5.0, &batch(9.0)),
                row(ALLOCATOR, "contiguous", 4.0, ""),
                row(ALLOCATOR, "linked", 2.0, ""),
            ],
            ..Results::default()
        };
        let text = table(&results).expect("a table");
        let row = "| g | 4.00 | 2.50 | 3.00 | - | - | - | 1.00 | 0.50 | - |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains(&row.replace("| g |", "| mean |")), "{text}");
    }
}
