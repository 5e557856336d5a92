//! The two lengths of help: `-h` has one line per option and omits the rare ones, `--help` has every
//! option with its whole text, in the same columns.
//!
//! clap's own `--help` takes at least three lines per option: that of `render` had 229 lines. The first
//! paragraph of an option's doc comment is its line in `-h`.

use std::ffi::OsString;

use clap::builder::Resettable;
use clap::{Arg, Command};

/// clap's template, with the whole description in place of its first line.
const TEMPLATE: &str = "{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// Rewrites `heapwood help COMMAND` to `heapwood COMMAND --help`, and `heapwood bench help threads` to
/// `heapwood bench threads --help`, so that both print the same.
pub fn as_option(mut arguments: Vec<OsString>, mut command: &Command) -> Vec<OsString> {
    let (mut index, mut is_asked) = (1, false);
    while let Some(word) = arguments.get(index) {
        if word == "help" && command.has_subcommands() {
            arguments.remove(index);
            is_asked = true;
            continue;
        }
        match command.find_subcommand(word) {
            Some(inner) => command = inner,
            None => break,
        }
        index += 1;
    }
    if is_asked {
        arguments.push("--help".into());
    }
    arguments
}

/// Prepares a command for the help that these arguments request, if any. Parsing stays the same.
pub fn arrange(command: Command, arguments: &[OsString]) -> Command {
    let mut options = arguments.iter().take_while(|word| *word != "--");
    match options.any(|word| word == "--help") {
        true => in_full(command),
        false => in_short(command),
    }
}

/// One line per option. The names or the texts list possible values, `--help` their meanings.
fn in_short(command: Command) -> Command {
    command
        .mut_args(|argument| match argument.get_action().takes_values() {
            true => argument.hide_possible_values(true),
            false => argument,
        })
        .mut_subcommands(in_short)
}

/// Every option, with its whole text.
fn in_full(command: Command) -> Command {
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    // The list of commands shows `about`, which therefore stays the first line.
    command
        .help_template(TEMPLATE)
        .before_help(about)
        .long_about(Resettable::Reset)
        .mut_args(with_whole_text)
        .mut_subcommands(in_full)
}

/// An option whose help is its whole text in one paragraph, with a line per documented value.
fn with_whole_text(argument: Arg) -> Arg {
    let text = argument.get_long_help().or(argument.get_help());
    let mut text = match text {
        // The first paragraph ends without a period, as clap's texts do.
        Some(text) => text
            .to_string()
            .replace("...\n\n", "... ")
            .replace("\n\n", ". "),
        None => return argument,
    };
    let mut values = String::new();
    if !argument.is_hide_possible_values_set() {
        for value in argument.get_possible_values() {
            if let Some(meaning) = value.get_help() {
                values += &format!("\n- {}: {meaning}", value.get_name());
            }
        }
    }
    let has_values = !values.is_empty();
    if has_values {
        let defaults = argument.get_default_values().iter();
        let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
        if !defaults.is_empty() && !argument.is_hide_default_value_set() {
            text += &format!(" [default: {}]", defaults.join(","));
        }
    }
    let takes_values = argument.get_action().takes_values();
    let argument = argument
        .help(text + &values)
        .long_help(Resettable::Reset)
        .hide_short_help(false);
    match takes_values {
        true => argument
            .hide_default_value(has_values)
            .hide_possible_values(true),
        false => argument,
    }
}
