//! The device crate and `core`, compiled by rustc and linked to one file of bitcode.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{PTX_VERSION, TARGET_CPU};
use crate::Result;
use crate::command::run;
use crate::toolchain::Toolchain;

/// Compiles the device crate and `core`; returns the bitcode libraries, the
/// device crate's first.
pub(super) fn compile(toolchain: &Toolchain, root: &Path, work: &Path) -> Result<Vec<PathBuf>> {
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
        // Incremental compilation splits the crate, and the kernels are optimised less.
        .env_remove("CARGO_INCREMENTAL")
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
pub(super) fn link(
    toolchain: &Toolchain,
    root: &Path,
    work: &Path,
    libraries: &[PathBuf],
) -> Result<PathBuf> {
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
        .arg(root.join("device/cuda_std/src/shared.ll"))
        .arg("-o")
        .arg(&linked))?;
    Ok(linked)
}
