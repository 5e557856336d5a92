//! Jobs in a process of their own, so that work that crashes or hangs takes nothing else down.
//!
//! The program starts itself with the hidden command `job` and the kind of the job, which it reads
//! as JSON from its standard input. Its answer on the standard output is the report in JSON.

use std::time::Duration;

use super::frames::FramesJob;
use super::gap::GapJob;
use super::graph::GraphJob;
use super::graphalytics::GraphalyticsJob;
use super::linking::Linking;
use super::sensitivity::SensitivityJob;
use super::steps::StepsJob;
use super::survey::SurveyJob;
use super::tree::TreeJob;
use super::{Job, text_of};
use crate::Error;
use crate::process::{self, Exit};
use crate::workload::agents::Agents;
use crate::workload::compare::Outcome;
use crate::workload::particles::Particles;
use crate::workload::replay::Replay;
use crate::workload::workgen::Workgen;
use crate::workload::{Status, fragmentation, micro};

/// The hidden command.
const COMMAND: &str = "job";

/// How a job ended in a process of its own.
#[derive(Debug)]
pub enum Ended<R> {
    /// With its report.
    Report(R),
    /// With something that is no report.
    Garbled(serde_json::Error),
    /// With nothing: the process ended well, and it was not the program that ended it.
    Silent,
    /// With an error.
    Badly {
        /// The program's exit code, unless something else ended the process, as a crash does.
        code: Option<u8>,
        /// The error.
        message: String,
    },
    /// Not in time: it was ended after this.
    Timeout(Duration),
}

/// Runs a job in a process of its own for at most `timeout`.
///
/// # Errors
///
/// When the program cannot start itself.
pub fn run_in_child<J: Job>(job: &J, timeout: Duration) -> Result<Ended<J::Report>, Error> {
    let input = text_of(job)?.into_bytes();
    Ok(match process::run(&[COMMAND, J::KIND], input, timeout)? {
        Exit::Well(answer) => match serde_json::from_str(&answer) {
            Ok(report) => Ended::Report(report),
            Err(_) if answer.is_empty() => Ended::Silent,
            Err(error) => Ended::Garbled(error),
        },
        Exit::Badly { code, message } => Ended::Badly { code, message },
        Exit::Timeout => Ended::Timeout(timeout),
    })
}

/// Runs the job of this kind, which [`run_in_child`] wrote, and returns its
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
        GraphalyticsJob::KIND => answer_to::<GraphalyticsJob>(job),
        GapJob::KIND => answer_to::<GapJob>(job),
        StepsJob::<Agents>::KIND => answer_to::<StepsJob<Agents>>(job),
        StepsJob::<Particles>::KIND => answer_to::<StepsJob<Particles>>(job),
        StepsJob::<Replay>::KIND => answer_to::<StepsJob<Replay>>(job),
        StepsJob::<Workgen>::KIND => answer_to::<StepsJob<Workgen>>(job),
        SensitivityJob::<TreeJob>::KIND => answer_to::<SensitivityJob<TreeJob>>(job),
        SensitivityJob::<FramesJob>::KIND => answer_to::<SensitivityJob<FramesJob>>(job),
        SensitivityJob::<GraphJob>::KIND => answer_to::<SensitivityJob<GraphJob>>(job),
        SensitivityJob::<StepsJob<Agents>>::KIND => {
            answer_to::<SensitivityJob<StepsJob<Agents>>>(job)
        }
        SensitivityJob::<StepsJob<Particles>>::KIND => {
            answer_to::<SensitivityJob<StepsJob<Particles>>>(job)
        }
        SensitivityJob::<StepsJob<Replay>>::KIND => {
            answer_to::<SensitivityJob<StepsJob<Replay>>>(job)
        }
        SensitivityJob::<StepsJob<Workgen>>::KIND => {
            answer_to::<SensitivityJob<StepsJob<Workgen>>>(job)
        }
        micro::Case::KIND => answer_to::<micro::Case>(job),
        fragmentation::Case::KIND => answer_to::<fragmentation::Case>(job),
        SurveyJob::KIND => answer_to::<SurveyJob>(job),
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

impl<R> Ended<R> {
    /// The message of a job that was done and whose result is wrong, which is a fault in its row.
    pub fn wrong(&self) -> Option<&str> {
        match self {
            Self::Badly {
                code: Some(5),
                message,
            } => Some(message),
            _ => None,
        }
    }

    /// The outcome of a case of a comparison.
    ///
    /// # Errors
    ///
    /// [`Error::Relayed`] for errors of the arguments or the input, which all cases share; an answer
    /// that is no report.
    pub fn outcome(self) -> Result<Outcome<R>, Error> {
        let (status, why) = match self {
            Self::Report(report) => return Ok(Outcome::ok(report)),
            Self::Badly {
                code: Some(code @ 2..=3),
                message,
            } => return Err(Error::Relayed { code, message }),
            Self::Badly {
                code: Some(4),
                message,
            } => (Status::Oom, message),
            Self::Garbled(error) => {
                return Err(Error::Failed(format!("no result came back: {error}")));
            }
            other => other.failure(),
        };
        Ok(Outcome::failed(status, why))
    }

    /// How a job failed that has no report.
    ///
    /// # Panics
    ///
    /// If it has one.
    pub(super) fn failure(self) -> (Status, String) {
        match self {
            Self::Report(_) => unreachable!("it has a report"),
            Self::Garbled(error) => (Status::Fault, format!("the answer is no row: {error}")),
            Self::Silent => (
                Status::Fault,
                "the allocator, or what it calls, has ended the process".to_owned(),
            ),
            Self::Badly { message, .. } => (Status::Fault, message),
            Self::Timeout(limit) => {
                let why = format!("not done after {} s", limit.as_secs_f64());
                (Status::Timeout, why)
            }
        }
    }
}
