//! Links between the documents lead to files and headings that are there.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders with sources of the project.
const FOLDERS: [&str; 10] = [
    "app", "device", "files", "graphs", "page", "results", "scenes", "tests", "traces", "xtask",
];

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter_map(|sign| match sign {
        ' ' => Some('-'),
        '-' | '_' => Some(sign),
        _ => sign.is_alphanumeric().then_some(sign),
    });
    kept.collect()
}

/// Lines outside of fenced code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The targets of links in a page.
fn targets(text: &str) -> Vec<&str> {
    let links = prose(text).flat_map(|line| line.split("](").skip(1));
    let targets = links.filter_map(|link| Some(link.split_once(')')?.0));
    targets.filter(|target| !target.contains("://")).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    let root = crate::root();
    let mut documents = ["README.md", "CHANGELOG.md"].map(str::to_owned).to_vec();
    super::pages(&root, Path::new("docs"), &mut documents).expect("documents");
    let mut seen = 0;
    for document in &documents {
        let page = root.join(document);
        let text = fs::read_to_string(&page).expect("a page");
        for target in targets(&text) {
            seen += 1;
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let file = match file {
                "" => page.clone(),
                file => page.parent().expect("a folder").join(file),
            };
            assert!(file.exists(), "{document}: {target}");
            if !heading.is_empty() && file.extension().is_some_and(|ending| ending == "md") {
                let text = fs::read_to_string(&file).expect("a page");
                let mut headings = prose(&text).filter(|line| line.starts_with('#'));
                let is_there = headings.any(|line| anchor(line) == heading);
                assert!(is_there, "{document}: {target}");
            }
        }
    }
    assert!(seen > 200, "{seen} links");
}

/// The Rust files of a folder and of those in it.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The pages that doc comments link to: in the link itself, or in a definition of its own.
fn pages_of_comments(text: &str) -> Vec<&str> {
    let comments = text.lines().filter_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("//!").or(line.strip_prefix("///"))
    });
    let targets = comments.flat_map(|line| {
        let links = line.split("](").skip(1);
        let links = links.filter_map(|link| Some(link.split_once(')')?.0));
        let definition = line.trim_start().strip_prefix('[');
        let definition = definition.and_then(|line| Some(line.split_once("]: ")?.1));
        links.chain(definition)
    });
    let pages = targets.map(|target| target.split('#').next().unwrap_or_default());
    let pages = pages.filter(|page| page.ends_with(".md") && !page.contains("://"));
    pages.collect()
}

#[test]
fn doc_comments_link_to_pages_that_are_there() {
    let root = crate::root();
    let mut files = Vec::new();
    for folder in FOLDERS {
        sources(&root.join(folder), &mut files);
    }
    let mut seen = 0;
    for file in files {
        let text = fs::read_to_string(&file).expect("a source");
        for page in pages_of_comments(&text) {
            seen += 1;
            let path = file.parent().expect("a folder").join(page);
            assert!(path.exists(), "{}: {page}", file.display());
        }
    }
    assert!(seen > 0, "no links");
}

#[test]
fn pages_are_found_in_links_and_definitions() {
    let text =
        "/// See [a](../a.md#b) and [`c`](crate::c).\n//! [d]: e/d.md\nlet x = f(\"](g.md)\");\n";
    assert_eq!(pages_of_comments(text), ["../a.md", "e/d.md"]);
}

#[test]
fn anchors_are_githubs() {
    assert_eq!(anchor("## A graph of 10^9 edges"), "a-graph-of-109-edges");
    assert_eq!(
        anchor("### Memory, `round` by round"),
        "memory-round-by-round"
    );
}
