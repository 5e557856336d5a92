//! Tables 3 and 4 of Vinkler and Havran (2014) for our scenes: how much longer a build with an
//! allocation at every split takes than one over the allocator that the paper's table refers to.

use super::freeing::shown;
use super::results::{Results, TreeReport, allocator_of, origin_line};
use super::{NOT_MEASURED, distinct, markdown, milliseconds};
use crate::Result;

/// The least and the most of a row of the paper's table.
type Range = (&'static str, [f64; 2]);

/// A table of the paper.
struct Setting {
    /// The pool as a multiple of the root's references.
    pool: u64,
    /// Whose time is 1.
    reference: &'static str,
    /// The paper's rows. ScatterAlloc's are those of pages of 4 KiB, our default.
    paper: &'static [Range],
}

/// Table 3: scenes of 20 thousand to 2.2 million triangles.
const TABLE_3: Setting = Setting {
    pool: 200,
    reference: "atomicmalloc",
    paper: &[
        ("cudamalloc", [2.50, 20.62]),
        ("scatteralloc", [0.94, 4.92]),
        ("halloc", [1.02, 1.41]),
        ("awmalloc", [0.83, 1.07]),
        ("cmalloc", [0.99, 1.48]),
        ("cfmalloc", [0.92, 1.36]),
        ("cmmalloc", [0.97, 1.49]),
        ("cfmmalloc", [0.97, 1.34]),
    ],
};

/// Table 4: scenes of 3.3 to 12.7 million triangles.
const TABLE_4: Setting = Setting {
    pool: 20,
    reference: "halloc",
    paper: &[
        ("cudamalloc", [1.53, 2.38]),
        ("scatteralloc", [1.04, 8.58]),
        ("cmalloc", [0.43, 0.64]),
        ("cfmalloc", [0.47, 0.69]),
        ("cmmalloc", [0.48, 0.67]),
        ("cfmmalloc", [0.53, 0.67]),
    ],
};

/// The table of this number: a row an allocator, a column a scene.
pub fn table(results: &Results, number: &str) -> Result<String> {
    match number {
        "3" => of(&results.slowdowns, &TABLE_3),
        "4" => of(&results.slowdowns, &TABLE_4),
        _ => Err(format!("there is no table {number} of slowdowns")),
    }
}

fn of(trees: &[TreeReport], setting: &Setting) -> Result<String> {
    // A pool is a multiple of the root's references but for what it is rounded up to.
    let multiple = |tree: &&TreeReport| tree.pool_bytes.unwrap_or(0) / tree.root_bytes.max(1);
    let trees: Vec<&TreeReport> = trees
        .iter()
        .filter(|tree| tree.options.alloc_per_split && multiple(tree) == setting.pool)
        .collect();
    if trees.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let scenes = distinct(trees.iter().map(|tree| tree.scene.as_str()));
    let find = |scene: &str, allocator: &str| {
        let mut all = trees.iter();
        all.find(|tree| tree.scene == scene && allocator_of(tree) == allocator)
    };
    let mut titles = vec!["allocator".to_owned()];
    let mut times = vec![format!("{} ms", shown(setting.reference))];
    for scene in &scenes {
        titles.push((*scene).to_owned());
        let reference = find(scene, setting.reference)
            .ok_or_else(|| format!("{scene}: no tree over {}", setting.reference))?;
        times.push(milliseconds(reference.build_ms.median));
        if let Some(other) = trees
            .iter()
            .find(|tree| tree.scene == *scene && tree.tree_hash != reference.tree_hash)
        {
            return Err(format!(
                "{scene}: {} built another tree",
                allocator_of(other)
            ));
        }
    }
    titles.push("paper".to_owned());
    times.push("1".to_owned());
    let mut rows = vec![times];
    for allocator in distinct(trees.iter().map(|tree| allocator_of(tree))) {
        if allocator == setting.reference {
            continue;
        }
        let mut row = vec![shown(allocator)];
        for scene in &scenes {
            let ours = find(scene, allocator).map(|tree| tree.build_ms.median);
            let theirs = find(scene, setting.reference).map(|tree| tree.build_ms.median);
            let ratio = ours.zip(theirs).map(|(ours, theirs)| ours / theirs);
            row.push(ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")));
        }
        let paper = setting.paper.iter().find(|(name, _)| *name == allocator);
        row.push(paper.map_or("-".to_owned(), |(_, [least, most])| {
            format!("{least:.2} to {most:.2}")
        }));
        rows.push(row);
    }
    Ok(markdown(&titles, &rows) + &origin_line(trees.iter().map(|tree| &tree.meta)))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    fn tree(allocator: &str, ms: f64, pool: u64, hash: &str) -> TreeReport {
        let text = format!(
            r#"{{"scene": "s", "triangles": 12, "allocator": "{allocator}",
                "options": {{"alloc_per_split": true}}, "build_ms": {{"median": {ms}}},
                "nodes": 5, "leaves": 3, "max_depth": 2, "references_per_triangle": 1.25,
                "root_bytes": 100, "pool_bytes": {pool},
                "sah_cost": 7.0, "tree_hash": "{hash}", "meta": {{}}}}"#
        );
        fixtures::tree(&text)
    }

    #[test]
    fn times_are_multiples_of_the_reference() {
        let mut results = Results {
            slowdowns: vec![
                tree("atomicmalloc", 2.0, 20_000, "a"),
                tree("cmalloc", 3.0, 20_000, "a"),
                tree("cmalloc", 9.0, 2_000, "a"),
            ],
            ..Results::default()
        };
        let text = table(&results, "3").expect("a table");
        assert!(text.contains("| allocator | s | paper |"), "{text}");
        assert!(text.contains("| atomicmalloc (cannot free) ms | 2.00 | 1 |"));
        assert!(text.contains("| cmalloc | 1.50 | 0.99 to 1.48 |"), "{text}");
        assert!(table(&results, "4").is_err(), "nothing to compare with");
        assert!(table(&results, "5").is_err());
        results.slowdowns.push(tree("halloc", 1.0, 20_000, "b"));
        assert!(table(&results, "3").is_err(), "two trees of one scene");
    }
}
