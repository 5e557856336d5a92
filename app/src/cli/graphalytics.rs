//! `heapwood graphalytics`: runs the algorithms of a dataset of LDBC Graphalytics.

mod folder;

use std::path::PathBuf;

use clap::Args;
use heapwood_graphs::Dataset;

use super::common::read_apart;
use super::graph::StorageArguments;
use super::progress::TerminalProgress;
use super::suffix::Exporter;
use crate::Error;
use crate::backend::Options;
use crate::job::{GraphalyticsJob, read_dataset};
use crate::report;
use crate::size::{Pool, parse_pool};
use crate::workload::graphalytics::output;
use folder::OutputFolder;

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood graphalytics example-directed.properties
  heapwood graphalytics wiki-Talk.properties --layout linked --output-folder out -o report.json";

/// Arguments of `heapwood graphalytics`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Properties of the dataset, which name its files and its algorithms
    ///
    /// Reference output is in files GRAPH-BFS, GRAPH-CDLP, GRAPH-LCC, GRAPH-PR, GRAPH-SSSP and
    /// GRAPH-WCC beside it. Algorithms without such a file are not compared.
    #[arg(value_name = "FILE.properties")]
    properties: PathBuf,
    /// Write the output of each algorithm to GRAPH-BFS etc. in this folder
    ///
    /// The folder is made if it is not there.
    #[arg(long, value_name = "FOLDER")]
    output_folder: Option<PathBuf>,
    /// Write the result to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format: text, json, csv or markdown [default: by the suffix of -o]
    ///
    /// Without -o, it is text.
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    format: Option<report::Format>,
    /// Timed runs: load and compute
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 3)]
    runs: u32,
    #[command(flatten)]
    storage: StorageArguments,
    /// Pool: a size, a multiple such as 8x, or auto
    ///
    /// A multiple counts the bytes of the stored edges.
    #[arg(long, help_heading = "Allocator", value_name = "SIZE", value_parser = parse_pool, default_value = "auto")]
    pool: Pool,
    #[command(flatten)]
    backend: Options,
}

/// Loads, computes, compares, and reports.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let storage = arguments.storage.options()?;
    let link = &arguments.storage.allocator.link;
    let exporter = Exporter::open(arguments.format, arguments.output.as_deref())?;
    let dataset = Dataset::open(&arguments.properties)?;
    let outputs = arguments.outputs(&dataset);
    let written = outputs.iter().chain(&arguments.output);
    let written: Vec<_> = written.map(|path| Some(path.as_path())).collect();
    read_apart(dataset.files(), &written)?;
    read_apart(link.files(), &written)?;
    let folder = arguments.output_folder.as_deref();
    let folder = folder.map(|folder| OutputFolder::open(folder, &outputs));
    let folder = folder.transpose()?;

    let mut progress = TerminalProgress::new(&[]);
    let benchmark = read_dataset(dataset, &mut progress)?;
    let job = GraphalyticsJob {
        properties: arguments.properties.clone(),
        runs: arguments.runs,
        pool: arguments.pool,
        storage,
        // Decided after the graph is read.
        backend: link.decide(&arguments.backend, None)?,
    };
    let mut verdict = Ok(());
    let done = progress.execute(&job, &benchmark, &exporter, |report, (first, store)| {
        verdict = benchmark.check(&report.algorithms);
        let Some(folder) = &folder else {
            return Ok(());
        };
        let ids = &benchmark.input.ids;
        for (index, algorithm) in benchmark.dataset.algorithms.iter().enumerate() {
            let values = output(algorithm, &first.results, &store)?;
            folder.write(index, |out| {
                values.write(ids, store.deleted_vertices(), out)
            })?;
        }
        Ok(())
    });
    // A wrong result has its exit code also where the reader of the report has closed it.
    verdict.and(done)
}

impl Arguments {
    /// The files that output is written to, one for each algorithm.
    fn outputs(&self, dataset: &Dataset) -> Vec<PathBuf> {
        let Some(folder) = &self.output_folder else {
            return Vec::new();
        };
        let algorithms = dataset.algorithms.iter();
        algorithms
            .map(|algorithm| folder.join(dataset.output_name(algorithm)))
            .collect()
    }
}
