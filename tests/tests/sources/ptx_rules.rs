//! The rules of device code that can be read off the sources, and the PTX of this build
//! against those of `ptx_build::rules`. docs/device-code.md explains them.

use std::fs;
use std::path::{Path, PathBuf};

use heapwood::ptx;
use heapwood_device::export::EXPORTED;
use heapwood_device::host::ALLOCATORS;
use heapwood_device::launch::KernelId;
use ptx_build::pipeline::Modules;
use ptx_build::rules;

/// Warp collectives, by what their PTX contains.
const COLLECTIVES: [&str; 7] = [
    "shfl",
    "vote",
    "bar.",
    "barrier",
    "match.",
    "redux",
    "activemask",
];

/// Every module of this build, with its name.
fn modules() -> Modules {
    let mut keys: Vec<(Option<&str>, &str)> = Vec::new();
    for allocator in ALLOCATORS {
        let kernels = KernelId::OVER_HEAP.iter();
        keys.extend(kernels.map(|kernel| (Some(allocator.name), kernel.family())));
    }
    keys.extend(KernelId::PLAIN.iter().map(|kernel| (None, kernel.family())));
    keys.extend(EXPORTED.iter().map(|name| (Some(*name), "export")));
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter()
        .map(|(allocator, family)| {
            let name = allocator.map_or(family.to_owned(), |name| format!("{family}-{name}"));
            let text = ptx::module(allocator, family).expect("the module is embedded");
            (name, text)
        })
        .collect()
}

/// The text between the parentheses of each `asm!` of a source file.
fn assembly(source: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    for (start, _) in source.match_indices("asm!(") {
        let body = &source[start + "asm!(".len()..];
        let (mut depth, mut quoted) = (1, false);
        let end = body.find(|letter: char| {
            match letter {
                '"' => quoted = !quoted,
                '(' if !quoted => depth += 1,
                ')' if !quoted => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        blocks.push(body[..end.unwrap_or(body.len())].to_owned());
    }
    blocks
}

/// Violations in a source file at `path`, relative to the root.
fn source_violations(path: &Path, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let blocks = assembly(source);
    if !blocks.is_empty() && !path.starts_with("device/cuda_std") {
        found.push(format!("{}: assembly outside of cuda_std", path.display()));
    }
    for block in blocks {
        for name in COLLECTIVES {
            if block.contains(name) {
                found.push(format!("{}: {name} in {block}", path.display()));
            }
        }
    }
    for line in source.lines().filter(|line| is_shared_reference(line)) {
        found.push(format!("{}: a reference in {line}", path.display()));
    }
    found
}

/// Whether a line names a whole object behind a pointer as a reference. No thread may change a word
/// of the object meanwhile, but other warps change words of tables. A pointer that was cast is one
/// to an atomic type, or to a lane's own.
fn is_shared_reference(line: &str) -> bool {
    let named = ["= &*", "= &mut *", "= unsafe { &*", "= unsafe { &mut *"];
    named.iter().any(|start| line.contains(start)) && !line.contains("cast")
}

/// The Rust files below a folder.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is readable") {
        let path = entry.expect("the folder is readable").path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn the_ptx_keeps_the_rules() {
    if !ptx::is_embedded() {
        return println!("skipped: built without device code");
    }
    let modules = modules();
    assert!(modules.len() > ALLOCATORS.len());
    for (name, text) in &modules {
        let start = if name.starts_with("export-") {
            ".visible .func"
        } else {
            ".entry "
        };
        assert!(text.contains(start), "{name} has no kernel or function");
    }
    rules::check(&modules).unwrap_or_else(|broken| panic!("{broken}"));
}

#[test]
fn sources_keep_the_rules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    // Not `device/ptx-build`, which is code of the host.
    for folder in ["device/src", "device/cuda_std/src"] {
        sources(&root.join(folder), &mut files);
    }
    let mut blocks = 0;
    for file in files {
        let source = fs::read_to_string(&file).expect("the file is readable");
        let path = file.strip_prefix(&root).expect("below the root");
        blocks += assembly(&source).len();
        assert_eq!(source_violations(path, &source), [""; 0]);
    }
    assert!(blocks > 5, "the scan found only {blocks} blocks");
}

#[test]
fn planted_collectives_are_found() {
    let inside = Path::new("device/cuda_std/src/warp.rs");
    let source =
        "unsafe { asm!(\"mov (x)\", concat!(\"shfl.sync\", \"(\"), out(reg32) r) }; vote()";
    assert_eq!(source_violations(inside, source).len(), 1);
    let clean = "asm!(\"fence.sc.gpu;\"); // shfl";
    assert_eq!(source_violations(inside, clean), [""; 0]);
    let outside = Path::new("device/src/heap.rs");
    assert_eq!(source_violations(outside, clean).len(), 1);
}

#[test]
fn planted_references_are_found() {
    let path = Path::new("device/src/heap.rs");
    for bad in [
        "let large = &*self.large;",
        "let own = unsafe { &mut *tree.larges.add(1) };",
    ] {
        assert_eq!(source_violations(path, bad).len(), 1, "{bad}");
    }
    let fine = "let word = unsafe { &*words.add(1).cast::<AtomicU32>() };";
    assert_eq!(source_violations(path, fine), [""; 0]);
}
