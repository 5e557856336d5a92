//! The committed PTX: a gzip file a module under `device/ptx`, and beside them
//! the fingerprint of the sources that they were made from, and the lines of these that
//! each ordering of memory comes from.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::Result;
use crate::pipeline::{Build, Modules};

/// The file with the fingerprint.
const FINGERPRINT: &str = "FINGERPRINT";
/// The file with the orderings: file, line, instruction.
const ORDERINGS: &str = "ORDERINGS";

/// Where the committed PTX lies.
pub fn folder(root: &Path) -> PathBuf {
    root.join("device/ptx")
}

/// The fingerprint beside the PTX in `folder`, if there is any.
pub fn fingerprint_in(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join(FINGERPRINT)).ok()?;
    Some(text.trim().to_owned())
}

/// The orderings of the PTX in `folder`: a line for each, with the file, the line and
/// the instruction between tabs.
pub fn orderings_in(folder: &Path) -> Result<String> {
    let path = folder.join(ORDERINGS);
    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The orderings of a build, as `orderings_in` returns them.
pub fn orderings_of(build: &Build) -> String {
    let rows = build.orderings.iter();
    rows.map(|ordering| format!("{ordering}\n")).collect()
}

/// Writes a build and its fingerprint into `folder`, and removes modules that are
/// there no longer.
pub fn write(folder: &Path, build: &Build, fingerprint: &str) -> Result<()> {
    let fail = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(folder).map_err(|error| fail(folder, error))?;
    for old in list(folder)? {
        fs::remove_file(&old).map_err(|error| fail(&old, error))?;
    }
    for (name, text) in &build.modules {
        let path = folder.join(format!("{name}.ptx.gz"));
        let file = File::create(&path).map_err(|error| fail(&path, error))?;
        // No time stamp in the header: the same PTX gives the same file.
        let mut encoder = GzEncoder::new(file, Compression::best());
        encoder
            .write_all(text.as_bytes())
            .map_err(|error| fail(&path, error))?;
        encoder.finish().map_err(|error| fail(&path, error))?;
    }
    let path = folder.join(ORDERINGS);
    fs::write(&path, orderings_of(build)).map_err(|error| fail(&path, error))?;
    let path = folder.join(FINGERPRINT);
    fs::write(&path, format!("{fingerprint}\n")).map_err(|error| fail(&path, error))
}

/// The module files in `folder`, sorted.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(".ptx.gz"))
        .collect();
    files.sort();
    Ok(files)
}

/// The name of a module file: `family-allocator` or `family`.
pub fn module_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.trim_end_matches(".ptx.gz").to_owned()
}

/// Reads all modules in `folder`.
pub fn read(folder: &Path) -> Result<Modules> {
    let mut modules = Modules::new();
    for path in list(folder)? {
        let mut text = String::new();
        File::open(&path)
            .and_then(|file| GzDecoder::new(file).read_to_string(&mut text))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        modules.insert(module_name(&path), text);
    }
    Ok(modules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let folder = std::env::temp_dir().join(format!("heapwood-archive-{}", std::process::id()));
        let mut build = Build::default();
        let module = ("render".to_owned(), ".version 7.0\n".to_owned());
        build.modules.extend([module]);
        write(&folder, &build, "00ff").expect("the folder is writable");
        let modules = read(&folder).expect("the folder is readable");
        assert_eq!(modules, build.modules);
        write(&folder, &Build::default(), "00ff").expect("the folder is writable");
        assert_eq!(
            read(&folder).expect("the folder is readable"),
            Modules::new()
        );
        fs::remove_dir_all(&folder).expect("the folder is removable");
    }
}
