//! Runs the program as a user does.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use heapwood_device::host::HostAllocator;
use serde_json::Value;
use tempfile::TempDir;

/// Far more than any run of these tests takes.
const LIMIT: Duration = Duration::from_secs(120);

/// The exit code and the output of a run.
#[derive(Debug)]
pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// The result as JSON of a run that succeeded.
    pub fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{self:?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The error message of a run that failed with `code`: exactly one line.
    pub fn error(&self, code: i32) -> &str {
        assert_eq!(self.code, code, "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        let mut lines = self.stderr.lines();
        let line = lines.next().unwrap_or_default();
        assert_eq!(lines.next(), None, "{self:?}");
        let message = line.strip_prefix("heapwood: error: ");
        message.unwrap_or_else(|| panic!("{self:?}"))
    }
}

/// The program: as built with the tests, or where a bundle has put it.
pub fn program() -> OsString {
    std::env::var_os("HEAPWOOD_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_heapwood").into())
}

/// Runs the program. `arguments` are words separated by spaces; `@name` among them is the file of
/// that name in `folder`.
pub fn run(folder: &Folder, arguments: &str) -> Outcome {
    let words = arguments
        .split_whitespace()
        .map(|word| match word.strip_prefix('@') {
            Some(name) => folder.path(name).into_os_string(),
            None => word.into(),
        });
    let mut child = Command::new(program())
        .args(words)
        .stdin(Stdio::null())
        .stdout(fs::File::create(folder.path(".stdout")).unwrap())
        .stderr(fs::File::create(folder.path(".stderr")).unwrap())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("`{arguments}` hangs");
        }
        thread::sleep(Duration::from_millis(5));
    };
    let text = |name| String::from_utf8(fs::read(folder.path(name)).unwrap()).unwrap();
    let outcome = Outcome {
        code: status.code().unwrap_or(-1),
        stdout: text(".stdout"),
        stderr: text(".stderr"),
    };
    assert!(!outcome.stderr.contains("panicked"), "{outcome:?}");
    outcome
}

/// A folder of a test's own.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// The names of all files but those that `run` keeps there.
    pub fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != ".stdout" && name != ".stderr")
            .collect();
        names.sort();
        names
    }

    /// Generates one of the program's scenes as `name`.obj.
    pub fn scene(&self, name: &str) {
        let outcome = run(self, &format!("generate scene {name} -o @{name}.obj"));
        assert_eq!(outcome.code, 0, "{outcome:?}");
    }
}

/// Width and height in the header of a PNG file.
pub fn png_size(path: &Path) -> (u32, u32) {
    let bytes = fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

/// Whether this machine has a GPU that the program can use.
pub fn has_gpu(folder: &Folder) -> bool {
    run(folder, "allocators --backend cuda").code == 0
}

/// The allocators of the program, each in its default form.
pub fn allocators() -> Vec<&'static str> {
    names(heapwood::allocators::all())
}

/// The published forms, each right behind the others of its family.
pub fn published() -> Vec<&'static str> {
    names(heapwood::allocators::published())
}

fn names(allocators: impl Iterator<Item = &'static HostAllocator>) -> Vec<&'static str> {
    allocators
        .map(|allocator| allocator.description.name)
        .collect()
}

/// The keys of an object, sorted.
pub fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value
        .as_object()
        .unwrap_or_else(|| panic!("no object: {value}"))
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}

/// The keys of a result's `meta`.
const META_KEYS: [&str; 7] = [
    "commit",
    "compiler",
    "driver",
    "gpu",
    "input_hash",
    "link",
    "seed",
];

/// Checks that a result has these keys, and all of `meta`.
pub fn assert_keys(value: &Value, expected: &[&str]) {
    let found = keys(value);
    for key in expected {
        assert!(found.contains(key), "no {key} in {found:?}");
    }
    assert_eq!(keys(&value["meta"]), META_KEYS);
}

/// The text under a key.
pub fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key}: {value}"))
}

/// The number that a value is.
pub fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("no number: {value}"))
}
