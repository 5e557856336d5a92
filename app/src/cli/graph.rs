//! `heapwood graph`: keeps a graph over an allocator, changes it, and computes
//! on it.

mod course;
mod follow;
mod input;
mod results;
mod session;
mod updates;
mod work;

use std::path::{Path, PathBuf};

use clap::Args;
use heapwood_graphs::{Format, GraphError, save};

use super::common::{BackendArguments, different_files, progress};
use super::kdtree::TreeFormat;
use super::suffix;
use super::tree::AllocatorArguments;
use crate::Error;
use crate::graph::verify::Checker;
use crate::graph::{Layout, Limits, Options};
use crate::output::{self, Output};
use crate::report::json;
use input::Input;
use session::{Pass, Session};
pub(super) use work::WorkArguments;

/// Arguments of `heapwood graph`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    work: WorkArguments,
    #[command(flatten)]
    allocator: AllocatorArguments,
    /// How the neighbours of a vertex are kept
    #[arg(long, value_parser = parse_layout, value_name = "contiguous|linked", default_value = "contiguous")]
    layout: Layout,
    #[command(flatten)]
    backend: BackendArguments,
    /// Write the graph after all updates to this file: .graph, .gr, .col, .mtx, .el or
    /// .txt, gzipped with .gz
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// How to write the result [default: as the output file is named, or else as text]
    #[arg(long, value_enum)]
    format: Option<TreeFormat>,
    /// Write the result to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Loads, updates, computes, and reports.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    arguments.check()?;
    let options = arguments.options()?;
    let format = suffix::format(arguments.format, arguments.output.as_deref())?;
    let file = arguments.output.as_deref().map(Output::open).transpose()?;
    let save_format = arguments.save.as_deref().map(open_save).transpose()?;

    let input = arguments.work.input.read(arguments.work.verify)?;
    let wanted = arguments.work.wanted(&input)?;
    if let (Some(path), Some(format)) = (&arguments.save, save_format) {
        suits(path, format, &input)?;
    }
    let plan = arguments.work.plan(&input)?;
    let backend = arguments.backend.decide(None)?.open()?;

    let spec = options.spec.clone();
    let kept = (options, arguments.allocator.check_heap);
    let mut session = Session::new(&*backend, &input, kept, &plan, &wanted);
    let bar = progress(arguments.work.runs as usize);
    bar.set_message("runs");
    let passes = passes(arguments, &input, &mut session, save_format, || bar.inc(1));
    bar.finish_and_clear();
    let passes = passes?;

    let info = backend.info();
    let report = results::report(arguments, &input, &plan, &spec, &info, &passes);
    let text = match format {
        TreeFormat::Text => report.text(),
        TreeFormat::Json => json(&report)?,
    };
    match file {
        Some(file) => file.write(text.as_bytes()),
        None => output::print(&text),
    }
}

/// Makes all runs and saves the graph of the last; `done` is called after each.
fn passes(
    arguments: &Arguments,
    input: &Input,
    session: &mut Session,
    save_format: Option<Format>,
    done: impl Fn(),
) -> Result<Vec<Pass>, Error> {
    let mut checker = input
        .list
        .as_ref()
        .map(|list| Checker::new(list, input.options, input.first_id));
    let mut passes: Vec<Pass> = Vec::new();
    for run in 1..=arguments.work.runs {
        // The first run is the one that is checked, the others repeat it.
        let (pass, store) = session.pass(checker.take())?;
        match passes.first() {
            None => passes.push(pass),
            Some(first) if first.hash == pass.hash => passes.push(pass.times()),
            Some(_) => {
                let why = format!("run {run} ended with another graph than the first");
                return Err(Error::Verification(why));
            }
        }
        if let (true, Some(path), Some(format)) =
            (run == arguments.work.runs, &arguments.save, save_format)
        {
            save(&store.csr(false)?, path, Some(format))?;
        }
        done();
    }
    Ok(passes)
}

impl Arguments {
    /// Finds what makes no sense before anything is read or written.
    fn check(&self) -> Result<(), Error> {
        self.work.check()?;
        let algorithms = &self.work.algorithms;
        if algorithms.incremental && algorithms.triangles && self.layout == Layout::Linked {
            let why = "batches count triangles in contiguous adjacency only: leave out \
                       --layout linked, or --incremental";
            return Err(Error::Usage(why.to_owned()));
        }
        // What is read may be read twice.
        let written = || [&self.save, &self.output].into_iter().flatten();
        for read in self.work.files() {
            let all = std::iter::once(read).chain(written());
            different_files(all.map(PathBuf::as_path))?;
        }
        Ok(())
    }

    /// How the graph is kept.
    fn options(&self) -> Result<Options, Error> {
        if self.allocator.allocator.coalesce {
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

/// Makes sure that a graph can be saved to a file of this name; returns the
/// format.
fn open_save(path: &Path) -> Result<Format, Error> {
    let no_format = || GraphError::NoFormat {
        path: path.display().to_string(),
    };
    let format = Format::by_suffix(path).ok_or_else(|| Error::Usage(no_format().to_string()))?;
    output::check_writable(path)?;
    Ok(format)
}

/// Makes sure that a format can hold the graph.
fn suits(path: &Path, format: Format, input: &Input) -> Result<(), Error> {
    if input.rows.directed && format.is_undirected() {
        let path = path.display().to_string();
        return Err(Error::Usage(
            GraphError::Directed { path, format }.to_string(),
        ));
    }
    Ok(())
}

/// A layout as on the command line.
pub(super) fn layout_name(layout: Layout) -> &'static str {
    match layout {
        Layout::Contiguous => "contiguous",
        Layout::Linked => "linked",
    }
}

/// The layout of this name.
///
/// # Errors
///
/// A message that says which there are.
pub(super) fn parse_layout(text: &str) -> Result<Layout, String> {
    let layouts = [Layout::Contiguous, Layout::Linked];
    let found = layouts
        .into_iter()
        .find(|&layout| layout_name(layout) == text);
    found.ok_or_else(|| "write contiguous or linked".to_owned())
}
