//! `heapwood compare`: real work over a set of allocators, side by side. A case is another
//! command of the program in a process of its own, whose arguments are written here.

mod graph;
mod kdtree;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;

use super::common::{BackendArguments, Passed, parse_seconds, progress};
use super::suffix;
use crate::Error;
use crate::output::Output;
use crate::report::Format;
use crate::workload::compare::{self, Case, Outcome};

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

impl Sides {
    /// The file for the results and their format, before the work starts.
    fn open(&self) -> Result<(Option<Output>, Format), Error> {
        let path = self.output.as_deref();
        let format = suffix::format(self.format, path)?;
        Ok((path.map(Output::open).transpose()?, format))
    }

    /// How a case is run in a process of its own: a command of the program, which is given its
    /// arguments without the backend and the input.
    fn isolated(&self, input: OsString) -> Result<Isolated, Error> {
        Ok(Isolated {
            backend: self.backend.resolved()?,
            input,
            timeout_s: self.timeout,
        })
    }

    /// Runs cases under a bar.
    fn run<Row>(&self, cases: Vec<Case<Row>>) -> Result<Vec<Row>, Error> {
        let bar = progress(cases.len());
        let known = cases.iter().map(|_| None).collect();
        let named = |name: &str| bar.set_message(name.to_owned());
        let rows = compare::run(cases, known, named, |_| {
            bar.inc(1);
            Ok(())
        });
        bar.finish_and_clear();
        rows
    }
}

/// What the processes of all cases have in common.
struct Isolated {
    backend: Vec<String>,
    input: OsString,
    timeout_s: f64,
}

impl Isolated {
    /// Runs a command.
    fn run<R: DeserializeOwned>(&self, command: Passed) -> Result<Outcome<R>, Error> {
        let Passed(mut arguments) = command;
        arguments.extend(self.backend.iter().map(Into::into));
        arguments.extend(["--format=json".into(), "--".into(), self.input.clone()]);
        compare::isolated(&arguments, self.timeout_s)
    }
}
