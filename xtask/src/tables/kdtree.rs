//! Tables of the trees: build times by allocator, and what was built.

use super::findings::means_by_name;
use super::freeing::shown;
use super::results::{Meta, Results, Tree};
use super::work::Outcome;
use super::{NOT_MEASURED, distinct, markdown, milliseconds};
use crate::Result;

/// Scenes in the order of the file, with their trees of one kind.
fn by_scene(results: &Results, per_split: bool) -> Result<Vec<(&str, Vec<&Tree>)>> {
    let mut scenes: Vec<(&str, Vec<&Tree>)> = Vec::new();
    for tree in &results.kdtree {
        if tree.options.alloc_per_split != per_split {
            continue;
        }
        match scenes.iter_mut().find(|(name, _)| *name == tree.scene) {
            Some((_, trees)) => trees.push(tree),
            None => scenes.push((&tree.scene, vec![tree])),
        }
    }
    for (scene, trees) in &scenes {
        if let Some(other) = trees
            .iter()
            .find(|tree| tree.tree_hash != trees[0].tree_hash)
        {
            return Err(format!(
                "{scene}: {} and {} built different trees",
                trees[0].allocator, other.allocator
            ));
        }
    }
    Ok(scenes)
}

/// The line under a table of these trees.
fn line(scenes: &[(&str, Vec<&Tree>)]) -> String {
    let trees = scenes.iter().flat_map(|(_, trees)| trees);
    Meta::line(trees.map(|tree| &tree.meta))
}

/// The geometric mean over the scenes of each allocator's build time as a multiple of the
/// `bound` allocator's.
pub fn ratios(results: &Results, per_split: bool, bound: &str) -> Result<Vec<(String, f64)>> {
    let mut values = Vec::new();
    for (_, trees) in by_scene(results, per_split)? {
        let bound = trees.iter().find(|tree| tree.allocator == bound);
        let Some(bound) = bound.map(|tree| tree.build_ms.median) else {
            continue;
        };
        let ratio = |tree: &&Tree| (tree.allocator.clone(), tree.build_ms.median / bound);
        values.extend(trees.iter().map(ratio));
    }
    Ok(means_by_name(values))
}

/// Milliseconds of the build, a row a scene and a column an allocator.
pub fn builds(results: &Results, per_split: bool) -> Result<String> {
    let scenes = by_scene(results, per_split)?;
    if scenes.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let trees = scenes.iter().flat_map(|(_, trees)| trees);
    let allocators = distinct(trees.map(|tree| tree.allocator.as_str()));
    let mut titles = vec!["scene".to_owned(), "triangles".to_owned()];
    titles.extend(allocators.iter().map(|name| format!("{} ms", shown(name))));
    let rows: Vec<Vec<String>> = scenes
        .iter()
        .map(|(scene, trees)| {
            let mut row = vec![(*scene).to_owned(), trees[0].triangles.to_string()];
            row.extend(allocators.iter().map(|name| {
                let tree = trees.iter().find(|tree| tree.allocator == *name);
                tree.map_or("-".to_owned(), |tree| milliseconds(tree.build_ms.median))
            }));
            row
        })
        .collect();
    Ok(markdown(&titles, &rows) + &line(&scenes))
}

/// Milliseconds of the build of one scene over one allocator.
pub fn build<'r>(
    results: &'r Results,
    scene: &str,
    allocator: &str,
    metas: &mut Vec<&'r Meta>,
) -> Outcome {
    let is = |tree: &&Tree| {
        tree.scene == scene && tree.allocator == allocator && !tree.options.alloc_per_split
    };
    let tree = results.kdtree.iter().find(is);
    metas.extend(tree.map(|tree| &tree.meta));
    tree.map(|tree| tree.build_ms.median).ok_or("-".to_owned())
}

/// What was built, a row a scene.
pub fn trees(results: &Results) -> Result<String> {
    let scenes = by_scene(results, false)?;
    if scenes.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let titles = [
        "scene",
        "triangles",
        "references per triangle",
        "nodes",
        "leaves",
        "depth",
        "SAH cost",
        "tree hash",
        "allocators with this tree",
    ];
    let rows: Vec<Vec<String>> = scenes
        .iter()
        .map(|(scene, trees)| {
            let tree = trees[0];
            vec![
                (*scene).to_owned(),
                tree.triangles.to_string(),
                format!("{:.2}", tree.references_per_triangle),
                tree.nodes.to_string(),
                tree.leaves.to_string(),
                tree.max_depth.to_string(),
                format!("{:.2}", tree.sah_cost),
                format!("`{}`", tree.tree_hash),
                trees.len().to_string(),
            ]
        })
        .collect();
    Ok(markdown(&titles.map(str::to_owned), &rows) + &line(&scenes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(hashes: [&str; 2]) -> Results {
        let tree = |allocator: &str, hash: &str| {
            let text = format!(
                r#"{{"scene": "s", "triangles": 12, "allocator": "{allocator}",
                    "options": {{"alloc_per_split": false}}, "build_ms": {{"median": 1.5}},
                    "nodes": 5, "leaves": 3, "max_depth": 2, "references_per_triangle": 1.25,
                    "sah_cost": 7.0, "tree_hash": "{hash}", "meta": {{}}}}"#
            );
            serde_json::from_str(&text).expect("a tree")
        };
        Results {
            kdtree: vec![tree("cmalloc", hashes[0]), tree("awmalloc", hashes[1])],
            ..Results::default()
        }
    }

    #[test]
    fn scenes_are_rows_and_allocators_columns() {
        let text = builds(&results(["a", "a"]), false).expect("a table");
        assert!(text.contains("| scene | triangles | cmalloc ms | awmalloc (overwrites) ms |"));
        assert!(text.contains("| s | 12 | 1.50 | 1.50 |"), "{text}");
        let text = trees(&results(["a", "a"])).expect("a table");
        assert!(
            text.contains("| s | 12 | 1.25 | 5 | 3 | 2 | 7.00 | `a` | 2 |"),
            "{text}"
        );
    }

    #[test]
    fn different_trees_of_a_scene_are_refused() {
        assert!(builds(&results(["a", "b"]), false).is_err());
    }
}
