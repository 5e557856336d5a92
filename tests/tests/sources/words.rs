//! Words that the sources must not use, and those that they use less and less.
//!
//! A count here is exact, so that it cannot grow unseen, and falls when somebody mends a line.

use std::fs;
use std::path::{Path, PathBuf};

/// Begins of names in capitals that have a usual form: `MAX`, `MIN`.
const NAMES: [&str; 4] = ["MOST", "LEAST", "LARGEST", "SMALLEST"];
/// Names that begin so, a name once per file. All of them are names of device code.
const LIMITS: usize = 79;
/// Words that are no subject of a sentence.
const SUBJECTS: [&str; 3] = ["What", "Who", "Nobody"];
/// Sentences in comments that begin so.
const SENTENCES: usize = 992;
/// "of which" in comments.
const OF_WHICH: usize = 199;

/// Rust files in a folder and below.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let of = |path: PathBuf| match path.is_dir() {
        true => files(&path),
        false if path.extension().is_some_and(|end| end == "rs") => vec![path],
        false => Vec::new(),
    };
    paths.flat_map(of).collect()
}

/// Texts of all Rust files of the project below these folders.
fn texts(folders: &[&str]) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let paths = folders.iter().flat_map(|folder| files(&root.join(folder)));
    // This file has the words.
    let paths = paths.filter(|path| !path.ends_with("sources/words.rs"));
    paths
        .map(|path| {
            let text = fs::read_to_string(&path).expect("text");
            (path, text)
        })
        .collect()
}

/// Names in capitals that begin with one of [`NAMES`], each once per file.
fn capital_names(text: &str) -> Vec<&str> {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let names = text.split(|sign| !is_part(sign));
    let mut found: Vec<&str> = names
        .filter(|name| {
            let first = name.split('_').next().unwrap_or_default();
            NAMES.contains(&first)
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The comments of a text, each as one line.
fn comments(text: &str) -> Vec<String> {
    let mut comments = vec![String::new()];
    for line in text.lines() {
        let line = line.trim_start();
        match line.strip_prefix("//") {
            Some(comment) => {
                let words = comment.trim_start_matches(['/', '!']).trim();
                let last = comments.last_mut().expect("there is one");
                last.push_str(words);
                last.push(' ');
                if words.is_empty() {
                    comments.push(String::new());
                }
            }
            None => comments.push(String::new()),
        }
    }
    comments
}

/// How often one of `words` begins a sentence of a comment.
fn sentences(comment: &str, words: &[&str]) -> usize {
    let sentences = comment.split(". ");
    let begins = |sentence: &str| {
        let first = sentence.split_whitespace().next();
        first.is_some_and(|first| words.contains(&first))
    };
    sentences.filter(|sentence| begins(sentence)).count()
}

const FOLDERS: [&str; 9] = [
    "app",
    "device",
    "files",
    "graphs",
    "results",
    "scenes",
    "tests",
    "xtask",
    "docs/examples",
];

#[test]
fn limits_are_called_max_and_min() {
    let texts = texts(&FOLDERS);
    let names = texts.iter().map(|(path, text)| (path, capital_names(text)));
    let found: Vec<_> = names.filter(|(_, names)| !names.is_empty()).collect();
    let count: usize = found.iter().map(|(_, names)| names.len()).sum();
    assert_eq!(count, LIMITS, "write the count here if it fell: {found:#?}");
}

#[test]
fn comments_have_fewer_and_fewer_sentences_without_a_subject() {
    let texts = texts(&FOLDERS);
    let comments: Vec<String> = texts.iter().flat_map(|(_, text)| comments(text)).collect();
    let found: usize = comments
        .iter()
        .map(|comment| sentences(comment, &SUBJECTS))
        .sum();
    assert_eq!(found, SENTENCES, "write the count here if it fell");
    let found: usize = comments
        .iter()
        .map(|comment| comment.matches("of which").count())
        .sum();
    assert_eq!(found, OF_WHICH, "write the count here if it fell");
}

#[test]
fn words_are_found_where_they_count() {
    assert_eq!(
        capital_names("MOST_A + x.LEAST(MOST_A, ALMOST_B, MOSTLY)"),
        ["LEAST", "MOST_A"]
    );
    let text = "/// What it is. Who reads\n/// it. What\nfn a() {}\n// Nobody, of which\n";
    let comments = comments(text).join("\n");
    let counts: usize = comments
        .lines()
        .map(|comment| sentences(comment, &SUBJECTS))
        .sum();
    assert_eq!(counts, 3, "{comments:?}");
}
