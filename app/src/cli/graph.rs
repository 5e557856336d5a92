//! `heapwood graph`: keeps a graph over an allocator, changes it, and computes
//! on it.

mod course;
mod follow;
mod input;
mod results;
mod session;
mod updates;

use std::path::{Path, PathBuf};

use clap::Args;
use heapwood_graphs::{Format, GraphError, save};

use super::common::{BackendArguments, different_files, progress};
use super::kdtree::TreeFormat;
use super::tree::AllocatorArguments;
use crate::Error;
use crate::graph::verify::Checker;
use crate::graph::{Layout, Options, RankOptions};
use crate::output::{self, Output};
use crate::report::json;
use crate::size::{self, Pool};
use input::{Input, InputArguments};
use session::{Pass, Session, Wanted};
use updates::UpdateArguments;

/// Arguments of `heapwood graph`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    allocator: AllocatorArguments,
    /// Memory of the allocator: auto, a multiple of the bytes of the stored edges such
    /// as 8x, or a size
    #[arg(long, value_name = "SIZE", value_parser = size::parse_pool, default_value = "auto")]
    pool: Pool,
    /// How the neighbours of a vertex are kept
    #[arg(long, value_parser = parse_layout, value_name = "contiguous|linked", default_value = "contiguous")]
    layout: Layout,
    #[command(flatten)]
    backend: BackendArguments,
    #[command(flatten)]
    updates: UpdateArguments,
    #[command(flatten)]
    algorithms: AlgorithmArguments,
    /// Timed runs, each of which loads, updates and computes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 3)]
    runs: u32,
    /// Compare everything with an independent implementation on the CPU
    #[arg(long)]
    verify: bool,
    /// Write the graph after all updates to this file: .graph, .gr, .col, .mtx, .el or
    /// .txt, gzipped with .gz
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// How to write the result
    #[arg(long, value_enum, default_value_t)]
    format: TreeFormat,
    /// Write the result to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What is computed on the graph.
#[derive(Debug, Args)]
struct AlgorithmArguments {
    /// Compute PageRank
    #[arg(long)]
    pagerank: bool,
    /// Probability of following an edge
    #[arg(long, value_name = "D", default_value_t = RankOptions::default().damping, value_parser = parse_damping, requires = "pagerank")]
    damping: f64,
    /// Change of all ranks together at which to stop
    #[arg(long, value_name = "T", default_value_t = RankOptions::default().tolerance, value_parser = parse_tolerance, requires = "pagerank")]
    tolerance: f64,
    /// Most iterations
    #[arg(long, value_name = "N", default_value_t = RankOptions::default().limit, value_parser = clap::value_parser!(u32).range(1..=100_000), requires = "pagerank")]
    iterations: u32,
    /// Vertices of highest rank to list
    #[arg(long, value_name = "K", default_value_t = 10, requires = "pagerank")]
    top: usize,
    /// Count triangles, of undirected graphs
    #[arg(long)]
    triangles: bool,
    /// Count connected components, whatever the directions
    #[arg(long)]
    components: bool,
    /// Search from this vertex, breadth first; its number is that of the file
    #[arg(long, value_name = "SOURCE")]
    bfs: Option<u32>,
    /// After each round, find PageRank and triangles from those before it too
    #[arg(long, requires = "updates")]
    incremental: bool,
}

/// Loads, updates, computes, and reports.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    arguments.check()?;
    let options = arguments.options()?;
    let file = arguments.output.as_deref().map(Output::open).transpose()?;
    let save_format = arguments.save.as_deref().map(open_save).transpose()?;

    let input = arguments.input.read(arguments.verify)?;
    let wanted = arguments.wanted(&input)?;
    if let (Some(path), Some(format)) = (&arguments.save, save_format) {
        suits(path, format, &input)?;
    }
    let plan = arguments.updates.plan(&arguments.input, &input)?;
    let backend = arguments.backend.decide(None)?.open()?;

    let spec = options.spec.clone();
    let kept = (options, arguments.allocator.check_heap);
    let mut session = Session::new(&backend, &input, kept, &plan, &wanted);
    let bar = progress(arguments.runs as usize);
    bar.set_message("runs");
    let passes = passes(arguments, &input, &mut session, save_format, || bar.inc(1));
    bar.finish_and_clear();
    let passes = passes?;

    let facts = backend.facts();
    let report = results::report(arguments, &input, &plan, &spec, &facts, &passes);
    let text = match arguments.format {
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
    for run in 1..=arguments.runs {
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
            (run == arguments.runs, &arguments.save, save_format)
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
        self.updates.check()?;
        let algorithms = &self.algorithms;
        if algorithms.incremental && !algorithms.pagerank && !algorithms.triangles {
            let why = "--incremental is for --pagerank and --triangles: ask for one of them";
            return Err(Error::Usage(why.to_owned()));
        }
        if algorithms.incremental && algorithms.triangles && self.layout == Layout::Linked {
            let why = "batches count triangles in contiguous adjacency only: leave out \
                       --layout linked, or --incremental";
            return Err(Error::Usage(why.to_owned()));
        }
        // What is read may be read twice.
        let written = || [&self.save, &self.output].into_iter().flatten();
        let read = std::iter::once(&self.input.file).chain(self.updates.files());
        for read in read {
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
            pool: self.pool,
            layout: self.layout,
            self_loops: self.input.self_loops,
        })
    }

    /// What is computed, where the graph allows it.
    fn wanted(&self, input: &Input) -> Result<Wanted, Error> {
        let algorithms = &self.algorithms;
        if algorithms.triangles && input.rows.directed {
            let why = "triangles are counted in undirected graphs, and this one is directed: \
                       use --undirected";
            return Err(Error::Usage(why.to_owned()));
        }
        Ok(Wanted {
            ranks: algorithms.pagerank.then_some(RankOptions {
                damping: algorithms.damping,
                tolerance: algorithms.tolerance,
                limit: algorithms.iterations,
                resume: false,
            }),
            triangles: algorithms.triangles,
            components: algorithms.components,
            source: algorithms.bfs.map(|id| input.vertex(id)).transpose()?,
            incremental: algorithms.incremental,
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
    drop(Output::open(path)?);
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

fn layout_name(layout: Layout) -> &'static str {
    match layout {
        Layout::Contiguous => "contiguous",
        Layout::Linked => "linked",
    }
}

fn parse_layout(text: &str) -> Result<Layout, String> {
    let layouts = [Layout::Contiguous, Layout::Linked];
    let found = layouts
        .into_iter()
        .find(|&layout| layout_name(layout) == text);
    found.ok_or_else(|| "write contiguous or linked".to_owned())
}

fn parse_damping(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(damping) if (0.0..1.0).contains(&damping) => Ok(damping),
        _ => Err("write a number from 0 up to 1, but not 1 itself".to_owned()),
    }
}

fn parse_tolerance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(tolerance) if (0.0..=2.0).contains(&tolerance) => Ok(tolerance),
        _ => Err("write a number from 0 to 2".to_owned()),
    }
}
