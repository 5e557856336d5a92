//! Which entries there are, which module each belongs to, and keeping some of them.
//!
//! An entry's name tells where it belongs: `family__kernel__allocator`, or
//! `family__kernel` for kernels without an allocator. A module is optimised with
//! only its own entries kept, so that it holds nothing else.

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

/// The names of all kernels in a listing.
pub(super) fn entries(listing: &str) -> Vec<String> {
    listing
        .lines()
        .filter(|line| line.starts_with("define ") && line.contains("ptx_kernel"))
        .filter_map(|line| {
            let name = &line[line.find('@')? + 1..];
            Some(name[..name.find('(')?].trim_matches('"').to_owned())
        })
        .collect()
}

/// Modules and their entries, by name.
pub(super) type Groups = BTreeMap<String, Vec<String>>;

/// Sorts entries into families, and those into modules.
pub(super) fn group(entries: &[String]) -> BTreeMap<String, Groups> {
    let mut families: BTreeMap<String, Groups> = BTreeMap::new();
    for entry in entries {
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
        ]
        .map(str::to_owned);
        let families = group(&entries);
        assert_eq!(families["bench"]["bench-cmalloc"].len(), 2);
        assert_eq!(families["render"]["render"], ["render__trace"]);
    }
}
