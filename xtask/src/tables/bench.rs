//! Tables of the microbenchmarks: ours beside the published implementation.

use std::collections::BTreeSet;

use super::freeing::shown;
use super::outcome::Outcome;
use super::results::{MicroRow, PublishedCell, Results, Status, origin_line};
use super::{NOT_MEASURED, distinct, markdown, milliseconds};
use crate::Result;

/// Differences below this part of the reference are noise, ...
const NOISE_PART: f64 = 0.2;
/// ... as are those below so many milliseconds.
const NOISE_MS: f64 = 0.002;

/// The workload with the requests of one kernel.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Kind<'a> {
    pub(super) workload: &'a str,
    pub(super) kernel: &'a str,
    pub(super) heap: &'a str,
}

impl Kind<'_> {
    pub(super) fn is_of(&self, case: &MicroRow) -> bool {
        case.workload.name() == self.workload
            && case.heap.name() == self.heap
            && !is_coalesced(case)
    }

    /// The time of this kernel in a case; nothing if it has none.
    pub(super) fn time_of(&self, case: &MicroRow) -> Option<f64> {
        let samples = match self.kernel {
            "malloc" => &case.alloc_ms,
            "free" => &case.free_ms,
            _ => &case.kernel_ms,
        };
        samples.as_ref().map(|samples| samples.median)
    }

    /// The time of this kernel in a case, or what stands in its place.
    pub(super) fn outcome_of(&self, case: &MicroRow) -> Outcome {
        if case.status != Status::Ok {
            return Err(case.status.name().to_owned());
        }
        self.time_of(case).ok_or("-".to_owned())
    }

    /// The published figure of a case, if there is one.
    pub(super) fn reference<'r>(
        &self,
        results: &'r Results,
        case: &MicroRow,
    ) -> Option<&'r PublishedCell> {
        results.published.cells.iter().find(|cell| {
            cell.workload == self.workload
                && cell.heap == self.heap
                && cell.kernel == self.kernel
                && cell.allocator == case.allocator
                && cell.threads == case.threads
                && cell.bytes == case.bytes
        })
    }
}

/// Whether a warp makes its requests together.
pub(super) fn is_coalesced(case: &MicroRow) -> bool {
    case.parameters
        .get("coalesce")
        .is_some_and(|value| value == "true")
}

/// Whether a time is beyond noise slower than its reference.
pub(super) fn is_slower(ours: f64, published: f64) -> bool {
    ours - published > (published * NOISE_PART).max(NOISE_MS)
}

/// Allocators in the order of the file.
pub(super) fn allocators(results: &Results) -> Vec<&str> {
    distinct(results.bench.iter().map(|case| case.allocator.as_str()))
}

/// The table of one kernel: a row an allocator, a column a size.
pub fn table(
    results: &Results,
    workload: &str,
    kernel: &str,
    heap: &str,
    threads: Option<u32>,
) -> Result<String> {
    let kind = Kind {
        workload,
        kernel,
        heap,
    };
    let cases: Vec<&MicroRow> = results
        .bench
        .iter()
        .filter(|case| kind.is_of(case) && threads.is_none_or(|count| count == case.threads))
        .collect();
    if cases.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let columns: BTreeSet<(u32, Option<u64>)> = cases
        .iter()
        .map(|case| (case.threads, case.bytes))
        .collect();
    let by_warps = kernel == "both";
    let title = |&(count, bytes): &(u32, Option<u64>)| {
        let size = bytes.map_or("mixed".to_owned(), |bytes| format!("{bytes} B"));
        match threads {
            Some(_) => size,
            None if by_warps => format!("{} blocks, {size}", count / 256),
            None => format!("{count} x {size}"),
        }
    };
    let mut titles = vec!["allocator".to_owned()];
    titles.extend(columns.iter().map(title));
    let mut rows = Vec::new();
    for allocator in allocators(results) {
        let mut row = vec![shown(allocator)];
        for &(count, bytes) in &columns {
            let mut found = cases.iter().filter(|case| {
                case.allocator == allocator && case.threads == count && case.bytes == bytes
            });
            let case = found.next();
            if found.next().is_some() {
                return Err(format!(
                    "two results of {workload}, {heap}, {allocator}, {count} threads, {bytes:?} bytes"
                ));
            }
            row.push(case.map_or("-".to_owned(), |case| cell(results, kind, case)));
        }
        if row[1..].iter().any(|cell| cell != "-") {
            rows.push(row);
        }
    }
    Ok(markdown(&titles, &rows) + &origin_line(cases.iter().map(|case| &case.meta)))
}

/// The case of so many requests of so many bytes on a warm heap, and what to read in it.
pub(super) fn warm_threads<'r>(
    results: &'r Results,
    kernel: &'r str,
    allocator: &str,
    (threads, bytes): (u32, u64),
) -> Option<(Kind<'r>, &'r MicroRow)> {
    let kind = Kind {
        workload: "threads",
        kernel,
        heap: "warm",
    };
    let case = results.bench.iter().find(|case| {
        kind.is_of(case)
            && case.allocator == allocator
            && case.threads == threads
            && case.bytes == Some(bytes)
    });
    Some((kind, case?))
}

/// `ours / published = ratio`, in bold where ours is slower.
pub(super) fn cell(results: &Results, kind: Kind, case: &MicroRow) -> String {
    let ours = match kind.outcome_of(case) {
        Ok(time) => time,
        Err(instead) => return instead,
    };
    let shown = milliseconds(ours);
    let Some(reference) = kind.reference(results, case) else {
        return shown;
    };
    match reference.ms {
        None if reference.status == "fault" => format!("{shown} / fault"),
        None => format!("{shown} / >3 s"),
        Some(published) => {
            let text = format!(
                "{shown} / {} = {}",
                milliseconds(published),
                ratio(ours / published)
            );
            if is_slower(ours, published) {
                format!("**{text}**")
            } else {
                text
            }
        }
    }
}

/// A ratio with two digits behind the point, or two that count.
pub(super) fn ratio(value: f64) -> String {
    if value >= 0.1 || value <= 0.0 {
        return format!("{value:.2}");
    }
    let zeros = -value.log10().floor() as usize;
    format!("{value:.*}", zeros + 1)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    #[test]
    fn small_ratios_keep_two_digits() {
        let shown = [1.234, 0.5, 0.0563, 0.000_284].map(ratio);
        assert_eq!(shown, ["1.23", "0.50", "0.056", "0.00028"]);
    }

    /// A case of 16 bytes on a warm heap that took so many milliseconds.
    fn case(allocator: &str, status: &str, malloc: f64) -> MicroRow {
        let text = format!(
            r#"{{"workload": "threads", "allocator": "{allocator}", "parameters": {{}},
                "heap": "warm", "threads": 10000, "bytes": 16, "status": "{status}",
                "alloc_ms": {{"samples": [], "median": {malloc}}}, "meta": {{"gpu": "G"}}}}"#
        );
        fixtures::case(&text)
    }

    fn results(cases: &[MicroRow]) -> Results {
        let published = r#"{"cells": [
            {"workload": "threads", "heap": "warm", "kernel": "malloc", "allocator": "cmalloc",
             "threads": 10000, "bytes": 16, "ms": 0.0100, "status": "ok"},
            {"workload": "threads", "heap": "warm", "kernel": "malloc", "allocator": "cfmalloc",
             "threads": 10000, "bytes": 16, "ms": null, "status": "timeout"}], "registers": []}"#;
        Results {
            bench: cases.to_vec(),
            published: serde_json::from_str(published).expect("reference figures"),
            ..Results::default()
        }
    }

    fn rows(cases: &[MicroRow]) -> String {
        table(&results(cases), "threads", "malloc", "warm", Some(10_000)).expect("a table")
    }

    #[test]
    fn ours_stands_beside_the_published_time() {
        let text = rows(&[case("cmalloc", "ok", 0.005), case("cfmalloc", "ok", 0.005)]);
        assert!(
            text.contains("| cmalloc | 0.0050 / 0.0100 = 0.50 |"),
            "{text}"
        );
        assert!(text.contains("| cfmalloc | 0.0050 / >3 s |"), "{text}");
        assert!(
            text.ends_with("\nG, driver unknown, commit unknown.\n"),
            "{text}"
        );
    }

    #[test]
    fn slower_cells_are_marked_beyond_noise_only() {
        assert!(!is_slower(0.012, 0.010) && is_slower(0.0121, 0.010));
        assert!(!is_slower(1.2, 1.0) && is_slower(1.21, 1.0));
        let text = rows(&[case("cmalloc", "ok", 0.02)]);
        assert!(text.contains("| **0.0200 / 0.0100 = 2.00** |"), "{text}");
    }

    #[test]
    fn failures_are_shown_as_failures() {
        let text = rows(&[case("cmalloc", "timeout", 0.005)]);
        assert!(text.contains("| cmalloc | timeout |"), "{text}");
    }

    #[test]
    fn ambiguous_results_are_refused() {
        let twice = results(&[case("cmalloc", "ok", 1.0), case("cmalloc", "ok", 2.0)]);
        assert!(table(&twice, "threads", "malloc", "warm", None).is_err());
    }
}
