//! `heapwood compare`: real work over a set of allocators, side by side. A case is another
//! command of the program in a process of its own, whose arguments are written here.

mod graph;
mod kdtree;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::Resettable;
use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;

use super::common::{BackendArguments, ChildArgs, LinkArguments, progress, read_apart, write};
use super::duration::parse_seconds;
use super::suffix;
use crate::Error;
use crate::allocators::Spec;
use crate::backend::DeviceInfo;
use crate::output::Output;
use crate::report::compare::{Earlier, Origin, Row, rank};
use crate::report::{self, Format, Report};
use crate::workload::compare::{self, Case, Outcome, verdict};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood compare kdtree scenes/data/courtyard.obj
  heapwood compare graph gen:road,vertices=2^16 --insert 100000 --allocators cfmalloc,gallatin";

/// The work.
#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum What {
    /// Build the k-d tree of a scene
    Kdtree(Box<kdtree::Arguments>),
    /// Store a graph, update it and compute on it
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

/// The allocator that others are compared with if no other is named: the lower bound.
const REFERENCE: &str = "atomicmalloc";

/// How cases are run and their results written.
#[derive(Debug, Args)]
#[command(next_help_heading = Resettable::Reset)]
struct ComparisonArguments {
    /// Time limit of a case
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "120")]
    timeout: f64,
    /// Write the results to this file after each case
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Reuse the cases that succeeded in earlier JSON results
    ///
    /// Only the other cases run. The file may be that of -o, which need not exist yet.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Format: text, json, csv or markdown [default: by the suffix of -o]
    ///
    /// Without -o, it is text.
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    format: Option<Format>,
    /// Allocator that times are divided by [default: atomicmalloc]
    ///
    /// It has to be in the list, with the same parameters.
    #[arg(long, help_heading = "Allocator", value_name = "NAME", value_parser = Spec::parse)]
    reference: Option<Spec>,
    #[command(flatten)]
    link: LinkArguments,
    #[command(flatten)]
    backend: BackendArguments,
}

impl ComparisonArguments {
    /// Makes sure that the results do not overwrite what is read.
    fn check_files(&self, read: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<(), Error> {
        let output = [self.output.as_deref()];
        read_apart(read, &output)?;
        read_apart(self.link.files(), &output)
    }

    /// What is there before the work starts: the file for the results of these allocators and
    /// their format, and the results to go on from.
    fn open(&self, specs: &[Spec]) -> Result<ComparisonContext, Error> {
        let reference = self.reference(specs)?;
        self.link.check(specs)?;
        let path = self.output.as_deref();
        let format = suffix::format(self.format, path)?;
        let earlier = match &self.resume {
            Some(resume) => self.earlier(resume, format)?,
            None => None,
        };
        Ok(ComparisonContext {
            file: path.map(Output::open).transpose()?,
            format,
            reference,
            earlier,
        })
    }

    /// The allocator that these are compared with, as rows name it.
    fn reference(&self, specs: &[Spec]) -> Result<String, Error> {
        let Some(reference) = &self.reference else {
            return Ok(REFERENCE.to_owned());
        };
        let name = reference.to_string();
        match specs.iter().any(|spec| spec.to_string() == name) {
            true => Ok(name),
            false => Err(Error::Usage(format!(
                "--reference {name} is not among the allocators that are compared"
            ))),
        }
    }

    /// Earlier results; none if they are those that this comparison writes, and not there yet.
    fn earlier(&self, resume: &Path, format: Format) -> Result<Option<Earlier>, Error> {
        let place = |path: &Path| {
            path.canonicalize()
                .or_else(|_| std::path::absolute(path))
                .ok()
        };
        let output = self.output.as_deref();
        let is_written = output.is_some_and(|output| place(output) == place(resume));
        if is_written && format != Format::Json {
            let why = "--resume goes on from JSON: write JSON to the same file, or another one";
            return Err(Error::Usage(why.to_owned()));
        }
        match Earlier::read(resume)? {
            None if !is_written => Err(Error::Resume(format!(
                "{}: there is no such file; leave out --resume, or name it as the output too",
                resume.display()
            ))),
            earlier => Ok(earlier),
        }
    }

    /// What the cases over these allocators have in common: these options, the backend, and the input.
    fn common(
        &self,
        specs: &[Spec],
        mut options: ChildArgs,
        input: Option<OsString>,
    ) -> Result<Common, Error> {
        let timeout = Duration::from_secs_f64(self.timeout);
        let backend = self.link.decide_for_cases(&self.backend, timeout, specs)?;
        options.backend(&backend);
        Ok(Common {
            info: backend.info()?,
            options,
            link: self.link.clone(),
            input,
            timeout_s: self.timeout,
        })
    }
}

/// What the cases of a comparison have in common.
struct Common {
    /// What they run on.
    info: DeviceInfo,
    options: ChildArgs,
    /// Where an allocator of the user's is.
    link: LinkArguments,
    /// What the commands read, unless an option names it.
    input: Option<OsString>,
    timeout_s: f64,
}

impl Common {
    /// The options as rows hold them.
    fn options(&self) -> Vec<String> {
        let options = self.options.0.iter();
        options
            .map(|option| option.to_string_lossy().into_owned())
            .collect()
    }

    /// Runs a command with options of its own in a process of its own.
    fn run<R: DeserializeOwned>(&self, command: ChildArgs) -> Result<Outcome<R>, Error> {
        let ChildArgs(mut arguments) = command;
        arguments.extend_from_slice(&self.options.0);
        arguments.push("--format=json".into());
        if let Some(input) = &self.input {
            arguments.extend(["--".into(), input.clone()]);
        }
        compare::isolated(&arguments, self.timeout_s)
    }
}

/// Where results go, and where they may come from.
struct ComparisonContext {
    file: Option<Output>,
    format: Format,
    reference: String,
    earlier: Option<Earlier>,
}

impl ComparisonContext {
    /// Runs the cases under a bar, but those that earlier results have, which come from
    /// `origin`. A file is written after each case, so that it has what was found when the
    /// program is ended.
    fn run<R: Row>(
        self,
        cases: Vec<Case<R>>,
        common: &Common,
        origin: impl FnOnce() -> Origin,
    ) -> Result<(), Error>
    where
        [R]: Report,
    {
        let names: Vec<String> = cases.iter().map(|case| case.name().to_owned()).collect();
        let known = match &self.earlier {
            Some(earlier) => earlier.rows(&names, &common.options(), &origin())?,
            None => names.iter().map(|_| None).collect(),
        };
        let bar = progress(names.len());
        bar.set_position(known.iter().flatten().count() as u64);
        let text = |rows: &mut [R]| {
            rank(rows, &self.reference);
            report::write(self.format, rows)
        };
        let named = |name: &str| bar.set_message(name.to_owned());
        let rows = compare::run(cases, known, named, |rows| {
            bar.inc(1);
            match &self.file {
                Some(file) if file.is_file() => file.write(text(rows)?.as_bytes()),
                _ => Ok(()),
            }
        });
        bar.finish_and_clear();
        let mut rows = rows?;
        let text = text(&mut rows)?;
        write(self.file, &text)?;
        let outcomes = rows.iter().map(R::outcome);
        let outcomes = names.iter().map(String::as_str).zip(outcomes);
        verdict(outcomes, R::DIFFER, R::hash)
    }
}
