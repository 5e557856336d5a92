//! A run of the GAP benchmark suite as a job.

use std::path::PathBuf;
use std::time::Instant;

use heapwood_graphs::{files_read, load_sources};
use serde::{Deserialize, Serialize};

use super::graph::{InputOptions, StorageOptions};
use super::{Job, MeasuredJob, Progress};
use crate::Error;
use crate::backend::{self, Backend};
use crate::report::gap::{GapReport, gap_report};
use crate::size::Pool;
use crate::word;
use crate::workload::gap::{GapBenchmark, GapKernel};
use crate::workload::graph::Algorithms;

/// Loads a graph over an allocator, and runs the kernels of the GAP benchmark suite on it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct GapJob {
    /// The graph.
    pub input: InputOptions,
    /// The kernels; if there are none, all that the graph supports.
    #[serde(with = "word::list")]
    pub kernels: Vec<GapKernel>,
    /// The file of the sources, if they are not drawn as gapbs draws them.
    #[serde(with = "word::option")]
    pub sources: Option<PathBuf>,
    /// Trials of each kernel, if not as many as the suite prescribes; at least one.
    pub trials: Option<u32>,
    /// Whether all results are compared with those of an independent implementation.
    pub verify: bool,
    /// The memory of the allocator.
    #[serde(with = "word")]
    pub pool: Pool,
    /// How the graph is kept.
    #[serde(flatten)]
    pub storage: StorageOptions,
    /// The backend, once decided.
    pub backend: backend::Options,
}

impl GapJob {
    /// The files that are read, with those that belong to them.
    pub fn files(&self) -> Vec<PathBuf> {
        let files = self.input.file.file().into_iter();
        let files = files.chain(self.sources.as_deref());
        files
            .flat_map(|path| files_read(path, &self.input.options()))
            .collect()
    }

    /// Reads the graph.
    ///
    /// # Errors
    ///
    /// Files that cannot be used, and kernels that the graph does not support.
    pub fn read(&self, progress: &mut dyn Progress) -> Result<GapBenchmark, Error> {
        let begun = Instant::now();
        let input = self.input.read(self.verify, progress)?;
        let read_ms = begun.elapsed().as_secs_f64() * 1e3;
        let sources = self.sources.as_ref();
        let sources = sources.map(|path| load_sources(path, &input.ids, input.rows.vertices()));
        let sources = sources.transpose()?.unwrap_or_default();
        GapBenchmark::new((input, read_ms), &self.kernels, self.trials, sources)
    }
}

impl MeasuredJob for GapJob {
    const STEPS: &'static str = "trials";

    type Input<'i> = &'i GapBenchmark;

    type Left<'b> = ();

    fn steps(&self, benchmark: &GapBenchmark) -> usize {
        benchmark.trials()
    }

    fn measure(
        &self,
        benchmark: &GapBenchmark,
        backend: &dyn Backend,
        progress: &mut dyn Progress,
    ) -> Result<(GapReport, ()), Error> {
        let algorithms = Algorithms::default();
        let storage = &self.storage;
        let workload = storage.workload(&benchmark.input, self.pool, algorithms)?;
        let (runs, store) = workload.run(backend, 1, || ())?;
        let kernels = benchmark.run(&store, || progress.step())?;
        let done = (&runs[0], kernels);
        Ok((gap_report(benchmark, &workload, &backend.info(), done), ()))
    }
}

impl Job for GapJob {
    const KIND: &'static str = "gap";

    type Report = GapReport;

    fn backend(&self) -> &backend::Options {
        &self.backend
    }

    fn run(&self, backend: &dyn Backend, progress: &mut dyn Progress) -> Result<GapReport, Error> {
        let benchmark = self.read(progress)?;
        Ok(self.measure(&benchmark, backend, progress)?.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Cpu;
    use crate::generate::Source;
    use crate::graph::Layout;

    #[test]
    fn a_job_comes_back_from_json_and_runs_its_kernels() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fork.el");
        std::fs::write(&path, "0 1\n0 2\n").unwrap();
        let job = GapJob {
            input: InputOptions::new(Source::parse(path.into()).unwrap()),
            kernels: vec![
                GapKernel::named("cc").unwrap(),
                GapKernel::named("bfs").unwrap(),
            ],
            sources: None,
            trials: Some(2),
            verify: true,
            pool: Pool::Auto,
            storage: StorageOptions {
                layout: Layout::Linked,
                ..StorageOptions::default()
            },
            backend: backend::Options::default(),
        };
        let json = serde_json::to_string(&job).unwrap();
        let job: GapJob = serde_json::from_str(&json).unwrap();
        assert_eq!(job.files().len(), 1);
        let report = job.run(&Cpu::with_threads(1).unwrap(), &mut ()).unwrap();
        let kernels = report.kernels.iter().map(|found| found.kernel.as_str());
        assert!(kernels.eq(["cc", "bfs"]));
        let verified = report.graph.verified.unwrap();
        assert_eq!(verified, ["rows, counts and hash", "cc", "bfs"]);
        // Only vertex 0 has out-edges.
        let sources = report.kernels[1]
            .trials
            .iter()
            .map(|trial| &trial.sources[..]);
        assert!(sources.eq([[0], [0]]));
    }
}
