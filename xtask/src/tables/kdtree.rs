//! Tables of the trees: build times by allocator, and what was built.

use heapwood_results::geometric_mean;

use super::freeing::{can_free, shown};
use super::means::means_by_name;
use super::outcome::{CUDA, DEFAULT, LOWER_BOUND, Outcome};
use super::results::{Meta, Results, TreeReport, allocator_of, origin_line};
use super::{NOT_MEASURED, distinct, markdown, milliseconds};
use crate::Result;

/// The last columns of the builds.
const COLUMNS: [&str; 3] = [
    "fastest that frees",
    "slowest, without CUDA's",
    "million triangles/s, fastest",
];

/// Scenes in the order of the file, with their trees of one kind.
fn by_scene(results: &Results, per_split: bool) -> Result<Vec<(&str, Vec<&TreeReport>)>> {
    let mut scenes: Vec<(&str, Vec<&TreeReport>)> = Vec::new();
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
                allocator_of(trees[0]),
                allocator_of(other)
            ));
        }
    }
    Ok(scenes)
}

/// The line under a table of these trees.
fn line(scenes: &[(&str, Vec<&TreeReport>)]) -> String {
    let trees = scenes.iter().flat_map(|(_, trees)| trees);
    origin_line(trees.map(|tree| &tree.meta))
}

/// The build time of each tree as a multiple of that over the lower bound, if there is one.
fn ratios<'r>(scenes: &[(&'r str, Vec<&'r TreeReport>)]) -> Vec<(&'r TreeReport, f64)> {
    let mut found = Vec::new();
    for (_, trees) in scenes {
        if let Some(bound) = over(trees, LOWER_BOUND) {
            let ratio =
                |tree: &&'r TreeReport| (*tree, tree.build_ms.median / bound.build_ms.median);
            found.extend(trees.iter().map(ratio));
        }
    }
    found
}

/// The tree over this allocator.
fn over<'r>(trees: &[&'r TreeReport], allocator: &str) -> Option<&'r TreeReport> {
    let mut trees = trees.iter().copied();
    trees.find(|tree| allocator_of(tree) == allocator)
}

/// The scenes that every allocator but CUDA's has a tree of: means over others do not compare.
fn common_scenes<'r>(scenes: &[(&'r str, Vec<&'r TreeReport>)]) -> Vec<&'r str> {
    let trees = scenes.iter().flat_map(|(_, trees)| trees);
    let names = distinct(trees.map(|tree| allocator_of(tree)));
    let has_all = |(_, trees): &&(&str, Vec<&TreeReport>)| {
        let mut names = names.iter();
        names.all(|&name| name == CUDA || over(trees, name).is_some())
    };
    let common = scenes.iter().filter(has_all);
    common.map(|(scene, _)| *scene).collect()
}

/// The geometric mean of each allocator's ratios over the scenes that all have.
pub fn mean_ratios(results: &Results, per_split: bool) -> Result<Vec<(String, f64)>> {
    let scenes = by_scene(results, per_split)?;
    let common = common_scenes(&scenes);
    let values = ratios(&scenes).into_iter();
    let values = values.filter(|(tree, _)| common.contains(&tree.scene.as_str()));
    let values = values.map(|(tree, ratio)| (allocator_of(tree).to_owned(), ratio));
    Ok(means_by_name(values.collect()))
}

/// The scenes whose slowest build is CUDA's, and all with a build of it.
pub fn cuda_is_last(results: &Results) -> Result<[usize; 2]> {
    let scenes = by_scene(results, false)?;
    let ms = |tree: &TreeReport| tree.build_ms.median;
    let is_last = |trees: &Vec<&TreeReport>| {
        let cuda = over(trees, CUDA).map(ms)?;
        Some(trees.iter().all(|tree| ms(tree) <= cuda))
    };
    let found = scenes.iter().filter_map(|(_, trees)| is_last(trees));
    let found: Vec<bool> = found.collect();
    Ok([
        found.iter().filter(|is_last| **is_last).count(),
        found.len(),
    ])
}

/// A row for each allocator: the geometric mean and the max of its ratios, with a build of
/// either kind.
pub fn allocators(results: &Results) -> Result<String> {
    let titles = [
        "allocator",
        "mean",
        "max",
        "scene of the max",
        "per split, mean",
        "max",
        "scene of the max",
    ];
    let kinds = [by_scene(results, false)?, by_scene(results, true)?];
    if kinds[0].is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let all = kinds.each_ref().map(|scenes| ratios(scenes));
    let common = kinds.each_ref().map(|scenes| common_scenes(scenes));
    let names = distinct(all.iter().flatten().map(|(tree, _)| allocator_of(tree)));
    let rows = names.into_iter().map(|name| {
        let mut row = vec![shown(name)];
        for (ratios, common) in all.iter().zip(&common) {
            let of_name = || ratios.iter().filter(|(tree, _)| allocator_of(tree) == name);
            let counted = of_name().filter(|(tree, _)| common.contains(&tree.scene.as_str()));
            let counted: Vec<f64> = counted.map(|(_, ratio)| *ratio).collect();
            let mean = geometric_mean(counted.iter().copied());
            let max = of_name().max_by(|a, b| a.1.total_cmp(&b.1));
            let number = |value: f64| format!("{value:.2}");
            row.push(match mean.map(number) {
                Some(mean) if counted.len() == common.len() => mean,
                Some(mean) => format!("{mean} (of {})", counted.len()),
                None => "-".to_owned(),
            });
            row.push(max.map_or("-".to_owned(), |(_, ratio)| number(*ratio)));
            row.push(max.map_or("-".to_owned(), |(tree, _)| tree.scene.clone()));
        }
        row
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let note = format!(
        "\nMeans are over the {} scenes, and per split the {}, that all allocators but CUDA's have.\n",
        common[0].len(),
        common[1].len()
    );
    Ok(markdown(&titles.map(str::to_owned), &rows) + &note + &line(&kinds.concat()))
}

/// Milliseconds of the build, a row a scene: the lower bound, the default, CUDA's heap, and the
/// fastest and slowest of the others that free.
pub fn builds(results: &Results, per_split: bool) -> Result<String> {
    let scenes = by_scene(results, per_split)?;
    if scenes.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let named = [LOWER_BOUND, DEFAULT, CUDA];
    let mut titles = ["scene", "triangles", "allocators"]
        .map(str::to_owned)
        .to_vec();
    titles.extend(named.iter().map(|name| format!("{} ms", shown(name))));
    titles.extend(COLUMNS.map(str::to_owned));
    let rows = scenes.iter().map(|(scene, trees)| {
        let mut row = vec![
            (*scene).to_owned(),
            trees[0].triangles.to_string(),
            trees.len().to_string(),
        ];
        let ms = |tree: &TreeReport| milliseconds(tree.build_ms.median);
        row.extend(named.map(|name| over(trees, name).map_or("-".to_owned(), ms)));
        let mut free = trees.clone();
        free.retain(|tree| can_free(allocator_of(tree)) && allocator_of(tree) != CUDA);
        free.sort_by(|a, b| a.build_ms.median.total_cmp(&b.build_ms.median));
        for tree in [free.first(), free.last()] {
            let cell = |tree: &&TreeReport| format!("{} ({})", ms(tree), allocator_of(tree));
            row.push(tree.map_or("-".to_owned(), cell));
        }
        let rate = |tree: &&TreeReport| {
            let rate = tree.triangles as f64 / tree.build_ms.median * 1e-3;
            format!("{rate:.1}")
        };
        row.push(free.first().map_or("-".to_owned(), rate));
        row
    });
    let rows: Vec<Vec<String>> = rows.collect();
    Ok(markdown(&titles, &rows) + &line(&scenes))
}

/// Milliseconds of the build of one scene over one allocator.
pub fn build<'r>(
    results: &'r Results,
    scene: &str,
    allocator: &str,
    metas: &mut Vec<&'r Meta>,
) -> Outcome {
    let is = |tree: &&TreeReport| {
        tree.scene == scene && allocator_of(tree) == allocator && !tree.options.alloc_per_split
    };
    let tree = results.kdtree.iter().find(is);
    metas.extend(tree.map(|tree| &tree.meta));
    tree.map(|tree| tree.build_ms.median).ok_or("-".to_owned())
}

/// The trees that were built, one row per scene.
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
    use super::super::fixtures;
    use super::*;

    fn results(hashes: [&str; 2]) -> Results {
        let tree = |allocator: &str, hash: &str, ms: f64| {
            let text = format!(
                r#"{{"scene": "s", "triangles": 12, "allocator": "{allocator}",
                    "options": {{"alloc_per_split": false}}, "build_ms": {{"median": {ms}}},
                    "nodes": 5, "leaves": 3, "max_depth": 2, "references_per_triangle": 1.25,
                    "sah_cost": 7.0, "tree_hash": "{hash}", "meta": {{}}}}"#
            );
            fixtures::tree(&text)
        };
        Results {
            kdtree: vec![
                tree(LOWER_BOUND, hashes[0], 1.0),
                tree("cmalloc", hashes[0], 1.5),
                tree("halloc", hashes[1], 1.25),
                tree(CUDA, hashes[0], 9.0),
            ],
            ..Results::default()
        }
    }

    #[test]
    fn scenes_are_rows() {
        let text = builds(&results(["a", "a"]), false).expect("a table");
        let row = "| s | 12 | 4 | 1.00 | - | 9.00 | 1.25 (halloc) | 1.50 (cmalloc) | 0.0 |";
        assert!(text.contains(row), "{text}");
        let text = trees(&results(["a", "a"])).expect("a table");
        let row = "| s | 12 | 1.25 | 5 | 3 | 2 | 7.00 | `a` | 4 |";
        assert!(text.contains(row), "{text}");
    }

    #[test]
    fn allocators_have_their_mean_and_max() {
        let text = allocators(&results(["a", "a"])).expect("a table");
        let row = "| cmalloc | 1.50 | 1.50 | s | - | - | - |";
        assert!(text.contains(row), "{text}");
    }

    #[test]
    fn means_are_over_the_scenes_that_all_have() {
        let mut results = results(["a", "a"]);
        let others = [(LOWER_BOUND, 1.0), ("cmalloc", 9.0)].map(|(name, ms)| {
            let mut tree = results.kdtree[0].clone();
            tree.scene = "other".to_owned();
            tree.allocator = Some(name.to_owned());
            tree.build_ms.median = ms;
            tree
        });
        results.kdtree.extend(others);
        let means = mean_ratios(&results, false).expect("means");
        assert!(means.contains(&("cmalloc".to_owned(), 1.5)), "{means:?}");
        let text = allocators(&results).expect("a table");
        assert!(text.contains("| cmalloc | 1.50 | 9.00 | other |"), "{text}");
        assert!(text.contains("Means are over the 1 scenes"), "{text}");
        assert_eq!(cuda_is_last(&results), Ok([1, 1]));
    }

    #[test]
    fn different_trees_of_a_scene_are_refused() {
        assert!(builds(&results(["a", "b"]), false).is_err());
    }
}
