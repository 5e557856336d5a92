//! The rules of device code that can be read off the PTX and off the sources:
//! which each stands for a fault that was seen. docs/device-code.md explains
//! them. The checker itself is tried on planted violations.

use std::fs;
use std::path::{Path, PathBuf};

use heapwood::ptx;
use heapwood_device::host::ALLOCATORS;
use heapwood_device::launch::KernelId;

/// The most bytes of a module: a driver takes about a second a megabyte.
const MOST_BYTES: usize = 256 * 1024;

/// Functions that may be called, by part of their names: all others must be
/// inlined, or the registers of a kernel are those of a calling convention.
const FUNCTIONS: [&str; 3] = [
    "cuda_std6shared4base",
    // The search of the circular allocators, as long as a kernel and rare.
    "circular_search_",
    // Steps of Ouroboros that are rare, or as long as a kernel by themselves.
    "ouroboros_task_",
];

/// Kernels that may use local memory, with the most bytes a thread: arrays
/// that are indexed at run time, on purpose.
const LOCAL_MEMORY: [(&str, usize); 4] = [
    // The blocks that a lane keeps, as the benchmark is defined.
    ("alloc_cycle_dealloc", 1024),
    // The stack of the traversal.
    ("render", 768),
    ("trace", 768),
    // A box, indexed by the axis of the split.
    ("tree_build", 24),
];

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
fn modules() -> Vec<(String, String)> {
    let mut keys: Vec<(Option<&str>, &str)> = Vec::new();
    for allocator in ALLOCATORS {
        let kernels = KernelId::OVER_HEAP.iter();
        keys.extend(kernels.map(|kernel| (Some(allocator.name), kernel.family())));
    }
    keys.extend(KernelId::PLAIN.iter().map(|kernel| (None, kernel.family())));
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

/// The operation of a statement, its predicate left out.
fn operation(statement: &str) -> &str {
    let mut words = statement
        .split_whitespace()
        .filter(|word| !matches!(*word, "{" | "}") && !word.starts_with('@'));
    words.next().unwrap_or("")
}

/// What is wrong with a memory operation, if anything.
fn fault_of(operation: &str) -> Option<&'static str> {
    let parts: Vec<&str> = operation.split('.').collect();
    let has = |wanted: &str| parts.contains(&wanted);
    if has("sys") {
        return Some("system scope");
    }
    let ordered = ["relaxed", "acquire", "release", "acq_rel"]
        .iter()
        .any(|ordering| has(ordering));
    let scoped = (has("gpu") && has("global")) || (has("cta") && has("shared"));
    match parts[0] {
        "atom" | "red" if !ordered => Some("no ordering"),
        "atom" | "red" if !scoped => Some("no scope, or no address space"),
        "ld" | "st" if ordered && !scoped => Some("no scope, or no address space"),
        "fence" if !has("gpu") && !has("cta") => Some("no scope"),
        "membar" => Some("a fence without a scope"),
        "trap" | "brkpt" => Some("a trap"),
        _ => None,
    }
}

/// Bytes of local memory that a line declares.
fn local_bytes(line: &str) -> Option<usize> {
    let (_, depot) = line.split_once("__local_depot")?;
    let (_, size) = depot.split_once('[')?;
    size.split(']').next()?.parse().ok()
}

/// All violations in the text of a module.
fn violations(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if text.len() > MOST_BYTES {
        found.push(format!("{} bytes", text.len()));
    }
    let mut entry = "";
    let mut unbounded = false;
    let mut in_function = false;
    for line in text.lines() {
        let mut faults: Vec<&str> = line
            .split(';')
            .filter_map(|statement| fault_of(operation(statement)))
            .collect();
        if line.contains("panic") {
            faults.push("a panic");
        }
        if line.contains(".func") && !FUNCTIONS.iter().any(|name| line.contains(name)) {
            faults.push("a function that is not listed");
        }
        if line.contains(".func") || line.contains(".entry") {
            in_function = line.contains(".func");
        }
        if in_function && line.contains("activemask") {
            faults.push("a mask of active lanes in a function");
        }
        if let Some(bytes) = local_bytes(line) {
            let kernel = entry.split("__").nth(1).unwrap_or_default();
            let listed = LOCAL_MEMORY.iter().find(|(name, _)| *name == kernel);
            if listed.is_none_or(|(_, most)| bytes > *most) {
                faults.push("local memory that is not listed");
            }
        }
        if let Some((_, head)) = line.split_once(".entry ") {
            entry = head.split('(').next().unwrap_or("");
            unbounded = true;
        } else if line.starts_with(".maxntid") {
            unbounded = false;
        } else if line.trim() == "{" && unbounded {
            faults.push("an entry without .maxntid");
            unbounded = false;
        }
        let place = line.trim();
        found.extend(
            faults
                .iter()
                .map(|fault| format!("{entry}: {fault}: {place}")),
        );
    }
    found
}

/// What stands between the parentheses of each `asm!` of a source file.
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

/// Whether a line names a whole object behind a pointer as a reference: nobody
/// may change any word of it meanwhile, as other warps do with words of tables. A
/// pointer that was cast is one to an atomic type, or to a lane's own.
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
    let mut found = Vec::new();
    for (name, text) in &modules {
        assert!(text.contains(".entry "), "{name} has no kernel");
        found.extend(
            violations(text)
                .iter()
                .map(|what| format!("{name}: {what}")),
        );
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
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
fn planted_violations_are_found() {
    let head = ".visible .entry heap__init__x(\n)\n.maxntid 256, 1, 1\n{\n";
    let planted = [
        ("atom.global.add.u32 %r1, [%rd1], 1;", "no ordering"),
        (
            "@%p1 atom.relaxed.global.add.u32 %r1, [%rd1], 1;",
            "no scope",
        ),
        (
            "{ .reg .b64 %a; atom.acquire.sys.global.cas.b32 %r1, [%a], 0, 1; }",
            "system",
        ),
        ("red.gpu.global.add.u32 [%rd1], 1;", "no ordering"),
        ("ld.acquire.sys.global.b32 %r1, [%rd1];", "system"),
        ("ld.relaxed.gpu.b32 %r1, [%rd1];", "no address space"),
        ("st.release.global.b32 [%rd1], %r1;", "no scope"),
        ("fence.sc.sys;", "system"),
        ("membar.gl;", "without a scope"),
        ("trap;", "a trap"),
        ("call.uni _ZN4core9panicking5panic, ();", "a panic"),
        (".func (.param .b32 r) _ZN4core3fmt(", "not listed"),
        (".local .align 4 .b8 __local_depot0[8];", "local memory"),
    ];
    for (line, what) in planted {
        let found = violations(&format!("{head}\t{line}\n}}\n"));
        assert!(
            found.len() == 1 && found[0].contains(what),
            "{line}: {found:?}"
        );
    }
    assert_eq!(violations(&format!("{head}\tret;\n}}\n")), [""; 0]);
    let mask = "\tactivemask.b32 %r1;\n}\n";
    assert_eq!(violations(&format!("{head}{mask}")), [""; 0]);
    let function = ".func ouroboros_task_1(\n)\n{\n";
    assert_eq!(violations(&format!("{function}{mask}")).len(), 1);
    let listed = head.replace("init", "trace");
    let depot = |bytes| format!("{listed}\t.local .align 4 .b8 __local_depot0[{bytes}];\n}}\n");
    assert_eq!(violations(&depot(768)), [""; 0]);
    assert_eq!(violations(&depot(769)).len(), 1);
    assert_eq!(
        violations(&head.replace(".maxntid 256, 1, 1\n", "")).len(),
        1
    );
    assert_eq!(violations(&" ".repeat(MOST_BYTES + 1)).len(), 1);
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
