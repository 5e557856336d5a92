//! A folder for a GPU machine without Rust: the program, the test executables
//! that can use a GPU, scenes, and a script that runs them all.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::Result;

/// Plain scenes from this size on are compressed; the program reads both.
const PLAIN_BYTES: u64 = 64 << 10;
/// Builds the tests of the program that can use a GPU.
const APP_TESTS: [&str; 11] = [
    "test",
    "--no-run",
    "--package",
    "heapwood",
    "--package",
    "heapwood-program",
    "--lib",
    "--test",
    "backend",
    "--test",
    "cli",
];
const SCRIPT: &str = include_str!("bundle/run.sh");

/// Makes the bundle in `folder`, which must not hold anything else.
pub fn make(root: &Path, folder: &Path) -> Result<()> {
    clear(folder)?;
    let program = build(root, &["build", "--package", "heapwood-program"])?;
    let mut tests = build(root, &APP_TESTS)?;
    let mut arguments = vec!["test", "--no-run", "--package", "heapwood-tests"];
    let names = gpu_tests(root)?;
    for name in &names {
        arguments.extend(["--test", name]);
    }
    tests.extend(build(root, &arguments)?);
    // The program's own tests: of its library, its backends, its command line.
    let expected = names.len() + 3;
    if program.len() != 1 || tests.len() != expected {
        return Err(format!(
            "cargo built {} programs and {} tests, not 1 and {expected}",
            program.len(),
            tests.len(),
        ));
    }
    for (name, from) in &program {
        install(from, &folder.join(name))?;
    }
    for (name, from) in &tests {
        install(from, &folder.join("tests").join(name))?;
    }
    copy_scenes(&root.join("scenes/data"), &folder.join("scenes"))?;
    let script = folder.join("run.sh");
    write(&script, SCRIPT.as_bytes())?;
    make_executable(&script)?;

    let bytes = size_of_folder(folder)?;
    println!(
        "{}: {:.1} MiB",
        folder.display(),
        bytes as f64 / f64::from(1 << 20)
    );
    Ok(())
}

/// An empty folder; what an earlier bundle left there is removed, anything else
/// is not.
fn clear(folder: &Path) -> Result<()> {
    if folder.exists() {
        let is_bundle = folder.join("run.sh").is_file();
        let is_empty = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
        if !is_bundle && !is_empty {
            return Err(format!(
                "{}: not empty and no bundle; name another folder",
                folder.display()
            ));
        }
        fs::remove_dir_all(folder).map_err(|error| at(folder, &error))?;
    }
    for name in ["tests", "scenes"] {
        let path = folder.join(name);
        fs::create_dir_all(&path).map_err(|error| at(&path, &error))?;
    }
    Ok(())
}

/// The integration tests that can use a GPU: files, and folders with a `main.rs`.
fn gpu_tests(root: &Path) -> Result<Vec<String>> {
    let folder = root.join("tests/tests");
    let entries = fs::read_dir(&folder).map_err(|error| at(&folder, &error))?;
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension() == Some(OsStr::new("rs")) || path.join("main.rs").is_file())
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .filter(|name| name.starts_with("gpu_"))
        .collect();
    names.sort();
    Ok(names)
}

/// Runs cargo; returns name and place of each executable that it made.
fn build(root: &Path, arguments: &[&str]) -> Result<Vec<(String, PathBuf)>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(arguments)
        .args(["--release", "--message-format=json-render-diagnostics"])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("`cargo {}` failed", arguments.join(" ")));
    }
    // Tests of the program build the program too.
    let are_tests = arguments.first() == Some(&"test");
    let messages = String::from_utf8_lossy(&output.stdout);
    Ok(executables(&messages, are_tests))
}

/// The programs in cargo's messages, a JSON object a line, or the tests.
fn executables(messages: &str, are_tests: bool) -> Vec<(String, PathBuf)> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["profile"]["test"] == are_tests)
        .filter_map(|message| {
            let executable = message["executable"].as_str()?;
            let name = message["target"]["name"].as_str()?;
            Some((name.to_owned(), PathBuf::from(executable)))
        })
        .collect()
}

/// Copies a program without its symbols, where there is a `strip`.
fn install(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map_err(|error| at(to, &error))?;
    match Command::new("strip").arg(to).status() {
        Ok(status) if !status.success() => Err(format!("`strip {}` failed", to.display())),
        // Without the tool the bundle is larger, no more.
        _ => Ok(()),
    }
}

/// Copies scenes and materials, large files compressed.
fn copy_scenes(from: &Path, to: &Path) -> Result<()> {
    let entries = fs::read_dir(from).map_err(|error| at(from, &error))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        let mut bytes = Vec::new();
        File::open(&path)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .map_err(|error| at(&path, &error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if (bytes.len() as u64) < PLAIN_BYTES {
            write(&to.join(&*name), &bytes)?;
            continue;
        }
        let target = to.join(format!("{name}.gz"));
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let compressed = encoder
            .write_all(&bytes)
            .and_then(|()| encoder.finish())
            .map_err(|error| at(&target, &error))?;
        write(&target, &compressed)?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).map_err(|error| at(path, &error))
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(|error| at(path, &error))
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> Result<()> {
    Ok(())
}

fn size_of_folder(folder: &Path) -> Result<u64> {
    let entries = fs::read_dir(folder).map_err(|error| at(folder, &error))?;
    entries.flatten().try_fold(0, |sum, entry| {
        let path = entry.path();
        let bytes = if path.is_dir() {
            size_of_folder(&path)?
        } else {
            fs::metadata(&path)
                .map_err(|error| at(&path, &error))?
                .len()
        };
        Ok(sum + bytes)
    })
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executables_are_found_in_messages() {
        let messages = concat!(
            r#"{"target":{"name":"flate2"},"profile":{"test":false},"executable":null}"#,
            "\n",
            r#"{"target":{"name":"cli"},"profile":{"test":true},"executable":"/t/cli-1"}"#,
            "\n",
            r#"{"target":{"name":"heapwood"},"profile":{"test":false},"executable":"/t/heapwood"}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
            "\nnot JSON\n"
        );
        let found = |name: &str, path: &str| [(name.to_owned(), PathBuf::from(path))];
        assert_eq!(executables(messages, true), found("cli", "/t/cli-1"));
        assert_eq!(
            executables(messages, false),
            found("heapwood", "/t/heapwood")
        );
    }

    #[test]
    fn the_gpu_tests_are_found_by_name() {
        let names = gpu_tests(&crate::root()).expect("the folder is readable");
        for name in ["gpu_conformance", "gpu_graph"] {
            assert!(names.contains(&name.to_owned()), "{names:?}");
        }
        assert!(!names.contains(&"kdtree".to_owned()), "{names:?}");
    }

    #[test]
    fn a_folder_with_other_things_is_left_alone() {
        let folder = std::env::temp_dir().join(format!("heapwood-bundle-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("the folder is new");
        write(&folder.join("letter.txt"), b"dear").expect("the folder is writable");
        assert!(clear(&folder).is_err());
        assert!(folder.join("letter.txt").exists());
        write(&folder.join("run.sh"), b"").expect("the folder is writable");
        assert_eq!(clear(&folder), Ok(()));
        assert!(!folder.join("letter.txt").exists());
        fs::remove_dir_all(&folder).expect("the folder is removable");
    }
}
