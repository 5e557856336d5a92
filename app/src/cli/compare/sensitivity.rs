//! `heapwood compare ... --sensitivity`: the share of the time that is calls, for each allocator.

use super::ComparisonContext;
use crate::Error;
use crate::allocators::Spec;
use crate::job::{DelayedJob, SensitivityJob};
use crate::report::compare::{ComparedRow, Origin, standing};
use crate::workload::sensitivity::RUNS;

/// Measures the sensitivity of a job over each allocator in a process of its own, and writes the
/// table. The time limit is that of each run.
pub(super) fn run<J: DelayedJob>(
    mut context: ComparisonContext,
    specs: &[Spec],
    job: impl Fn(&Spec) -> J,
    origin: &Origin,
) -> Result<(), Error> {
    context.timeout *= RUNS as u32;
    let jobs = specs
        .iter()
        .map(|spec| (spec.to_string(), SensitivityJob { job: job(spec) }));
    let row = |place: usize, options, outcome| ComparedRow {
        allocator: specs[place].to_string(),
        standing: standing(&specs[place]),
        options,
        outcome,
    };
    context.run(jobs.collect(), row, origin)
}
