//! Graph files of the command line: the graph itself, and batches of edges.

use std::path::{Path, PathBuf};

use clap::Args;
use heapwood_graphs::{CsrOptions, Direction, Format, Ids, Loaded, Numbering, ReadOptions, load};

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
    /// Take the ids of edge lists as they occur, of 64 bits and with gaps: the vertices are
    /// those that occur, in ascending order
    #[arg(long, conflicts_with = "one_based")]
    pub compact_ids: bool,
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
    /// there is to say; returns its name and, if it is wanted, its hash, which takes making
    /// its rows.
    ///
    /// # Errors
    ///
    /// A file that cannot be used.
    pub(in crate::cli) fn look(&self, hash: bool) -> Result<(String, Option<u64>), Error> {
        let hash = match hash {
            true => Some(self.read(false)?.rows.graph_hash()),
            false => {
                self.load()?;
                None
            }
        };
        Ok((self.name(), hash))
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
        let loaded = self.load()?;
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
            ids: loaded.ids,
            ..make(&self.name(), loaded.edges, options)
        })
    }

    /// Loads the graph.
    fn load(&self) -> Result<Loaded, Error> {
        let numbering = match self.compact_ids {
            true => Numbering::Compact,
            false => Numbering::Consecutive,
        };
        self.read_source(&self.file, self.file_format, numbering)
    }

    /// Reads the edges of a batch for a graph, which has `vertices` when it is applied.
    ///
    /// # Errors
    ///
    /// A file that cannot be used.
    pub(super) fn read_batch(
        &self,
        source: &Source<GraphSpec>,
        graph: &Input,
        vertices: u32,
    ) -> Result<Vec<Edge>, Error> {
        let ids = &graph.ids;
        let numbering = match ids.are_listed() {
            true => Numbering::Known { ids, vertices },
            false => Numbering::Consecutive,
        };
        let loaded = self.read_source(source, None, numbering)?;
        if loaded.ids != *ids {
            let note = format_args!(
                "{source} numbers vertices from {}, {} from {}",
                loaded.ids.first(),
                self.file,
                ids.first()
            );
            complain("note", &note);
        }
        Ok(graph.batch(loaded.edges))
    }

    /// Loads a file, or makes what stands for one.
    fn read_source(
        &self,
        source: &Source<GraphSpec>,
        format: Option<Format>,
        numbering: Numbering,
    ) -> Result<Loaded, Error> {
        match (source, numbering) {
            (Source::File(path), _) => {
                let options = ReadOptions {
                    format,
                    one_based: self.one_based,
                    numbering,
                    ..ReadOptions::default()
                };
                read(path, options)
            }
            (Source::Generated { text, spec }, Numbering::Consecutive) => {
                make(text, spec, Ids::from(u32::from(self.one_based)))
            }
            (Source::Generated { text, .. }, _) => {
                let why = format!("--compact-ids is for edge lists, not for {text}");
                Err(Error::Usage(why))
            }
        }
    }
}

/// Makes what the edge list would hold that `heapwood generate graph` writes.
fn make(text: &str, spec: &GraphSpec, ids: Ids) -> Result<Loaded, Error> {
    let spinner = spinner(format!("making {text}"));
    let made = spec.make();
    spinner.finish_and_clear();
    Ok(Loaded {
        edges: made?.0.to_edges(),
        format: Format::EdgeList,
        ids,
        notes: Vec::new(),
    })
}

/// Loads a file with a word on what is odd about it.
fn read(path: &Path, options: ReadOptions) -> Result<Loaded, Error> {
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
