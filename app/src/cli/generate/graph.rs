//! `heapwood generate graph`: graphs made by the program.

use std::path::PathBuf;

use clap::Args;
use heapwood_graphs::{Csr, CsrStatistics, Format, check_weights, output_format, save};

use super::super::common::spinner;
use crate::Error;
use crate::generate::{GraphSpec, Spec};
use crate::output;

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood generate graph kronecker --vertices 2^18 -o kron18.graph.gz
  heapwood generate graph uniform --vertices 2^16 --edges 2^18 --directed -o uniform.mtx";

/// How to make a graph, and where to write it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct GraphArguments {
    #[command(flatten)]
    graph: GraphSpec,
    /// File to write: .graph, .gr, .col, .mtx, .el or .txt, gzipped with .gz
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Format: metis, gr, col, mtx or edges [default: by the suffix]
    #[arg(long, value_name = "FORMAT")]
    file_format: Option<Format>,
}

/// Makes the graph, writes it and says what it is like.
pub fn run(arguments: &GraphArguments) -> Result<(), Error> {
    let (spec, path) = (&arguments.graph, &arguments.output);
    let check = spec.check();
    check.map_err(|why| Error::Usage(format!("--{why}")))?;
    // Known before the work: whether there is a format, whether it can hold the
    // graph, and whether the file can be written.
    let format = output_format(path, arguments.file_format, spec.directed);
    let format = format.map_err(|error| Error::Usage(error.to_string()))?;
    let kind = spec.weight_kind();
    check_weights(path, format, kind).map_err(|error| Error::Usage(error.to_string()))?;
    output::check_writable(path)?;

    let spinner = spinner(format!("making {}", path.display()));
    let written = spec.make().and_then(|(graph, statistics)| {
        save(&graph, path, Some(format))?;
        Ok(line(&graph, &statistics, spec.self_loops))
    });
    spinner.finish_and_clear();
    output::print(&format!("{}: {}\n", path.display(), written?))
}

/// A line about a graph.
fn line(graph: &Csr, statistics: &CsrStatistics, self_loops: bool) -> String {
    let degrees = graph.degrees();
    let loops = if self_loops { "kept" } else { "left out" };
    format!(
        "{} vertices, {} edges drawn, {} stored ({} self loops {loops}, {} duplicates left out), \
         degree {:.2} +- {:.2}, at most {}, graph {:016x}",
        graph.vertices(),
        statistics.edges_read,
        statistics.edges_stored,
        statistics.self_loops,
        statistics.duplicates,
        degrees.mean,
        degrees.deviation,
        degrees.max,
        graph.graph_hash(),
    )
}
