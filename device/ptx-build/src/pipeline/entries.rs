//! Which entries there are, which module each belongs to, and keeping some of them.
//!
//! An entry's name tells where it belongs: `family__kernel__allocator`, or
//! `family__kernel` for kernels without an allocator. A module is optimised with
//! only its own entries kept, so that it holds nothing else. Functions that others link with
//! their kernels are entries, too: `heapwood_allocator_function`, of the family `export`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::command::run;
use crate::toolchain::Toolchain;

/// A bitcode file in LLVM's assembly language.
pub(super) fn listing(toolchain: &Toolchain, bitcode: &Path) -> Result<String> {
    run(Command::new(toolchain.llvm.join("opt"))
        .args(["-S", "-passes=verify", "-o", "-"])
        .arg(bitcode))
}

/// Suffixes of the functions in the family `export`, as `with_exports` names them.
pub(crate) const EXPORTED: [&str; 3] = ["_init", "_malloc", "_free"];

/// The allocator of an exported function with this name.
pub(crate) fn exported_allocator(function: &str) -> Option<&str> {
    let rest = function.strip_prefix("heapwood_")?;
    let mut names = EXPORTED
        .iter()
        .filter_map(|suffix| rest.strip_suffix(suffix));
    names.next().filter(|allocator| !allocator.is_empty())
}

/// The names of all kernels and exported functions in a listing.
pub(super) fn entries(listing: &str) -> Vec<String> {
    listing
        .lines()
        .filter(|line| line.starts_with("define "))
        .filter_map(|line| {
            let name = &line[line.find('@')? + 1..];
            let name = name[..name.find('(')?].trim_matches('"');
            let is_entry = line.contains("ptx_kernel") || exported_allocator(name).is_some();
            is_entry.then(|| name.to_owned())
        })
        .collect()
}

/// Modules and their entries, by name.
pub(super) type Groups = BTreeMap<String, Vec<String>>;

/// Sorts entries into families, and those into modules.
pub(super) fn group(entries: &[String]) -> BTreeMap<String, Groups> {
    let mut families: BTreeMap<String, Groups> = BTreeMap::new();
    for entry in entries {
        if let Some(allocator) = exported_allocator(entry) {
            let groups = families.entry("export".to_owned()).or_default();
            let functions = groups.entry(format!("export-{allocator}")).or_default();
            functions.push(entry.clone());
            continue;
        }
        let parts: Vec<&str> = entry.split("__").collect();
        let family = parts[0].to_owned();
        let module = match parts[..] {
            [_, _, allocator] => format!("{family}-{allocator}"),
            _ => family.clone(),
        };
        let groups = families.entry(family).or_default();
        groups.entry(module).or_default().push(entry.clone());
    }
    families
}

/// Keeps some entries of a bitcode file, and what they use, after more `passes`.
pub(super) fn keep<'a>(
    toolchain: &Toolchain,
    work: &Path,
    from: &Path,
    name: &str,
    entries: impl Iterator<Item = &'a String>,
    passes: &str,
) -> Result<PathBuf> {
    let kept: Vec<&str> = entries.map(String::as_str).collect();
    let bitcode = work.join(format!("{name}.bc"));
    run(Command::new(toolchain.llvm.join("opt"))
        .arg(format!("--internalize-public-api-list={}", kept.join(",")))
        .arg(format!("-passes=internalize,globaldce{passes}"))
        .arg(from)
        .arg("-o")
        .arg(&bitcode))?;
    Ok(bitcode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_follow_from_entry_names() {
        let entries = [
            "bench__pair__cmalloc",
            "bench__fill__cmalloc",
            "render__trace",
            "heapwood_ouroboros_p_s_malloc",
            "heapwood_ouroboros_p_s_free",
        ]
        .map(str::to_owned);
        let families = group(&entries);
        let exported = &families["export"]["export-ouroboros_p_s"];
        assert_eq!(exported.as_slice(), &entries[3..]);
        assert_eq!(families["bench"]["bench-cmalloc"].len(), 2);
        assert_eq!(families["render"]["render"], ["render__trace"]);
    }

    #[test]
    fn entries_are_kernels_and_exported_functions() {
        let listing = "define ptx_kernel void @heap__init__x(ptr %0) {\n\
            define ptr @heapwood_x_malloc(ptr %0, i64 %1, i32 %2) {\n\
            define internal void @helper(ptr %0) {\n\
            define void @heapwood_freed(ptr %0) {\n\
            declare ptr @heapwood_malloc(ptr, i64)\n";
        assert_eq!(entries(listing), ["heap__init__x", "heapwood_x_malloc"]);
    }
}
