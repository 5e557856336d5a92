//! The cases of a benchmark over a list of allocators: parsed, run under a bar.

use std::time::Duration;

use clap::Args;

use super::common::{LinkArguments, progress};
use super::complain;
use crate::Error;
use crate::allocators::{self, Spec, SpecError};
use crate::backend::Options;
use crate::job::{BenchJob, Runner};
use crate::workload::{BenchRow, Status};

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

/// The allocators of a list, whose requests are combined if `coalesce` is set.
///
/// # Errors
///
/// [`Error::Usage`] for a list that names another, and for files to link that do not belong to it.
pub fn specs(
    list: &ListArguments,
    coalesce: bool,
    link: &LinkArguments,
) -> Result<Vec<Spec>, Error> {
    let mut specs = list.parse()?;
    for spec in &mut specs {
        spec.coalesce |= coalesce;
    }
    link.check(&specs)?;
    Ok(specs)
}

/// The runner of cases on the backend of these options.
///
/// # Errors
///
/// When the backend cannot run.
pub fn runner(options: &Options, in_process: bool, timeout: Duration) -> Result<Runner, Error> {
    match in_process {
        true => Runner::in_this_process(options),
        false => Runner::in_processes(options, timeout),
    }
}

/// Runs cases under a bar that shows their names; returns their rows, whose hints are notes.
///
/// # Errors
///
/// When no process can be started.
pub fn execute<J: BenchJob>(
    cases: &[J],
    mut runner: Runner,
    name: impl Fn(&J) -> String,
) -> Result<Vec<J::Report>, Error> {
    let bar = progress(cases.len());
    let rows = cases.iter().map(|case| {
        bar.set_message(name(case));
        let row = runner.run(case)?;
        bar.inc(1);
        Ok(row)
    });
    let rows: Result<Vec<_>, Error> = rows.collect();
    bar.finish_and_clear();
    let rows = rows?;
    if runner.is_lost() {
        complain("note", &"a case has lost the GPU: run without --in-process");
    }
    if rows.iter().any(|row| row.status() == Status::Oom) {
        complain("note", &"a pool did not suffice: --pool sets its size");
    }
    Ok(rows)
}
