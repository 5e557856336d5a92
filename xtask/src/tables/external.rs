//! Tables of published allocators that were linked with the kernels, beside ours and CUDA's:
//! microbenchmarks, trees and batches of a graph.

use super::bench::{Kind, ratio};
use super::freeing::shown;
use super::results::{
    GraphRow, Meta, MicroRow, Results, TreeReport, UpdateReport, allocator_of, origin_line,
};
use super::{NOT_MEASURED, distinct, markdown, milliseconds};
use crate::Result;

/// A column of the microbenchmarks.
struct Column {
    title: &'static str,
    kind: Kind<'static>,
    threads: u32,
    bytes: Option<u64>,
}

/// A column of a warm heap.
const fn column(
    title: &'static str,
    workload: &'static str,
    kernel: &'static str,
    threads: u32,
    bytes: Option<u64>,
) -> Column {
    let heap = "warm";
    Column {
        title,
        kind: Kind {
            workload,
            kernel,
            heap,
        },
        threads,
        bytes,
    }
}

/// Measurements of the five workloads, one per column.
const COLUMNS: [Column; 8] = [
    column("W1, 16 B", "threads", "malloc", 100_000, Some(16)),
    column("W1, 1 KiB", "threads", "malloc", 100_000, Some(1024)),
    column("free, 1 KiB", "threads", "free", 100_000, Some(1024)),
    column("W1, 8 KiB", "threads", "malloc", 100_000, Some(8192)),
    column("W2", "mixed", "malloc", 100_000, None),
    column("W3, 16 B", "alloc-dealloc", "both", 270_336, Some(16)),
    column("W4, 16 B", "alloc-cycle-dealloc", "both", 270_336, Some(16)),
    column("W5, 2^20", "scaling", "malloc", 1 << 20, Some(16)),
];

/// A row's allocator: its name in the results, and whether it was merged with the kernels; none
/// for one of the program's.
type Row<'r> = (&'r str, Option<bool>);

fn row_of<'r>(allocator: &'r str, meta: &Meta) -> Row<'r> {
    (allocator, meta.link.as_ref().map(|link| link.merged))
}

/// The label of an allocator's row.
fn label((allocator, merged): Row) -> String {
    let name = given_name(allocator);
    match merged {
        None => shown(allocator),
        Some(false) => format!("{name}, published, linked"),
        Some(true) => format!("{name}, published, merged"),
    }
}

/// The name that the user gave an allocator: its own name, and behind a point its compilation.
fn given_name(allocator: &str) -> &str {
    allocator
        .split_once("name=")
        .map_or(allocator, |(_, name)| name)
}

/// The name of a published allocator.
fn published_name(allocator: &str) -> &str {
    let name = given_name(allocator);
    name.split_once('.').map_or(name, |(name, _)| name)
}

/// Milliseconds of the microbenchmarks, a row an allocator. Beside those of a published one its
/// time in a program of its own.
pub fn bench(results: &Results) -> Result<String> {
    let cases = &results.external_bench;
    if cases.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let rows = distinct(cases.iter().map(|case| row_of(&case.allocator, &case.meta)));
    let cell = |row: Row, column: &Column| {
        let is = |case: &&MicroRow| {
            row_of(&case.allocator, &case.meta) == row
                && column.kind.is_of(case)
                && (case.threads, case.bytes) == (column.threads, column.bytes)
        };
        let mut found = cases.iter().filter(is);
        let Some(case) = found.next() else {
            return Ok("-".to_owned());
        };
        if found.next().is_some() {
            return Err(format!("two results of {}, {}", label(row), column.title));
        }
        Ok(match column.kind.outcome_of(case) {
            Ok(time) => beside(results, row, column, case, time),
            Err(instead) => instead,
        })
    };
    let rows = rows.into_iter().map(|row| {
        let cells = COLUMNS.iter().map(|column| cell(row, column));
        let cells = std::iter::once(Ok(label(row))).chain(cells);
        cells.collect::<Result<Vec<_>>>()
    });
    let rows = rows.collect::<Result<Vec<_>>>()?;
    let titles = COLUMNS.iter().map(|column| column.title.to_owned());
    let titles: Vec<String> = std::iter::once("ms".to_owned()).chain(titles).collect();
    Ok(markdown(&titles, &rows) + &origin_line(cases.iter().map(|case| &case.meta)))
}

/// A time, and beside it that of the published program on its own, if there is one.
fn beside(results: &Results, row: Row, column: &Column, case: &MicroRow, time: f64) -> String {
    let shown = milliseconds(time);
    let (allocator, Some(_)) = row else {
        return shown;
    };
    let alone = MicroRow {
        allocator: published_name(allocator).to_owned(),
        ..case.clone()
    };
    let alone = column.kind.reference(results, &alone);
    match alone.and_then(|cell| cell.ms) {
        Some(alone) => format!(
            "{shown} / {} = {}",
            milliseconds(alone),
            ratio(time / alone)
        ),
        None => shown,
    }
}

/// Milliseconds of the builds of trees, a row an allocator and a column a scene.
pub fn trees(results: &Results) -> Result<String> {
    let trees = &results.external_trees;
    if trees.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let scenes = distinct(trees.iter().map(|tree| tree.scene.as_str()));
    for scene in &scenes {
        let of_scene = trees.iter().filter(|tree| tree.scene == *scene);
        if distinct(of_scene.map(|tree| &tree.tree_hash)).len() > 1 {
            return Err(format!("{scene}: there are several trees"));
        }
    }
    let rows = distinct(
        trees
            .iter()
            .map(|tree| row_of(allocator_of(tree), &tree.meta)),
    );
    let rows = rows.into_iter().map(|row| {
        let cell = |scene: &&str| {
            let is = |tree: &&TreeReport| {
                row_of(allocator_of(tree), &tree.meta) == row && tree.scene == **scene
            };
            let tree = trees.iter().find(is);
            tree.map_or("-".to_owned(), |tree| milliseconds(tree.build_ms.median))
        };
        std::iter::once(label(row))
            .chain(scenes.iter().map(cell))
            .collect()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let titles = scenes.iter().map(|scene| (*scene).to_owned());
    let titles: Vec<String> = std::iter::once("ms".to_owned()).chain(titles).collect();
    Ok(markdown(&titles, &rows) + &origin_line(trees.iter().map(|tree| &tree.meta)))
}

/// Milliseconds of the batches of a graph, a row an allocator and layout.
pub fn graphs(results: &Results) -> Result<String> {
    let rows = &results.external_graphs;
    let updates = |row: &'_ GraphRow| -> Vec<UpdateReport> {
        let result = row.outcome.result.as_ref();
        result
            .map(|result| result.updates.clone())
            .unwrap_or_default()
    };
    let columns = distinct(rows.iter().flat_map(|row| {
        let updates = updates(row);
        updates
            .into_iter()
            .map(|update| (update.kind, update.edges))
    }));
    if columns.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let done = rows.iter().filter_map(|row| row.outcome.result.as_ref());
    if distinct(done.clone().map(|result| &result.graph_hash)).len() > 1 {
        return Err("the published allocators left different graphs".to_owned());
    }
    let cells = rows.iter().map(|row| {
        let meta = row.outcome.result.as_ref().map(|result| &result.meta);
        let name = match meta {
            Some(meta) => label(row_of(&row.allocator, meta)),
            None => row.allocator.clone(),
        };
        let of_row = updates(row);
        let cell = |(kind, edges): &(String, u64)| {
            let is = |update: &&UpdateReport| (&update.kind, update.edges) == (kind, *edges);
            match of_row.iter().find(is) {
                Some(update) => milliseconds(update.ms.total.median),
                None => row.outcome.status.name().to_owned(),
            }
        };
        let head = [name, row.layout.clone()];
        head.into_iter().chain(columns.iter().map(cell)).collect()
    });
    let cells: Vec<Vec<String>> = cells.collect();
    let titles = columns
        .iter()
        .map(|(kind, edges)| format!("{kind} {edges}"));
    let head = ["ms", "layout"].map(str::to_owned);
    let titles: Vec<String> = head.into_iter().chain(titles).collect();
    Ok(markdown(&titles, &cells) + &origin_line(done.map(|result| &result.meta)))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    fn case(allocator: &str, link: &str, malloc: f64) -> MicroRow {
        let text = format!(
            r#"{{"workload": "threads", "allocator": "{allocator}", "parameters": {{}},
                "heap": "warm", "threads": 100000, "bytes": 16, "status": "ok",
                "alloc_ms": {{"median": {malloc}}}, "meta": {{"gpu": "G", "link": {link}}}}}"#
        );
        fixtures::case(&text)
    }

    #[test]
    fn the_published_stands_beside_itself_on_its_own() {
        let cells = r#"{"cells": [{"workload": "threads", "heap": "warm", "kernel": "malloc",
            "allocator": "gallatin", "threads": 100000, "bytes": 16, "ms": 0.02, "status": "ok"}],
            "registers": []}"#;
        let own = "external:pool=own,name=gallatin";
        let small = "external:pool=own,name=gallatin.r64";
        let mut results = Results {
            published: serde_json::from_str(cells).expect("reference figures"),
            external_bench: vec![
                case(own, r#"{"files": [], "merged": false, "ms": null}"#, 0.03),
                case(own, r#"{"files": [], "merged": true, "ms": null}"#, 0.02),
                case(small, r#"{"files": [], "merged": false, "ms": null}"#, 0.04),
                case("gallatin", "null", 0.01),
            ],
            ..Results::default()
        };
        let text = bench(&results).expect("a table");
        for row in [
            "| gallatin, published, linked | 0.0300 / 0.0200 = 1.50 | - |",
            "| gallatin, published, merged | 0.0200 / 0.0200 = 1.00 | - |",
            "| gallatin.r64, published, linked | 0.0400 / 0.0200 = 2.00 | - |",
            "| gallatin | 0.0100 | - |",
        ] {
            assert!(text.contains(row), "{text}");
        }
        results.external_bench.push(case("gallatin", "null", 0.01));
        assert!(bench(&results).is_err());
    }
}
