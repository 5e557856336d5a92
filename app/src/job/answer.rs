//! The work of a process for a job: the kinds of jobs, and the answer to each.

use super::Job;
use super::frames::FramesJob;
use super::graph::GraphJob;
use super::linking::Linking;
use super::tree::TreeJob;
use crate::Error;
use crate::workload::{fragmentation, micro};

/// Runs the job of this kind, which [`run_in_child`](super::run_in_child) wrote, and returns its
/// report as JSON.
///
/// # Errors
///
/// When there are no such jobs, this is none, or its backend does not open; those of the job.
pub fn answer(kind: &str, job: &[u8]) -> Result<String, Error> {
    match kind {
        TreeJob::KIND => answer_to::<TreeJob>(job),
        FramesJob::KIND => answer_to::<FramesJob>(job),
        GraphJob::KIND => answer_to::<GraphJob>(job),
        micro::Case::KIND => answer_to::<micro::Case>(job),
        fragmentation::Case::KIND => answer_to::<fragmentation::Case>(job),
        Linking::KIND => answer_to::<Linking>(job),
        _ => Err(Error::Usage(format!("there are no jobs `{kind}`"))),
    }
}

fn answer_to<J: Job>(job: &[u8]) -> Result<String, Error> {
    let job: J = serde_json::from_slice(job)
        .map_err(|cause| Error::Usage(format!("this is no job: {cause}")))?;
    let backend = job.backend().open()?;
    let report = job.run(&*backend, &mut ())?;
    serde_json::to_string(&report).map_err(|cause| Error::Failed(cause.to_string()))
}
