//! Builds the device code. A library, so that the application's build script
//! does the same as `cargo xtask ptx`.

pub mod archive;
pub mod fingerprint;
pub mod orderings;
pub mod pipeline;
pub mod toolchain;

use std::path::PathBuf;

/// What went wrong, in one line that names the place and the way out.
pub type Result<T> = std::result::Result<T, String>;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or(here.clone(), PathBuf::from)
}
