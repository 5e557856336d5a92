//! Builds the device code on the host: rustc's and LLVM's tools make PTX of the
//! crates beside this one. A library, so that the application's build script does
//! the same as `cargo xtask ptx`.

pub mod archive;
pub mod command;
pub mod fingerprint;
pub mod orderings;
pub mod pipeline;
pub mod rules;
pub mod toolchain;

use std::path::{Path, PathBuf};

/// A result whose error is one line that names the cause and a remedy.
pub type Result<T> = std::result::Result<T, String>;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}
