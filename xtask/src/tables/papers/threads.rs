//! Section 6.1.1 of Winter and others (2020): how many times as long other allocators take as the
//! Ouroboros variants, as means over sizes.

use heapwood_results::geometric_mean;

use super::super::bench::warm_threads;
use super::super::results::{Results, origin_line};
use super::super::{NOT_MEASURED, markdown};
use super::ratio;

/// Variants that manage pages, and those that manage chunks.
const VARIANTS: [(&str, [&str; 3]); 2] = [
    (
        "pages",
        ["ouroboros-p-s", "ouroboros-p-va", "ouroboros-p-vl"],
    ),
    (
        "chunks",
        ["ouroboros-c-s", "ouroboros-c-va", "ouroboros-c-vl"],
    ),
];
/// The sizes of the recording.
const SIZES: [u64; 6] = [16, 64, 256, 1024, 4096, 8192];
/// Numbers of threads.
const THREADS: [u32; 2] = [10_000, 100_000];
/// Other allocators, with the paper's means for each kind of variant and number of threads.
const OTHERS: [(&str, [[f64; 2]; 2]); 3] = [
    ("cudamalloc", [[163.0, 274.0], [15.0, 18.0]]),
    ("scatteralloc", [[4.33, 12.5], [0.30, 1.12]]),
    ("halloc", [[1.68, 1.74], [0.15, 0.16]]),
];

/// A row per allocator and kind of variant.
pub fn table(results: &Results) -> String {
    if results.bench.is_empty() {
        return NOT_MEASURED.to_owned();
    }
    let mut titles = vec!["other / Ouroboros".to_owned()];
    for threads in THREADS {
        titles.push(format!("paper, {threads} threads"));
        titles.push("ours".to_owned());
        titles.push("published code, H200".to_owned());
    }
    let mut rows = Vec::new();
    for (other, paper) in OTHERS {
        for ((kind, names), paper) in VARIANTS.into_iter().zip(paper) {
            let mut row = vec![format!("{other} / {kind}")];
            for (threads, paper) in THREADS.into_iter().zip(paper) {
                let means =
                    [true, false].map(|is_ours| mean(results, other, names, threads, is_ours));
                row.push(ratio(Some(paper)));
                row.extend(means);
            }
            rows.push(row);
        }
    }
    let names = VARIANTS.into_iter().flat_map(|(_, names)| names);
    let names: Vec<&str> = names.chain(OTHERS.map(|(other, _)| other)).collect();
    let cases = results.bench.iter();
    let cases = cases.filter(|case| names.contains(&case.allocator.as_str()));
    markdown(&titles, &rows) + &origin_line(cases.map(|case| &case.meta))
}

/// The geometric mean over the cells that both finish, and how many these are of all.
fn mean(results: &Results, other: &str, names: [&str; 3], threads: u32, is_ours: bool) -> String {
    let cells = names
        .into_iter()
        .flat_map(|name| SIZES.map(|of| (name, of)));
    let all = cells.clone().count();
    let ratios = cells.filter_map(|(name, bytes)| {
        let time = |of: &str| time(results, of, (threads, bytes), is_ours);
        Some(time(other)? / time(name)?)
    });
    let ratios: Vec<f64> = ratios.collect();
    let count = ratios.len();
    let mean = ratio(geometric_mean(ratios.into_iter()));
    match count == all {
        true => mean,
        false => format!("{mean} ({count} of {all})"),
    }
}

/// Milliseconds of `malloc`, ours or of the published code.
fn time(results: &Results, allocator: &str, setting: (u32, u64), is_ours: bool) -> Option<f64> {
    let (kind, case) = warm_threads(results, "malloc", allocator, setting)?;
    match is_ours {
        true => kind.outcome_of(case).ok(),
        false => kind.reference(results, case)?.ms,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fixtures;
    use super::*;

    #[test]
    fn others_are_multiples_of_ouroboros() {
        let case = |allocator: &str, bytes: u64, ms: f64| {
            fixtures::case(&format!(
                r#"{{"workload": "threads", "allocator": "{allocator}", "parameters": {{}},
                    "heap": "warm", "threads": 10000, "bytes": {bytes}, "status": "ok",
                    "alloc_ms": {{"median": {ms}}}, "meta": {{"gpu": "G"}}}}"#
            ))
        };
        let results = Results {
            bench: vec![
                case("ouroboros-p-s", 16, 1.0),
                case("ouroboros-p-va", 64, 2.0),
                case("halloc", 16, 2.0),
                case("halloc", 64, 16.0),
            ],
            ..Results::default()
        };
        let text = table(&results);
        let row = "| halloc / pages | 1.68 | 4.00 (2 of 18) | - (0 of 18) | 1.74 | - (0 of 18) |";
        assert!(text.contains(row), "{text}");
    }
}
