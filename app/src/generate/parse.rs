//! The options of a specification: `KIND,OPTION=VALUE,FLAG,...` as arguments of clap, so
//! that names, values and defaults are those of the command that takes them as flags.

use std::error::Error as _;

use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, ArgMatches, Command};
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
    let command = S::augment_args(Command::new(S::WHAT))
        .no_binary_name(true)
        .disable_help_flag(true);
    let mut parts = text.split(',');
    let kind = parts.next().unwrap_or_default();
    let options: Vec<&Arg> = command.get_opts().collect();
    let mut arguments = Vec::new();
    let mut given = Vec::new();
    for part in parts {
        let (name, value) = match part.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (part, None),
        };
        let known = |option: &&&Arg| option.get_long() == Some(name);
        let Some(option) = options.iter().find(known) else {
            let names: Vec<&str> = options.iter().filter_map(|o| o.get_long()).collect();
            let unknown = one_of("option", name, &names);
            return Err(ParseSpecError::UnknownOption(unknown));
        };
        if given.contains(&name) {
            return Err(ParseSpecError::Twice(name.to_owned()));
        }
        given.push(name);
        match (option.get_action().takes_values(), value) {
            (true, Some(value)) => arguments.push(format!("--{name}={value}")),
            (false, None) => arguments.push(format!("--{name}")),
            (true, None) => return Err(ParseSpecError::NoValue(name.to_owned())),
            (false, Some(_)) => return Err(ParseSpecError::Value(name.to_owned())),
        }
    }
    // An argument after `--` is no option, whatever it begins with.
    arguments.extend(["--".to_owned(), kind.to_owned()]);
    let matches = command.try_get_matches_from(&arguments);
    let invalid = |error: clap::Error| ParseSpecError::Invalid(explain(&error));
    let matches: ArgMatches = matches.map_err(invalid)?;
    let spec = S::from_arg_matches(&matches).map_err(invalid)?;
    spec.check().map_err(ParseSpecError::Invalid)?;
    Ok(spec)
}

/// The error of clap, in the words of a specification.
fn explain(error: &clap::Error) -> String {
    // `--seed <N>` is the option seed here, and `<KIND>` the kind.
    let name = |kind| {
        let name = error.get(kind)?.to_string();
        let name = name.split(' ').next()?.trim_start_matches("--");
        (!name.starts_with('<')).then(|| name.to_owned())
    };
    let option = name(ContextKind::InvalidArg);
    match (error.kind(), error.source(), name(ContextKind::PriorArg)) {
        (ErrorKind::ValueValidation, Some(why), _) => match option {
            Some(option) => format!("{option}: {why}"),
            None => why.to_string(),
        },
        (ErrorKind::ArgumentConflict, _, Some(other)) => {
            let option = option.unwrap_or_default();
            format!("{option} and {other} exclude each other")
        }
        _ => {
            let message = error.to_string();
            let line = message.lines().next().unwrap_or_default();
            line.trim_start_matches("error: ").to_owned()
        }
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
}
