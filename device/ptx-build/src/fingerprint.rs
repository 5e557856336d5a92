//! The fingerprint of the device code: whether committed PTX belongs to the
//! sources beside it.
//!
//! It covers the sources and manifests of the device crates and the locked versions of what they
//! depend on. The PTX itself is not compared: another build of the compiler emits other text from
//! the same sources. Nor is the pipeline covered: after a change of it the fingerprint stays, and
//! its author runs `cargo xtask ptx`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;

/// Crates from elsewhere that end up in the PTX.
const DEPENDENCIES: [&str; 2] = ["glam", "libm"];

/// FNV-1a, 64 bits.
struct Fnv(u64);

impl Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// The files that make up the device code, relative to `root`, sorted.
pub fn sources(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = vec![
        PathBuf::from("device/Cargo.toml"),
        PathBuf::from("device/cuda_std/Cargo.toml"),
    ];
    for folder in ["device/src", "device/cuda_std/src"] {
        collect(root, Path::new(folder), &mut files)?;
    }
    files.sort();
    Ok(files)
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let full = root.join(folder);
    let entries = fs::read_dir(&full).map_err(|error| format!("{}: {error}", full.display()))?;
    for entry in entries {
        let entry = entry.map_err(|error| format!("{}: {error}", full.display()))?;
        let path = folder.join(entry.file_name());
        if entry.path().is_dir() {
            collect(root, &path, files)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "rs" || extension == "ll")
        {
            files.push(path);
        }
    }
    Ok(())
}

/// The fingerprint of the device code under `root`, 16 hexadecimal digits.
pub fn fingerprint(root: &Path) -> Result<String> {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for file in sources(root)? {
        let full = root.join(&file);
        let text =
            fs::read_to_string(&full).map_err(|error| format!("{}: {error}", full.display()))?;
        // Line ends as they are on the machine that checked the files out.
        let text = text.replace("\r\n", "\n");
        hash.write(file.to_string_lossy().replace('\\', "/").as_bytes());
        hash.write(&(text.len() as u64).to_le_bytes());
        hash.write(text.as_bytes());
    }
    let lock = root.join("Cargo.lock");
    let text = fs::read_to_string(&lock).map_err(|error| format!("{}: {error}", lock.display()))?;
    for name in DEPENDENCIES {
        for version in locked_versions(&text, name) {
            hash.write(format!("{name} {version}\n").as_bytes());
        }
    }
    Ok(format!("{:016x}", hash.0))
}

/// The versions of a package in a lock file.
fn locked_versions<'a>(lock: &'a str, name: &str) -> Vec<&'a str> {
    let wanted = format!("name = \"{name}\"");
    let mut lines = lock.lines();
    let mut versions = Vec::new();
    while let Some(line) = lines.next() {
        if line.trim() == wanted
            && let Some(version) = lines
                .next()
                .and_then(|line| line.strip_prefix("version = "))
        {
            versions.push(version.trim_matches('"'));
        }
    }
    versions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_from_the_lock_file() {
        let lock = "[[package]]\nname = \"glam\"\nversion = \"1.2.3\"\n[[package]]\nname = \"glamour\"\nversion = \"9\"\n";
        assert_eq!(locked_versions(lock, "glam"), ["1.2.3"]);
    }

    #[test]
    fn the_fingerprint_is_stable_and_covers_the_kernels() {
        let root = crate::root();
        assert_eq!(fingerprint(&root), fingerprint(&root));
        let files = sources(&root).expect("sources are readable");
        assert!(files.contains(&PathBuf::from("device/src/entry.rs")));
        assert!(files.contains(&PathBuf::from("device/cuda_std/src/atomic_ptx.rs")));
        // The build program of device code is not device code.
        let builds = |file: &PathBuf| file.starts_with("device/ptx-build");
        assert!(!files.iter().any(builds));
    }
}
