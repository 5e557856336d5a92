//! One module, from the bitcode of its family to PTX.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use super::bounds::LaunchBounds;
use super::entries::keep;
use super::text::{bound_launches, short_labels, short_names};
use super::{PTX_VERSION, TARGET_CPU};
use crate::Result;
use crate::command::run;
use crate::orderings::{self, Ordering};
use crate::toolchain::Toolchain;

/// How the names of modules end whose allocators observe their calls: they have the most code, and
/// some would be too large otherwise.
const OBSERVED: &str = "_observed";

/// Optimises one module and writes its PTX.
pub(super) fn module(
    toolchain: &Toolchain,
    work: &Path,
    family: &Path,
    (name, entries): (&str, &[String]),
    bounds: &LaunchBounds,
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
    let mut text = emit(toolchain, &bitcode)?;
    if name.ends_with(OBSERVED) {
        text = short_labels(&text);
    }
    Ok((bound_launches(&short_names(text), bounds), orderings))
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
