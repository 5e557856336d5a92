//! The table of builds of k-d trees on a CPU beside the crate `kdtree-ray`.

use super::results::{KdtreeRayRow, Results, line_of};
use super::{NOT_MEASURED, markdown, milliseconds};

/// A row a scene.
pub fn table(results: &Results) -> String {
    if results.kdtree_ray.is_empty() {
        return NOT_MEASURED.to_owned();
    }
    let titles = [
        "scene",
        "triangles",
        "our nodes",
        "ours ms",
        "`kdtree-ray` ms",
        "times as fast",
        "triangles a ray, ours",
        "its",
    ];
    let rows: Vec<Vec<String>> = results.kdtree_ray.iter().map(row).collect();
    let origins = results.kdtree_ray.iter().map(|case| {
        let threads = format!("{}, {} threads each", case.cpu, case.threads);
        (threads, &case.meta)
    });
    markdown(&titles.map(str::to_owned), &rows) + &line_of(origins)
}

fn row(case: &KdtreeRayRow) -> Vec<String> {
    let (ours, theirs) = (case.ours_ms.median, case.theirs_ms.median);
    let [ray, their_ray] = case.triangles_a_ray;
    vec![
        case.scene.clone(),
        case.triangles.to_string(),
        case.nodes.to_string(),
        milliseconds(ours),
        milliseconds(theirs),
        format!("{:.2}", theirs / ours),
        format!("{ray:.1}"),
        format!("{their_ray:.1}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    #[test]
    fn builds_stand_beside_each_other() {
        let text = r#"{"scene": "s", "triangles": 12, "nodes": 5, "ours_ms": {"median": 2.0},
            "theirs_ms": {"median": 9.0}, "triangles_a_ray": [1.25, 2.0], "cpu": "C",
            "threads": 2, "meta": {}}"#;
        let results = Results {
            kdtree_ray: vec![fixtures::kdtree_ray(text)],
            ..Results::default()
        };
        let text = table(&results);
        let row = "| s | 12 | 5 | 2.00 | 9.00 | 4.50 | 1.2 | 2.0 |";
        assert!(text.contains(row), "{text}");
        assert!(text.ends_with("\nC, 2 threads each, commit unknown.\n"));
        assert_eq!(super::table(&Results::default()), NOT_MEASURED);
    }
}
