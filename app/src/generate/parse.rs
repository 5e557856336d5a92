//! The options of a specification: `KIND,OPTION=VALUE,FLAG,...`, by the names and with the values
//! and defaults of the command that takes them as flags.

use std::fmt::Display;
use std::ops::RangeInclusive;

use thiserror::Error;

use super::{Spec, one_of};

/// A specification that cannot be read. Each displays as one line with the way out.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ParseSpecError {
    /// There is no such option: the name, and those that there are.
    #[error("{0}")]
    UnknownOption(String),
    /// An option is given twice.
    #[error("{0} is given twice")]
    Twice(String),
    /// An option needs a value.
    #[error("{0} takes a value: write {0}=VALUE")]
    NoValue(String),
    /// A flag has a value.
    #[error("{0} takes no value: write {0} alone")]
    Value(String),
    /// The kind or the value of an option is none, or options do not go together.
    #[error("{0}")]
    Invalid(String),
}

/// Reads a specification without its prefix.
///
/// # Errors
///
/// [`ParseSpecError`].
pub fn parse<S: Spec>(text: &str) -> Result<S, ParseSpecError> {
    let mut parts = text.split(',');
    let kind = parts.next().unwrap_or_default();
    let mut given = Given(Vec::new());
    for part in parts {
        let (name, value) = match part.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (part, None),
        };
        let Some((_, takes_value)) = S::OPTIONS.iter().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = S::OPTIONS.iter().map(|(name, _)| *name).collect();
            let unknown = one_of("option", name, &names);
            return Err(ParseSpecError::UnknownOption(unknown));
        };
        if given.has(name) {
            return Err(ParseSpecError::Twice(name.to_owned()));
        }
        match (takes_value, value) {
            (true, None) => return Err(ParseSpecError::NoValue(name.to_owned())),
            (false, Some(_)) => return Err(ParseSpecError::Value(name.to_owned())),
            _ => given.0.push((name, value)),
        }
    }
    let spec = S::read(kind, &given)?;
    spec.check()?;
    Ok(spec)
}

/// The options that a specification gives, each with its value if it takes one.
pub struct Given<'t>(Vec<(&'t str, Option<&'t str>)>);

impl Given<'_> {
    /// Whether an option is given.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(given, _)| *given == name)
    }

    /// The value of an option, if it is given.
    ///
    /// # Errors
    ///
    /// [`ParseSpecError::Invalid`] with the name and the error of the parser.
    pub fn value<T, E: Display>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, ParseSpecError> {
        let option = self.0.iter().find(|(given, _)| *given == name);
        let value = option.and_then(|(_, value)| *value);
        let value = value.map(parse).transpose();
        value.map_err(|why| ParseSpecError::Invalid(format!("{name}: {why}")))
    }

    /// Refuses two options beside each other.
    ///
    /// # Errors
    ///
    /// [`ParseSpecError::Invalid`] with a message that names both.
    pub fn exclude(&self, pair: [&str; 2]) -> Result<(), ParseSpecError> {
        let names = self.0.iter().map(|(name, _)| *name);
        let both: Vec<&str> = names.filter(|name| pair.contains(name)).collect();
        match both[..] {
            [one, other] => {
                let why = format!("{one} and {other} exclude each other");
                Err(ParseSpecError::Invalid(why))
            }
            _ => Ok(()),
        }
    }
}

/// A parser of whole numbers in a range, with the messages of clap.
pub fn within(range: RangeInclusive<u32>) -> impl Fn(&str) -> Result<u32, String> + Clone {
    move |text| {
        let number: i64 = text.parse().map_err(|error| format!("{error}"))?;
        let found = u32::try_from(number).ok().filter(|n| range.contains(n));
        found.ok_or_else(|| format!("{number} is not in {}..={}", range.start(), range.end()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{GraphSpec, SceneSpec};
    use super::*;

    fn graph(text: &str) -> String {
        parse::<GraphSpec>(text).unwrap_err().to_string()
    }

    fn scene(text: &str) -> String {
        parse::<SceneSpec>(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_said_in_the_words_of_a_specification() {
        for (message, expected) in [
            (
                graph("kroneker"),
                "no kind `kroneker` (did you mean `kronecker`?): choose from delaunay, ",
            ),
            (graph(""), "no kind ``: choose from delaunay, "),
            (graph("-x"), "no kind `-x`: choose from delaunay, "),
            (
                graph("road,vertexes=5"),
                "no option `vertexes` (did you mean `vertices`?): choose from vertices, edges, seed, \
                 self-loops, directed",
            ),
            (graph("road,"), "no option ``: choose from vertices, "),
            (graph("road,--seed=5"), "no option `--seed`: choose from "),
            (graph("road,seed"), "seed takes a value: write seed=VALUE"),
            (graph("road,seed="), "seed: "),
            (graph("road,seed=-1"), "seed: "),
            (graph("road,seed=1,seed=1"), "seed is given twice"),
            (
                graph("uniform,directed=1"),
                "directed takes no value: write directed alone",
            ),
            (
                graph("road,vertices=1e6"),
                "vertices: write a whole number, or a power such as ",
            ),
            (
                graph("road,edges=5"),
                "edges is for kronecker and uniform graphs, not for road",
            ),
            (
                graph("mesh,directed"),
                "directed is for kronecker and uniform graphs, not for mesh",
            ),
            (
                scene("terain"),
                "no scene `terain` (did you mean `terrain`?): choose from courtyard, knot, ",
            ),
            (scene("knot,levels=16"), "levels: 16 is not in 0..=15"),
            (scene("knot,gap=-1"), "gap: write a number from 0 to 1000"),
        ] {
            assert!(message.starts_with(expected), "{message}");
            assert!(!message.contains('\n'));
        }
        let conflict = scene("knot,levels=1,triangles=5");
        assert!(conflict.ends_with(" exclude each other"), "{conflict}");
        for name in ["levels", "triangles"] {
            assert!(conflict.contains(name), "{conflict}");
        }
    }

    #[cfg(feature = "cli")]
    #[test]
    fn the_flags_of_the_command_have_the_same_names_and_defaults() {
        use clap::{Args, Command};

        fn check<S: Spec + Args + PartialEq + std::fmt::Debug>(kind: &str) {
            let command = S::augment_args(Command::new("generate").no_binary_name(true));
            let flags = command.get_opts().map(|flag| {
                let name = flag.get_long().unwrap_or_default().to_owned();
                (name, flag.get_action().takes_values())
            });
            let options = S::OPTIONS
                .iter()
                .map(|(name, takes)| ((*name).to_owned(), *takes));
            assert!(flags.eq(options), "{kind}");
            let usual = S::from_arg_matches(&command.get_matches_from([kind]));
            assert_eq!(usual.unwrap(), parse::<S>(kind).unwrap());
        }
        check::<GraphSpec>("road");
        check::<SceneSpec>("knot");
    }
}
