//! Tables of graphs: the fastest updates, algorithms.

use super::freeing::can_free;
use super::outcome::Outcome;
use super::results::{GraphReport, GraphRow, Meta, Results, UpdateReport, origin_line};
use super::{NOT_MEASURED, distinct, markdown, milliseconds};
use crate::Result;

/// The algorithms on each graph as loaded, over the fastest allocator that can free.
pub fn algorithms(results: &Results) -> Result<String> {
    let titles = [
        "graph",
        "vertices",
        "entries",
        "PageRank ms/iteration, contiguous",
        "linked",
        "linked / contiguous",
        "triangles",
        "counted in ms, contiguous",
        "linked",
        "linked / contiguous",
    ];
    let iteration = |result: &GraphReport| {
        let ranks = result.algorithms.ranks.as_ref()?;
        Some(ranks.ms.median / f64::from(ranks.iterations))
    };
    let count = |result: &GraphReport| Some(result.algorithms.triangles.as_ref()?.ms.median);
    each_graph(results, false, &titles, |rows, first| {
        let mut cells = vec![
            rows[0].graph.clone(),
            first.vertices.to_string(),
            first.edges_stored.to_string(),
        ];
        cells.extend(by_layout(rows, iteration));
        let triangles = first.algorithms.triangles.as_ref();
        cells.push(triangles.map_or("-".to_owned(), |found| found.count.to_string()));
        cells.extend(by_layout(rows, count));
        cells
    })
}

/// Whether an update is a batch of so many edges. Deletions end where the edges do.
pub(super) fn is_of_size(update: &UpdateReport, edges: u64) -> bool {
    (edges / 10 * 9..=edges).contains(&update.edges)
}

/// The slowest batch of each size over the best allocator of those that can free,
/// contiguous, a row a graph.
pub fn best(results: &Results) -> Result<String> {
    let sizes = [10_000, 100_000, 1_000_000, 10_000_000];
    let mut titles = vec!["graph".to_owned(), "load ms".to_owned()];
    for size in sizes {
        titles.push(format!("insert {} ms", short(size)));
        titles.push(format!("delete {} ms", short(size)));
    }
    titles.push("slowest of 1 M and more, directed updates/s".to_owned());
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    each_graph(results, true, &titles, |rows, first| {
        let mut cells = vec![rows[0].graph.clone()];
        let contiguous = || that_free(rows, "contiguous");
        let load = contiguous().map(|result| result.init_ms.median);
        cells.push(load.reduce(f64::min).map_or("-".to_owned(), milliseconds));
        let mut slowest = f64::INFINITY;
        let directions = if first.directed { 1.0 } else { 2.0 };
        for size in sizes {
            for kind in ["insert", "delete"] {
                let (mut most, mut edges) = (0.0_f64, size);
                for pattern in ["uniform", "pressure"] {
                    let is = |update: &&UpdateReport| {
                        update.kind == kind
                            && update.pattern.as_deref() == Some(pattern)
                            && is_of_size(update, size)
                    };
                    let found = contiguous().filter_map(|result| result.updates.iter().find(is));
                    let best = found.min_by(|a, b| a.ms.total.median.total_cmp(&b.ms.total.median));
                    if let Some(update) = best
                        && update.ms.total.median > most
                    {
                        (most, edges) = (update.ms.total.median, update.edges);
                    }
                }
                if most == 0.0 {
                    cells.push("-".to_owned());
                    continue;
                }
                cells.push(milliseconds(most));
                if size >= 1_000_000 {
                    slowest = slowest.min(directions * edges as f64 / most * 1e3);
                }
            }
        }
        cells.push(if slowest.is_finite() {
            format!("{:.2} G", slowest * 1e-9)
        } else {
            "-".to_owned()
        });
        cells
    })
}

/// Milliseconds of the slowest batch of so many edges of a graph with contiguous rows over
/// one allocator, inserted or deleted, of any pattern.
pub fn slowest<'r>(
    results: &'r Results,
    graph: &str,
    allocator: &str,
    edges: u64,
    metas: &mut Vec<&'r Meta>,
) -> Result<Outcome> {
    let rows = of_graph(results, graph, true)?;
    let is = |row: &&&GraphRow| row.allocator == allocator && row.layout == "contiguous";
    let row = rows.iter().find(is);
    let Some(result) = row.and_then(|row| row.outcome.result.as_ref()) else {
        return Ok(Err(row.map_or("-".to_owned(), |row| {
            row.outcome.status.name().to_owned()
        })));
    };
    metas.push(&result.meta);
    let of_size = |update: &&UpdateReport| is_of_size(update, edges);
    let updates = result.updates.iter().filter(of_size);
    let slowest = updates
        .map(|update| update.ms.total.median)
        .reduce(f64::max);
    Ok(slowest.ok_or("-".to_owned()))
}

/// A table with a row for each graph that anything succeeded on.
pub fn each_graph(
    results: &Results,
    updated: bool,
    titles: &[&str],
    row: impl Fn(&[&GraphRow], &GraphReport) -> Vec<String>,
) -> Result<String> {
    let mut table = Vec::new();
    let mut metas = Vec::new();
    for graph in graphs(results) {
        let rows = of_graph(results, graph, updated)?;
        let mut found = rows.iter();
        if let Some(first) = found.find_map(|row| row.outcome.result.as_ref()) {
            metas.push(&first.meta);
            table.push(row(&rows, first));
        }
    }
    let titles: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
    Ok(match metas.is_empty() {
        true => NOT_MEASURED.to_owned(),
        false => markdown(&titles, &table) + &origin_line(metas),
    })
}

/// Names of graphs in the order of the file.
pub fn graphs(results: &Results) -> Vec<&str> {
    let measured = results.graphs.iter();
    let measured = measured.filter(|row| row.outcome.result.is_some());
    distinct(measured.map(|row| row.graph.as_str()))
}

/// The rows of a graph with updates, or those without any, which must all have
/// ended with the same graph. Those that failed are among the former.
pub fn of_graph<'a>(results: &'a Results, name: &str, updated: bool) -> Result<Vec<&'a GraphRow>> {
    let is_updated = |row: &GraphRow| {
        let result = row.outcome.result.as_ref();
        result.is_none_or(|result| !result.updates.is_empty())
    };
    let rows = results.graphs.iter();
    let rows: Vec<&GraphRow> = rows
        .filter(|row| row.graph == name && is_updated(row) == updated)
        .collect();
    check_same(name, &rows)?;
    Ok(rows)
}

/// Refuses rows of a graph that have not all ended with the same one.
pub fn check_same(name: &str, rows: &[&GraphRow]) -> Result<()> {
    let mut found = rows.iter().filter_map(|row| row.outcome.result.as_ref());
    if let Some(first) = found.next()
        && let Some(other) = found.find(|other| other.graph_hash != first.graph_hash)
    {
        return Err(format!(
            "{name}: {} and {} ended with different graphs",
            first.allocator, other.allocator
        ));
    }
    Ok(())
}

/// The results in a layout.
pub fn with_layout<'r>(
    rows: &[&'r GraphRow],
    layout: &str,
) -> impl Iterator<Item = &'r GraphReport> {
    let rows = rows.iter().filter(move |row| row.layout == layout);
    rows.filter_map(|row| row.outcome.result.as_ref())
}

/// Those of allocators that can free: the best time is one of theirs.
pub fn that_free<'r>(rows: &[&'r GraphRow], layout: &str) -> impl Iterator<Item = &'r GraphReport> {
    with_layout(rows, layout).filter(|result| can_free(&result.allocator))
}

/// The best times of both layouts, and their ratio.
fn by_layout(rows: &[&GraphRow], time: impl Fn(&GraphReport) -> Option<f64>) -> [String; 3] {
    let best = |layout| that_free(rows, layout).filter_map(&time).reduce(f64::min);
    let (contiguous, linked) = (best("contiguous"), best("linked"));
    let cell = |time: Option<f64>| time.map_or("-".to_owned(), milliseconds);
    let ratio = contiguous
        .zip(linked)
        .map(|(contiguous, linked)| linked / contiguous);
    [
        cell(contiguous),
        cell(linked),
        ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")),
    ]
}

/// A number of edges in a few characters.
pub fn short(edges: u64) -> String {
    match edges {
        1_000_000.. => format!("{:.0} M", edges as f64 * 1e-6),
        1_000.. => format!("{:.0} K", edges as f64 * 1e-3),
        _ => edges.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    fn row(allocator: &str, layout: &str, ms: f64, hash: &str) -> GraphRow {
        let text = format!(
            r#"{{"graph": "g", "allocator": "{allocator}", "layout": "{layout}", "status": "ok",
                "result": {{"graph": "g", "vertices": 9, "edges_stored": 40, "directed": false,
                    "allocator": "{allocator}", "init_ms": {{"median": 0.5}}, "memory": {{}},
                    "updates": [{{"kind": "insert", "pattern": "uniform", "edges": 1000000,
                        "ms": {{"total": {{"median": {ms}}}}}}}],
                    "pagerank": {{"iterations": 10, "ms": {{"median": {ms}}}}},
                    "triangles": {{"count": 3, "ms": {{"median": 4.0}}}},
                    "graph_hash": "{hash}", "meta": {{}}}}}}"#
        );
        fixtures::row(&text)
    }

    fn results(hashes: [&str; 2]) -> Results {
        Results {
            graphs: vec![
                row("cmalloc", "contiguous", 2.0, hashes[0]),
                row("cmalloc", "linked", 5.0, hashes[1]),
                fixtures::failed(
                    r#"{"graph": "g", "allocator": "awmalloc", "layout": "linked", "status": "oom"}"#,
                ),
            ],
            ..Results::default()
        }
    }

    #[test]
    fn the_best_of_each_layout_counts() {
        let mut loaded = results(["a", "a"]);
        for result in loaded
            .graphs
            .iter_mut()
            .filter_map(|row| row.outcome.result.as_mut())
        {
            result.updates.clear();
        }
        let text = algorithms(&loaded).expect("a table");
        let row = "| g | 9 | 40 | 0.200 | 0.500 | 2.50 | 3 | 4.00 | 4.00 | 1.00 |";
        assert!(text.contains(row), "{text}");
        let text = best(&results(["a", "a"])).expect("a table");
        assert!(text.contains("| 2.00 | - | - | - | 1.00 G |"), "{text}");
    }

    #[test]
    fn different_graphs_are_refused() {
        assert!(best(&results(["a", "b"])).is_err());
    }
}
