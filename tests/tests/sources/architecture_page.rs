//! docs/architecture.md names files that are there, and recipes that the code keeps.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    let text = fs::read_to_string(root().join(path));
    text.unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Code of a page: what stands between backticks in a line.
fn code(page: &str) -> impl Iterator<Item = &str> {
    page.lines()
        .filter(|line| !line.starts_with("```"))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
}

#[test]
fn every_file_is_there() {
    let page = read("docs/architecture.md");
    let is_path = |code: &&str| code.contains('/') && !code.contains(' ');
    let paths: Vec<&str> = code(&page).filter(is_path).collect();
    assert!(paths.len() > 40, "{} paths", paths.len());
    for path in paths {
        assert!(root().join(path).exists(), "{path}");
    }
}

/// A reader can follow a walk: it is a list, and names at most 20 files.
#[test]
fn walks_are_short() {
    let page = read("docs/architecture.md");
    let walks = page.split("\n## ").find(|part| part.starts_with("Walks"));
    let walks: Vec<&str> = walks.expect("the walks").split("\n### ").skip(1).collect();
    assert!(walks.len() >= 6, "{} walks", walks.len());
    for walk in walks {
        let (title, text) = walk.split_once('\n').expect("a title");
        let list: String = text
            .lines()
            .filter(is_of_list)
            .collect::<Vec<_>>()
            .join("\n");
        let files = code(&list).filter(|code| code.contains('/')).count();
        assert!((2..=20).contains(&files), "{title}: {files} files");
    }
}

/// A line of a list, or one that continues it.
fn is_of_list(line: &&str) -> bool {
    line.starts_with([' ', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
}

/// Files of `folder` and below that have `word` in their code, unit tests left out.
fn with_word(folder: &str, word: &str) -> Vec<String> {
    let mut folders = vec![root().join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).expect("text");
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                if code.contains(word) {
                    let path = path.strip_prefix(root()).expect("below the root");
                    found.push(path.display().to_string());
                }
            }
        }
    }
    found.sort();
    found
}

/// Instances of a kind, easy ones and hard ones, are named in the files of its recipe and in no
/// others. A folder stands for any files in it.
#[test]
fn recipes_are_complete() {
    for (folder, word, files) in [
        // An allocator: its folder and the table.
        (
            "device/src",
            "AwMalloc",
            &[
                "device/src/allocators/atomic_wrap.rs",
                "device/src/allocators/mod.rs",
            ][..],
        ),
        ("app/src", "awmalloc", &[]),
        // One that kernels call, in many files, which can be exported: also the page of those.
        (
            "device/src",
            "Gallatin",
            &[
                "device/src/allocators/gallatin/",
                "device/src/allocators/mod.rs",
                "device/src/export.rs",
            ],
        ),
        // Its outlined functions: the rules, and the list of short names.
        (
            "device/ptx-build",
            "gallatin",
            &[
                "device/ptx-build/src/pipeline/text.rs",
                "device/ptx-build/src/rules.rs",
            ],
        ),
        ("device/src", "gallatin_task", &[]),
        // A kernel: its file, the table, and the code that launches it.
        (
            "device/src",
            "ComponentJoin",
            &[
                "device/src/graph/components/mod.rs",
                "device/src/graph/components/plan.rs",
                "device/src/graph/components/simt.rs",
                "device/src/table.rs",
            ],
        ),
        ("app/src", "ComponentJoin", &[]),
        // A graph algorithm, one without an incremental form: its file and the list, which holds
        // the only loops over algorithms.
        (
            "app/src",
            "Search",
            &[
                "app/src/graph/algorithms/bfs.rs",
                "app/src/graph/algorithms/mod.rs",
            ],
        ),
        (
            "app/src",
            "bfs",
            &[
                "app/src/graph/algorithms/bfs.rs",
                "app/src/graph/algorithms/mod.rs",
            ],
        ),
        // A shading mode.
        (
            "device/src",
            "Mode::Normal",
            &["device/src/render/shade.rs"],
        ),
        ("app/src", "Mode::Normal", &[]),
        // An option of a tree's build, and one that concerns allocators, which reports show.
        ("app/src", "no_clip", &["app/src/job/tree.rs"]),
        (
            "app/src/cli",
            "alloc_per_split",
            &["app/src/cli/builder.rs"],
        ),
        ("app/src/job", "alloc_per_split", &["app/src/job/tree.rs"]),
        // A benchmark that is none of the microbenchmarks. It is one of the survey's, too.
        (
            "app/src",
            "fragmentation::",
            &[
                "app/src/cli/bench.rs",
                "app/src/cli/fragmentation.rs",
                "app/src/job/bench.rs",
                "app/src/job/child.rs",
                "app/src/job/survey/",
                "app/src/workload/fragmentation/",
            ],
        ),
        (
            "app/src",
            "mod fragmentation;",
            &["app/src/cli/mod.rs", "app/src/workload/mod.rs"],
        ),
        // A command.
        (
            "app/src",
            "completions",
            &["app/src/cli/completions.rs", "app/src/cli/mod.rs"],
        ),
    ] {
        let mut found = with_word(folder, word);
        for path in &mut found {
            let inside = |file: &&&str| file.ends_with('/') && path.starts_with(**file);
            if let Some(folder) = files.iter().find(inside) {
                (*folder).clone_into(path);
            }
        }
        found.dedup();
        assert_eq!(found, files, "{word} in {folder}");
    }
}

/// The references that verify algorithms are code of their own: in the module `reference` of each
/// algorithm's file, and in the folder of the checker.
#[test]
fn references_share_no_code_with_the_device() {
    let folder = "app/src/graph/algorithms";
    let algorithms = with_word(folder, "impl Algorithm for");
    assert_eq!(algorithms, with_word(folder, "mod reference"));
    for path in algorithms {
        let text = read(&path);
        let code = match text.split_once("mod reference {") {
            Some((_, module)) => module.split("\n}\n").next().unwrap_or(module).to_owned(),
            None => read(&path.replace("mod.rs", "reference.rs")),
        };
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        assert!(!code.contains("heapwood_device"), "{path}");
    }
    let checker = with_word("app/src/graph/verify", "heapwood_device");
    assert!(checker.is_empty(), "{checker:?}");
}
