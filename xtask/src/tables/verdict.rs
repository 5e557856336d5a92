//! The verdict on the microbenchmarks: how many figures are slower than the published ones
//! or failed, over which allocators, and the worst of each.

use heapwood_results::geometric_mean;

use super::bench::{Kind, allocators, is_coalesced, is_slower};
use super::freeing::shown;
use super::results::{MicroRow, Results, Status};
use super::{NOT_MEASURED, markdown};
use crate::Result;

/// A figure beside a published one.
struct Compared<'r> {
    case: &'r MicroRow,
    kernel: &'static str,
    ratio: f64,
    is_slower: bool,
}

/// The counts of all cases, or of those of one allocator.
#[derive(Default)]
struct Verdict<'r> {
    compared: Vec<Compared<'r>>,
    unfinished: usize,
    failed: usize,
    cases: usize,
}

impl<'r> Verdict<'r> {
    fn of(results: &'r Results, is_counted: impl Fn(&MicroRow) -> bool) -> Self {
        let mut verdict = Self::default();
        let cases = results.bench.iter().filter(|case| is_counted(case));
        for case in cases {
            verdict.cases += 1;
            if !is_coalesced(case) {
                verdict.add(results, case);
            }
        }
        verdict
    }

    fn add(&mut self, results: &Results, case: &'r MicroRow) {
        if case.status != Status::Ok {
            self.failed += 1;
            return;
        }
        for kernel in ["malloc", "free", "both"] {
            let kind = Kind {
                workload: case.workload.name(),
                kernel,
                heap: case.heap.name(),
            };
            let (Some(ours), Some(reference)) = (kind.time_of(case), kind.reference(results, case))
            else {
                continue;
            };
            let Some(published) = reference.ms else {
                self.unfinished += 1;
                continue;
            };
            self.compared.push(Compared {
                case,
                kernel,
                ratio: ours / published,
                is_slower: is_slower(ours, published),
            });
        }
    }

    fn slower(&self) -> usize {
        self.compared.iter().filter(|one| one.is_slower).count()
    }

    /// The geometric mean of the ratios on heaps of this kind.
    fn mean(&self, heap: &str) -> String {
        let on_heap = self
            .compared
            .iter()
            .filter(|one| one.case.heap.name() == heap);
        let mean = geometric_mean(on_heap.map(|one| one.ratio));
        mean.map_or("-".to_owned(), super::bench::ratio)
    }

    fn worst(&self) -> [String; 2] {
        let worst = self.compared.iter();
        let worst = worst.max_by(|a, b| a.ratio.total_cmp(&b.ratio));
        worst.map_or(["-".to_owned(), "-".to_owned()], |worst| {
            let case = worst.case;
            let bytes = case
                .bytes
                .map_or("mixed".to_owned(), |bytes| format!("{bytes} B"));
            let name = format!(
                "{} {}, {}, {} x {bytes}",
                case.workload.name(),
                worst.kernel,
                case.heap.name(),
                case.threads
            );
            [format!("{:.2}", worst.ratio), name]
        })
    }
}

/// The verdict in one sentence.
pub fn sentence(results: &Results) -> String {
    let verdict = Verdict::of(results, |_| true);
    format!(
        "Of {} figures of microbenchmarks with a published one beside them, {} are slower by \
         more than the larger of 20 % and 2 microseconds; {} more finish where the \
         published code faults or exceeds 3 s; {} of {} cases failed.\n",
        verdict.compared.len(),
        verdict.slower(),
        verdict.unfinished,
        verdict.failed,
        verdict.cases
    )
}

/// The sentence, and a row for each allocator with a figure to compare or a failure.
pub fn table(results: &Results) -> Result<String> {
    if results.bench.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let titles = [
        "allocator",
        "figures",
        "slower",
        "only ours finishes",
        "failed",
        "ours / published, mean on warm heaps",
        "on cold heaps",
        "max",
        "case of the max",
    ];
    let mut rows = Vec::new();
    for allocator in allocators(results) {
        let verdict = Verdict::of(results, |case| case.allocator == allocator);
        if verdict.compared.is_empty() && verdict.failed == 0 {
            continue;
        }
        let mut row = vec![
            shown(allocator),
            verdict.compared.len().to_string(),
            verdict.slower().to_string(),
            verdict.unfinished.to_string(),
            verdict.failed.to_string(),
            verdict.mean("warm"),
            verdict.mean("cold"),
        ];
        row.extend(verdict.worst());
        rows.push(row);
    }
    Ok(sentence(results) + "\n" + &markdown(&titles.map(str::to_owned), &rows))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
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
            bench: vec![fixtures::case(&case)],
            published: serde_json::from_str(published).expect("reference figures"),
            ..Results::default()
        }
    }

    #[test]
    fn slower_figures_are_counted_and_the_worst_is_named() {
        let text = table(&results("ok", 0.02)).expect("a verdict");
        assert!(text.starts_with("Of 1 figures"), "{text}");
        assert!(text.contains("beside them, 1 are slower"), "{text}");
        let row = "| awmalloc (overwrites) | 1 | 1 | 0 | 0 | 2.00 | - | 2.00 \
            | threads malloc, warm, 10000 x 16 B |";
        assert!(text.contains(row), "{text}");
        let text = sentence(&results("ok", 0.011));
        assert!(text.contains("beside them, 0 are slower"), "{text}");
    }

    #[test]
    fn failures_are_counted() {
        let text = table(&results("oom", 0.02)).expect("a verdict");
        assert!(text.starts_with("Of 0 figures"), "{text}");
        assert!(text.contains("1 of 1 cases failed"), "{text}");
        assert!(text.contains("| 0 | 0 | 0 | 1 | - | - | - | - |"), "{text}");
    }
}
