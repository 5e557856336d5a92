//! From device sources to PTX: rustc to bitcode, one link, then a module for
//! each allocator and family.
//!
//! An entry's name tells where it belongs: `family__kernel__allocator`, or
//! `family__kernel` for kernels without an allocator. A module is optimised with
//! only its own entries kept, so that it holds nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use crate::Result;
use crate::orderings::{self, Ordering};
use crate::toolchain::Toolchain;

/// The architecture that PTX is written for; drivers compile it for later ones.
const TARGET_CPU: &str = "sm_70";
/// Below PTX 7.0 `nanosleep` does not assemble.
const PTX_VERSION: &str = "+ptx70";
/// Threads of a block, which bounds the registers that the driver may use.
const BLOCK_THREADS: u32 = 256;

/// Registers that the kernels of one `malloc` and one `free` may use, by the
/// beginning of the allocator's name. They need no more, but an assembler that is
/// not told takes what does not cost occupancy. Those of Ouroboros are what the
/// published implementation uses.
const PAIR_REGISTERS: [(&str, u32); 7] = [
    ("ouroboros_p_s", 40),
    ("ouroboros_p_va", 32),
    ("ouroboros_p_vl", 40),
    ("ouroboros_c_s", 56),
    ("ouroboros_c_va", 64),
    ("ouroboros_c_vl", 64),
    ("", 24),
];

/// Registers that the other kernels with `malloc` may use in the benchmarks, likewise:
/// three blocks fit a multiprocessor, four of `ouroboros-p-va`.
/// With fewer, of 100,000 threads those that are to bring a chunk wait until others are
/// done that wait for it: 1.3 ms, where it takes 0.1. The other allocators need no
/// telling.
const MALLOC_REGISTERS: [(&str, u32); 3] = [
    ("ouroboros_p_va", 64),
    ("ouroboros_p_vl", 80),
    ("ouroboros_c_v", 80),
];

/// The registers that an entry may use, if there is a limit.
fn register_limit(head: &str) -> Option<u32> {
    let (kernel, allocator) = head.split_once("bench__")?.1.split_once("__")?;
    let limits: &[_] = if kernel.starts_with("pair") {
        &PAIR_REGISTERS
    } else if kernel.starts_with("threads_malloc") || kernel.starts_with("alloc") {
        &MALLOC_REGISTERS
    } else {
        &[]
    };
    let limit = |&&(start, _): &&(&str, u32)| allocator.starts_with(start);
    limits.iter().find(limit).map(|&(_, limit)| limit)
}

/// A module: its name, `family-allocator` or `family`, and its PTX.
pub type Modules = BTreeMap<String, String>;

/// The device code as PTX.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// All modules.
    pub modules: Modules,
    /// The orderings in them.
    pub orderings: BTreeSet<Ordering>,
}

/// Builds every module. `work` is a folder for intermediate files, kept between
/// runs.
pub fn build(toolchain: &Toolchain, root: &Path, work: &Path) -> Result<Build> {
    let libraries = compile(toolchain, root, work)?;
    let linked = link(toolchain, work, &libraries)?;
    let mut jobs = Vec::new();
    for (family, groups) in group(&entries(toolchain, &linked)?) {
        // Reading all kernels takes longer than optimising those of one module.
        let kept = groups.values().flatten();
        let bitcode = keep(toolchain, work, &linked, &format!("all-{family}"), kept, "")?;
        jobs.extend(groups.into_iter().map(|group| (bitcode.clone(), group)));
    }
    let rest = Mutex::new(jobs.into_iter());
    let worker = || {
        let mut built = Vec::new();
        loop {
            let next = rest.lock().expect("no panic in here").next();
            let Some((bitcode, (name, entries))) = next else {
                return Ok(built);
            };
            let (text, orderings) = module(toolchain, work, &bitcode, &name, &entries)?;
            built.push((name, text, orderings));
        }
    };
    // The tools are single-threaded.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        let mut all = Build::default();
        for worker in workers {
            let built: Result<Vec<_>> = worker
                .join()
                .unwrap_or_else(|_| Err("a worker panicked".to_owned()));
            for (name, text, orderings) in built? {
                all.modules.insert(name, text);
                all.orderings.extend(orderings);
            }
        }
        Ok(all)
    })
}

/// Runs a tool and returns what it prints.
fn run(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!(
            "{program} failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ))
    }
}

/// Compiles the device crate and `core`; returns the bitcode libraries, the
/// device crate's first.
fn compile(toolchain: &Toolchain, root: &Path, work: &Path) -> Result<Vec<PathBuf>> {
    let target = work.join("target");
    let flags = [
        format!("-Ctarget-cpu={TARGET_CPU}"),
        format!("-Ctarget-feature={PTX_VERSION}"),
        "-Cpanic=abort".to_owned(),
        "-Ccodegen-units=1".to_owned(),
        "-Aunstable_features".to_owned(),
        "-Ainternal_features".to_owned(),
    ];
    let mut command = Command::new(&toolchain.cargo);
    command
        .args([
            "build",
            "--quiet",
            "--package",
            "heapwood-device",
            "--release",
        ])
        .args(["--target", "nvptx64-nvidia-cuda", "-Zbuild-std=core"])
        .arg("--target-dir")
        .arg(&target)
        .current_dir(root)
        .env("RUSTC", &toolchain.rustc)
        .env("RUSTC_BOOTSTRAP", "1")
        // For `orderings`; what is optimised does not depend on it.
        .env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only")
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        .env_remove("RUSTFLAGS")
        .env_remove("RUSTC_WRAPPER")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("CARGO_BUILD_TARGET");
    run(&mut command)?;
    let folder = target.join("nvptx64-nvidia-cuda/release/deps");
    let read = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    // Older builds may have left files behind: the newest of each crate counts.
    let mut newest: BTreeMap<String, (std::time::SystemTime, PathBuf)> = BTreeMap::new();
    for entry in read.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let (Some(stem), Ok(time)) = (
            name.strip_suffix(".rlib"),
            entry.metadata().and_then(|data| data.modified()),
        ) else {
            continue;
        };
        let name = stem
            .rsplit_once('-')
            .map_or(stem, |(name, _)| name)
            .to_owned();
        if newest.get(&name).is_none_or(|(other, _)| time > *other) {
            newest.insert(name, (time, path));
        }
    }
    let device = newest
        .remove("libheapwood_device")
        .ok_or_else(|| format!("{}: no library of the device crate", folder.display()))?;
    Ok(std::iter::once(device)
        .chain(newest.into_values())
        .map(|(_, path)| path)
        .collect())
}

/// Links the device crate with what it needs of the others.
fn link(toolchain: &Toolchain, work: &Path, libraries: &[PathBuf]) -> Result<PathBuf> {
    let mut objects = Vec::new();
    for (index, library) in libraries.iter().enumerate() {
        let folder = work.join("objects").join(index.to_string());
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        run(Command::new(toolchain.llvm.join("llvm-ar"))
            .arg("x")
            .arg(library)
            .current_dir(&folder))?;
        let read =
            fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        objects.extend(
            read.flatten()
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|e| e == "o")),
        );
    }
    let linked = work.join("linked.bc");
    // The first file is taken whole, of the others what it needs.
    run(Command::new(toolchain.llvm.join("llvm-link"))
        .arg("--only-needed")
        .args(&objects)
        .arg("-o")
        .arg(&linked))?;
    Ok(linked)
}

/// The names of all kernels in a bitcode file.
fn entries(toolchain: &Toolchain, linked: &Path) -> Result<Vec<String>> {
    let listing = run(Command::new(toolchain.llvm.join("opt"))
        .args(["-S", "-passes=verify", "-o", "-"])
        .arg(linked))?;
    Ok(listing
        .lines()
        .filter(|line| line.starts_with("define ") && line.contains("ptx_kernel"))
        .filter_map(|line| {
            let name = &line[line.find('@')? + 1..];
            Some(name[..name.find('(')?].trim_matches('"').to_owned())
        })
        .collect())
}

/// Modules and their entries, by name.
type Groups = BTreeMap<String, Vec<String>>;

/// Sorts entries into families, and those into modules.
fn group(entries: &[String]) -> BTreeMap<String, Groups> {
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
fn keep<'a>(
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

/// Optimises one module and writes its PTX.
fn module(
    toolchain: &Toolchain,
    work: &Path,
    family: &Path,
    name: &str,
    entries: &[String],
) -> Result<(String, BTreeSet<Ordering>)> {
    let passes = ",default<O3>,globaldce";
    let with_lines = keep(toolchain, work, family, name, entries.iter(), passes)?;
    let listing = emit(toolchain, &with_lines)?;
    let orderings = orderings::of(&listing).map_err(|error| format!("{name}: {error}"))?;
    let bitcode = work.join(format!("{name}.plain.bc"));
    run(Command::new(toolchain.llvm.join("opt"))
        .args(["--strip-debug", "-passes=verify"])
        .arg(&with_lines)
        .arg("-o")
        .arg(&bitcode))?;
    let text = emit(toolchain, &bitcode)?;
    Ok((bound_launches(&short_names(text)), orderings))
}

/// The PTX of a bitcode file.
fn emit(toolchain: &Toolchain, bitcode: &Path) -> Result<String> {
    run(Command::new(toolchain.llvm.join("llc"))
        .args(["-O3", "-mtriple=nvptx64-nvidia-cuda"])
        .arg(format!("-mcpu={TARGET_CPU}"))
        .arg(format!("-mattr={PTX_VERSION}"))
        .arg(bitcode)
        .args(["-o", "-"]))
}

/// Functions with long names that are called often, by part of their names, and
/// what they are called instead, with a number behind.
const LONG_NAMES: [(&str, &str); 2] = [
    ("ouroboros5arena8outlined", "ouroboros_task_"),
    ("circular6search8outlined", "circular_search_"),
];

/// The name of the entry or function that a line begins.
fn name_in(line: &str) -> Option<&str> {
    let (_, head) = line.split_once(".entry ").or(line.split_once(".func "))?;
    let is_part = |c: char| c.is_alphanumeric() || "_$".contains(c);
    let words = head.split(|c: char| !is_part(c) && c != '.');
    // Behind a result, which is declared in parentheses.
    let names = words.filter(|word| !word.is_empty() && !word.starts_with('.'));
    match head.trim_start().strip_prefix('(') {
        Some(_) => names.into_iter().next_back(),
        None => names.into_iter().next(),
    }
}

/// Shortens the names of parameters, which have their function's name in them
/// though nobody else sees them, and of the functions in `LONG_NAMES`.
fn short_names(mut text: String) -> String {
    let mut names: Vec<String> = text
        .lines()
        .filter_map(name_in)
        .map(str::to_owned)
        .collect();
    names.sort_unstable();
    names.dedup();
    for name in &names {
        text = text.replace(&format!("{name}_param_"), "p_");
    }
    for (part, short) in LONG_NAMES {
        let mut long: Vec<&String> = names.iter().filter(|name| name.contains(part)).collect();
        // The longest first: a name may begin with another.
        long.sort_by_key(|name| std::cmp::Reverse(name.len()));
        for (number, name) in long.into_iter().enumerate() {
            text = text.replace(name, &format!("{short}{number}"));
        }
    }
    text
}

/// Adds the block size to each entry and drops comments, blank lines, the tabs that
/// the compiler lines up operands with, and the spaces between these.
fn bound_launches(text: &str) -> String {
    let mut bounded = String::with_capacity(text.len());
    let mut in_entry_head = false;
    let mut limit = None;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or("").trim_end();
        if line.trim().is_empty() {
            continue;
        }
        if line.contains(".entry ") {
            in_entry_head = true;
            limit = register_limit(line);
        }
        if in_entry_head && line.trim() == "{" {
            bounded.push_str(&format!(".maxntid {BLOCK_THREADS}, 1, 1\n"));
            if let Some(registers) = limit {
                bounded.push_str(&format!(".maxnreg {registers}\n"));
            }
            in_entry_head = false;
        }
        bounded.push_str(&line.replace(" \t", " ").replace(", ", ","));
        bounded.push('\n');
    }
    bounded
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

    #[test]
    fn names_are_shortened() {
        let name = "_R3xouroboros5arena8outlinedNt";
        let text = format!(".func (.param .b32 r) {name}(\n\t.param .b32 {name}_param_0\n)\n");
        assert_eq!(
            short_names(text),
            ".func (.param .b32 r) ouroboros_task_0(\n\t.param .b32 p_0\n)\n"
        );
        let text = ".visible .entry heap__x(\n\t.param .u64 heap__x_param_3\n)\n";
        assert_eq!(
            short_names(text.to_owned()),
            ".visible .entry heap__x(\n\t.param .u64 p_3\n)\n"
        );
    }

    #[test]
    fn pairs_are_limited_by_allocator() {
        assert_eq!(register_limit("bench__pair__cmalloc("), Some(24));
        assert_eq!(
            register_limit("bench__pair_coalesced__ouroboros_p_va("),
            Some(32)
        );
        assert_eq!(register_limit("bench__stress__ouroboros_p_va("), None);
        let queues = |name| register_limit(&format!("bench__threads_malloc__ouroboros_{name}("));
        let found = ["p_va", "p_vl", "c_vl", "c_s"].map(queues);
        assert_eq!(found, [Some(64), Some(80), Some(80), None]);
    }

    #[test]
    fn entries_are_bounded_and_comments_dropped() {
        let text =
            "// x\n.visible .entry a(\n\t.param .u64 p // y\n)\n{\n\tadd \t%r1, 1;\n\tret;\n}\n";
        assert_eq!(
            bound_launches(text),
            ".visible .entry a(\n\t.param .u64 p\n)\n.maxntid 256, 1, 1\n{\n\tadd %r1,1;\n\tret;\n}\n"
        );
    }
}
