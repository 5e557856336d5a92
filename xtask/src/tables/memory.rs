//! Tables of graphs over each allocator: their loads, and their memory in bytes and beside that of
//! a CSR.

use heapwood_results::graph::StoredGraph;

use super::freeing::shown;
use super::graph::{graphs, of_graph, with_layout};
use super::results::{AllocatorRow, GraphReport, Results, origin_line};
use super::{NOT_MEASURED, distinct, markdown, milliseconds};
use crate::Result;

/// Milliseconds to make the heap and the graph ready, a row a graph and layout.
pub fn loads(results: &Results) -> Result<String> {
    table(results, |result| milliseconds(result.init_ms.median))
}

/// Bytes after loading and at the most, a row a graph and layout.
pub fn bytes(results: &Results) -> Result<String> {
    table(results, |result| {
        let memory = &result.memory;
        let told = |bytes: Option<u64>| bytes.map_or("-".to_owned(), megabytes);
        format!(
            "{} / {}",
            told(memory.loaded_bytes),
            told(memory.high_water_bytes)
        )
    })
}

/// `memory / CSR` after loading and after all updates, likewise.
pub fn ratios(results: &Results) -> Result<String> {
    table(results, |result| ratio(result, &results.allocators))
}

/// `memory / CSR` of a graph after loading and after all updates, or a dash.
pub fn ratio(result: &GraphReport, allocators: &[AllocatorRow]) -> String {
    let memory = &result.memory;
    let told = memory.loaded_memory_per_csr.zip(memory.memory_per_csr);
    let found = told.or_else(|| computed(result, allocators));
    found.map_or("-".to_owned(), |(loaded, end)| {
        format!("{loaded:.2} / {end:.2}")
    })
}

/// The ratios of a result of an earlier commit, which has none. They are exact where the
/// allocator tells the sizes of blocks, and records are as many as the vertices that were loaded.
fn computed(result: &GraphReport, allocators: &[AllocatorRow]) -> Option<(f64, f64)> {
    let is = |row: &&AllocatorRow| row.name == result.allocator && !row.system_heap;
    let allocator = allocators.iter().find(is)?;
    if !result.vertex_updates.is_empty() {
        return None;
    }
    let ratio = |edges, blocks: Option<u64>| {
        let stored = StoredGraph {
            stores: stores(result),
            vertices: u64::from(result.vertices),
            records: u64::from(result.vertices),
            handle_bytes: allocator.handle_bytes,
            payload_bytes: payload_bytes(result, edges),
        };
        Some(stored.memory_per_csr(blocks?))
    };
    let memory = &result.memory;
    let loaded = ratio(result.edges_stored, memory.loaded_bytes)?;
    let end = ratio(result.edges_final, memory.allocated_bytes)?;
    Some((loaded, end))
}

/// Stores of a graph, a directed one has two.
fn stores(result: &GraphReport) -> u64 {
    1 + u64::from(result.directed)
}

/// Bytes of the entries of all stores with so many edges in each.
fn payload_bytes(result: &GraphReport, edges: u64) -> u64 {
    4 * edges * stores(result)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 * 1e-6)
}

/// A row a graph and layout, with a cell for each allocator.
fn table(results: &Results, cell: impl Fn(&GraphReport) -> String) -> Result<String> {
    let names = distinct(results.graphs.iter().map(|row| row.allocator.as_str()));
    let mut rows = Vec::new();
    let mut metas = Vec::new();
    for graph in graphs(results) {
        let all = of_graph(results, graph, true)?;
        for layout in ["contiguous", "linked"] {
            let Some(first) = with_layout(&all, layout).next() else {
                continue;
            };
            metas.push(&first.meta);
            let mut cells = vec![
                graph.to_owned(),
                layout.to_owned(),
                megabytes(payload_bytes(first, first.edges_stored)),
            ];
            cells.extend(names.iter().map(|&name| {
                let mut found = all.iter();
                let row = found.find(|row| row.allocator == name && row.layout == layout);
                let result = row.and_then(|row| row.outcome.result.as_ref());
                result.map_or("-".to_owned(), &cell)
            }));
            rows.push(cells);
        }
    }
    let titles = ["graph", "layout", "entries MB"].map(str::to_owned);
    let titles: Vec<String> = titles
        .into_iter()
        .chain(names.iter().map(|name| shown(name)))
        .collect();
    Ok(match metas.is_empty() {
        true => NOT_MEASURED.to_owned(),
        false => markdown(&titles, &rows) + &origin_line(metas),
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::super::results::GraphRow;
    use super::*;

    fn row(allocator: &str, hash: &str, ratios: &str) -> GraphRow {
        let text = format!(
            r#"{{"graph": "g", "allocator": "{allocator}", "layout": "contiguous", "status": "ok",
                "result": {{"graph": "g", "vertices": 9, "edges_stored": 40, "edges_final": 10,
                    "directed": true, "allocator": "{allocator}", "init_ms": {{"median": 0.5}},
                    "memory": {{"loaded_bytes": 2000000, "allocated_bytes": 120,
                        "high_water_bytes": 3000000 {ratios}}},
                    "updates": [{{"kind": "insert", "pattern": "uniform", "edges": 1,
                        "ms": {{"total": {{"median": 1.0}}}}}}],
                    "graph_hash": "{hash}", "meta": {{}}}}}}"#
        );
        fixtures::row(&text)
    }

    fn results(hash: &str) -> Results {
        let told = r#", "loaded_memory_per_csr": 1.5, "memory_per_csr": 1.25"#;
        Results {
            graphs: vec![
                row("cmalloc", "a", ""),
                row("cfmalloc", "a", told),
                row("cudamalloc", hash, ""),
                row("external", "a", ""),
            ],
            allocators: vec![
                fixtures::allocator(r#"{"name": "cmalloc", "handle_bytes": 4}"#),
                fixtures::allocator(r#"{"name": "cudamalloc", "system_heap": true}"#),
            ],
            ..Results::default()
        }
    }

    #[test]
    fn bytes_are_those_after_loading_and_at_the_most() {
        let text = bytes(&results("a")).expect("a table");
        let row = "| g | contiguous | 0.0 | 2.0 / 3.0 | 2.0 / 3.0 |";
        assert!(text.contains(row), "{text}");
    }

    /// Both stores of `cmalloc` have 10 entries at the end: (120 + 2 * 9 * 20) / (80 + 2 * 40), and
    /// 40 after loading.
    #[test]
    fn ratios_are_those_of_the_results_or_computed_where_that_is_exact() {
        let text = ratios(&results("a")).expect("a table");
        let row = "| g | contiguous | 0.0 | 5000.90 / 3.00 | 1.50 / 1.25 | - | - |";
        assert!(text.contains(row), "{text}");
        let mut changed = row_with_vertices();
        assert_eq!(ratio(&changed, &results("a").allocators), "-");
        changed.vertex_updates.clear();
        assert_ne!(ratio(&changed, &results("a").allocators), "-");
    }

    /// A result whose records are more than the vertices that were loaded.
    fn row_with_vertices() -> GraphReport {
        let mut result = row("cmalloc", "a", "").outcome.result.expect("a result");
        let update = r#"{"kind": "insert", "round": 1, "vertices": 1, "inserted": 1, "deleted": 0,
            "missing": 0, "entries_deleted": 0, "present": 10,
            "ms": {"samples": [], "median": 0.0}}"#;
        result.vertex_updates = vec![serde_json::from_str(update).expect("an update")];
        result
    }

    #[test]
    fn different_graphs_are_refused() {
        assert!(bytes(&results("b")).is_err() && ratios(&results("b")).is_err());
    }
}
