//! The table of primary rays on a CPU beside Embree.

use super::results::{EmbreeRow, Results, line_of};
use super::{NOT_MEASURED, distinct, markdown};

/// A row for each scene: million rays per second, and ours against Embree's.
pub fn table(results: &Results) -> String {
    if results.embree.is_empty() {
        return NOT_MEASURED.to_owned();
    }
    let titles = [
        "scene",
        "ours",
        "Embree",
        "ours / Embree",
        "ours, beside robust",
        "Embree, robust",
        "ours / Embree, robust",
        "pixels that differ",
    ];
    let scenes = distinct(results.embree.iter().map(|case| case.scene.as_str()));
    let rows = scenes.into_iter().map(|scene| {
        let mut row = vec![scene.to_owned()];
        let of_scene = || results.embree.iter().filter(|case| case.scene == scene);
        for is_robust in [false, true] {
            let case = of_scene().find(|case| case.is_robust == is_robust);
            row.extend(case.map_or(["-"; 3].map(str::to_owned), cells));
        }
        let differing: u64 = of_scene().map(|case| case.differing).sum();
        row.push(differing.to_string());
        row
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let origins = results.embree.iter().map(|case| {
        let threads = format!("{}, {} threads each", case.cpu, case.threads);
        (threads, &case.meta)
    });
    markdown(&titles.map(str::to_owned), &rows) + &line_of(origins)
}

fn cells(case: &EmbreeRow) -> [String; 3] {
    let rate = |ms: f64| format!("{:.1}", case.rays as f64 / ms * 1e-3);
    [
        rate(case.ours_ms.median),
        rate(case.theirs_ms.median),
        format!("{:.2}", case.ratio()),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    #[test]
    fn both_modes_stand_in_a_row() {
        let case = |is_robust: bool, ms: f64| {
            let text = format!(
                r#"{{"scene": "s", "rays": 1000000, "differing": 0, "is_robust": {is_robust},
                    "ours_ms": {{"median": 50.0}}, "theirs_ms": {{"median": {ms}}},
                    "cpu": "C", "threads": 2, "meta": {{}}}}"#
            );
            fixtures::embree(&text)
        };
        let results = Results {
            embree: vec![case(false, 25.0), case(true, 100.0)],
            ..Results::default()
        };
        let text = table(&results);
        let row = "| s | 20.0 | 40.0 | 0.50 | 20.0 | 10.0 | 2.00 | 0 |";
        assert!(text.contains(row), "{text}");
        assert!(
            text.ends_with("\nC, 2 threads each, commit unknown.\n"),
            "{text}"
        );
        let mut two = results.clone();
        two.embree[1].cpu = "D".to_owned();
        let text = table(&two);
        let line = "\nC, 2 threads each; D, 2 threads each, commit unknown.\n";
        assert!(text.ends_with(line), "{text}");
    }
}
