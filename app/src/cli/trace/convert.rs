//! `heapwood trace convert`: between traces and the formats of other tools.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use heapwood_traces::{Header, Reader, RmmLog, TraceEntry, TraceError, UmpireLog, export};

use super::{about, open};
use crate::Error;
use crate::cli::common::read_apart;
use crate::cli::suffix;
use crate::output::{self, Output};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood trace convert sea.hwt sea.csv
  heapwood trace convert sea.hwt sea.json
  heapwood trace convert rmm_log.txt spark.hwt --from rmm";

/// Arguments of `heapwood trace convert`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// File to read: .hwt, .csv of RMM, or .json or .replay of Umpire
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// File to write: .hwt, .csv for RMM, .pickle for PyTorch, or .json for Perfetto
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Format of IN: hwt, rmm or umpire [default: by its suffix]
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    from: Option<Source>,
    /// Format of OUT: hwt, rmm, pytorch or perfetto [default: by its suffix]
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    to: Option<Target>,
}

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Source {
    /// A trace
    Hwt,
    /// The log of RMM's logging resource adaptor
    Rmm,
    /// The replay log of Umpire
    Umpire,
}

/// A format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// A trace
    Hwt,
    /// The log of RMM's logging resource adaptor
    Rmm,
    /// A memory snapshot of PyTorch
    Pytorch,
    /// Trace events of Chrome and Perfetto
    Perfetto,
}

/// Formats that are read by their suffixes.
const SOURCES: &[(&str, Source)] = &[
    ("hwt", Source::Hwt),
    ("csv", Source::Rmm),
    ("json", Source::Umpire),
    ("replay", Source::Umpire),
];

/// Formats that are written by their suffixes.
const TARGETS: &[(&str, Target)] = &[
    ("hwt", Target::Hwt),
    ("csv", Target::Rmm),
    ("pickle", Target::Pytorch),
    ("json", Target::Perfetto),
];

/// The format that is asked for, or else that of the file's suffix.
fn format<T: Copy>(
    asked: Option<T>,
    path: &Path,
    formats: &[(&str, T)],
    flag: &str,
) -> Result<T, Error> {
    let named = formats.iter().find(|(name, _)| suffix::is(path, name));
    asked.or(named.map(|named| named.1)).ok_or_else(|| {
        let names: Vec<String> = formats.iter().map(|of| format!(".{}", of.0)).collect();
        Error::Usage(format!(
            "{}: the suffix says no format: name it {}, or use {flag}",
            path.display(),
            names.join(" or ")
        ))
    })
}

/// Converts the file, and says how many events it has.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let (input, to) = (&arguments.input, &arguments.output);
    read_apart([input], &[Some(to)])?;
    let source = format(arguments.from, input, SOURCES, "--from")?;
    let target = format(arguments.to, to, TARGETS, "--to")?;
    if (source, target) == (Source::Hwt, Target::Hwt) {
        return Err(Error::Usage(format!(
            "{}: this is a trace already: choose another format with --to",
            input.display()
        )));
    }
    let output = Output::open(to)?;
    let file = open(input)?;
    let name = input.display().to_string();
    let mut converted = Ok(0);
    let written = output.write_with(|out| {
        let (result, ended) = split(convert(file, name, source, target, out));
        converted = result;
        ended
    });
    // Its error is the cause of the other one.
    let events = converted.map_err(about(input))?;
    written?;
    match output.is_file() {
        true => output::print(&format!("{}: {events} events\n", to.display())),
        false => Ok(()),
    }
}

/// The result for the user, and that for the output, which keeps the old file where there is an error.
fn split(converted: Result<u64, TraceError>) -> (Result<u64, TraceError>, io::Result<()>) {
    match converted {
        Ok(events) => (Ok(events), Ok(())),
        Err(TraceError::Write(cause)) => (Ok(0), Err(cause)),
        Err(error) => (Err(error), Err(io::Error::other("no input"))),
    }
}

fn convert(
    file: File,
    name: String,
    source: Source,
    target: Target,
    out: &mut dyn Write,
) -> Result<u64, TraceError> {
    match source {
        Source::Hwt => {
            let reader = Reader::new(file)?;
            write(&reader.header().clone(), reader, target, out)
        }
        Source::Rmm => {
            let log = RmmLog::new(BufReader::new(file))?;
            some(write(&log.header(name), log, target, out))
        }
        Source::Umpire => {
            let log = UmpireLog::new(BufReader::new(file));
            some(write(&log.header(name), log, target, out))
        }
    }
}

/// Refuses a log without events, which is that of something else.
fn some(events: Result<u64, TraceError>) -> Result<u64, TraceError> {
    match events {
        Ok(0) => Err(TraceError::NoEvents),
        _ => events,
    }
}

fn write(
    header: &Header,
    entries: impl Iterator<Item = Result<TraceEntry, TraceError>>,
    target: Target,
    mut out: &mut dyn Write,
) -> Result<u64, TraceError> {
    match target {
        Target::Hwt => export::hwt(header, entries, &mut out),
        Target::Rmm => export::rmm(header, entries, &mut out),
        Target::Pytorch => export::pytorch(header, entries, &mut out),
        Target::Perfetto => export::perfetto(header, entries, &mut out),
    }
}
