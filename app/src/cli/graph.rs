//! `heapwood graph`: keeps a graph over an allocator, changes it, and computes
//! on it.

mod events;
mod input;
mod saves;
mod updates;
mod work;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use heapwood_graphs::{Format, GraphError, output_format, save_with_ids};

use super::common::{BackendArguments, progress, read_apart, write};
use super::suffix;
use super::tree::AllocatorArguments;
use crate::Error;
use crate::graph::algorithms::Saves;
use crate::graph::{Layout, Limits, Options};
use crate::output::{self, Output};
use crate::report;
use crate::report::graph::graph_report;
use crate::workload::graph::Workload;
pub(super) use work::WorkArguments;

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
    work: WorkArguments,
    #[command(flatten)]
    allocator: AllocatorArguments,
    /// Storage of a vertex's neighbours
    #[arg(long, help_heading = "Allocator", value_parser = parse_layout, value_name = "contiguous|linked", default_value = "contiguous")]
    layout: Layout,
    #[command(flatten)]
    saves: Saves,
    #[command(flatten)]
    backend: BackendArguments,
}

/// Loads, updates, computes, and reports.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    arguments.check()?;
    let options = arguments.options()?;
    let format = suffix::format(arguments.format, arguments.output.as_deref())?;
    let file = arguments.output.as_deref().map(Output::open).transpose()?;
    let compact = arguments.work.input.compact_ids;
    let open = |path| open_save(path, compact);
    let saved_as = arguments.save.as_deref().map(open).transpose()?;
    let targets = saves::Targets::open(&arguments.saves)?;

    let input = arguments.work.input.read(arguments.work.verify)?;
    let algorithms = arguments.work.algorithms(&arguments.saves, &input)?;
    // Whether the format can hold the graph.
    if let Some(path) = &arguments.save {
        save_format(path, input.rows.directed)?;
        refuse_gaps(path, saved_as, input.ids.are_listed())?;
    }
    let workload = Workload {
        stream: arguments.work.stream(&input)?,
        events: arguments.work.events(&input)?,
        input: &input,
        store: options,
        check_heap: arguments.allocator.check_heap,
        algorithms,
    };
    let link = &arguments.allocator.link;
    let backend = link.decide(&arguments.backend, None)?.open()?;

    let bar = progress(arguments.work.runs as usize);
    bar.set_message("runs");
    let done = workload.run(&*backend, arguments.work.runs, || bar.inc(1));
    bar.finish_and_clear();
    let (runs, graph) = done?;
    if let (Some(path), Some(format)) = (&arguments.save, saved_as) {
        save_with_ids(&graph.csr(false)?, &input.ids, path, Some(format))?;
    }
    // The first run keeps what it found.
    runs[0]
        .results
        .save(&arguments.saves, &graph, |path, values| {
            targets.write(path, |out| {
                values.write(&input.ids, graph.deleted_vertices(), out)
            })
        })?;

    let top = arguments.work.algorithms.top();
    let report = graph_report(&workload, &backend.info(), &runs, top);
    let text = report::write(format, &report)?;
    match file {
        // Values are read by a program, the report by people.
        None if targets.use_standard_output() => {
            // There is nowhere to report that the standard error is closed.
            let _ = std::io::stderr().write_all(text.as_bytes());
            Ok(())
        }
        file => write(file, &text),
    }
}

impl Arguments {
    /// Finds what makes no sense before anything is read or written.
    fn check(&self) -> Result<(), Error> {
        self.work.check(&self.saves)?;
        // What is read may be read twice.
        let mut written = vec![self.save.as_deref(), self.output.as_deref()];
        let saves = self.saves.files().into_iter();
        written.extend(
            saves
                .filter(|path| !saves::is_standard_output(path))
                .map(Some),
        );
        read_apart(self.work.files(), &written)?;
        read_apart(self.allocator.link.files(), &written)
    }

    /// How the graph is kept.
    fn options(&self) -> Result<Options, Error> {
        if self
            .allocator
            .allocator
            .as_ref()
            .is_some_and(|spec| spec.coalesce)
        {
            let why = "coalesce has no effect here: it is for `heapwood bench`";
            return Err(Error::Usage(why.to_owned()));
        }
        Ok(Options {
            spec: self.allocator.spec()?,
            pool: self.work.pool,
            layout: self.layout,
            self_loops: self.work.input.self_loops,
            limits: Limits::default(),
        })
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
            let why = GraphError::NoGaps { path, format }.to_string();
            Err(Error::Usage(why))
        }
        _ => Ok(()),
    }
}

/// The format in which a graph is saved to a file of this name.
fn save_format(path: &Path, directed: bool) -> Result<Format, Error> {
    output_format(path, None, directed).map_err(|error| Error::Usage(error.to_string()))
}

/// The layout of this name.
///
/// # Errors
///
/// A message that says which there are.
pub(super) fn parse_layout(text: &str) -> Result<Layout, String> {
    let mut layouts = Layout::ALL.into_iter();
    let found = layouts.find(|layout| layout.name() == text);
    found.ok_or_else(|| "write contiguous or linked".to_owned())
}
