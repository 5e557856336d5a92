//! `heapwood compare` with `agents`, `particles`, `workgen` or `replay`: steps over a set of allocators.

use clap::Args;
use heapwood_results::steps::{StepsReport, StepsResult};

use super::super::cases::ListArguments;
use super::super::steps::{StepsCommand, check};
use super::super::tree::{CheckArguments, refuse_coalesce};
use super::{ComparisonArguments, sensitivity};
use crate::Error;
use crate::allocators::Spec;
use crate::job::{DelayedJob, Job, StepsJob, StepsOptions};
use crate::report::compare::{ComparedRow, Origin, standing};

/// Arguments of a comparison.
#[derive(Debug, Args)]
#[command(after_help = S::COMPARISONS)]
pub struct Arguments<S: StepsCommand> {
    #[command(flatten)]
    stepped: S,
    #[command(flatten)]
    steps: StepsOptions,
    #[command(flatten)]
    allocators: ListArguments,
    #[command(flatten)]
    check: CheckArguments,
    #[command(flatten)]
    sides: ComparisonArguments,
}

/// Takes the steps over each allocator in a process of its own and writes the table.
pub(super) fn run<S: StepsCommand>(arguments: &Arguments<S>) -> Result<(), Error>
where
    StepsJob<S>: DelayedJob + Job<Report = StepsReport<S::Result>>,
{
    let specs = arguments.allocators.parse()?;
    specs.iter().try_for_each(refuse_coalesce)?;
    check(&arguments.stepped)?;
    let input = arguments.stepped.read_input(&[])?;
    arguments.sides.check_files(std::iter::empty::<&str>())?;
    let context = arguments.sides.open(&specs)?;
    let backend = arguments.sides.decide(&specs)?;
    let job = |spec: &Spec| StepsJob {
        stepped: arguments.stepped.clone(),
        steps: arguments.steps.clone(),
        allocator: spec.clone(),
        check_heap: arguments.check.heap,
        draws: false,
        backend: backend.over(spec),
    };
    let (name, hash) = input.unzip();
    let name = name.unwrap_or_else(|| S::Result::COMMAND.to_owned());
    let origin = Origin::new(name, hash, None, &backend.info()?);
    if arguments.sides.sensitivity {
        return sensitivity::run(context, &specs, job, &origin);
    }
    let jobs = specs.iter().map(|spec| (spec.to_string(), job(spec)));
    let row = |place: usize, options, outcome| ComparedRow {
        allocator: specs[place].to_string(),
        standing: standing(&specs[place]),
        options,
        outcome,
    };
    context.run(jobs.collect(), row, &origin)
}
