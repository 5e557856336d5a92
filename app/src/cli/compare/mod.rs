//! `heapwood compare`: real work over a set of allocators, side by side. A case is
//! another command of the program, whose arguments are written here.

mod graph;
mod kdtree;

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;

use super::common::{BackendArguments, parse_seconds, progress};
use super::suffix;
use crate::Error;
use crate::output::Output;
use crate::report::Format;
use crate::workload::compare::{Case, Outcome};

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

    /// Runs cases on an input, a file or a generator, under a bar; their arguments are
    /// without it.
    fn run<R: DeserializeOwned>(
        &self,
        mut cases: Vec<Case>,
        input: &OsStr,
    ) -> Result<Vec<Outcome<R>>, Error> {
        let backend = self.backend.resolved()?;
        let bar = progress(cases.len());
        let mut outcomes = Vec::new();
        for case in &mut cases {
            bar.set_message(case.name.clone());
            let arguments = &mut case.arguments;
            arguments.extend(backend.iter().map(Into::into));
            arguments.extend(["--format=json".into(), "--".into(), input.into()]);
            outcomes.push(case.run(self.timeout)?);
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(outcomes)
    }
}
