//! The survey's list of benchmarks over a list of allocators: a job for each case, and the rows of all
//! of them, named by the survey's figures ([`SurveyFigure`] has the source).
//!
//! The jobs measure nothing themselves. Each runs a microbenchmark, a case of fragmentation, work
//! generation or a graph, and selects quantities of its report.
//!
//! ```
//! use heapwood::allocators::Spec;
//! use heapwood::backend::{Choice, Options};
//! use heapwood::job::{Runner, Survey, SurveyFigure, SurveySizes};
//! use heapwood::workload::micro::Plan;
//!
//! let backend = Options { choice: Choice::Cpu, ..Options::default() };
//! let survey = Survey {
//!     figures: vec![SurveyFigure::MixedAllocation],
//!     sizes: SurveySizes::quick()?,
//!     allocators: vec![Spec::parse("atomicmalloc")?, Spec::parse("gallatin")?],
//!     pool_bytes: 64 << 20,
//!     plan: Plan { warmup: 1, runs: 3, budget_s: 1.0, verify: true },
//!     backend: backend.clone(),
//! };
//! let mut runner = Runner::in_this_process(&backend)?;
//! let jobs = survey.jobs();
//! let measured = jobs.iter().map(|job| runner.run(job)).collect::<Result<Vec<_>, _>>()?;
//! let rows = heapwood::job::survey_rows(&jobs, &measured);
//! // `malloc` and `free` of each; atomicmalloc does not free, which its row says.
//! assert_eq!(rows.iter().filter(|row| row.value.is_some()).count(), 3);
//! assert_eq!(rows.len(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod case;
mod list;
mod measurement;
mod sizes;

use heapwood_results::survey::SurveyRow;

use crate::Error;
use crate::workload::{Status, check_statuses};

pub use case::SurveyJob;
pub use list::Survey;
pub use measurement::SurveyMeasurement;
pub use sizes::SurveySizes;

/// The rows of jobs that left these measurements, figure by figure.
pub fn survey_rows(jobs: &[SurveyJob], measured: &[SurveyMeasurement]) -> Vec<SurveyRow> {
    let cases = jobs.iter().zip(measured);
    let mut rows: Vec<_> = cases.flat_map(|(job, found)| job.rows(found)).collect();
    // One case of fragmentation has rows of two figures.
    rows.sort_by_key(|&(figure, _)| figure);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Makes sure that no result is wrong, that a case has succeeded, and that none has failed.
///
/// # Errors
///
/// [`Error::Verification`], and those of [`check_statuses`].
pub fn survey_verdict(measured: &[SurveyMeasurement]) -> Result<(), Error> {
    let cases = measured.len();
    let statuses = measured.iter().map(|found| match found.values.is_empty() {
        // A device without registers, where nothing else was asked for.
        true if found.status == Status::Ok => Status::Unsupported,
        _ => found.status,
    });
    match measured.iter().filter(|found| found.is_wrong).count() {
        0 => check_statuses(statuses),
        count => Err(Error::Verification(format!(
            "in {count} of {cases} cases blocks overlap or lost their contents, or the result is wrong"
        ))),
    }
}
