//! `heapwood compare`: the same job over a set of allocators, side by side, each in a process of
//! its own.

mod graph;
mod kdtree;
mod sensitivity;
mod steps;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::Resettable;
use clap::{Args, Subcommand};

use super::common::{LinkArguments, progress, read_apart};
use super::report;
use super::suffix::{self, Exporter};
use crate::Error;
use crate::allocators::Spec;
use crate::backend::{LAUNCH_LIMIT, Options};
use crate::duration::parse_seconds;
use crate::job::{self, Job};
use crate::report::compare::{Earlier, Origin, Row, rank};
use crate::report::{Format, Report};
use crate::workload::agents::Agents;
use crate::workload::compare::{self, Case, Outcome, verdict};
use crate::workload::particles::Particles;
use crate::workload::replay::Replay;
use crate::workload::workgen::Workgen;

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
    /// Step a sea of fish and sharks, each a block
    Agents(Box<steps::Arguments<Agents>>),
    /// Step particles through a lattice of cells, in frames that are blocks
    Particles(Box<steps::Arguments<Particles>>),
    /// Have threads produce work in blocks, and others consume it
    Workgen(Box<steps::Arguments<Workgen>>),
    /// List what changed between two sets of results, beyond noise
    ///
    /// If a case is worse, fails or is missing, the exit code is 5.
    Results(report::ChangesArguments),
    /// Replay a trace, which --record has written
    Replay(Box<steps::Arguments<Replay>>),
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
        What::Agents(arguments) => steps::run(&arguments),
        What::Particles(arguments) => steps::run(&arguments),
        What::Workgen(arguments) => steps::run(&arguments),
        What::Results(arguments) => report::run_changes(&arguments),
        What::Replay(arguments) => steps::run(&arguments),
    }
}

/// The allocator that others are compared with if no other is named: the lower bound.
const REFERENCE: &str = "atomicmalloc";

/// How cases are run and their results written.
#[derive(Debug, Args)]
#[command(next_help_heading = Resettable::Reset, mut_arg("check_heap", |check| check.hide_short_help(true)))]
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
    /// Measure the share of the time that calls of the allocator take, by runs with delayed calls
    ///
    /// docs/traces.md describes it. The time limit is that of each run.
    #[arg(
        long,
        help_heading = "Allocator",
        conflicts_with = "check_heap",
        hide_short_help = true
    )]
    sensitivity: bool,
    #[command(flatten)]
    link: LinkArguments,
    #[command(flatten)]
    backend: Options,
}

impl ComparisonArguments {
    /// Makes sure that the results do not overwrite what is read.
    fn check_files(&self, read: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<(), Error> {
        let output = [self.output.as_deref()];
        read_apart(read, &output)?;
        read_apart(self.link.files(), &output)
    }

    /// The context of the work, before it starts: the file for the results of these allocators and
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
            exporter: Exporter::open(self.format, path)?,
            reference,
            earlier,
            timeout: self.timeout(),
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
        match Earlier::read(resume).map_err(or_leave_out)? {
            None if !is_written => Err(Error::Resume(format!(
                "{}: there is no such file; leave out --resume, or name it as the output too",
                resume.display()
            ))),
            earlier => Ok(earlier),
        }
    }

    /// The backend of cases over these allocators.
    fn decide(&self, specs: &[Spec]) -> Result<Options, Error> {
        let timeout = self.timeout();
        let options = self.link.decide_for_cases(&self.backend, timeout, specs)?;
        // A process is ended after the time, and says so better than a launch: none ends before.
        Ok(Options {
            limit: timeout.max(LAUNCH_LIMIT),
            ..options
        })
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.timeout)
    }
}

/// The same error of earlier results, with the other way out.
fn or_leave_out(error: Error) -> Error {
    match error {
        Error::Resume(why) => Error::Resume(why + ", or leave out --resume"),
        other => other,
    }
}

/// Where results go, and where they may come from.
struct ComparisonContext {
    exporter: Exporter,
    reference: String,
    earlier: Option<Earlier>,
    timeout: Duration,
}

impl ComparisonContext {
    /// Runs jobs of these names under a bar, each in a process of its own, but those that earlier
    /// results have, which come from `origin`; `row` makes the row of a job at its place by its
    /// options and its outcome. A file is written after each job, so that it has all results so far
    /// when the program is ended.
    fn run<J: Job, R: Row>(
        self,
        jobs: Vec<(String, J)>,
        row: impl Fn(usize, Vec<String>, Outcome<J::Report>) -> R,
        origin: &Origin,
    ) -> Result<(), Error>
    where
        [R]: Report,
    {
        let names: Vec<String> = jobs.iter().map(|(name, _)| name.clone()).collect();
        // All jobs have the same.
        let options = jobs.first().map(|(_, job)| job::options(job));
        let options = options.transpose()?.unwrap_or_default();
        let known = match &self.earlier {
            Some(earlier) => {
                let rows = earlier.rows(&names, &options, origin);
                rows.map_err(or_leave_out)?
            }
            None => names.iter().map(|_| None).collect(),
        };
        // The first case that has found its own result wrong.
        let wrong = RefCell::new(None);
        let case = |(place, (name, job)): (usize, (String, J))| {
            let (row, options, wrong) = (&row, options.clone(), &wrong);
            Case::new(name.clone(), move || {
                let ended = job::run_in_child(&job, self.timeout)?;
                if let Some(why) = ended.wrong() {
                    let mut wrong = wrong.borrow_mut();
                    wrong.get_or_insert_with(|| format!("{name}: {why}"));
                }
                Ok(row(place, options, ended.outcome()?))
            })
        };
        let cases = jobs.into_iter().enumerate().map(case).collect();
        let bar = progress(names.len());
        bar.set_position(known.iter().flatten().count() as u64);
        let named = |name: &str| bar.set_message(name.to_owned());
        let rows = compare::run(cases, known, named, |rows| {
            bar.inc(1);
            rank(rows, &self.reference);
            self.exporter.save(&*rows)
        });
        bar.finish_and_clear();
        let mut rows = rows?;
        rank(&mut rows, &self.reference);
        let outcomes = rows.iter().map(R::outcome);
        let outcomes = names.iter().map(String::as_str).zip(outcomes);
        let verdict = match wrong.into_inner() {
            Some(why) => Err(Error::Verification(why)),
            None => verdict(outcomes, R::DIFFER, R::hash),
        };
        self.exporter.conclude(&rows[..], verdict)
    }
}
