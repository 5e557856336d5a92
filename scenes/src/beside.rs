//! Files that a scene names, as programs of other systems name them: between quotes, with the
//! separators of Windows, percent-encoded, or by where they were on another machine.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use heapwood_files::ReadError;

use crate::SceneError;

/// The bytes that `file` gives for the first name under which a file is there, and that name.
///
/// # Errors
/// The error of `file` for the most likely name.
pub(crate) fn find(
    name: &str,
    mut file: impl FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<(String, Vec<u8>), String> {
    let mut error = None;
    for candidate in candidates(name) {
        match file(&candidate) {
            Ok(bytes) => return Ok((candidate, bytes)),
            Err(cause) => {
                error.get_or_insert(cause);
            }
        }
    }
    Err(error.unwrap_or_else(|| "it has no name".to_owned()))
}

/// Reads a file that another file names.
pub(crate) fn read_beside(
    path: &Path,
    read: impl Fn(&Path) -> Result<Vec<u8>, ReadError>,
) -> Result<Vec<u8>, String> {
    // A pipe or device would be read without end or waited for.
    if path.exists() && !path.is_file() {
        return Err("not a regular file".to_owned());
    }
    read(path).map_err(|error| match error {
        ReadError::Failed(source) => source.to_string(),
        ReadError::TooLarge(most) => too_large(most),
        other => SceneError::reading(path.display().to_string(), other).to_string(),
    })
}

/// Why a file that another one names is not read.
pub(crate) fn too_large(most: u64) -> String {
    format!("it has more than {most} bytes: make it smaller")
}

/// The names that may be meant, each once: likely ones first, and last the file alone, beside the
/// scene, of a path that leads nowhere.
fn candidates(name: &str) -> Vec<String> {
    let plain = unquoted(name).replace('\\', "/");
    let decoded = percent_decoded(&plain);
    let alone = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let mut names = vec![plain.clone(), name.to_owned()];
    names.extend(decoded.clone());
    names.push(alone(&plain));
    names.extend(decoded.as_deref().map(alone));
    let mut known: Vec<String> = Vec::new();
    for name in names {
        if !name.is_empty() && !known.contains(&name) {
            known.push(name);
        }
    }
    known
}

/// A name without quotes around it.
pub(crate) fn unquoted(name: &str) -> &str {
    let name = name.trim();
    let inner = name
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(name)
}

/// A text with `%20` and the like replaced; a lone percent sign stays one. None if that is not
/// UTF-8.
pub(crate) fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
        match (bytes[at], digit(at + 1).zip(digit(at + 2))) {
            (b'%', Some((high, low))) => {
                out.push((16 * high + low) as u8);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

/// The path of a file that is there under this name, or under one that differs in the case of
/// letters, which Windows and macOS take for the same; else the path as it is.
pub(crate) fn in_any_case(path: PathBuf) -> PathBuf {
    if path.exists() {
        return path;
    }
    let Some(name) = path.file_name().and_then(OsStr::to_str) else {
        return path;
    };
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let other = entry.ok()?.file_name();
            let is_it = other.to_str()?.eq_ignore_ascii_case(name);
            is_it.then(|| path.with_file_name(other))
        })
        .collect();
    // Of several the same one on every machine.
    found.sort_unstable();
    found.into_iter().next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_systems_are_understood() {
        for (name, expected) in [
            ("a.mtl", &["a.mtl"][..]),
            ("\"a b.mtl\"", &["a b.mtl", "\"a b.mtl\""]),
            (r".\sub\a.mtl", &["./sub/a.mtl", r".\sub\a.mtl", "a.mtl"]),
            (r"C:\x\a.mtl", &["C:/x/a.mtl", r"C:\x\a.mtl", "a.mtl"]),
            ("/home/x/a.png", &["/home/x/a.png", "a.png"]),
            ("a%20b.png", &["a%20b.png", "a b.png"]),
            ("100%.png", &["100%.png"]),
            ("", &[]),
        ] {
            assert_eq!(candidates(name), expected, "{name}");
        }
    }

    #[test]
    fn the_first_file_that_is_there_is_taken() {
        let there = |name: &str| match name {
            "a.png" => Ok(b"image".to_vec()),
            other => Err(format!("no {other}")),
        };
        let found = find(r"d:\maps\a.png", there).unwrap();
        assert_eq!(found, ("a.png".to_owned(), b"image".to_vec()));
        assert_eq!(find(r"maps\b.png", there), Err("no maps/b.png".to_owned()));
        assert!(find("", there).is_err());
    }

    #[test]
    fn percent_signs_are_decoded() {
        assert_eq!(percent_decoded("a%20b%C3%a9.bin").unwrap(), "a b\u{e9}.bin");
        assert_eq!(percent_decoded("100%").unwrap(), "100%");
        assert_eq!(percent_decoded("%zz%2").unwrap(), "%zz%2");
        assert_eq!(percent_decoded("%ff"), None);
    }

    #[test]
    fn files_are_found_in_any_case() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("Wood.PNG"), "").unwrap();
        assert_eq!(in_any_case(at("Wood.PNG")), at("Wood.PNG"));
        let found = in_any_case(at("wood.png"));
        // On systems that ignore case, the name is one of the file as it is.
        assert!(found == at("Wood.PNG") || at("wood.png").exists());
        for absent in [at("stone.png"), at("no/wood.png"), PathBuf::from("..")] {
            assert_eq!(in_any_case(absent.clone()), absent);
        }
    }
}
