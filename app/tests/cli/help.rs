//! Help of every command: `-h` fits a screen, `--help` has all options, and the examples parse. The
//! list of commands is the parser's, so it includes new ones.

use std::path::Path;

use super::program::{Folder, run};

/// Lines and columns of the screen that `-h` fits.
const SCREEN: (usize, usize) = (50, 100);

/// A command as the parser has it.
struct Described {
    /// Its name with those of the commands above it, a blank behind each.
    words: String,
    /// Its options, each with its possible values.
    options: Vec<(String, Vec<String>)>,
}

/// All commands, the program itself first.
fn commands() -> Vec<Described> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), heapwood::cli::command())];
    while let Some((words, command)) = open.pop() {
        for inner in command
            .get_subcommands()
            .filter(|inner| !inner.is_hide_set())
        {
            open.push((format!("{words}{} ", inner.get_name()), inner.clone()));
        }
        let options = command.get_arguments().filter_map(|argument| {
            // Flags have the values true and false, which their names imply.
            let values = argument.get_possible_values();
            let values = values.iter().map(|value| value.get_name().to_owned());
            let values = values.filter(|value| value != "true" && value != "false");
            Some((format!("--{}", argument.get_long()?), values.collect()))
        });
        found.push(Described {
            words,
            options: options.collect(),
        });
    }
    assert!(found.len() > 20, "{} commands", found.len());
    found
}

/// The output of a command.
fn printed(command: &str) -> String {
    let outcome = run(&Folder::new(), command);
    assert_eq!(
        (outcome.code, outcome.stderr.as_str()),
        (0, ""),
        "{command}"
    );
    outcome.stdout
}

/// The line of an option, if help has one.
fn line_of<'a>(help: &'a str, option: &str) -> Option<&'a str> {
    help.lines().find(|line| {
        let words = line
            .trim_start()
            .trim_start_matches("-o, ")
            .trim_start_matches("-h, ");
        line.starts_with("  ") && words.split_whitespace().next() == Some(option)
    })
}

#[test]
fn short_help_fits_a_screen() {
    for Described { words, options } in commands() {
        let help = printed(&format!("{words}-h"));
        let (lines, columns) = SCREEN;
        assert!(help.lines().count() <= lines, "{words}: {help}");
        for line in help.lines() {
            assert!(line.chars().count() <= columns, "{words}: {line}");
            assert!(
                !line.starts_with("       "),
                "{words}: goes on in a second line: {line}"
            );
        }
        for (option, values) in options {
            let Some(line) = line_of(&help, &option) else {
                continue;
            };
            for value in values
                .iter()
                .filter(|value| *value != "true" && *value != "false")
            {
                assert!(
                    line.contains(value),
                    "{words}{option} takes {value}: {line}"
                );
            }
        }
    }
}

#[test]
fn full_help_has_every_option() {
    for Described { words, options } in commands() {
        let help = printed(&format!("{words}--help"));
        for line in help.lines() {
            assert!(line.chars().count() <= SCREEN.1, "{words}: {line}");
        }
        for (option, values) in options {
            let line = line_of(&help, &option).unwrap_or_else(|| panic!("{words}{option}: {help}"));
            assert!(line.trim().contains(' '), "{words}{option} has no help");
            for value in &values {
                assert!(help.contains(value), "{words}{option} takes {value}");
            }
        }
        assert_eq!(printed(&format!("help {words}")), help, "{words}");
    }
}

#[test]
fn examples_are_understood() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for Described { words, .. } in commands() {
        let help = printed(&format!("{words}-h"));
        let examples = help.lines().skip_while(|line| *line != "Examples:").skip(1);
        let examples = examples.take_while(|line| !line.is_empty());
        let examples: Vec<&str> = examples.map(str::trim).collect();
        assert!((2..=3).contains(&examples.len()), "{words}: {examples:?}");
        for example in examples {
            let called = example.strip_prefix("heapwood ").expect(example);
            assert!(called.starts_with(words.trim_end()), "{words}: {example}");
            let parsed = heapwood::cli::command().try_get_matches_from(example.split(' '));
            assert!(parsed.is_ok(), "{example}: {}", parsed.unwrap_err());
            // A bundle runs without the repository.
            let files = example.split(' ').filter(|word| word.contains('/'));
            for file in files.filter(|_| root.exists()) {
                assert!(root.join(file).exists(), "{example}: {file}");
            }
        }
    }
}

/// Pages with commands.
const PAGES: [(&str, &str); 6] = [
    ("README.md", include_str!("../../../README.md")),
    (
        "usage/README.md",
        include_str!("../../../docs/usage/README.md"),
    ),
    (
        "usage/pictures.md",
        include_str!("../../../docs/usage/pictures.md"),
    ),
    (
        "usage/graphs.md",
        include_str!("../../../docs/usage/graphs.md"),
    ),
    (
        "usage/comparing.md",
        include_str!("../../../docs/usage/comparing.md"),
    ),
    (
        "usage/library.md",
        include_str!("../../../docs/usage/library.md"),
    ),
];

/// The commands of this program among the indented lines of a page.
fn commands_of(page: &str) -> Vec<String> {
    let code = page.replace(" \\\n", " ");
    let lines = code.lines().filter_map(|line| line.strip_prefix("    "));
    let commands = lines.filter_map(|line| {
        let line = line.trim_start().trim_start_matches("ssh gpu ");
        let line = line.replace("cargo run --release --", "heapwood");
        line.starts_with("heapwood ").then_some(line)
    });
    commands.collect()
}

#[test]
fn commands_of_pages_are_understood() {
    let mut count = 0;
    for (name, page) in PAGES {
        for command in commands_of(page) {
            let parsed = heapwood::cli::command().try_get_matches_from(command.split_whitespace());
            assert!(parsed.is_ok(), "{name}: {command}: {}", parsed.unwrap_err());
            count += 1;
        }
    }
    assert!(count > 50, "{count} commands");
}
