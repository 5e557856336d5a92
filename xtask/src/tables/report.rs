//! The page of all results, which the program makes of the files in `docs/results/runs`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{entries, renew_bytes};
use crate::Result;

/// The page.
const PATH: &str = "docs/results/report.html";
/// The folder of runs.
const RUNS: &str = "docs/results/runs";
/// Figures of the authors' code, which are no results of the program.
const PUBLISHED: &str = "published.json";

/// Renews the page or, with `check`, fails if it would change.
pub fn run(root: &Path, check: bool) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // As tests have built it: with other features the library would be compiled once more.
    succeed(
        Command::new(cargo)
            .args(["test", "--quiet", "--workspace", "--no-run"])
            .current_dir(root),
    )?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let made = target.join("report.html");
    succeed(
        Command::new(target.join("debug/heapwood"))
            .arg("report")
            .args(files(root)?)
            .arg("-o")
            .arg(&made)
            .current_dir(root),
    )?;
    let new = fs::read(&made).map_err(|error| format!("{}: {error}", made.display()))?;
    let old = fs::read(root.join(PATH)).unwrap_or_default();
    renew_bytes(root, PATH, old == new, &new, check)
}

/// The results of all runs, from the root of the repository, in order.
fn files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for run in entries(root, Path::new(RUNS))? {
        if root.join(&run).is_dir() {
            found.extend(entries(root, &run)?);
        }
    }
    found.retain(|path| {
        path.extension().is_some_and(|ending| ending == "json") && !path.ends_with(PUBLISHED)
    });
    Ok(found)
}

/// Runs a command, and fails unless it succeeds.
fn succeed(command: &mut Command) -> Result<()> {
    let name = command.get_program().display().to_string();
    let output = command
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{name}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
    }
}
