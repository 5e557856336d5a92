//! Command lines that make results, with lists that several rows contribute to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A command: words that all its rows have in common, and options whose lists have a value of each
/// row.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Command {
    /// The program, its subcommands, inputs and options.
    pub words: Vec<String>,
    /// Options with lists, as `--threads`, and the values of a row.
    #[serde(default)]
    pub lists: BTreeMap<String, String>,
}

impl Command {
    /// One of the program, with these words, which are divided at spaces.
    pub fn new(words: &str) -> Self {
        Self::of(&format!("heapwood {words}"))
    }

    /// That of a benchmark in app/benches.
    pub fn benchmark(name: &str) -> Self {
        Self::of("cargo bench -p heapwood-benches --bench").word(name)
    }

    fn of(words: &str) -> Self {
        Self {
            words: words.split(' ').map(str::to_owned).collect(),
            lists: BTreeMap::new(),
        }
    }

    /// With one more word.
    pub fn word(mut self, word: impl Into<String>) -> Self {
        self.words.push(word.into());
        self
    }

    /// With the value of a row for an option with a list.
    pub fn list(mut self, option: &str, value: impl ToString) -> Self {
        self.lists.insert(option.to_owned(), value.to_string());
        self
    }
}

/// The commands of some rows as a shell takes them: rows that differ in lists alone share one.
pub struct CommandLines<'c>(Vec<(&'c [String], Lists<'c>)>);

/// Options with the values of some rows.
type Lists<'c> = BTreeMap<&'c str, Vec<&'c str>>;

impl<'c> CommandLines<'c> {
    /// Those of some commands.
    pub fn of(commands: impl IntoIterator<Item = &'c Command>) -> Self {
        let mut lines = Self(Vec::new());
        for command in commands {
            let mut lists = Lists::new();
            for (option, value) in &command.lists {
                lists.insert(option, vec![value]);
            }
            let Some(line) = lines.line(&command.words, &lists) else {
                lines.0.push((&command.words, lists));
                continue;
            };
            for (option, value) in &command.lists {
                let values = lines.0[line].1.entry(option).or_default();
                if !values.contains(&value.as_str()) {
                    values.push(value);
                }
            }
        }
        lines
    }

    /// The place of the line of such words with such lists.
    fn line(&self, words: &[String], lists: &Lists) -> Option<usize> {
        let is_same = |(others, other): &(&[String], Lists)| {
            *others == words && other.keys().eq(lists.keys())
        };
        self.0.iter().position(is_same)
    }

    /// The text of each.
    pub fn texts(&self) -> Vec<String> {
        let text = |(words, lists): &(&[String], Lists)| {
            let words = words.iter().map(|word| quoted(word));
            let lists = lists.iter().map(|(option, values)| list(option, values));
            Vec::from_iter(words.chain(lists)).join(" ")
        };
        self.0.iter().map(text).collect()
    }

    /// The places of the lines of fewer rows, and their lists that are shorter.
    pub fn parts(&self, fewer: &CommandLines) -> Vec<(usize, String)> {
        let part = |(words, lists): &(&[String], Lists)| {
            let line = self.line(words, lists)?;
            let all = &self.0[line].1;
            let is_shorter =
                |(option, values): &(&&str, &Vec<&str>)| values.len() < all[**option].len();
            let shorter = lists.iter().filter(is_shorter);
            let shorter = shorter.map(|(option, values)| list(option, values));
            Some((line, Vec::from_iter(shorter).join(" ")))
        };
        fewer.0.iter().filter_map(part).collect()
    }
}

/// An option with a list for a shell.
fn list(option: &str, values: &[&str]) -> String {
    format!("{option} {}", quoted(&values.join(",")))
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.,:=/^+%@".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_differ_in_lists_share_a_command() {
        let row = |threads: u32, allocator: &str| {
            Command::new("bench threads")
                .word("--heap=warm")
                .list("--threads", threads)
                .list("--allocators", allocator)
        };
        let rows = [row(10, "a"), row(20, "a"), row(10, "b")];
        let other = Command::new("compare kdtree").word("it's a scene.obj");
        let lines = CommandLines::of(rows.iter().chain([&other]));
        assert_eq!(
            lines.texts(),
            [
                "heapwood bench threads --heap=warm --allocators a,b --threads 10,20",
                r"heapwood compare kdtree 'it'\''s a scene.obj'",
            ]
        );
        let parts = lines.parts(&CommandLines::of([&rows[0], &rows[2]]));
        assert_eq!(parts, [(0, "--threads 10".to_owned())]);
        assert_eq!(
            lines.parts(&CommandLines::of([&other])),
            [(1, String::new())]
        );
    }
}
