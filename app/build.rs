//! Embeds the device code, and notes the compiler.
//!
//! The committed PTX is embedded if it was made from the sources as they are.
//! Otherwise it is built afresh where there is a device toolchain; where there
//! is none the build says so and leaves the GPU backend out.
//! `HEAPWOOD_PTX=off` leaves it out on purpose.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use ptx_build::{archive, command, fingerprint, pipeline, toolchain};

fn main() {
    println!("cargo::rerun-if-env-changed=HEAPWOOD_PTX");
    let root = ptx_build::root();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let folder = ptx_folder(&root, &out);
    write_table(folder.as_deref(), &out);

    let rustc = env::var_os("RUSTC").expect("cargo sets RUSTC");
    if let Some(version) = command::output_of(Command::new(rustc).arg("--version")) {
        println!("cargo::rustc-env=HEAPWOOD_RUSTC={version}");
    }
}

/// The folder of the modules to embed.
fn ptx_folder(root: &Path, out: &Path) -> Option<PathBuf> {
    for file in fingerprint::sources(root).unwrap_or_default() {
        println!("cargo::rerun-if-changed={}", root.join(file).display());
    }
    for folder in [
        "device/src",
        "device/cuda_std/src",
        "device/ptx",
        "Cargo.lock",
    ] {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
    }
    if env::var_os("HEAPWOOD_PTX").is_some_and(|value| value == "off") {
        return None;
    }
    match choose(root, out) {
        Ok(folder) => Some(folder),
        Err(why) => {
            println!("cargo::warning=built without the GPU backend: {why}");
            None
        }
    }
}

fn choose(root: &Path, out: &Path) -> ptx_build::Result<PathBuf> {
    let print = fingerprint::fingerprint(root)?;
    if archive::fingerprint_in(&archive::folder(root)).as_deref() == Some(print.as_str()) {
        return Ok(archive::folder(root));
    }
    let found = toolchain::find().ok_or(
        "device/ptx was made from other sources and there is no device toolchain; \
         `cargo xtask device-toolchain` installs one",
    )?;
    let folder = out.join("ptx");
    if archive::fingerprint_in(&folder).as_deref() != Some(print.as_str()) {
        let build = pipeline::build(&found, root, &out.join("device"), pipeline::Part::WHOLE)?;
        archive::write(&folder, &build, &print)?;
    }
    Ok(folder)
}

/// Writes the table of modules that `src/ptx.rs` includes.
fn write_table(folder: Option<&Path>, out: &Path) {
    let files =
        folder.map(|folder| archive::list(folder).expect("the folder was written or read before"));
    let mut text = String::from("&[\n");
    for file in files.unwrap_or_default() {
        let name = archive::module_name(&file);
        writeln!(
            text,
            "    ({name:?}, include_bytes!({:?})),",
            file.display().to_string()
        )
        .expect("writing to a string succeeds");
    }
    text.push(']');
    fs::write(out.join("modules.rs"), text).expect("OUT_DIR is writable");
}
