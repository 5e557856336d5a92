//! Links between the documents lead to files and headings that are there.

use std::fs;
use std::path::Path;

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
    let mut documents = vec!["README.md".to_owned()];
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

#[test]
fn anchors_are_githubs() {
    assert_eq!(anchor("## A graph of 10^9 edges"), "a-graph-of-109-edges");
    assert_eq!(
        anchor("### Memory, `round` by round"),
        "memory-round-by-round"
    );
}
