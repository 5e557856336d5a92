//! PageRank beside the rate at which the GPU copies memory.

use super::graph::{each_graph, that_free};
use super::results::{GraphReport, GraphRow, Results};
use super::{distinct, milliseconds};
use crate::Result;

/// An iteration over contiguous rows, with the best allocator: what it moves at
/// least, how fast, and against a copy; a row a graph.
pub fn table(results: &Results) -> Result<String> {
    let titles = ["graph", "ms/iteration", "MB moved", "GB/s", "of a copy"];
    let copy = copy_rate(results);
    each_graph(results, false, &titles, |rows, _| {
        let mut cells = vec![rows[0].graph.clone()];
        let best = that_free(rows, "contiguous")
            .filter_map(iteration)
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((ms, bytes)) = best {
            let rate = bytes as f64 / ms * 1e-6;
            cells.push(milliseconds(ms));
            cells.push(format!("{:.0}", bytes as f64 * 1e-6));
            cells.push(format!("{rate:.0}"));
            cells.push(copy.map_or("-".to_owned(), |copy| {
                format!("{:.0} %", 100.0 * rate / copy)
            }));
        } else {
            cells.extend(vec!["-".to_owned(); titles.len() - 1]);
        }
        cells
    })
}

/// GB per second of a copy in device memory.
fn copy_rate(results: &Results) -> Option<f64> {
    let devices = results.devices.iter();
    let copies = devices.filter(|device| device.backend == "cuda");
    let rates = copies.filter_map(|device| device.copy_gb_per_s);
    rates.reduce(f64::max)
}

/// The rate of the fastest iteration on each graph, as a fraction of that of a copy.
pub fn fractions(results: &Results) -> Vec<f64> {
    let Some(copy) = copy_rate(results) else {
        return Vec::new();
    };
    let rows: Vec<&GraphRow> = results.graphs.iter().collect();
    let names = distinct(rows.iter().map(|row| row.graph.as_str()));
    let fraction = |graph: &str| {
        let of_graph: Vec<&GraphRow> = rows
            .iter()
            .copied()
            .filter(|row| row.graph == graph)
            .collect();
        let rates = that_free(&of_graph, "contiguous").filter_map(iteration);
        let rates = rates.map(|(ms, bytes)| bytes as f64 / ms * 1e-6 / copy);
        rates.reduce(f64::max)
    };
    names.into_iter().filter_map(fraction).collect()
}

/// Milliseconds of an iteration, and its bytes, if they were counted.
fn iteration(result: &GraphReport) -> Option<(f64, u64)> {
    let ranks = result.algorithms.ranks.as_ref()?;
    let ms = ranks.ms.median / f64::from(ranks.iterations);
    Some((ms, ranks.iteration_bytes?))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    #[test]
    fn rates_are_those_of_the_best() {
        let row = |ms: f64| {
            let text = format!(
                r#"{{"graph": "g", "allocator": "a", "layout": "contiguous", "status": "ok",
                    "result": {{"graph": "g", "vertices": 9, "edges_stored": 40,
                        "directed": false, "allocator": "a", "init_ms": {{"median": 0.5}},
                        "memory": {{"loaded_bytes": 1, "high_water_bytes": 1}}, "updates": [],
                        "pagerank": {{"iterations": 10, "ms": {{"median": {ms}}},
                            "iteration_bytes": 400000000}},
                        "graph_hash": "x", "meta": {{}}}}}}"#
            );
            fixtures::row(&text)
        };
        let device = r#"{"backend": "cuda", "copy_gb_per_s": 4000.0}"#;
        let results = Results {
            graphs: vec![row(4.0), row(2.0)],
            devices: vec![fixtures::device(device)],
            ..Results::default()
        };
        let text = table(&results).expect("a table");
        assert!(text.contains("| g | 0.200 | 400 | 2000 | 50 % |"), "{text}");
    }
}
