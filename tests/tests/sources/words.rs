//! Words that the sources must not use, those that they use less and less, and flags that only the
//! command line names.
//!
//! Counts of `tests/data/words.tsv` are exact and stand for one file each, so that none grows
//! unseen, and that a rise in one file does not hide behind a fall in another. A count that fell
//! is lowered there: the test writes the list as it should be.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Parts of names in capitals that have a usual form: `MAX`, `MIN`.
const NAMES: [&str; 4] = ["MOST", "LEAST", "LARGEST", "SMALLEST"];
/// Words that are no subject of a sentence.
const SUBJECTS: [&str; 3] = ["What", "Who", "Nobody"];
/// Signs between a sentence and the next.
const ENDS: [&str; 4] = [". ", "? ", "! ", ": "];

const FOLDERS: [&str; 11] = [
    "app",
    "device",
    "files",
    "graphs",
    "results",
    "scenes",
    "tests",
    "page",
    "traces",
    "xtask",
    "docs/examples",
];

/// Libraries with errors for users. Those who call them have options, and no flags.
const LIBRARIES: [&str; 7] = [
    "app/src/",
    "files/src/",
    "graphs/src/",
    "results/src/",
    "scenes/src/",
    // Its other files write command lines.
    "page/src/error.rs",
    "traces/src/",
];
/// The part of a library that knows flags.
const COMMAND_LINE: &str = "app/src/cli/";

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

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

/// Texts of all Rust files of the project, by their paths below its root.
pub fn texts() -> BTreeMap<String, String> {
    let root = root();
    let paths = FOLDERS.iter().flat_map(|folder| files(&root.join(folder)));
    // This file has the words.
    let paths = paths.filter(|path| !path.ends_with("sources/words.rs"));
    paths
        .map(|path| {
            let text = fs::read_to_string(&path).expect("text");
            let below = path.strip_prefix(&root).expect("below the root");
            (below.display().to_string().replace('\\', "/"), text)
        })
        .collect()
}

/// Names in capitals that begin with one of [`NAMES`], each once per file.
fn capital_names(text: &str) -> Vec<&str> {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let names = text.split(|sign| !is_part(sign));
    let mut found: Vec<&str> = names
        .filter(|name| name.split('_').any(|part| NAMES.contains(&part)))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The length of the literal at the begin of `code` whose contents are no code: a string, raw or
/// not, or a character; 0 if there is none.
fn literal(code: &str) -> usize {
    let raw = code.strip_prefix('r').map(|rest| {
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        (hashes, &rest[hashes..])
    });
    if let Some((hashes, quoted)) = raw
        && let Some(inside) = quoted.strip_prefix('"')
    {
        let end = format!("\"{}", "#".repeat(hashes));
        let length = inside.find(&end).map_or(inside.len(), |at| at + end.len());
        return code.len() - inside.len() + length;
    }
    let quote = code
        .chars()
        .next()
        .filter(|sign| ['"', '\''].contains(sign));
    let Some(quote) = quote else {
        return 0;
    };
    let mut is_escaped = false;
    for (count, (at, sign)) in code.char_indices().skip(1).enumerate() {
        // A lifetime has no second quote.
        if quote == '\'' && count == 1 && !is_escaped && sign != quote && !code.starts_with("'\\") {
            return 0;
        }
        if sign == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = sign == '\\' && !is_escaped;
    }
    code.len()
}

/// The comments of a text, each as one line. Lines of nothing but comments belong together; a
/// comment behind code stands alone.
fn comments(text: &str) -> Vec<String> {
    let mut comments = vec![String::new()];
    let (mut rest, mut is_behind_code) = (text, false);
    while let Some(sign) = rest.chars().next() {
        let mut length = literal(rest).max(sign.len_utf8());
        if rest.starts_with("//") {
            let line = rest.lines().next().unwrap_or_default();
            let words = line.trim_start_matches(['/', '!']).trim();
            if words.is_empty() || is_behind_code {
                comments.push(String::new());
            }
            let last = comments.last_mut().expect("there is one");
            last.push_str(words);
            last.push(' ');
            length = (line.len() + 1).min(rest.len());
            // A heading ends with its line.
            if is_behind_code || words.starts_with("# ") {
                comments.push(String::new());
            }
            is_behind_code = false;
        } else if sign == '\n' {
            is_behind_code = false;
        } else if !sign.is_whitespace() {
            if !is_behind_code {
                comments.push(String::new());
            }
            is_behind_code = true;
        }
        rest = &rest[length..];
    }
    comments
}

/// How many sentences of a comment begin with one of [`SUBJECTS`].
fn sentences(comment: &str) -> usize {
    let mut parts = vec![comment];
    for end in ENDS {
        parts = parts.iter().flat_map(|part| part.split(end)).collect();
    }
    let begins = |sentence: &&str| {
        let first = sentence.split_whitespace().next();
        first.is_some_and(|first| SUBJECTS.contains(&first))
    };
    parts.iter().filter(|part| begins(part)).count()
}

/// Counts sentences of comments without a subject, and uses of the words of the list.
fn counts(text: &str) -> [usize; 2] {
    let comments = comments(text);
    let sentences = comments.iter().map(|comment| sentences(comment)).sum();
    let of_which = comments
        .iter()
        .map(|comment| comment.matches("of which").count())
        .sum();
    [sentences, of_which]
}

/// Literals of code, without those of its tests, in which a flag stands.
fn flags(text: &str) -> Vec<&str> {
    let code = text.split("#[cfg(test)]\nmod tests {").next();
    let (mut rest, mut found) = (code.unwrap_or_default(), Vec::new());
    while let Some(sign) = rest.chars().next() {
        let is_comment = rest.starts_with("//");
        let length = match is_comment {
            true => rest.find('\n').unwrap_or(rest.len()),
            false => literal(rest).max(sign.len_utf8()),
        };
        let (token, behind) = rest.split_at(length);
        let mut flags = token.split("--").skip(1);
        if !is_comment && flags.any(|name| name.starts_with(|sign: char| sign.is_ascii_lowercase()))
        {
            found.push(token);
        }
        rest = behind;
    }
    found
}

#[test]
fn limits_are_called_max_and_min() {
    let texts = texts();
    let names = texts.iter().map(|(path, text)| (path, capital_names(text)));
    let found: Vec<_> = names.filter(|(_, names)| !names.is_empty()).collect();
    assert!(found.is_empty(), "call them MAX and MIN: {found:#?}");
}

#[test]
fn comments_have_fewer_and_fewer_sentences_without_a_subject() {
    let texts = texts();
    let counts = texts.iter().map(|(path, text)| (path, counts(text)));
    let found: Vec<String> = counts
        .filter(|(_, counts)| *counts != [0, 0])
        .map(|(path, [sentences, of_which])| format!("{path}\t{sentences}\t{of_which}"))
        .collect();
    let list = fs::read_to_string(root().join("tests/data/words.tsv")).expect("the list");
    let (head, known): (Vec<&str>, Vec<&str>) =
        list.lines().partition(|line| line.starts_with('#'));
    let new: Vec<_> = found
        .iter()
        .filter(|line| !known.contains(&line.as_str()))
        .collect();
    let gone: Vec<_> = known
        .iter()
        .filter(|line| !found.iter().any(|found| found == *line))
        .collect();
    let written = Path::new(env!("CARGO_TARGET_TMPDIR")).join("words.tsv");
    let lines = head.into_iter().chain(found.iter().map(String::as_str));
    let list: Vec<&str> = lines.collect();
    fs::write(&written, list.join("\n") + "\n").expect("a file");
    assert!(
        new.is_empty() && gone.is_empty(),
        "tests/data/words.tsv has {gone:#?}, and there are {new:#?}: mend comments whose count \
         rose; where counts only fell, the list is to be {}",
        written.display()
    );
}

#[test]
fn errors_of_libraries_name_no_flags() {
    let texts = texts();
    let is_library = |path: &str| {
        let below = |folder: &str| path.starts_with(folder);
        let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
        LIBRARIES.iter().any(|folder| below(folder)) && !below(COMMAND_LINE) && !is_test
    };
    let libraries = texts.iter().filter(|(path, _)| is_library(path));
    let found: Vec<_> = libraries
        .map(|(path, text)| (path, flags(text)))
        .filter(|(_, flags)| !flags.is_empty())
        .collect();
    assert!(
        found.is_empty(),
        "{COMMAND_LINE}hints.rs has what names flags: {found:#?}"
    );
}

#[test]
fn flags_are_found_in_literals_alone() {
    let text = "// --a\nb(\"use a larger --pool\", \"--{c}\", d--e, \"a - -b\");";
    assert_eq!(flags(text), ["\"use a larger --pool\""]);
    assert!(flags("#[cfg(test)]\nmod tests { a(\"--b\") }").is_empty());
}

#[test]
fn words_are_found_where_they_count() {
    assert_eq!(
        capital_names("MOST_A + x.LEAST(MOST_A, ALMOST_B, KEPT_MOST)"),
        ["KEPT_MOST", "LEAST", "MOST_A"]
    );
    let text = "/// What it is. Who reads\n/// it. What\nfn a() {}\n// Nobody, of which\n";
    assert_eq!(counts(text), [3, 1]);
    let questions = "// Why? Who knows! Nobody: What\n// of\n// which";
    assert_eq!(counts(questions), [3, 1]);
    assert_eq!(counts("/// # Errors\n/// What fails.\n"), [1, 0]);
}

#[test]
fn comments_behind_code_count() {
    assert_eq!(
        counts("a(); // Who asks.\n// Nobody.\nb(); // of which"),
        [2, 1]
    );
    // None of these is a comment.
    for code in [
        r#"a("// Who", b'"', "\"// Who");"#,
        "a('\"', \"// Who\", '\\'', \"//\n// Who\");",
        "a(r#\"\" // Who\"#, r\"\\\", \"// Who\");",
        "fn a<'b>(c: &'b str) { d(\"// Who\") }",
    ] {
        assert_eq!(counts(code), [0, 0], "{code}");
    }
}
