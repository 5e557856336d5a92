//! The cases of a benchmark over a list of allocators: parsed, run under a bar.

use std::path::Path;
use std::time::Duration;

use clap::Args;

use super::common::{LinkArguments, progress};
use super::complain;
use super::suffix::{Exporter, ResultArguments};
use crate::allocators::{self, Spec, SpecError};
use crate::backend::Options;
use crate::job::{BenchJob, Runner};
use crate::workload::{BenchRow, Status};
use crate::{Error, size};

/// The allocators of many cases.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Names separated by commas, `all` or `published`
    ///
    /// Parameters follow a name, as in cmalloc:frag=2. `published` stands for the published forms.
    #[arg(
        long,
        help_heading = "Allocator",
        value_name = "LIST",
        default_value = "all"
    )]
    allocators: String,
}

impl ListArguments {
    /// The allocators.
    ///
    /// # Errors
    ///
    /// For a list that names another.
    pub fn parse(&self) -> Result<Vec<Spec>, SpecError> {
        allocators::parse_list(&self.allocators)
    }
}

/// The allocators of a benchmark, their pool, and where its cases run and its rows go.
#[derive(Debug, Args)]
pub struct CasesArguments {
    #[command(flatten)]
    list: ListArguments,
    /// Pools of each allocator: sizes separated by commas
    #[arg(long, help_heading = "Allocator", value_name = "LIST", value_delimiter = ',', value_parser = size::parse, default_value = "2GiB")]
    pub pool: Vec<u64>,
    /// Combine the requests of a warp, in all allocators
    #[arg(long, help_heading = "Allocator")]
    coalesce: bool,
    /// Run all cases in one process: faster, but a crash ends all of them
    #[arg(long)]
    in_process: bool,
    #[command(flatten)]
    results: ResultArguments,
    #[command(flatten)]
    link: LinkArguments,
    #[command(flatten)]
    backend: Options,
}

/// The context of cases that take at most `timeout` each.
pub struct CasesContext {
    pub specs: Vec<Spec>,
    pub exporter: Exporter,
    /// Decided.
    pub backend: Options,
    in_process: bool,
    timeout: Duration,
}

impl CasesArguments {
    /// The context of cases of at most so many seconds each, whose output is open.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a list that names another allocator, and for files to link that do not
    /// belong to it; a file that cannot be written, and a backend that cannot run.
    pub fn open(&self, timeout: f64) -> Result<CasesContext, Error> {
        self.open_reading(timeout, [])
    }

    /// The same for a command that reads these files.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open), and for a file that is read and written.
    pub fn open_reading<'a>(
        &'a self,
        timeout: f64,
        files: impl IntoIterator<Item = &'a Path>,
    ) -> Result<CasesContext, Error> {
        let mut specs = self.list.parse()?;
        for spec in &mut specs {
            spec.coalesce |= self.coalesce;
        }
        self.link.check(&specs)?;
        let exporter = self.results.open(self.link.files().chain(files))?;
        let timeout = Duration::from_secs_f64(timeout);
        Ok(CasesContext {
            backend: self.link.decide_for_cases(&self.backend, timeout, &specs)?,
            specs,
            exporter,
            in_process: self.in_process,
            timeout,
        })
    }
}

impl CasesContext {
    /// The runner of cases on the backend of these options.
    ///
    /// # Errors
    ///
    /// When the backend cannot run.
    pub fn runner(&self, options: &Options) -> Result<Runner, Error> {
        match self.in_process {
            true => Runner::in_this_process(options),
            false => Runner::in_processes(options, self.timeout),
        }
    }

    /// Runs cases under a bar that shows their names; returns their rows, whose hints are notes.
    /// They are no [`MeasuredJob`](crate::job::MeasuredJob): whatever happens in one is its row, and
    /// a process of its own runs it.
    ///
    /// # Errors
    ///
    /// When the backend cannot run, or no process can be started.
    pub fn run<J: BenchJob>(
        &self,
        cases: &[J],
        name: impl Fn(&J) -> String,
    ) -> Result<Vec<J::Report>, Error> {
        self.run_then(cases, name, |_| Ok(()))
    }

    /// The same; calls `then` with the rows so far after each case.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run), and those of `then`.
    pub fn run_then<J: BenchJob>(
        &self,
        cases: &[J],
        name: impl Fn(&J) -> String,
        mut then: impl FnMut(&[J::Report]) -> Result<(), Error>,
    ) -> Result<Vec<J::Report>, Error> {
        let mut runner = self.runner(&self.backend)?;
        let bar = progress(cases.len());
        let mut rows = Vec::new();
        let ran: Result<(), Error> = cases.iter().try_for_each(|case| {
            bar.set_message(name(case));
            rows.push(runner.run(case)?);
            bar.inc(1);
            then(&rows)
        });
        bar.finish_and_clear();
        ran?;
        if runner.is_lost() {
            complain("note", &"a case has lost the GPU: run without --in-process");
        }
        if rows.iter().any(|row| row.status() == Status::Oom) {
            complain("note", &"a pool did not suffice: --pool sets its size");
        }
        Ok(rows)
    }
}
