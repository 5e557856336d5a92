//! The trees of a moving scene as a job.

use serde::{Deserialize, Serialize};

use super::scenes::load_frames;
use super::tree::TreeOptions;
use super::{Job, MeasuredJob, Progress};
use crate::Error;
use crate::allocators::Spec;
use crate::backend::{self, Backend};
use crate::generate::{SceneSpec, Source};
use crate::report::{FramesReport, frames_report};
use crate::word;
use crate::workload::frames::{Frame, Workload};

/// Builds the trees of frames one after the other over one allocator.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FramesJob {
    /// The frames, at least one.
    #[serde(with = "word::list")]
    pub frames: Vec<Source<SceneSpec>>,
    /// The allocator, which frees.
    #[serde(with = "word")]
    pub allocator: Spec,
    /// Whether every block is checked.
    pub check_heap: bool,
    /// How often all of them.
    pub runs: u32,
    /// Whether each tree is checked.
    pub verify: bool,
    /// How the trees are built.
    pub tree: TreeOptions,
    /// The backend, once decided.
    pub backend: backend::Options,
}

impl MeasuredJob for FramesJob {
    const STEPS: &'static str = "frames";

    type Input<'i> = &'i [Frame];

    type Left<'b> = ();

    fn steps(&self, frames: &[Frame]) -> usize {
        frames.len() * (self.runs as usize + 2)
    }

    fn measure(
        &self,
        frames: &[Frame],
        backend: &dyn Backend,
        progress: &mut dyn Progress,
    ) -> Result<(FramesReport, ()), Error> {
        let workload = Workload {
            frames,
            spec: self.allocator.checked_if(self.check_heap)?,
            pool: self.tree.pool,
            options: self.tree.options(),
            verify: self.verify,
        };
        let measured = workload.run(backend, self.runs, || progress.step())?;
        let report = frames_report(&workload, &backend.info(), &measured);
        Ok((report, ()))
    }
}

impl Job for FramesJob {
    const KIND: &'static str = "frames";

    type Report = FramesReport;

    fn backend(&self) -> &backend::Options {
        &self.backend
    }

    fn run(
        &self,
        backend: &dyn Backend,
        progress: &mut dyn Progress,
    ) -> Result<FramesReport, Error> {
        let frames = load_frames(&self.frames, self.tree.keep_duplicates, progress)?;
        Ok(self.measure(&frames, backend, progress)?.0)
    }
}
