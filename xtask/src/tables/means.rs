//! How much faster than CUDA's own allocator, on average: the comparison in
//! section 6.1 of Winter et al. 2020.

use heapwood_results::geometric_mean;

use super::bench::{allocators, is_coalesced};
use super::freeing::shown;
use super::results::{MicroRow, Results, origin_line};
use super::{NOT_MEASURED, markdown};
use crate::Result;

/// The size at which CUDA's allocator is far slower than at its neighbours.
const SLOW_SIZE: u64 = 1024;

/// The geometric mean over the sizes of `threads` on a warm heap, a row an
/// allocator; with and without the size that CUDA's allocator is slow at.
pub fn table(results: &Results) -> Result<String> {
    if results.bench.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let mut titles = vec!["allocator".to_owned()];
    for threads in [10_000, 100_000] {
        titles.push(format!("malloc, {threads} threads"));
        titles.push(format!("without {SLOW_SIZE} B"));
    }
    let rows: Vec<Vec<String>> = allocators(results)
        .into_iter()
        .map(|name| {
            let mut row = vec![shown(name)];
            for threads in [10_000, 100_000] {
                let faster = speedups(results, name, threads);
                row.push(mean(faster.iter().map(|&(_, ratio)| ratio)));
                let usual = faster.iter().filter(|(bytes, _)| *bytes != SLOW_SIZE);
                row.push(mean(usual.map(|&(_, ratio)| ratio)));
            }
            row
        })
        .collect();
    Ok(markdown(&titles, &rows) + &origin_line(results.bench.iter().map(|case| &case.meta)))
}

/// For each size, how many times as long CUDA's allocator takes.
fn speedups(results: &Results, allocator: &str, threads: u32) -> Vec<(u64, f64)> {
    let is_of = |case: &&MicroRow| {
        case.workload.name() == "threads"
            && case.heap.name() == "warm"
            && case.allocator == allocator
            && case.threads == threads
            && !is_coalesced(case)
    };
    let ratio = |case: &MicroRow| {
        let mut cells = results.published.cells.iter();
        let cuda = cells.find(|cell| {
            cell.workload == "threads"
                && cell.heap == "warm"
                && cell.kernel == "malloc"
                && cell.allocator == "cudamalloc"
                && cell.threads == threads
                && cell.bytes == case.bytes
        })?;
        Some((case.bytes?, cuda.ms? / case.alloc_ms.as_ref()?.median))
    };
    results
        .bench
        .iter()
        .filter(is_of)
        .filter_map(ratio)
        .collect()
}

fn mean(ratios: impl Iterator<Item = f64>) -> String {
    geometric_mean(ratios).map_or("-".to_owned(), |mean| format!("{mean:.0}"))
}

/// The geometric mean of each name's values, in the order in which names come first.
pub(super) fn means_by_name(values: Vec<(String, f64)>) -> Vec<(String, f64)> {
    let names = super::distinct(values.iter().map(|(name, _)| name.clone()));
    let mean = |name: String| {
        let of_name = values.iter().filter(|(other, _)| *other == name);
        let mean = geometric_mean(of_name.map(|(_, value)| *value))?;
        Some((name, mean))
    };
    names.into_iter().filter_map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    #[test]
    fn means_are_those_of_a_name() {
        let values = [("a", 1.0), ("b", 3.0), ("a", 4.0)];
        let values = values.map(|(name, value)| (name.to_owned(), value));
        let means = means_by_name(values.into());
        assert_eq!(means[0].0, "a");
        assert!((means[0].1 - 2.0).abs() < 1e-12 && means.len() == 2);
    }

    #[test]
    fn means_are_geometric() {
        let case = |bytes: u64, ms: f64| -> MicroRow {
            let text = format!(
                r#"{{"workload": "threads", "allocator": "cmalloc", "parameters": {{}},
                    "heap": "warm", "threads": 10000, "bytes": {bytes}, "status": "ok",
                    "alloc_ms": {{"median": {ms}}}, "meta": {{"gpu": "G"}}}}"#
            );
            fixtures::case(&text)
        };
        let cell = |bytes: u64, ms: f64| {
            format!(
                r#"{{"workload": "threads", "heap": "warm", "kernel": "malloc",
                    "allocator": "cudamalloc", "threads": 10000, "bytes": {bytes}, "ms": {ms},
                    "status": "ok"}}"#
            )
        };
        let cells = [cell(16, 2.0), cell(64, 8.0), cell(1024, 4096.0)].join(",");
        let published = format!(r#"{{"cells": [{cells}], "registers": []}}"#);
        let results = Results {
            bench: vec![case(16, 1.0), case(64, 1.0), case(1024, 1.0)],
            published: serde_json::from_str(&published).expect("reference figures"),
            ..Results::default()
        };
        let text = table(&results).expect("a table");
        assert!(text.contains("| cmalloc | 40 | 4 | - | - |"), "{text}");
    }
}
