//! The table of PageRank and triangle counting beside the crate `graph`.

use super::results::{GraphCrateRow, Results, line_of};
use super::{NOT_MEASURED, markdown, milliseconds};

/// A row for each graph and algorithm; ours in bold where it is slower.
pub fn table(results: &Results) -> String {
    if results.graph_crate.is_empty() {
        return NOT_MEASURED.to_owned();
    }
    let titles = [
        "graph, algorithm",
        "vertices",
        "entries",
        "iterations",
        "ours ms",
        "crate `graph` ms",
        "ratio",
        "its count as is ms",
        "its relabelling ms",
        "its count after that ms",
    ];
    let rows: Vec<Vec<String>> = results.graph_crate.iter().map(row).collect();
    let origins = results.graph_crate.iter().map(|case| {
        let origin = &case.origin;
        let (cpu, threads) = (&origin.machine.cpu, origin.threads);
        let what = format!("{cpu}, {threads} threads each, {}", origin.allocator);
        (what, &origin.meta)
    });
    markdown(&titles.map(str::to_owned), &rows) + &line_of(origins)
}

fn row(case: &GraphCrateRow) -> Vec<String> {
    let theirs = case.theirs();
    let relabelled = case.relabel_ms.as_ref().zip(case.relabelled_ms.as_ref());
    let ratio = case.ours_ms.median / theirs;
    let shown = if ratio > 1.0 {
        format!("**{ratio:.2}**")
    } else {
        format!("{ratio:.2}")
    };
    let [as_is, first, second] = match relabelled {
        Some((first, second)) => {
            [case.theirs_ms.median, first.median, second.median].map(milliseconds)
        }
        None => ["-"; 3].map(str::to_owned),
    };
    let iterations = match case.iterations {
        Some([ours, theirs]) if ours == theirs => ours.to_string(),
        Some([ours, theirs]) => format!("{ours} / {theirs}"),
        None => "-".to_owned(),
    };
    vec![
        format!("{}, {}", case.graph, case.algorithm),
        case.vertices.to_string(),
        case.entries.to_string(),
        iterations,
        milliseconds(case.ours_ms.median),
        milliseconds(theirs),
        shown,
        as_is,
        first,
        second,
    ]
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    #[test]
    fn the_better_of_two_ways_to_count_is_compared() {
        let text = r#"{"graph": "mesh", "vertices": 8, "entries": 24, "algorithm": "triangles",
            "iterations": null, "ours_ms": {"median": 6.0}, "theirs_ms": {"median": 9.0},
            "relabel_ms": {"median": 2.0}, "relabelled_ms": {"median": 3.0},
            "allocator": "cfmmalloc", "threads": 2, "meta": {}, "machine": {"cpu": "C"}}"#;
        let results = Results {
            graph_crate: vec![fixtures::graph_crate(text)],
            ..Results::default()
        };
        let text = table(&results);
        assert!(
            text.contains("| mesh, triangles | 8 | 24 | - | 6.00 | 5.00 | **1.20** |"),
            "{text}"
        );
        assert!(
            text.ends_with("\nC, 2 threads each, cfmmalloc, commit unknown.\n"),
            "{text}"
        );
        assert_eq!(super::table(&Results::default()), NOT_MEASURED);
    }
}
