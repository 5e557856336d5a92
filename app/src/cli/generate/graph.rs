//! `heapwood generate graph`: graphs made by the program.

use std::path::PathBuf;

use clap::Args;
use heapwood_graphs::generate::{self, Kind, Parameters};
use heapwood_graphs::{Csr, CsrOptions, Direction, Format, GraphError, output_format, save};

use super::super::common::{parse_count, parse_format, spinner};
use crate::Error;
use crate::output;

/// How to make a graph.
#[derive(Debug, Args)]
pub struct GraphArguments {
    /// delaunay, geometric, road, coauthors, mesh, kkt, dual, kronecker or uniform
    #[arg(value_parser = parse_kind)]
    kind: Kind,
    /// The file to write: .graph, .gr, .col, .mtx, .el or .txt, gzipped with .gz
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Format of the file, whatever its suffix: metis, gr, col, mtx or edges
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    file_format: Option<Format>,
    /// Number of vertices, also as a power such as 2^20; some kinds make a few more
    #[arg(long, value_name = "N", default_value = "2^20", value_parser = parse_count)]
    vertices: u64,
    /// Number of edges drawn: kronecker [default: 16 a vertex] and uniform [default: 4]
    #[arg(long, value_name = "N", value_parser = parse_count)]
    edges: Option<u64>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Keep edges from a vertex to itself
    #[arg(long)]
    self_loops: bool,
    /// Let edges lead one way only: kronecker and uniform
    #[arg(long)]
    directed: bool,
}

/// Makes the graph, writes it and says what it is like.
pub fn run(arguments: &GraphArguments) -> Result<(), Error> {
    let kind = arguments.kind;
    if !kind.takes_edges() && (arguments.edges.is_some() || arguments.directed) {
        let option = if arguments.directed {
            "--directed"
        } else {
            "--edges"
        };
        return Err(Error::Usage(format!(
            "{option} is for kronecker and uniform graphs, not for {}",
            kind.name()
        )));
    }
    // Known before the work: whether there is a format, whether it can hold the
    // graph, and whether the file can be written.
    let (path, asked) = (&arguments.output, arguments.file_format);
    let format = output_format(path, asked, arguments.directed).map_err(refused)?;
    output::check_writable(&arguments.output)?;

    let spinner = spinner(format!("making {}", arguments.output.display()));
    let written = make(arguments).and_then(|(graph, line)| {
        save(&graph, &arguments.output, Some(format))?;
        Ok(line)
    });
    spinner.finish_and_clear();
    let line = written.map_err(refused)?;
    output::print(&format!("{}: {line}\n", arguments.output.display()))
}

/// The graph and a line about it.
fn make(arguments: &GraphArguments) -> Result<(Csr, String), GraphError> {
    let parameters = Parameters {
        vertices: arguments.vertices,
        edges: arguments.edges,
        seed: arguments.seed,
    };
    let mut list = generate::generate(arguments.kind, parameters)?;
    list.directed = arguments.directed;
    let options = CsrOptions {
        keep_self_loops: arguments.self_loops,
        direction: Direction::AsRead,
    };
    let (graph, statistics) = Csr::build(list, options);
    let degrees = graph.degrees();
    let loops = if arguments.self_loops {
        "kept"
    } else {
        "left out"
    };
    let line = format!(
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
    );
    Ok((graph, line))
}

/// The program's error for one of the graph crate: what was asked for makes no
/// sense, or the file cannot be written.
fn refused(error: GraphError) -> Error {
    match error {
        GraphError::Write { path, source } => Error::Write {
            path: path.into(),
            cause: source,
        },
        other => Error::Usage(other.to_string()),
    }
}

fn parse_kind(text: &str) -> Result<Kind, String> {
    Kind::by_name(text).ok_or_else(|| {
        let names = Kind::ALL.map(Kind::name).join(", ");
        format!("choose from {names}")
    })
}
