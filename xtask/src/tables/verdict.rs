//! The verdict on the microbenchmarks: how many figures are slower than the published ones
//! or failed, and which.

use super::bench::{Kind, allocators, is_coalesced, is_slower};
use super::freeing::shown;
use super::results::{Case, Results};
use super::{NOT_MEASURED, markdown, milliseconds, walks};
use crate::Result;

/// What was counted, and the rows of what is slower or failed.
#[derive(Default)]
struct Verdict {
    compared: usize,
    unfinished: usize,
    slower: Vec<Vec<String>>,
    failed: Vec<Vec<String>>,
}

impl Verdict {
    fn of(results: &Results) -> Self {
        let mut verdict = Self::default();
        for case in results.bench.iter().filter(|case| !is_coalesced(case)) {
            verdict.add(results, case);
        }
        verdict
    }

    fn add(&mut self, results: &Results, case: &Case) {
        if case.status != "ok" {
            let last = [case.status.clone(), "-".to_owned(), "-".to_owned()];
            self.failed.push(row(case, "-", last));
            return;
        }
        for kernel in ["malloc", "free", "both"] {
            let kind = Kind {
                workload: &case.workload,
                kernel,
                heap: &case.heap,
            };
            let (Some(ours), Some(reference)) = (kind.time_of(case), kind.reference(results, case))
            else {
                continue;
            };
            let Some(published) = reference.ms else {
                self.unfinished += 1;
                continue;
            };
            self.compared += 1;
            if is_slower(ours, published) {
                let ratio = format!("{:.2}", ours / published);
                let last = [milliseconds(ours), milliseconds(published), ratio];
                self.slower.push(row(case, kernel, last));
            }
        }
    }

    fn sentence(&self, results: &Results) -> String {
        format!(
            "Of {} figures of microbenchmarks with a published one beside them, {} are slower by \
             more than the larger of 20 % and 2 microseconds; {} more finish where the \
             published code faults or exceeds 3 s; {} of {} cases failed.\n",
            self.compared,
            self.slower.len(),
            self.unfinished,
            self.failed.len(),
            results.bench.len()
        )
    }
}

/// A row of the table below the sentence.
fn row(case: &Case, kernel: &str, last: [String; 3]) -> Vec<String> {
    let bytes = case
        .bytes
        .map_or("mixed".to_owned(), |bytes| bytes.to_string());
    let mut row = vec![
        case.workload.clone(),
        case.heap.clone(),
        shown(&case.allocator),
        kernel.to_owned(),
        case.threads.to_string(),
        bytes,
    ];
    row.extend(last);
    row
}

/// The verdict in one sentence.
pub fn sentence(results: &Results) -> String {
    Verdict::of(results).sentence(results)
}

/// How many figures are slower than their reference, or failed, and which.
pub fn table(results: &Results) -> Result<String> {
    if results.bench.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let verdict = Verdict::of(results);
    let mut text = verdict.sentence(results);
    let rows = [verdict.slower, verdict.failed].concat();
    if !rows.is_empty() {
        let titles = [
            "workload",
            "heap",
            "allocator",
            "kernel",
            "threads",
            "bytes",
            "ours ms",
            "published ms",
            "ratio",
        ];
        text.push('\n');
        text.push_str(&markdown(&titles.map(str::to_owned), &rows));
    }
    if verdict.compared > 0 {
        text.push_str(&walks::caption(allocators(results)));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request that took so many milliseconds, where the published code takes 0.01.
    fn results(status: &str, malloc: f64) -> Results {
        let case = format!(
            r#"{{"workload": "threads", "allocator": "awmalloc", "parameters": {{}},
                "heap": "warm", "threads": 10000, "bytes": 16, "status": "{status}",
                "alloc_ms": {{"median": {malloc}}}, "meta": {{}}}}"#
        );
        let published = r#"{"cells": [
            {"workload": "threads", "heap": "warm", "kernel": "malloc", "allocator": "awmalloc",
             "threads": 10000, "bytes": 16, "ms": 0.0100, "status": "ok"}], "registers": []}"#;
        Results {
            bench: vec![serde_json::from_str(&case).expect("a case")],
            published: serde_json::from_str(published).expect("reference figures"),
            ..Results::default()
        }
    }

    #[test]
    fn slower_figures_are_counted_and_listed() {
        let text = table(&results("ok", 0.02)).expect("a verdict");
        assert!(text.starts_with("Of 1 figures"), "{text}");
        assert!(text.contains("beside them, 1 are slower"), "{text}");
        let row = "| awmalloc (overwrites) | malloc | 10000 | 16 | 0.0200 | 0.0100 | 2.00 |";
        assert!(text.contains(row), "{text}");
        let text = sentence(&results("ok", 0.011));
        assert!(text.contains("beside them, 0 are slower"), "{text}");
    }

    #[test]
    fn failures_are_counted_and_listed() {
        let text = table(&results("oom", 0.02)).expect("a verdict");
        assert!(text.starts_with("Of 0 figures"), "{text}");
        assert!(text.contains("1 of 1 cases failed"), "{text}");
        assert!(text.contains("| 10000 | 16 | oom | - | - |"), "{text}");
    }
}
