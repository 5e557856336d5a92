//! Names of types that stand for two things. A name is one thing's, unless `tests/data/names.tsv` says
//! which things it names; their modules tell them apart. The list has what there is and nothing
//! else, so that a new name that stands twice is a decision.

use std::collections::BTreeMap;
use std::fs;

use super::words::{root, texts};

/// The libraries that others see together.
const LIBRARIES: [&str; 8] = [
    "app/src/",
    "device/src/",
    "files/src/",
    "graphs/src/",
    "results/src/",
    "scenes/src/",
    "page/src/",
    "traces/src/",
];

/// The name of the type that a line declares for other modules.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start().strip_prefix("pub")?;
    let line = match line.strip_prefix('(') {
        Some(within) => within.split_once(')')?.1,
        None => line,
    };
    let (kind, rest) = line.strip_prefix(' ')?.split_once(' ')?;
    let is_type = ["struct", "enum", "trait", "type", "union"].contains(&kind);
    let end = rest.find(|sign: char| !sign.is_alphanumeric() && sign != '_');
    let name = &rest[..end.unwrap_or(rest.len())];
    // A macro's name is a variable.
    (is_type && !name.is_empty()).then_some(name)
}

#[test]
fn a_type_name_stands_for_one_thing_or_is_listed_with_its_things() {
    let mut files = BTreeMap::<String, Vec<String>>::new();
    for (path, text) in texts() {
        let is_library = LIBRARIES.iter().any(|library| path.starts_with(library));
        if !is_library || path.contains("/tests") {
            continue;
        }
        let mut names: Vec<&str> = text.lines().filter_map(declared).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            files.entry(name.to_owned()).or_default().push(path.clone());
        }
    }
    files.retain(|_, files| files.len() > 1);
    let list = fs::read_to_string(root().join("tests/data/names.tsv")).expect("the list");
    let listed: BTreeMap<&str, &str> = list
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once('\t').expect("a name and its things"))
        .collect();
    for (name, files) in &files {
        let places = files.join(", ");
        assert!(
            listed.contains_key(name.as_str()),
            "`{name}` names types in {places}: rename one, or say in tests/data/names.tsv which things \
             it names"
        );
    }
    for (name, things) in listed {
        assert!(
            files.contains_key(name) && !things.is_empty(),
            "tests/data/names.tsv: `{name}` names one thing or none"
        );
    }
}

#[test]
fn declarations_are_found() {
    let cases = [
        ("pub struct Csr {", Some("Csr")),
        ("    pub(super) enum Form<W> {", Some("Form")),
        (
            "pub(in crate::graph) type Update = Valid<A>;",
            Some("Update"),
        ),
        ("pub fn Csr() {", None),
        ("struct Csr;", None),
        ("pub struct $name;", None),
        ("public struct", None),
    ];
    for (line, expected) in cases {
        assert_eq!(declared(line), expected, "{line}");
    }
}
