//! Graph files of the command line: the graph itself, and batches of edges.

use std::path::{Path, PathBuf};

use clap::Args;
use heapwood_graphs::{CsrOptions, Direction, Format, Loaded, ReadOptions, load};

use super::super::common::{parse_format, spinner};
use super::super::complain;
use crate::Error;
use crate::generate::{GraphSpec, Source, source};
use crate::graph::Edge;
use crate::workload::graph::Input;

/// The graph, and how its file is read.
#[derive(Debug, Args)]
pub struct InputArguments {
    /// The graph: DIMACS-10/METIS .graph, DIMACS-9 .gr, .col, Matrix Market .mtx or an
    /// edge list, plain or gzipped, or gen:KIND,OPTION=VALUE,... with the options of
    /// `heapwood generate graph`
    #[arg(value_name = "GRAPH", value_parser = source::<GraphSpec>())]
    pub file: Source<GraphSpec>,
    /// Format of the file, whatever it looks like: metis, gr, col, mtx or edges
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    pub file_format: Option<Format>,
    /// Edge lists and generators number their vertices from 1, not from 0
    #[arg(long)]
    pub one_based: bool,
    /// Take edges as leading one way; undirected ones become two
    #[arg(long, conflicts_with = "undirected")]
    pub directed: bool,
    /// Take edges as leading both ways
    #[arg(long)]
    pub undirected: bool,
    /// Keep edges from a vertex to itself, and accept them in batches
    #[arg(long)]
    pub self_loops: bool,
}

impl InputArguments {
    /// Makes sure that the graph can be read, and says on the standard error what
    /// there is to say; returns its name.
    ///
    /// # Errors
    ///
    /// A file that cannot be used.
    pub(in crate::cli) fn look(&self) -> Result<String, Error> {
        read(&self.file, self.file_format, self.one_based)?;
        Ok(self.name())
    }

    /// Finds what makes no sense before anything is read.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for flags of files where there is none.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.file_format.is_some() && self.file.file().is_none() {
            let why = format!("--file-format is for files, not for {}", self.file);
            return Err(Error::Usage(why));
        }
        Ok(())
    }

    /// The graph's name: of a file, without folders and suffix.
    fn name(&self) -> String {
        match &self.file {
            Source::File(path) => name(path),
            Source::Generated { text, .. } => text.clone(),
        }
    }

    /// Reads the graph, with its edges kept if runs are to be verified; says on the
    /// standard error what there is to say.
    ///
    /// # Errors
    ///
    /// A file that cannot be used.
    pub(super) fn read(&self, verify: bool) -> Result<Input, Error> {
        let loaded = read(&self.file, self.file_format, self.one_based)?;
        let direction = match (self.directed, self.undirected) {
            (true, _) => Direction::Directed,
            (_, true) => Direction::Undirected,
            _ => Direction::AsRead,
        };
        let options = CsrOptions {
            keep_self_loops: self.self_loops,
            direction,
        };
        let make = match verify {
            true => Input::verified,
            false => Input::new,
        };
        Ok(Input {
            first_id: loaded.first_id,
            ..make(&self.name(), loaded.edges, options)
        })
    }

    /// Reads the edges of a batch for a graph.
    ///
    /// # Errors
    ///
    /// A file that cannot be used.
    pub(super) fn read_batch(
        &self,
        source: &Source<GraphSpec>,
        graph: &Input,
    ) -> Result<Vec<Edge>, Error> {
        let loaded = read(source, None, self.one_based)?;
        if loaded.first_id != graph.first_id {
            let note = format_args!(
                "{source} numbers vertices from {}, {} from {}",
                loaded.first_id, self.file, graph.first_id
            );
            complain("note", &note);
        }
        Ok(graph.batch(loaded.edges))
    }
}

/// Loads a file with a word on what is odd about it, or makes what the edge list would hold
/// that `heapwood generate graph` writes.
fn read(
    source: &Source<GraphSpec>,
    format: Option<Format>,
    one_based: bool,
) -> Result<Loaded, Error> {
    let path = match source {
        Source::File(path) => path,
        Source::Generated { text, spec } => {
            let spinner = spinner(format!("making {text}"));
            let made = spec.make();
            spinner.finish_and_clear();
            return Ok(Loaded {
                edges: made?.0.to_edges(),
                format: Format::EdgeList,
                first_id: u32::from(one_based),
                notes: Vec::new(),
            });
        }
    };
    let options = ReadOptions {
        format,
        one_based,
        ..ReadOptions::default()
    };
    let spinner = spinner(format!("reading {}", path.display()));
    let loaded = load(path, options);
    spinner.finish_and_clear();
    let loaded = loaded?;
    for note in &loaded.notes {
        complain("note", &format_args!("{}: {note}", path.display()));
    }
    Ok(loaded)
}

/// A file's name without folders and suffix.
fn name(path: &Path) -> String {
    let zipped = path.extension().is_some_and(|end| end == "gz");
    let stem = |path: &Path| path.file_stem().map(PathBuf::from).unwrap_or_default();
    let plain = if zipped { stem(path) } else { path.to_owned() };
    stem(&plain).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_suffix() {
        for (path, expected) in [
            ("a/karate.graph", "karate"),
            ("rgg.v1.mtx.gz", "rgg.v1"),
            ("plain", "plain"),
            ("plain.gz", "plain"),
        ] {
            assert_eq!(name(Path::new(path)), expected);
        }
    }
}
