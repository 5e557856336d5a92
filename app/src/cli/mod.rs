//! The command line: the one place that prints, and turns errors into exit codes.

mod allocators;
mod bench;
mod builder;
mod camera;
mod cases;
mod common;
mod compare;
mod completions;
mod devices;
mod diff;
mod export;
mod fragmentation;
mod gap;
mod generate;
mod graph;
mod graphalytics;
mod help;
mod hints;
mod host_pool;
mod kdtree;
mod light;
mod passes;
mod progress;
mod record;
mod render;
mod report;
mod sequence;
mod shade;
mod steps;
mod suffix;
mod survey;
mod threads;
mod trace;
mod tree;
mod view;

use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::workload::agents::Agents;
use crate::workload::particles::Particles;
use crate::workload::replay::Replay;
use crate::workload::workgen::Workgen;
use crate::{Error, job, output};

/// Examples and the meanings of the exit codes; docs/usage/README.md has the codes in a table.
const AFTER_HELP: &str = "\
Examples:
  heapwood kdtree scenes/data/courtyard.obj --render out.png
  heapwood compare graph gen:road,vertices=2^16 --insert 100000 --allocators cfmalloc,gallatin
  heapwood bench threads --threads 10000 --allocators cfmalloc,gallatin

Exit codes: 0 done; 1 failed; 2 arguments that make no sense; 3 an input, linked or output file; 4 \
device, memory or pool; 5 a wrong result; 6 some cases of bench or compare failed with a fault or a \
timeout, others succeeded; 130 interrupted";

/// Compare GPU memory allocators on real work.
#[derive(Debug, Parser)]
#[command(name = "heapwood", version, max_term_width = 100, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build the SAH k-d tree of a scene and report what it took
    Kdtree(Box<kdtree::Arguments>),
    /// Render a scene
    Render(Box<render::Arguments>),
    /// Show a picture, or a scene, in the terminal
    View(view::Arguments),
    /// Compare two pictures: MSE, PSNR, FLIP, pixels that differ
    ///
    /// If they differ by more than is allowed, the exit code is 5.
    Diff(diff::Arguments),
    /// Store a graph over an allocator, update it and compute on it
    ///
    /// Each run loads the graph, inserts and deletes edges round by round, and
    /// computes on the result. Vertices are numbered as in the file, in arguments
    /// and in results: from 0 in edge lists, from 1 in the other formats.
    Graph(Box<graph::Arguments>),
    /// Run LDBC Graphalytics on a dataset, and compare the output with the reference
    ///
    /// If output differs from that of the reference, the exit code is 5.
    Graphalytics(Box<graphalytics::Arguments>),
    /// Run the kernels of the GAP benchmark suite on a graph, with its trials and sources
    ///
    /// The graph is loaded once. If a result is wrong, the exit code is 5.
    Gap(Box<gap::Arguments>),
    /// Step a sea of fish and sharks (Wa-Tor), each a block
    ///
    /// An animal whose block is refused lives on and asks again, so that the sea is the same over
    /// all allocators.
    Agents(Box<steps::Arguments<Agents>>),
    /// Step particles through a lattice of cells, in frames that are blocks
    ///
    /// A refused frame ends the run with exit code 4: use a larger --pool.
    Particles(Box<steps::Arguments<Particles>>),
    /// Have threads produce work in blocks, and others consume it
    ///
    /// The same is measured with a prefix sum and one block, without an allocator.
    Workgen(Box<steps::Arguments<Workgen>>),
    /// Replay a trace, which --record has written, over another allocator
    ///
    /// Each step makes all calls of the trace again, in the order of each warp. A free waits for its
    /// request.
    Replay(Box<steps::Arguments<Replay>>),
    /// Compare allocators on a tree, a graph, a sea, particles, produced work or a trace
    ///
    /// If results differ, the exit code is 5; if some cases fail with a fault or a timeout and others
    /// succeed, it is 6.
    #[command(subcommand)]
    Compare(compare::What),
    /// Run microbenchmarks of allocators on the device, or of the host's pool
    ///
    /// If blocks overlap or lose their contents, the exit code is 5; if some cases fail with a fault
    /// or a timeout and others succeed, it is 6.
    #[command(subcommand)]
    Bench(bench::What),
    /// Generate input
    #[command(subcommand)]
    Generate(generate::What),
    /// Summarise a trace of a heap, or convert it from and to formats of other tools
    ///
    /// A trace has each request and free of a run (docs/traces.md).
    #[command(subcommand)]
    Trace(trace::What),
    /// Show results as one HTML page: tables, curves, all samples
    ///
    /// It needs no network, and another page can add to it.
    Report(report::Arguments),
    /// List the allocators: design, parameters, registers
    Allocators(allocators::Arguments),
    /// Write an allocator as PTX and a header, for kernels in CUDA C++
    ///
    /// The folder has an example and a page that says how to link it. No GPU is needed.
    Export(export::Arguments),
    /// List the devices that kernels can run on
    Devices(devices::Arguments),
    /// Write a completion script for a shell
    Completions(completions::Arguments),
    /// Run a job that the standard input has as JSON
    #[command(hide = true)]
    Job {
        /// The kind of the job
        kind: String,
    },
}

/// Runs the program on the arguments of the process.
pub fn main() -> ExitCode {
    let result = match parse(std::env::args_os().collect()) {
        Ok(cli) => run(cli.command),
        Err(error) if is_asked_for(error.kind()) => output::print(&error.render().to_string()),
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // There is nowhere to report that the standard error is closed.
            let _ = write!(std::io::stderr(), "{}", error.render());
            return ExitCode::from(Error::Usage(String::new()).exit_code());
        }
        Err(error) => Err(Error::Usage(in_one_line(&error.render().to_string()))),
    };
    match result {
        Ok(()) | Err(Error::Closed) => ExitCode::SUCCESS,
        Err(error) => {
            complain("error", &hints::explain(&error));
            ExitCode::from(error.exit_code())
        }
    }
}

/// The commands and their options, for what describes or tests them.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Parses arguments; an error is also the help that they ask for.
fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    let command = command();
    let arguments = help::as_option(arguments, &command);
    let mut command = help::arrange(command, &arguments);
    let matches = command.try_get_matches_from_mut(arguments)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

fn run(command: Command) -> Result<(), Error> {
    match command {
        Command::Kdtree(arguments) => kdtree::run(&arguments),
        Command::Render(arguments) => render::run(&arguments),
        Command::View(arguments) => view::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Graph(arguments) => graph::run(&arguments),
        Command::Graphalytics(arguments) => graphalytics::run(&arguments),
        Command::Gap(arguments) => gap::run(&arguments),
        Command::Agents(arguments) => steps::run(&arguments),
        Command::Particles(arguments) => steps::run(&arguments),
        Command::Workgen(arguments) => steps::run(&arguments),
        Command::Replay(arguments) => steps::run(&arguments),
        Command::Compare(what) => compare::run(what),
        Command::Bench(what) => bench::run(what),
        Command::Generate(what) => generate::run(what),
        Command::Trace(what) => trace::run(what),
        Command::Report(arguments) => report::run(&arguments),
        Command::Allocators(arguments) => allocators::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Devices(arguments) => devices::run(&arguments),
        Command::Completions(arguments) => completions::run::<Cli>(&arguments),
        Command::Job { kind } => job(&kind),
    }
}

/// The work of a process for a job: answers the one on the standard input.
fn job(kind: &str) -> Result<(), Error> {
    // The job may be one over an allocator of the user's, whose code may print.
    output::keep_for_results();
    let mut job = Vec::new();
    let read = std::io::stdin().read_to_end(&mut job);
    read.map_err(|cause| Error::Failed(format!("cannot read the job: {cause}")))?;
    output::print(&(job::answer(kind, &job)? + "\n"))
}

/// Writes a line to the standard error, where whatever the user named may have
/// brought line breaks.
fn complain(kind: &str, what: &dyn std::fmt::Display) {
    let what = what.to_string().replace(['\n', '\r'], " ");
    // There is nowhere to report that the standard error is closed.
    let _ = writeln!(std::io::stderr(), "heapwood: {kind}: {what}");
}

fn is_asked_for(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
}

/// The message of the parser of arguments, up to where it repeats the usage.
fn in_one_line(message: &str) -> String {
    let lines = message
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .filter(|line| !line.is_empty());
    let text = lines.collect::<Vec<_>>().join(" ");
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    format!("{text} (see --help)")
}
