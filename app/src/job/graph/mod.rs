//! A dynamic graph as a job: it is loaded, updated and computed on.

mod events;
mod input;
mod storage;
mod updates;
mod work;

use serde::{Deserialize, Serialize};

pub use events::EventOptions;
pub use input::InputOptions;
pub use storage::StorageOptions;
pub use updates::{EdgeSource, MAX_BATCH_EDGES, UpdateOptions, VertexSelection};
pub use work::{AlgorithmOptions, WorkOptions};

use super::{Job, MeasuredJob, Progress};
use crate::Error;
use crate::backend::{self, Backend};
use crate::graph::Store;
use crate::graph::algorithms::Saves;
use crate::report::graph::{GraphReport, graph_report};
use crate::workload::graph::{Algorithms, Input, Run, Workload};

/// Keeps a graph over an allocator, changes it, and computes on it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct GraphJob {
    /// The graph, its updates, and the algorithms.
    pub work: WorkOptions,
    /// How the graph is kept.
    #[serde(flatten)]
    pub storage: StorageOptions,
    /// The backend, once decided.
    pub backend: backend::Options,
}

impl GraphJob {
    /// The updates and these algorithms on a graph that was read.
    ///
    /// # Errors
    ///
    /// Files that cannot be used, and updates that the graph does not allow.
    pub fn workload<'i>(
        &self,
        input: &'i Input,
        algorithms: Algorithms,
        progress: &mut dyn Progress,
    ) -> Result<Workload<'i>, Error> {
        Ok(Workload {
            stream: self.work.stream(input, progress)?,
            events: self.work.events(input, progress)?,
            ..self.storage.workload(input, self.work.pool, algorithms)?
        })
    }
}

impl MeasuredJob for GraphJob {
    const STEPS: &'static str = "runs";

    type Input<'i> = &'i Workload<'i>;

    /// The first run, and the graph after the last.
    type Left<'b> = (Run, Store<'b>);

    fn steps(&self, _: &Workload) -> usize {
        self.work.runs as usize
    }

    fn measure<'b>(
        &self,
        workload: &Workload,
        backend: &'b dyn Backend,
        progress: &mut dyn Progress,
    ) -> Result<(GraphReport, (Run, Store<'b>)), Error> {
        let (mut runs, graph) = workload.run(backend, self.work.runs, || progress.step())?;
        let report = graph_report(workload, &backend.info(), &runs, self.work.algorithms.top());
        Ok((report, (runs.swap_remove(0), graph)))
    }
}

impl Job for GraphJob {
    const KIND: &'static str = "graph";

    type Report = GraphReport;

    fn backend(&self) -> &backend::Options {
        &self.backend
    }

    fn run(
        &self,
        backend: &dyn Backend,
        progress: &mut dyn Progress,
    ) -> Result<GraphReport, Error> {
        let input = self.work.input.read(self.work.verify, progress)?;
        let algorithms = self.work.algorithms(&Saves::default(), &input)?;
        let workload = self.workload(&input, algorithms, progress)?;
        Ok(self.measure(&workload, backend, progress)?.0)
    }
}
