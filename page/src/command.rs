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
pub fn lines<'c>(commands: impl IntoIterator<Item = &'c Command>) -> Vec<String> {
    let mut merged: Vec<(&Command, BTreeMap<&str, Vec<&str>>)> = Vec::new();
    for command in commands {
        let same = merged.iter_mut().find(|(other, _)| {
            other.words == command.words && other.lists.keys().eq(command.lists.keys())
        });
        let lists = match same {
            Some((_, lists)) => lists,
            None => {
                merged.push((command, BTreeMap::new()));
                &mut merged.last_mut().expect("one was pushed").1
            }
        };
        for (option, value) in &command.lists {
            let values = lists.entry(option).or_default();
            if !values.contains(&value.as_str()) {
                values.push(value);
            }
        }
    }
    let text = |(command, lists): (&Command, BTreeMap<&str, Vec<&str>>)| {
        let words = command.words.iter().map(|word| quoted(word));
        let lists = lists
            .iter()
            .flat_map(|(option, values)| [(*option).to_owned(), quoted(&values.join(","))]);
        let all: Vec<String> = words.chain(lists).collect();
        all.join(" ")
    };
    merged.into_iter().map(text).collect()
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
        let lines = lines(rows.iter().chain([&other]));
        assert_eq!(
            lines,
            [
                "heapwood bench threads --heap=warm --allocators a,b --threads 10,20",
                r"heapwood compare kdtree 'it'\''s a scene.obj'",
            ]
        );
    }
}
