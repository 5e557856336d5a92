//! The rules of device code that can be read off the PTX: which each stands for a
//! fault that was seen. docs/device-code.md explains them. The checker itself is tried on
//! planted violations.

use crate::Result;
use crate::pipeline::{Modules, exported_allocator};

/// The maximum number of bytes of a module: a driver takes about a second a megabyte.
const MAX_BYTES: usize = 256 * 1024;

/// Functions that may be called, by part of their names: all others must be
/// inlined, or the registers of a kernel are those of a calling convention.
const FUNCTIONS: [&str; 24] = [
    "cuda_std6shared4base",
    // The search of the circular allocators, as long as a kernel and rare.
    "circular_search_",
    // Steps of Ouroboros that are rare, or as long as a kernel by themselves.
    "ouro_task_",
    // The search of ScatterAlloc when the pages to which a request is hashed are full.
    "scatter_chunks_",
    // Its search for runs of pages.
    "scatter_run_",
    // Gallatin's tasks for a buffer without a block with slices, and behind a free that fills a
    // word of bits or is its first.
    "gallatin_task_",
    // Where XMalloc's blocks come from when their bin is empty.
    "xmalloc_blocks_",
    // Its search for runs of superblocks, and their frees.
    "xmalloc_run_",
    "xmalloc_free_",
    // Its search for an unused superblock, and how one becomes unused.
    "xmalloc_obtain_",
    "xmalloc_give_",
    // Its flush before it refuses a request.
    "xmalloc_flush_",
    // Its frees when the bin is full, and how a block that was freed so is taken.
    "xmalloc_home_",
    "xmalloc_take_",
    // How the 3L allocator splits blocks of other levels, or merges those below, if its own has
    // none.
    "buddy_search_",
    // Its merging of buddies.
    "buddy_merge_",
    // Halloc: another head in place of a full one, another chunk where the ticket's is taken,
    // slabs in sets and of sets, and large requests.
    "halloc_refill_",
    "halloc_another_",
    "halloc_set_",
    "halloc_large_",
    // The observation of a call: guards, records, times and delays.
    "observed_end_",
    "observed_free_",
    "observed_clock_",
    // The pass of random page search over its summaries, after draws in vain.
    "pagesearch_pass_",
];

/// Functions of CUDA's heap and of the user's allocator, which the driver links. They are
/// declared, and have no body.
const EXTERNAL: [&str; 6] = [
    "malloc",
    "free",
    "heapwood_malloc",
    "heapwood_free",
    "heapwood_init",
    "heapwood_granted",
];

/// Kernels that may use local memory, with the most bytes a thread: arrays
/// that are indexed at run time, on purpose.
const LOCAL_MEMORY: [(&str, usize); 9] = [
    // The blocks that a lane keeps, as the benchmark is defined.
    ("alloc_cycle_dealloc", 1024),
    // The stack of the traversal.
    ("render", 1152),
    ("trace", 1152),
    ("cost", 1152),
    // Two traversals: the ray of the pixel, and those to its surroundings.
    ("ambient", 2304),
    // As many: rays that go on, the pixel's among them, and shadow rays.
    ("path", 2304),
    ("path_detailed", 2304),
    // A box, indexed by the axis of the split.
    ("tree_build", 24),
    ("tree_build_large_nodes", 24),
];

/// Makes sure that modules keep the rules.
///
/// # Errors
///
/// All violations, a line each.
pub fn check(modules: &Modules) -> Result<()> {
    let mut found = Vec::new();
    for (name, text) in modules {
        found.extend(
            violations(text)
                .iter()
                .map(|what| format!("{name}: {what}")),
        );
    }
    match found.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "device code breaks rules of docs/device-code.md:\n{}",
            found.join("\n")
        )),
    }
}

/// The operation of a statement, its predicate left out.
fn operation(statement: &str) -> &str {
    let mut words = statement
        .split_whitespace()
        .filter(|word| !matches!(*word, "{" | "}") && !word.starts_with('@'));
    words.next().unwrap_or("")
}

/// The fault of a memory operation, if it has one.
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

/// Whether a line with `.func` is one of a function that may be called, here or by kernels that
/// are linked with it.
fn is_listed(line: &str) -> bool {
    let named = |start: &str| {
        let declared = line.strip_prefix(start)?;
        declared.trim_end_matches('(').split_whitespace().last()
    };
    if let Some(name) = named(".extern .func") {
        return EXTERNAL.contains(&name);
    }
    if let Some(name) = named(".visible .func") {
        return exported_allocator(name).is_some();
    }
    FUNCTIONS.iter().any(|name| line.contains(name))
}

/// Whether a line matches lanes by a value that is the same for all that execute it. Others came
/// another way, with a match of their own that has the same mask.
fn matches_constant(line: &str) -> bool {
    let operands = line.split_once("match.any.sync").map(|(_, rest)| rest);
    let value = operands.and_then(|rest| rest.split(',').nth(1));
    value.is_some_and(|value| !value.trim_start().starts_with('%'))
}

/// All violations in the text of a module, each with its entry and line.
pub fn violations(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if text.len() > MAX_BYTES {
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
        if line.contains(".func") && !is_listed(line) {
            faults.push("a function that is not listed");
        }
        if line.contains(".func") || line.contains(".entry") {
            in_function = line.contains(".func");
        }
        if in_function && line.contains("activemask") {
            faults.push("a mask of active lanes in a function");
        }
        if matches_constant(line) {
            faults.push("a match of a constant");
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

#[cfg(test)]
mod tests {
    use super::*;

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
            (".func (.param .b64 r) malloc", "not listed"),
            (".extern .func (.param .b32 r) vprintf", "not listed"),
            (".extern .func heapwood_freed(", "not listed"),
            (".func (.param .b64 r) heapwood_malloc", "not listed"),
            (
                ".visible .func (.param .b64 r) heapwood_malloc(",
                "not listed",
            ),
            (".visible .func helper(", "not listed"),
            (".local .align 4 .b8 __local_depot0[8];", "local memory"),
            ("match.any.sync.b32 %r1,-1,%r2;", "a match of a constant"),
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
        let match_any = "\tmatch.any.sync.b32 %r1, %r2, %r3;\n}\n";
        assert_eq!(violations(&format!("{head}{match_any}")), [""; 0]);
        for declared in [
            ".extern .func  (.param .b64 r) malloc",
            ".extern .func free(",
            ".extern .func  (.param .b64 r) heapwood_malloc",
        ] {
            assert_eq!(
                violations(&format!("{declared}\n{head}\tret;\n}}\n")),
                [""; 0]
            );
        }
        let task = ".func ouro_task_1(\n)\n{\n";
        let exported = ".visible .func (.param .b64 r) heapwood_x_malloc(\n)\n{\n";
        for function in [task, exported] {
            assert_eq!(violations(&format!("{function}\tret;\n}}\n")), [""; 0]);
            assert_eq!(violations(&format!("{function}{mask}")).len(), 1);
        }
        let listed = head.replace("init", "trace");
        let depot = |bytes| format!("{listed}\t.local .align 4 .b8 __local_depot0[{bytes}];\n}}\n");
        assert_eq!(violations(&depot(1152)), [""; 0]);
        assert_eq!(violations(&depot(1153)).len(), 1);
        assert_eq!(
            violations(&head.replace(".maxntid 256, 1, 1\n", "")).len(),
            1
        );
        assert_eq!(violations(&" ".repeat(MAX_BYTES + 1)).len(), 1);
    }

    #[test]
    fn a_module_that_breaks_a_rule_is_named() {
        let fine = ".visible .entry heap__init__x(\n)\n.maxntid 256, 1, 1\n{\n\tret;\n}\n";
        let mut modules = Modules::from([("heap-x".to_owned(), fine.to_owned())]);
        assert_eq!(check(&modules), Ok(()));
        modules.insert("heap-y".to_owned(), fine.replace("ret", "trap"));
        let error = check(&modules).unwrap_err();
        assert!(
            error.ends_with("heap-y: heap__init__x: a trap: trap;"),
            "{error}"
        );
    }
}
