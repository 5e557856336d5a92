//! Arguments that remember how they were written, to pass them on to another process.

use std::ffi::OsString;
use std::ops::Deref;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches, Id};

use super::common::ChildArgs;

/// Arguments, and how they were written: whoever passes them on need not know which there
/// are.
#[derive(Clone, Debug)]
pub struct AsWritten<A> {
    parsed: A,
    words: Vec<(String, Option<OsString>)>,
}

impl<A> AsWritten<A> {
    /// These arguments for another process.
    pub fn forward(&self, child_args: &mut ChildArgs) {
        for (name, value) in &self.words {
            match value {
                Some(value) => child_args.option_os(name, Some(value.clone())),
                None => child_args.flag(name, true),
            }
        }
    }
}

impl<A> Deref for AsWritten<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.parsed
    }
}

impl<A: Args> Args for AsWritten<A> {
    fn group_id() -> Option<Id> {
        A::group_id()
    }

    fn augment_args(command: Command) -> Command {
        A::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        A::augment_args_for_update(command)
    }
}

impl<A: Args> FromArgMatches for AsWritten<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self {
            parsed: A::from_arg_matches(matches)?,
            words: words::<A>(matches),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The options among `A` that were written, each with its value if it takes one.
fn words<A: Args>(matches: &ArgMatches) -> Vec<(String, Option<OsString>)> {
    let mut words = Vec::new();
    for argument in A::augment_args(Command::new("")).get_arguments() {
        let id = argument.get_id().as_str();
        let Some(name) = argument.get_long() else {
            continue;
        };
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        if !argument.get_action().takes_values() {
            words.push((name.to_owned(), None));
            continue;
        }
        let values = matches.get_raw(id).into_iter().flatten();
        words.extend(values.map(|value| (name.to_owned(), Some(value.to_owned()))));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Args)]
    struct Flags {
        #[arg(long)]
        fast: bool,
        #[arg(long)]
        slow: bool,
        #[arg(long, default_value_t = 3)]
        often: u32,
        #[arg(long, default_value_t = 0.5)]
        near: f64,
    }

    #[derive(Debug, Parser)]
    struct Whole {
        #[command(flatten)]
        flags: AsWritten<Flags>,
        #[arg(long)]
        other: bool,
    }

    #[test]
    fn what_was_written_is_passed_on() {
        let whole = Whole::parse_from(["", "--near", "0.50", "--other", "--fast"]);
        assert!(whole.other && whole.flags.fast && !whole.flags.slow);
        assert_eq!((whole.flags.often, whole.flags.near), (3, 0.5));
        let mut child_args = ChildArgs::default();
        whole.flags.forward(&mut child_args);
        assert_eq!(child_args.0, ["--fast", "--near=0.50"]);
    }
}
