//! A run of LDBC Graphalytics as a job.

use std::path::PathBuf;

use heapwood_graphs::Dataset;
use serde::{Deserialize, Serialize};

use super::graph::StorageOptions;
use super::{Job, MeasuredJob, Progress};
use crate::Error;
use crate::backend::{self, Backend};
use crate::graph::Store;
use crate::report::graphalytics::{GraphalyticsReport, graphalytics_report};
use crate::size::Pool;
use crate::word;
use crate::workload::graph::Run;
use crate::workload::graphalytics::Benchmark;

/// Runs the algorithms of a dataset on its graph, and compares their output with that of the
/// reference.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct GraphalyticsJob {
    /// The properties of the dataset.
    #[serde(rename = "graph", with = "word")]
    pub properties: PathBuf,
    /// How often it is loaded and computed on.
    pub runs: u32,
    /// The memory of the allocator.
    #[serde(with = "word")]
    pub pool: Pool,
    /// How the graph is kept.
    #[serde(flatten)]
    pub storage: StorageOptions,
    /// The backend, once decided.
    pub backend: backend::Options,
}

/// Reads the graph of a dataset, and the reference output.
///
/// # Errors
///
/// Files that cannot be used.
pub fn read_dataset(dataset: Dataset, progress: &mut dyn Progress) -> Result<Benchmark, Error> {
    let path = dataset.path.display().to_string();
    progress.begin(format!("reading the graph of {path}"));
    let loaded = dataset.load();
    progress.end();
    let loaded = loaded?;
    for note in &loaded.notes {
        progress.graph(&path, note);
    }
    progress.begin(format!("reading the reference output of {path}"));
    let benchmark = Benchmark::new(dataset, loaded);
    progress.end();
    benchmark
}

impl MeasuredJob for GraphalyticsJob {
    const STEPS: &'static str = "runs";

    type Input<'i> = &'i Benchmark;

    /// The first run, and the graph after the last.
    type Left<'b> = (Run, Store<'b>);

    fn steps(&self, _: &Benchmark) -> usize {
        self.runs as usize
    }

    fn measure<'b>(
        &self,
        benchmark: &Benchmark,
        backend: &'b dyn Backend,
        progress: &mut dyn Progress,
    ) -> Result<(GraphalyticsReport, (Run, Store<'b>)), Error> {
        let algorithms = benchmark.algorithms();
        let storage = &self.storage;
        let workload = storage.workload(&benchmark.input, self.pool, algorithms)?;
        let (mut runs, store) = workload.run(backend, self.runs, || progress.step())?;
        let done = (&runs[..], &store);
        let report = graphalytics_report(benchmark, &workload, &backend.info(), done)?;
        Ok((report, (runs.swap_remove(0), store)))
    }
}

impl Job for GraphalyticsJob {
    const KIND: &'static str = "graphalytics";

    type Report = GraphalyticsReport;

    fn backend(&self) -> &backend::Options {
        &self.backend
    }

    fn run(
        &self,
        backend: &dyn Backend,
        progress: &mut dyn Progress,
    ) -> Result<GraphalyticsReport, Error> {
        let benchmark = read_dataset(Dataset::open(&self.properties)?, progress)?;
        let report = self.measure(&benchmark, backend, progress)?.0;
        benchmark.check(&report.algorithms)?;
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::backend::Cpu;
    use crate::graph::Layout;

    #[test]
    fn a_job_comes_back_from_json_and_finds_differences() {
        let folder = tempfile::tempdir().unwrap();
        let properties = "graph.arc.vertex-file = arc.v\ngraph.arc.edge-file = arc.e\n\
                          graph.arc.directed = true\ngraph.arc.algorithms = bfs, wcc\n\
                          graph.arc.bfs.source-vertex = 3\n";
        for (name, text) in [
            ("arc.properties", properties),
            ("arc.v", "3\n8\n9\n"),
            ("arc.e", "3 8\n"),
            ("arc-BFS", "3 0\n8 1\n9 9223372036854775807\n"),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let job = GraphalyticsJob {
            properties: folder.path().join("arc.properties"),
            runs: 2,
            pool: Pool::Auto,
            storage: StorageOptions {
                layout: Layout::Linked,
                ..StorageOptions::default()
            },
            backend: backend::Options::default(),
        };
        let json = serde_json::to_string(&job).unwrap();
        let job: GraphalyticsJob = serde_json::from_str(&json).unwrap();
        let cpu = Cpu::with_threads(1).unwrap();
        let report = job.run(&cpu, &mut ()).unwrap();
        let rows = report.algorithms.iter();
        let outcomes: Vec<String> = rows.map(|row| row.comparison.to_string()).collect();
        assert_eq!(outcomes, ["matches", "no reference"]);
        fs::write(folder.path().join("arc-WCC"), "3 3\n8 3\n9 3\n").unwrap();
        let error = job.run(&cpu, &mut ()).unwrap_err();
        assert_eq!(error.exit_code(), 5);
        let end = "arc.properties: verification: wcc differs at vertex 9: 9, not 3";
        assert!(error.to_string().ends_with(end), "{error}");
    }
}
