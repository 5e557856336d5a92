//! Section 8 of Vinkler and Havran (2014): fragmentation by builds of k-d trees that allocate at
//! every split.

use super::super::results::{Results, TreeReport, allocator_of, origin_line};
use super::super::{NOT_MEASURED, distinct, markdown};

/// The allocators of the paper, and others beside them.
const ALLOCATORS: [&str; 7] = [
    "cmalloc",
    "cfmalloc",
    "cmmalloc",
    "cfmmalloc",
    "halloc",
    "ouroboros-p-s",
    "buddy",
];

/// A row per allocator: internal and external fragmentation in each scene.
pub fn table(results: &Results) -> String {
    let trees = results.slowdowns.iter();
    let is_shown = |tree: &&TreeReport| ALLOCATORS.contains(&allocator_of(tree));
    let trees: Vec<&TreeReport> = trees.filter(is_shown).collect();
    if trees.is_empty() {
        return NOT_MEASURED.to_owned();
    }
    let scenes = distinct(trees.iter().map(|tree| tree.scene.as_str()));
    let mut titles = vec!["internal, external".to_owned()];
    titles.extend(scenes.iter().map(|scene| (*scene).to_owned()));
    let rows: Vec<Vec<String>> = ALLOCATORS
        .into_iter()
        .map(|allocator| {
            let cell = |scene: &&str| {
                let is =
                    |tree: &&&TreeReport| tree.scene == **scene && allocator_of(tree) == allocator;
                trees.iter().find(is).map_or("-".to_owned(), |tree| {
                    let parts = [tree.internal_fragmentation, tree.external_fragmentation];
                    let part = |part: Option<f64>| {
                        part.map_or("-".to_owned(), |part| format!("{part:.2}"))
                    };
                    parts.map(part).join(", ")
                })
            };
            let cells = scenes.iter().map(cell);
            std::iter::once(allocator.to_owned()).chain(cells).collect()
        })
        .collect();
    markdown(&titles, &rows) + &origin_line(trees.iter().map(|tree| &tree.meta))
}

#[cfg(test)]
mod tests {
    use super::super::super::fixtures;
    use super::*;

    #[test]
    fn both_fragmentations_are_shown() {
        let text = r#"{"scene": "s", "triangles": 12, "allocator": "cmalloc",
            "build_ms": {"median": 1.0}, "nodes": 5, "leaves": 3, "max_depth": 2,
            "references_per_triangle": 1.25, "internal_fragmentation": 0.5, "sah_cost": 7.0,
            "tree_hash": "a"}"#;
        let results = Results {
            slowdowns: vec![fixtures::tree(text)],
            ..Results::default()
        };
        let text = table(&results);
        assert!(text.contains("| internal, external | s |"), "{text}");
        assert!(text.contains("| cmalloc | 0.50, - |\n| cfmalloc | - |"));
    }
}
