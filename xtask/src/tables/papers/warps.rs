//! The tests AD and ACD of Vinkler and Havran (2014), Figure 3: one lane of each warp allocates
//! and frees. Times are multiples of AtomicMalloc's, ours and those of the published code.

use super::super::bench::Kind;
use super::super::freeing::shown;
use super::super::results::{MicroRow, Results, origin_line};
use super::super::{NOT_MEASURED, markdown, milliseconds};
use super::ratio;
use crate::Result;

/// The allocator with time 1.
const REFERENCE: &str = "atomicmalloc";
/// The others of the paper.
const ALLOCATORS: [&str; 9] = [
    "awmalloc",
    "cmalloc",
    "cfmalloc",
    "cmmalloc",
    "cfmmalloc",
    "scatteralloc",
    "halloc",
    "fdgmalloc",
    "cudamalloc",
];
/// Threads of the paper's 120 blocks.
const THREADS: u32 = 120 * 256;
/// Columns: test, workload and bytes.
const TESTS: [(&str, &str, u64); 5] = [
    ("AD", "alloc-dealloc", 16),
    ("AD", "alloc-dealloc", 1024),
    ("AD", "alloc-dealloc", 65536),
    ("ACD", "alloc-cycle-dealloc", 16),
    ("ACD", "alloc-cycle-dealloc", 1024),
];

/// Milliseconds of a case, ours and of the published code.
type Times = [Option<f64>; 2];

/// A row per allocator, a column per test and size.
pub fn table(results: &Results) -> Result<String> {
    if results.bench.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let mut titles = vec!["allocator".to_owned()];
    titles.extend(TESTS.map(|(test, _, bytes)| format!("{test}, {bytes} B")));
    let mut metas = Vec::new();
    let mut references = Vec::new();
    for (test, workload, bytes) in TESTS {
        let (case, times) = find(results, REFERENCE, workload, bytes);
        let case = case.ok_or_else(|| format!("{test}, {bytes} B: no {REFERENCE}"))?;
        metas.push(&case.meta);
        references.push(times);
    }
    let mut first = vec![format!("{} ms", shown(REFERENCE))];
    first.extend(references.iter().map(|times| {
        let text = times.map(|time| time.map_or("-".to_owned(), milliseconds));
        text.join(" / ")
    }));
    let mut rows = vec![first];
    for allocator in ALLOCATORS {
        let mut row = vec![shown(allocator)];
        for ((_, workload, bytes), reference) in TESTS.into_iter().zip(&references) {
            let (case, times) = find(results, allocator, workload, bytes);
            metas.extend(case.map(|case| &case.meta));
            let of = |part: usize| ratio(times[part].zip(reference[part]).map(|(a, b)| a / b));
            row.push(format!("{} / {}", of(0), of(1)));
        }
        rows.push(row);
    }
    Ok(markdown(&titles, &rows) + &origin_line(metas))
}

/// The case on a warm heap, and its times.
fn find<'r>(
    results: &'r Results,
    allocator: &str,
    workload: &str,
    bytes: u64,
) -> (Option<&'r MicroRow>, Times) {
    let kind = Kind {
        workload,
        kernel: "both",
        heap: "warm",
    };
    let case = results.bench.iter().find(|case| {
        kind.is_of(case)
            && case.allocator == allocator
            && case.threads == THREADS
            && case.bytes == Some(bytes)
    });
    let ours = case.and_then(|case| kind.outcome_of(case).ok());
    let published = case.and_then(|case| kind.reference(results, case)?.ms);
    (case, [ours, published])
}

#[cfg(test)]
mod tests {
    use super::super::super::fixtures;
    use super::*;

    #[test]
    fn times_are_multiples_of_atomicmallocs() {
        let case = |allocator: &str, workload: &str, bytes: u64, ms: f64| -> MicroRow {
            let text = format!(
                r#"{{"workload": "{workload}", "allocator": "{allocator}", "parameters": {{}},
                    "heap": "warm", "threads": {THREADS}, "bytes": {bytes}, "status": "ok",
                    "kernel_ms": {{"median": {ms}}}, "meta": {{"gpu": "G"}}}}"#
            );
            fixtures::case(&text)
        };
        let bench = TESTS.map(|(_, workload, bytes)| case(REFERENCE, workload, bytes, 2.0));
        let mut results = Results {
            bench: bench.into(),
            ..Results::default()
        };
        results
            .bench
            .push(case("cmalloc", "alloc-dealloc", 16, 3.0));
        let text = table(&results).expect("a table");
        assert!(text.contains("| cmalloc | 1.50 / - | - / - |"), "{text}");
        results.bench.remove(0);
        assert!(table(&results).is_err());
    }
}
