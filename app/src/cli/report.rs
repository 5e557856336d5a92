//! `heapwood report`: results as one HTML page, and `heapwood compare results`: what changed between
//! two sets of them.

use std::path::{Path, PathBuf};

use clap::Args;
use heapwood_page::{Collection, PageError, PageFault, changes, html};

use super::common::read_apart;
use super::suffix::{self, ResultArguments};
use crate::Error;
use crate::allocators::with_forms;
use crate::output::{self, Output};
use crate::report::allocators::allocator_row;
use crate::workload::micro::Costs;

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood report bench.json kdtree.json allocators.json -o report.html
  heapwood report report.html graph.json heap.png -o report.html";

/// Arguments of `heapwood report`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Results in JSON, earlier pages, PNG pictures
    ///
    /// Registers are those in the list of `heapwood allocators --format json`.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write the page to this file
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

/// Writes the page.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let path = &arguments.output;
    suffix::check(path, &["html", "htm"])?;
    // A page may be read and written again: all is read first.
    let read = arguments.files.iter();
    let read = read.filter(|file| !suffix::is(file, "html") && !suffix::is(file, "htm"));
    read_apart(read, &[Some(path)])?;
    let target = Output::open(path)?;
    let mut collection = Collection::default();
    for file in &arguments.files {
        add(&mut collection, file)?;
    }
    let known = with_forms().map(|allocator| allocator_row(allocator, Costs::UNKNOWN));
    let known: Vec<_> = known.collect();
    target.write(html(&collection, &known).as_bytes())?;
    output::print(&format!(
        "{}: {} results of {} files\n",
        arguments.output.display(),
        collection.measured.len(),
        collection.files.len()
    ))
}

/// Examples of `heapwood compare results`.
const CHANGES_EXAMPLES: &str = "\
Examples:
  heapwood compare results before.json after.json
  heapwood compare results before.html after.json --noise 10 --format json";

/// Arguments of `heapwood compare results`.
#[derive(Debug, Args)]
#[command(after_help = CHANGES_EXAMPLES)]
pub struct ChangesArguments {
    /// Earlier results: JSON, or a page
    #[arg(value_name = "BEFORE")]
    before: PathBuf,
    /// Later results
    #[arg(value_name = "AFTER")]
    after: PathBuf,
    /// Max percentage by which medians differ within noise
    ///
    /// Times also have to differ by more than 2 microseconds, and the middle halves of samples must
    /// not overlap.
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value_t = 20.0)]
    noise: f64,
    #[command(flatten)]
    results: ResultArguments,
}

fn percent(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1000.0).contains(&value) => Ok(value),
        _ => Err(format!("`{text}` is not a number from 0 to 1000")),
    }
}

/// Lists the changes; an error if results got worse.
pub fn run_changes(arguments: &ChangesArguments) -> Result<(), Error> {
    let files = [&arguments.before, &arguments.after].map(PathBuf::as_path);
    let exporter = arguments.results.open(files)?;
    let mut both = [Collection::default(), Collection::default()];
    for (collection, file) in both.iter_mut().zip(files) {
        add(collection, file)?;
    }
    let [before, after] = &both;
    let refused = |why| {
        Error::Page(PageError {
            file: files[1].display().to_string(),
            why,
        })
    };
    let report = changes(before, after, arguments.noise / 100.0).map_err(refused)?;
    let regressions = report
        .changes
        .iter()
        .filter(|row| row.change.is_regression());
    let verdict = match regressions.count() {
        0 => Ok(()),
        _ => Err(Error::Verification(format!(
            "{} and {}: {}",
            files[0].display(),
            files[1].display(),
            report.verdict()
        ))),
    };
    exporter.conclude(&report, verdict)
}

/// Adds a file to a collection.
fn add(collection: &mut Collection, path: &Path) -> Result<(), Error> {
    let file = path.display().to_string();
    let content = std::fs::read(path).map_err(|cause| PageError {
        file: file.clone(),
        why: PageFault::Read(cause.to_string()),
    })?;
    Ok(collection.add(&file, &content)?)
}
