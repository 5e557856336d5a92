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
    pub arguments: String,
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// The result as JSON of a run that succeeded.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{self:?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Checks that the run succeeded.
    #[track_caller]
    pub fn succeeds(self) -> Self {
        assert_eq!(self.code, 0, "{}: {}", self.arguments, self.stderr);
        self
    }

    /// Checks that the run succeeded without a warning.
    #[track_caller]
    pub fn succeeds_quietly(self) -> Self {
        assert_eq!(self.stderr, "", "{}", self.arguments);
        self.succeeds()
    }

    /// Checks that the run failed with `code` and this part of its message.
    #[track_caller]
    pub fn fails(self, code: i32, part: &str) -> Self {
        assert!(
            self.error(code).contains(part),
            "{}: {}",
            self.arguments,
            self.stderr
        );
        self
    }

    /// The error message of a run that failed with `code`: exactly one line.
    #[track_caller]
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

    /// The names of all files but those that `run` keeps there, separated by spaces.
    pub fn names(&self) -> String {
        let names = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != ".stdout" && name != ".stderr")
            .collect();
        names.sort();
        names.join(" ")
    }

    /// Runs the program. `arguments` are words separated by spaces; `@name` among them is the file
    /// of that name in the folder.
    pub fn run(&self, arguments: impl AsRef<str>) -> Outcome {
        let arguments = arguments.as_ref();
        let words = arguments
            .split_whitespace()
            .map(|word| match word.strip_prefix('@') {
                Some(name) => self.path(name).into_os_string(),
                None => word.into(),
            });
        let mut child = Command::new(program())
            .args(words)
            .stdin(Stdio::null())
            .stdout(fs::File::create(self.path(".stdout")).unwrap())
            .stderr(fs::File::create(self.path(".stderr")).unwrap())
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
            thread::sleep(Duration::from_millis(1));
        };
        let text = |name| String::from_utf8(fs::read(self.path(name)).unwrap()).unwrap();
        let outcome = Outcome {
            arguments: arguments.to_owned(),
            code: status.code().unwrap_or(-1),
            stdout: text(".stdout"),
            stderr: text(".stderr"),
        };
        assert!(!outcome.stderr.contains("panicked"), "{outcome:?}");
        outcome
    }

    /// The JSON that the program prints.
    #[track_caller]
    pub fn json(&self, arguments: impl AsRef<str>) -> Value {
        self.run(arguments).json()
    }

    /// Generates one of the program's scenes as `name`.obj.
    pub fn scene(&self, name: &str) {
        self.run(format!("generate scene {name} -o @{name}.obj"))
            .succeeds();
    }
}

/// Checks that a text has this part.
#[track_caller]
pub fn has(text: &str, part: &str) {
    assert!(text.contains(part), "no `{part}` in {text}");
}

/// The rows of a table of cases, one per line, with fields between bars.
pub fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    table.lines().map(|line| {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let count = fields.len();
        fields
            .try_into()
            .unwrap_or_else(|_| panic!("{count} fields in {line}"))
    })
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
    folder.run("allocators --backend cuda").code == 0
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
const META_KEYS: &str = "\
    commit compiler driver gpu input_hash link seed";

/// Checks that a result has these keys, separated by spaces, and all of `meta`.
#[track_caller]
pub fn assert_keys(value: &Value, expected: &str) {
    let found = keys(value);
    for key in expected.split(' ') {
        assert!(found.contains(&key), "no {key} in {found:?}");
    }
    assert_eq!(keys(&value["meta"]).join(" "), META_KEYS);
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
