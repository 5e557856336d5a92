//! Malloc and free by turns, as in Figures 3 to 5 of Lee (2014): how much faster than each
//! allocator the 3L buddy allocator is.

use std::collections::BTreeSet;

use heapwood_results::geometric_mean;

use super::freeing;
use super::results::{MicroRow, Results, Status, origin_line};
use super::{NOT_MEASURED, distinct, markdown, milliseconds};
use crate::Result;

/// The allocator of Lee's paper.
const REFERENCE: &str = "buddy";

/// A case without its allocator: turns, threads and bytes. Mixed sizes have no bytes.
type Setting = (u32, u32, Option<u64>);

fn setting(case: &MicroRow) -> Setting {
    (case.turns.unwrap_or(1), case.threads, case.bytes)
}

/// A row a setting on a warm heap, with the time of the 3L buddy allocator, and for each other
/// allocator its time as a multiple of that; at the end the geometric mean of the multiples.
pub fn table(results: &Results) -> Result<String> {
    let cases: Vec<&MicroRow> = results
        .turns
        .iter()
        .filter(|case| case.heap.name() == "warm")
        .collect();
    if cases.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let others = distinct(cases.iter().map(|case| case.allocator.as_str()));
    let others: Vec<&str> = others
        .into_iter()
        .filter(|&name| name != REFERENCE)
        .collect();
    let settings: BTreeSet<Setting> = cases.iter().map(|case| setting(case)).collect();
    let find = |name: &str, wanted: Setting| {
        let mut cases = cases.iter();
        cases.find(|case| case.allocator == name && setting(case) == wanted)
    };
    let mut titles = ["turns", "threads", "size", "buddy ms"]
        .map(str::to_owned)
        .to_vec();
    titles.extend(
        others
            .iter()
            .map(|name| format!("{} / buddy", freeing::shown(name))),
    );
    let mut ratios = vec![Vec::new(); others.len()];
    let mut rows = Vec::new();
    for wanted in settings {
        let (turns, threads, bytes) = wanted;
        let size = bytes.map_or("mixed".to_owned(), |bytes| format!("{bytes} B"));
        let reference = find(REFERENCE, wanted).and_then(|case| time(case));
        let mut row = vec![turns.to_string(), threads.to_string(), size];
        row.push(reference.map_or("-".to_owned(), milliseconds));
        for (name, ratios) in others.iter().zip(&mut ratios) {
            let case = find(name, wanted);
            row.push(match (case.and_then(|case| time(case)), reference) {
                (Some(time), Some(reference)) => {
                    ratios.push(time / reference);
                    format!("{:.2}", time / reference)
                }
                _ => case.map_or("-".to_owned(), |case| case.status.name().to_owned()),
            });
        }
        rows.push(row);
    }
    let mut mean = vec![
        "mean".to_owned(),
        String::new(),
        String::new(),
        String::new(),
    ];
    let shown = |mean: f64| format!("{mean:.2}");
    mean.extend(
        ratios
            .into_iter()
            .map(|ratios| geometric_mean(ratios.into_iter()).map_or("-".to_owned(), shown)),
    );
    rows.push(mean);
    Ok(markdown(&titles, &rows) + &origin_line(cases.iter().map(|case| &case.meta)))
}

/// The median of a case that ended well.
fn time(case: &MicroRow) -> Option<f64> {
    let samples = case
        .kernel_ms
        .as_ref()
        .filter(|_| case.status == Status::Ok);
    samples.map(|samples| samples.median)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    #[test]
    fn ratios_are_to_the_buddy_allocator() {
        let case = |allocator: &str, bytes: &str, ms: f64, status: &str| -> MicroRow {
            let text = format!(
                r#"{{"workload": "turns", "allocator": "{allocator}", "parameters": {{}},
                    "heap": "warm", "threads": 32, "turns": 100, "bytes": {bytes},
                    "status": "{status}", "kernel_ms": {{"median": {ms}}}, "meta": {{"gpu": "G"}}}}"#
            );
            fixtures::case(&text)
        };
        let results = Results {
            turns: vec![
                case("cudamalloc", "16", 8.0, "ok"),
                case("cudamalloc", "256", 1.0, "ok"),
                case("cudamalloc", "null", 1.0, "oom"),
                case(REFERENCE, "16", 2.0, "ok"),
                case(REFERENCE, "256", 1.0, "ok"),
                case(REFERENCE, "null", 1.0, "ok"),
            ],
            ..Results::default()
        };
        let text = table(&results).expect("a table");
        assert!(text.contains("| 100 | 32 | 16 B | 2.00 | 4.00 |"), "{text}");
        assert!(text.contains("| 100 | 32 | mixed | 1.00 | oom |"), "{text}");
        assert!(text.contains("| mean |  |  |  | 2.00 |"), "{text}");
    }
}
