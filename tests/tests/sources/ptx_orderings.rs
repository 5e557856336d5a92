//! Each order of memory that a line of device code asks for is what the instructions
//! have that come from this line, in all modules: rustc drops those of
//! read-modify-writes without a word, and an order that is no constant may become
//! another. `cargo xtask ptx` writes down where instructions come from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Orders by line and file.
type Orders = BTreeMap<(String, usize), BTreeSet<&'static str>>;

/// As in the sources, and as a part of an instruction.
const ORDERS: [(&str, &str); 5] = [
    ("Relaxed", "relaxed"),
    ("Acquire", "acquire"),
    ("Release", "release"),
    ("AcqRel", "acq_rel"),
    ("SeqCst", "sc"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Words of a line of code.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric())
}

/// The orders that the calls of a source ask for. A name counts as an order only if the source
/// imports it, because a kernel may have the same name.
fn asked(file: &str, source: &str, orders: &mut Orders) {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let imports = code
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("use core::sync::atomic::Ordering::"));
    let imported: BTreeSet<&str> = imports.flat_map(words).collect();
    for (number, line) in (1..).zip(code.lines()) {
        let line = line.split("//").next().unwrap_or_default().trim();
        if line.starts_with("use ") {
            continue;
        }
        for word in words(line).filter(|word| imported.contains(word)) {
            let known = ORDERS.iter().find(|(name, _)| *name == word);
            let Some(&(_, order)) = known else { continue };
            // There is no weaker one.
            let is_fence = line.contains("fence(") && order != "sc";
            let order = if is_fence { "acq_rel" } else { order };
            // An order that is chosen first is asked for on the next line.
            let number = number + usize::from(line.starts_with("let order = "));
            orders
                .entry((file.to_owned(), number))
                .or_default()
                .insert(order);
        }
    }
}

/// The orders that the instructions have, from lines of file, line and instruction.
fn got(table: &str, orders: &mut Orders) {
    for row in table.lines() {
        let mut fields = row.split('\t');
        let mut field = || fields.next().expect("three fields");
        let (file, line, instruction) = (field(), field(), field());
        let line = line.parse().expect("a number");
        let has = |order: &str| instruction.split('.').any(|part| part == order);
        let named = ORDERS.iter().find(|(_, order)| has(order));
        let (_, order) = named.expect("an order");
        orders
            .entry((file.to_owned(), line))
            .or_default()
            .insert(order);
    }
}

/// The lines where the two differ. Calls of several lines name `Relaxed` somewhere else.
fn differences(asked: &Orders, got: &Orders) -> Vec<String> {
    let is_relaxed = |orders: &BTreeSet<&str>| orders.iter().all(|order| *order == "relaxed");
    let none = BTreeSet::new();
    let places: BTreeSet<_> = asked.keys().chain(got.keys()).collect();
    let pairs = places.into_iter().map(|place| {
        let asked = asked.get(place).unwrap_or(&none);
        (place, asked, got.get(place).unwrap_or(&none))
    });
    pairs
        .filter(|(_, asked, got)| asked != got && !(is_relaxed(asked) && is_relaxed(got)))
        .map(|((file, line), asked, got)| format!("{file}:{line} asks for {asked:?}: {got:?}"))
        .collect()
}

fn walk(folder: &Path, orders: &mut Orders) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            walk(&path, orders);
        } else {
            let file = path.strip_prefix(root()).expect("below the root");
            let source = fs::read_to_string(&path).expect("a source");
            asked(&file.to_string_lossy(), &source, orders);
        }
    }
}

#[test]
fn every_order_that_is_asked_for_is_in_the_ptx() {
    let (mut asked, mut instructions) = (Orders::new(), Orders::new());
    walk(&root().join("device/src"), &mut asked);
    let table = fs::read_to_string(root().join("device/ptx/ORDERINGS")).expect("the table");
    got(&table, &mut instructions);
    assert!(instructions.len() > 200, "{} lines", instructions.len());
    let found = differences(&asked, &instructions);
    assert!(
        found.is_empty(),
        "after a change of device code run `cargo xtask ptx`\n{}",
        found.join("\n")
    );
}

#[test]
fn planted_differences_are_found() {
    let source = "use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};\n\
                  head.load(Acquire)\n\
                  fence(Release); // Acquire\nx.store(1, if free { Release } else { Relaxed })\n\
                  y.load(Relaxed)";
    let (mut right, mut wrong) = (Orders::new(), Orders::new());
    let mut expected = Orders::new();
    asked("a.rs", source, &mut expected);
    let table = "a.rs\t2\tld.acquire.gpu.global.b32\na.rs\t3\tfence.acq_rel.gpu\n\
                 a.rs\t4\tst.release.gpu.global.b32\na.rs\t4\tst.relaxed.gpu.global.b32\n";
    got(table, &mut right);
    assert_eq!(differences(&expected, &right), [""; 0]);
    // One lost, one in another module, one lost with its fence, one from nowhere.
    let table = "a.rs\t2\tld.relaxed.gpu.global.b32\na.rs\t4\tst.release.gpu.global.b32\n\
                 a.rs\t7\tatom.acquire.gpu.global.add.u32\n";
    got(table, &mut wrong);
    assert_eq!(differences(&expected, &wrong).len(), 4);
    // A kernel of that name, beside one that orders something.
    let mut none = Orders::new();
    asked(
        "b.rs",
        "use crate::kernels::Release;\npub struct Release;",
        &mut none,
    );
    assert!(none.is_empty());
}
