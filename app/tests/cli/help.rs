//! Help of every command: `-h` fits a screen, `--help` has all options, and the examples parse. The
//! list of commands is the parser's, so it includes new ones. Commands of all pages parse, too.

use std::path::{Path, PathBuf};

use super::program::Folder;

/// Lines and columns of the screen that `-h` fits.
const SCREEN: (usize, usize) = (50, 100);

/// A command as the parser has it.
struct Described {
    /// Its name with those of the commands above it, a blank behind each.
    words: String,
    options: Vec<DescribedOption>,
}

/// An option as the parser has it.
struct DescribedOption {
    /// Its long form.
    name: String,
    /// Whether `-h` leaves it out.
    is_rare: bool,
    /// Its possible values; none of a flag.
    values: Vec<String>,
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
            Some(DescribedOption {
                name: format!("--{}", argument.get_long()?),
                is_rare: argument.is_hide_short_help_set(),
                values: values.collect(),
            })
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
    let outcome = Folder::new().run(command).succeeds_quietly();
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

/// The entry of an option in help: its line, and those that follow up to the next option.
fn entry_of(help: &str, option: &str) -> Option<String> {
    let first = line_of(help, option)?;
    let rest = help.lines().skip_while(|line| *line != first).skip(1);
    let is_next = |line: &str| {
        let mut characters = line.trim_start().chars();
        // The meanings of values have a blank behind the hyphen.
        line.is_empty() || characters.next() == Some('-') && characters.next() != Some(' ')
    };
    let rest = rest.take_while(|line| !is_next(line)).map(str::trim);
    let lines: Vec<&str> = [first.trim()].into_iter().chain(rest).collect();
    Some(lines.join(" "))
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
        for option in options {
            let name = option.name;
            let Some(line) = line_of(&help, &name) else {
                assert!(option.is_rare, "{words}{name} is left out: {help}");
                continue;
            };
            assert!(!option.is_rare, "{words}{name} is not left out: {help}");
            for value in &option.values {
                assert!(line.contains(value), "{words}{name} takes {value}: {line}");
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
        for DescribedOption { name, values, .. } in options {
            let entry = entry_of(&help, &name).unwrap_or_else(|| panic!("{words}{name}: {help}"));
            // Two blanks end the option itself.
            assert!(entry.contains("  "), "{words}{name} has no help: {entry}");
            for value in &values {
                assert!(
                    entry.contains(value),
                    "{words}{name} takes {value}: {entry}"
                );
            }
        }
        assert_eq!(printed(&format!("help {words}")), help, "{words}");
        // The word may stand before any of the commands.
        let nested = words.trim_end().rsplit_once(' ');
        if let Some((above, last)) = nested {
            let page = printed(&format!("{above} help {last}"));
            assert_eq!(page, help, "{above} help {last}");
        }
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

/// The pages for users and developers, by their paths. Records of campaigns have commands of their
/// time, with words that stand for several.
fn pages(root: &Path) -> Vec<PathBuf> {
    let mut found = vec![root.join("README.md")];
    let mut open = vec![root.join("docs")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("results/runs") {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The commands of this program on a page: among its indented lines, and behind a prompt in its
/// fenced blocks.
fn commands_of(page: &str) -> Vec<String> {
    let code = page.replace(" \\\n", " ");
    let mut is_fenced = false;
    let mut commands = Vec::new();
    for line in code.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            continue;
        }
        let line = match is_fenced {
            true => line.trim_start().strip_prefix("$ "),
            false => line.strip_prefix("    ").map(str::trim_start),
        };
        let line = line.unwrap_or_default().trim_start_matches("ssh gpu ");
        let line = line.replace("cargo run --release --", "heapwood");
        // The shell redirects the output.
        let line = line.split(" > ").next().unwrap_or_default();
        if line.starts_with("heapwood ") {
            commands.push(line.to_owned());
        }
    }
    assert!(!is_fenced, "a block without an end");
    commands
}

#[test]
fn commands_of_pages_are_understood() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if !root.exists() {
        return println!("skipped: a bundle has no pages");
    }
    let mut count = 0;
    for path in pages(&root) {
        let name = path.display();
        let page = std::fs::read_to_string(&path).unwrap();
        for command in commands_of(&page) {
            let parsed = heapwood::cli::command().try_get_matches_from(command.split_whitespace());
            assert!(parsed.is_ok(), "{name}: {command}: {}", parsed.unwrap_err());
            count += 1;
        }
    }
    assert!(count > 95, "{count} commands");
}

#[test]
fn commands_are_found_in_blocks_of_both_kinds() {
    let page = "    heapwood devices\n    ssh gpu heapwood view a.png \\\n        --width 9\n\
                ```text\n$ heapwood allocators > list\nheapwood      0.1\n```\n    other\n";
    let expected = [
        "heapwood devices",
        "heapwood view a.png        --width 9",
        "heapwood allocators",
    ];
    let found = commands_of(page);
    let words = |command: &str| {
        command
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert!(
        found.iter().map(|of| words(of)).eq(expected.map(words)),
        "{found:?}"
    );
}
