//! Finding and installing what compiles device code: a rustc with its library's
//! source, and the LLVM tools of the same version.
//!
//! On Debian that is a set of packages; elsewhere a rustup nightly.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::output_of;
use crate::{Result, root};

/// Debian packages that together are a device toolchain.
const PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "llvm-22"];
/// Where the LLVM package puts its tools.
const DEBIAN_LLVM: &str = "/usr/lib/llvm-22/bin";
/// The tools that the pipeline runs.
const TOOLS: [&str; 4] = ["llvm-ar", "llvm-link", "opt", "llc"];

/// A compiler for device code.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The compiler.
    pub rustc: PathBuf,
    /// Its build tool.
    pub cargo: PathBuf,
    /// The folder of the LLVM tools.
    pub llvm: PathBuf,
    /// The output of `rustc --version`.
    pub version: String,
}

/// The device toolchain of this machine, if there is one.
pub fn find() -> Option<Toolchain> {
    debian().or_else(rustup)
}

fn complete(rustc: PathBuf, cargo: PathBuf, sysroot: &Path, llvm: PathBuf) -> Option<Toolchain> {
    let source = sysroot.join("lib/rustlib/src/rust/library/core/src/lib.rs");
    let tools = TOOLS.iter().all(|tool| llvm.join(tool).is_file());
    if !source.is_file() || !tools || !cargo.is_file() {
        return None;
    }
    let version = output_of(Command::new(&rustc).arg("--version"))?;
    Some(Toolchain {
        rustc,
        cargo,
        llvm,
        version,
    })
}

fn debian() -> Option<Toolchain> {
    complete(
        PathBuf::from("/usr/bin/rustc"),
        PathBuf::from("/usr/bin/cargo"),
        Path::new("/usr"),
        PathBuf::from(DEBIAN_LLVM),
    )
}

fn rustup() -> Option<Toolchain> {
    // Not `rustc +nightly`: the nightly's own programs, without the proxies,
    // which would listen to this process's environment.
    let run = |arguments: &[&str]| {
        output_of(
            Command::new("rustup")
                .args(["run", "nightly"])
                .args(arguments)
                .env_remove("RUSTUP_TOOLCHAIN"),
        )
    };
    let sysroot = PathBuf::from(run(&["rustc", "--print", "sysroot"])?);
    let verbose = run(&["rustc", "-vV"])?;
    let host = verbose
        .lines()
        .find_map(|line| line.strip_prefix("host: "))?
        .to_owned();
    let llvm = sysroot.join("lib/rustlib").join(host).join("bin");
    complete(
        sysroot.join("bin/rustc"),
        sysroot.join("bin/cargo"),
        &sysroot,
        llvm,
    )
}

/// Installs a device toolchain: by apt on Debian, else by rustup.
pub fn install() -> Result<Toolchain> {
    if let Some(found) = find() {
        return Ok(found);
    }
    let commands: Vec<Vec<&str>> = if Path::new("/etc/debian_version").exists() && is_root() {
        let mut install = vec!["apt-get", "install", "--yes", "--no-install-recommends"];
        install.extend(PACKAGES);
        vec![vec!["apt-get", "update"], install]
    } else {
        vec![vec![
            "rustup",
            "toolchain",
            "install",
            "nightly",
            "--profile",
            "minimal",
            "--component",
            "rust-src",
            "--component",
            "llvm-tools",
        ]]
    };
    for command in commands {
        let status = Command::new(command[0])
            .args(&command[1..])
            .env("DEBIAN_FRONTEND", "noninteractive")
            .current_dir(root())
            .status()
            .map_err(|error| format!("cannot run `{}`: {error}", command.join(" ")))?;
        if !status.success() {
            return Err(format!("`{}` failed ({status})", command.join(" ")));
        }
    }
    find().ok_or_else(|| {
        format!(
            "the installed packages are no complete device toolchain; on Debian: apt install {}",
            PACKAGES.join(" ")
        )
    })
}

fn is_root() -> bool {
    output_of(Command::new("id").arg("-u")).is_some_and(|id| id == "0")
}
