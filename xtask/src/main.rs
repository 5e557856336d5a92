//! Tasks of heapwood's developers; `cargo xtask help` lists them.

mod assemble;
mod bundle;
mod busy;
mod nvcc;
mod tables;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use ptx_build::pipeline::Part;
use ptx_build::{Result, archive, fingerprint, pipeline, root, rules, toolchain};

const HELP: &str = "\
cargo xtask ptx               build the device code, assemble what is new, renew device/ptx
cargo xtask ptx --check [--part K/M]
                              build afresh, or every Mth module from the Kth on; fail if device/ptx is
                              stale or does not assemble
cargo xtask registers         registers of each kernel, by ptxas
cargo xtask nvcc              NVIDIA's compiler, from Python wheels, for tests of linked allocators
cargo xtask device-toolchain  install what builds device code (Debian: apt, as root; else rustup)
cargo xtask gpu-bundle [DIR]  a folder for GPU machines without Rust (default target/gpu-bundle)
cargo xtask weaken [SECONDS]  weaken each memory ordering in turn; renew tests/data/weakenings.tsv
cargo xtask clip-campaign [--pairs N] [--seed S]    hold clipping to exact arithmetic (default 1e6)
cargo xtask shape-campaign [--shapes N] [--seed S] [--part K/M]
                                         check trees of all shapes, or of N drawn ones
cargo xtask graph-campaign [--runs N] [--seed S]    run drawn graph commands with --verify (default 1000)
cargo xtask busy [TIMES]      run the suite beside busy loops, once or so many times
cargo xtask tables            renew tables, chart, page and CSV from the JSON in docs/results/runs
cargo xtask tables --check    fail if one of them is not what the JSON gives
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["ptx"] => renew(),
        ["ptx", "--check"] => check(Part::WHOLE),
        ["ptx", "--check", "--part", part] => parse_part(part).and_then(check),
        ["registers"] => assemble::registers(&root(), "sm_90"),
        ["nvcc"] => nvcc::install(&root()),
        ["device-toolchain"] => toolchain::install().map(|found| println!("{}", found.version)),
        ["gpu-bundle"] => bundle::make(&root(), &root().join("target/gpu-bundle")),
        ["gpu-bundle", folder] => bundle::make(&root(), Path::new(folder)),
        ["busy"] => busy::run(&root(), "1"),
        ["busy", times] => busy::run(&root(), times),
        ["weaken"] => weaken(&root(), "10"),
        ["weaken", seconds] => weaken(&root(), seconds),
        ["clip-campaign", ref options @ ..] => {
            campaign(&root(), ("clip_campaign", "release"), options)
        }
        ["shape-campaign", ref options @ ..] => {
            campaign(&root(), ("shape_campaign", "release"), options)
        }
        ["graph-campaign", ref options @ ..] => graph_campaign(&root(), options),
        ["tables"] => tables::run(&root(), false),
        ["tables", "--check"] => tables::run(&root(), true),
        ["help"] | ["--help"] | [] => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(format!(
            "unknown task `{}`; the tasks are\n{HELP}",
            words.join(" ")
        )),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Searches for a failing run without each ordering of the device code, for so many
/// seconds in each workload. The tests' crate has the campaign; this keeps its list.
fn weaken(root: &Path, seconds: &str) -> Result<()> {
    let campaign = build_program(root, "--example", "weaken", "dev")?;
    let output = Command::new(&campaign)
        .arg(seconds)
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}", campaign.display()))?;
    if !output.status.success() {
        return Err("the campaign failed".to_owned());
    }
    let list = root.join("tests/data/weakenings.tsv");
    fs::write(&list, output.stdout).map_err(|error| format!("{}: {error}", list.display()))
}

/// Runs a campaign of the tests' crate, built in a profile, and prints what it finds.
fn campaign(
    root: &Path,
    (name, profile): (&str, &str),
    options: &[impl AsRef<OsStr>],
) -> Result<()> {
    let campaign = build_program(root, "--example", name, profile)?;
    let status = Command::new(&campaign)
        .args(options)
        .current_dir(root)
        .status()
        .map_err(|error| format!("{}: {error}", campaign.display()))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{name} failed ({status})"))
    }
}

/// Makes random runs of the program, in which overflow is a fault.
fn graph_campaign(root: &Path, options: &[&str]) -> Result<()> {
    let program = build_program(root, "--bin", "heapwood", "dev")?;
    let mut arguments = vec![program.into_os_string()];
    arguments.extend(options.iter().map(OsString::from));
    campaign(root, ("graph_campaign", "dev"), &arguments)
}

/// Builds a program of the workspace in a profile and returns its path; `kind` is `--bin` or
/// `--example`.
fn build_program(root: &Path, kind: &str, name: &str, profile: &str) -> Result<PathBuf> {
    // Of the workspace, as the tests are: `cargo run --package` would choose other
    // features for the crates below, and compile all of them again.
    let status = Command::new("cargo")
        .args(["build", "--workspace", kind, name, "--profile", profile])
        .current_dir(root)
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err(format!("{name} does not build"));
    }
    // This program is in the folder of a profile, and its neighbours are those of others.
    let own =
        std::env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
    let folder = if profile == "dev" { "debug" } else { profile };
    let profiles = own.ancestors().nth(2).unwrap_or(root);
    let folder = profiles.join(folder);
    Ok(match kind {
        "--example" => folder.join("examples").join(name),
        _ => folder.join(name),
    })
}

/// A part of the modules, as `K/M`.
fn parse_part(text: &str) -> Result<Part> {
    text.split_once('/')
        .and_then(|(number, count)| Part::new(number.parse().ok()?, count.parse().ok()?))
        .ok_or_else(|| format!("--part {text}: expected K/M with 1 <= K <= M"))
}

/// Builds the modules of `part` with the toolchain of this machine.
fn build(part: Part) -> Result<pipeline::Build> {
    let found = toolchain::find().ok_or(
        "no device toolchain on this machine; `cargo xtask device-toolchain` installs one",
    )?;
    pipeline::build(&found, &root(), &root().join("target/device"), part)
}

fn renew() -> Result<()> {
    let built = build(Part::WHOLE)?;
    // Those that are committed are checked by the tests.
    rules::check(&built.modules)?;
    let folder = archive::folder(&root());
    let kept = if folder.is_dir() {
        archive::read(&folder)?
    } else {
        pipeline::Modules::new()
    };
    assemble::assemble_all(&unlike(&kept, &built.modules))?;
    let print = fingerprint::fingerprint(&root())?;
    archive::write(&folder, &built, &print)?;
    for (name, text) in &built.modules {
        println!("{:>8} bytes  {name}", text.len());
    }
    println!("fingerprint {print}");
    Ok(())
}

fn check(part: Part) -> Result<()> {
    let print = fingerprint::fingerprint(&root())?;
    let committed =
        archive::fingerprint_in(&archive::folder(&root())).unwrap_or_else(|| "none".to_owned());
    if print != committed {
        return Err(format!(
            "device/ptx is stale: made from sources {committed}, they are now {print}; run `cargo xtask ptx`"
        ));
    }
    let built = build(part)?;
    let orderings = archive::orderings_in(&archive::folder(&root()))?;
    let has_orderings = if part.is_whole() {
        archive::orderings_of(&built) == orderings
    } else {
        let kept: BTreeSet<&str> = orderings.lines().collect();
        let found = archive::orderings_of(&built);
        found.lines().all(|line| kept.contains(line))
    };
    if !has_orderings {
        return Err(
            "device/ptx/ORDERINGS is not what the sources give; run `cargo xtask ptx`".to_owned(),
        );
    }
    let kept = archive::read(&archive::folder(&root()))?;
    if !built.names.iter().eq(kept.keys()) {
        return Err("device/ptx lacks modules or has too many; run `cargo xtask ptx`".to_owned());
    }
    // With the toolchain that made the committed ones there are none.
    let others = unlike(&kept, &built.modules);
    println!(
        "{} of {} modules differ here; device/ptx has {}",
        others.len(),
        built.modules.len(),
        kept.len()
    );
    assemble::assemble_all(&others)
}

/// The modules that are not as committed: the others were assembled before they were
/// written.
fn unlike(kept: &pipeline::Modules, built: &pipeline::Modules) -> pipeline::Modules {
    let mut others = built.clone();
    others.retain(|name, text| kept.get(name) != Some(text));
    others
}
