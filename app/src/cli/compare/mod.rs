//! `heapwood compare`: real work over a set of allocators, side by side.
//!
//! Each case is another command of the program in a process of its own, under a
//! time limit, which answers in JSON: what crashes or hangs is a row that says so.

mod graph;
mod kdtree;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::common::{BackendArguments, parse_seconds, progress};
use super::suffix;
use crate::Error;
use crate::output::{self, Output};
use crate::process::{self, Ended};
use crate::report::{Format, Table, json};
use crate::workload::micro::Status;

/// The work.
#[derive(Debug, Subcommand)]
pub enum What {
    /// Build the k-d tree of a scene
    Kdtree(Box<kdtree::Arguments>),
    /// Keep a graph, change it and compute on it
    ///
    /// Each allocator and layout does what `heapwood graph` does with the same
    /// options.
    Graph(Box<graph::Arguments>),
}

/// Compares.
///
/// # Errors
///
/// Arguments and input that cannot be used, results that differ, or none at all.
pub fn run(what: What) -> Result<(), Error> {
    match what {
        What::Kdtree(arguments) => kdtree::run(&arguments),
        What::Graph(arguments) => graph::run(&arguments),
    }
}

/// How cases are run and their results written.
#[derive(Debug, Args)]
struct Sides {
    /// Seconds after which a case is given up
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "120")]
    timeout: f64,
    #[command(flatten)]
    backend: BackendArguments,
    /// How to write the results [default: as the output file is named, or else as a table]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write the results to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What became of a case.
#[derive(Debug, Serialize)]
struct Case<R> {
    status: Status,
    error: Option<String>,
    result: Option<R>,
}

impl Sides {
    /// The file for the results and their format, before the work starts.
    fn open(&self) -> Result<(Option<Output>, Format), Error> {
        let path = self.output.as_deref();
        let format = suffix::format(self.format, path)?;
        Ok((path.map(Output::open).transpose()?, format))
    }

    /// Runs a command for each named case on an input file.
    fn run<R: DeserializeOwned>(
        &self,
        commands: Vec<(String, Vec<OsString>)>,
        input: &Path,
    ) -> Result<Vec<Case<R>>, Error> {
        let backend = self.backend.resolved()?;
        let bar = progress(commands.len());
        let mut cases = Vec::new();
        for (name, mut command) in commands {
            bar.set_message(name.clone());
            command.extend(backend.iter().map(Into::into));
            command.extend(["--format=json".into(), "--".into(), input.into()]);
            cases.push(self.case(&name, &command)?);
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(cases)
    }

    fn case<R: DeserializeOwned>(
        &self,
        name: &str,
        command: &[OsString],
    ) -> Result<Case<R>, Error> {
        let bad = |status: Status, error: String| Case {
            status,
            error: Some(error),
            result: None,
        };
        let timeout = Duration::from_secs_f64(self.timeout);
        Ok(match process::run(command, timeout)? {
            Ended::Well(answer) => {
                let no_result =
                    |error| Error::Failed(format!("{name}: no result came back: {error}"));
                Case {
                    status: Status::Ok,
                    error: None,
                    result: Some(serde_json::from_str(&answer).map_err(no_result)?),
                }
            }
            // What is wrong with the arguments or the input is so for all.
            Ended::Badly {
                code: Some(code @ 2..=3),
                message,
            } => return Err(Error::Relayed { code, message }),
            Ended::Badly {
                code: Some(4),
                message,
            } => bad(Status::Oom, message),
            Ended::Badly { message, .. } => bad(Status::Fault, message),
            Ended::Timeout => bad(
                Status::Timeout,
                format!("not done after {} s", self.timeout),
            ),
        })
    }
}

/// Writes rows to the file, in its format, or else to the standard output.
fn write<Row: Serialize>(
    (file, format): (Option<Output>, Format),
    rows: &[Row],
    table: impl Fn(&[Row]) -> Table,
) -> Result<(), Error> {
    let text = match format {
        Format::Json => json(&rows)?,
        Format::Table => table(rows).text(),
        Format::Csv => table(rows).csv(),
        Format::Markdown => table(rows).markdown(),
    };
    match file {
        Some(file) => file.write(text.as_bytes()),
        None => output::print(&text),
    }
}
impl<R> Case<R> {
    /// The status for people.
    fn status(&self) -> String {
        match &self.error {
            Some(why) => format!("{}: {why}", self.status.name()),
            None => self.status.name().to_owned(),
        }
    }
}

/// A cell of a table.
fn cell(value: Option<String>) -> String {
    value.unwrap_or_else(|| "-".to_owned())
}

/// All named cases that succeeded must have the same hash, and there must be one.
fn verdict<'a, R: 'a>(
    cases: impl Iterator<Item = (&'a str, &'a Case<R>)>,
    differ: &str,
    hash: impl Fn(&R) -> &str,
) -> Result<(), Error> {
    let mut tried = 0;
    let mut first: Option<(&str, &str)> = None;
    for (name, case) in cases {
        tried += 1;
        let Some(result) = &case.result else { continue };
        let (first_name, first_hash) = *first.get_or_insert((name, hash(result)));
        if hash(result) != first_hash {
            return Err(Error::Verification(format!(
                "{first_name} and {name} {differ}: {first_hash} and {}",
                hash(result)
            )));
        }
    }
    match first {
        Some(_) => Ok(()),
        None => Err(Error::Failed(format!(
            "none of the {tried} cases succeeded"
        ))),
    }
}
