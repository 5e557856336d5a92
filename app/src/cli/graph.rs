//! `heapwood graph`: keeps a graph over an allocator, changes it, and computes
//! on it.

mod check;
mod path_file;
mod saves;
mod storage;

use std::path::{Path, PathBuf};

use clap::Args;
use heapwood_graphs::{
    Format, GraphError, check_weights, load_coordinates, output_format, save_with_ids,
};

use super::common::read_apart;
use super::hints::of_graph;
use super::progress::TerminalProgress;
use super::suffix::Exporter;
use crate::Error;
use crate::backend::Options;
use crate::graph::Store;
use crate::graph::algorithms::{SAVES_HEADING, Saves};
use crate::job::{GraphJob, WorkOptions};
use crate::output;
use crate::report;
use crate::report::graph::GraphReport;
use crate::workload::graph::Run;
pub(super) use check::{check, input as check_input};
pub(super) use storage::{StorageArguments, parse_layout};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood graph graphs/data/triangulation.graph --pagerank --triangles --components
  heapwood graph gen:road,vertices=2^16 --insert 10000 --delete 10000 --rounds 5 --verify";

/// Arguments of `heapwood graph`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Write the graph after all updates to this file
    ///
    /// The suffix is .graph, .gr, .col, .mtx, .el or .txt, and .gz behind it for gzip.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Write the result to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format: text, json, csv or markdown [default: by the suffix of -o]
    ///
    /// Without -o, it is text.
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    format: Option<report::Format>,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    storage: StorageArguments,
    #[command(flatten)]
    saves: Saves,
    /// Write the vertices of the path of --path-to to this file
    ///
    /// A line has the id of a vertex. In .csv, titles stand before, and commas separate columns.
    #[arg(
        long,
        value_name = "FILE",
        requires = "path_to",
        hide_short_help = true,
        help_heading = SAVES_HEADING
    )]
    save_path: Option<PathBuf>,
    /// Coordinates of vertices for --save-path: a .co of DIMACS's ninth challenge
    ///
    /// x and y stand behind the ids.
    #[arg(
        long,
        value_name = "FILE",
        requires = "save_path",
        conflicts_with = "insert_vertices",
        hide_short_help = true,
        help_heading = "Input"
    )]
    coordinates: Option<PathBuf>,
    #[command(flatten)]
    backend: Options,
}

/// Loads, updates, computes, and reports.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    arguments.check()?;
    let storage = arguments.storage.options()?;
    let exporter = Exporter::open(arguments.format, arguments.output.as_deref())?;
    let compact = arguments.work.input.compact_ids;
    let open = |path| open_save(path, compact);
    let saved_as = arguments.save.as_deref().map(open).transpose()?;
    let targets = saves::Targets::open(arguments.outputs())?;
    let exporter = exporter.beside_results(targets.use_standard_output());

    let mut progress = TerminalProgress::new(&[]);
    let input = arguments
        .work
        .input
        .read(arguments.work.verify, &mut progress)?;
    let mut job = GraphJob {
        work: arguments.work.clone(),
        storage,
        // Decided after the graph is read.
        backend: Options::default(),
    };
    let algorithms = job.work.algorithms(&arguments.saves, &input)?;
    let coordinates = arguments.coordinates.as_ref();
    let load = |path| load_coordinates(path, &input.ids, input.rows.vertices());
    let coordinates = coordinates.map(load).transpose()?;
    // Whether the format can hold the graph.
    if let Some(path) = &arguments.save {
        let format = save_format(path, input.rows.directed)?;
        let kind = input.rows.weight_kind();
        check_weights(path, format, kind).map_err(|error| Error::Usage(error.to_string()))?;
        refuse_gaps(path, saved_as, input.ids.are_listed())?;
    }
    let workload = job.workload(&input, algorithms.clone(), &mut progress)?;
    let link = &arguments.storage.allocator.link;
    job.backend = link.decide(&arguments.backend, None)?;
    let complete = |_: &mut GraphReport, (first, graph): (Run, Store<'_>)| {
        if let (Some(path), Some(format)) = (&arguments.save, saved_as) {
            save_with_ids(&graph.csr()?, &input.ids, path, Some(format))?;
        }
        // The first run keeps its values.
        let results = first.results;
        let way = results.paths.as_ref().and_then(|paths| paths.way.as_ref());
        if let (Some(path), Some(way)) = (&arguments.save_path, way) {
            targets.write(path, |out| {
                path_file::write(path, way, &input.ids, coordinates.as_deref(), out)
            })?;
        }
        results.save(&arguments.saves, &graph, |path, values| {
            targets.write(path, |out| {
                values.write(&input.ids, graph.deleted_vertices(), out)
            })
        })
    };
    let allocator = &arguments.storage.allocator;
    let Some(target) = allocator.record.open(&job.storage.allocator)? else {
        return progress.execute(&job, &workload, &exporter, complete);
    };
    let mut recorded = job.clone();
    recorded.storage.allocator = target.spec.clone();
    let over_recorded = recorded.workload(&input, algorithms, &mut ())?;
    let (plain, recorded) = ((&job, &workload), (&recorded, &over_recorded));
    progress.execute_recorded(plain, recorded, &target, &exporter, complete)
}

impl Arguments {
    /// The files for values, answers and a path.
    fn outputs(&self) -> Vec<&Path> {
        let mut files = self.saves.files();
        files.extend(self.save_path.as_deref());
        files
    }

    /// Finds what makes no sense before anything is read or written.
    fn check(&self) -> Result<(), Error> {
        check(&self.work, &self.saves)?;
        // A file may be read twice.
        let mut written = vec![self.save.as_deref(), self.output.as_deref()];
        written.extend(self.storage.allocator.record.files());
        let outputs = self.outputs().into_iter();
        written.extend(
            outputs
                .filter(|path| !saves::is_standard_output(path))
                .map(Some),
        );
        let mut read = self.work.files();
        read.extend(self.coordinates.clone());
        read_apart(read, &written)?;
        read_apart(self.storage.allocator.link.files(), &written)
    }
}

/// Makes sure that a graph can be saved to a file of this name, whose ids may have gaps;
/// returns the format.
fn open_save(path: &Path, compact: bool) -> Result<Format, Error> {
    let format = save_format(path, false)?;
    refuse_gaps(path, Some(format), compact)?;
    output::check_writable(path)?;
    Ok(format)
}

/// Makes sure that a format can hold ids with gaps if there are any.
fn refuse_gaps(path: &Path, format: Option<Format>, gaps: bool) -> Result<(), Error> {
    match format {
        Some(format) if gaps && format != Format::EdgeList => {
            let path = path.display().to_string();
            let error = GraphError::NoGaps { path, format };
            Err(Error::Usage(of_graph(&error)))
        }
        _ => Ok(()),
    }
}

/// The format in which a graph is saved to a file of this name.
fn save_format(path: &Path, directed: bool) -> Result<Format, Error> {
    output_format(path, None, directed).map_err(|error| Error::Usage(error.to_string()))
}
