//! Graph files: recognised, decompressed, read in parallel.

mod auxiliary;
mod coordinates;
mod dataset;
mod dimacs;
mod edge_list;
mod entries;
mod events;
mod matrix_market;
mod metis;
mod note;
mod pair;
mod problems;
mod properties;
mod recognise;
mod sides;
mod text;
mod vector;
mod vertices;
mod weights;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use heapwood_files::check_text;

#[cfg(test)]
use crate::LineProblem;
use crate::{EdgeList, Format, GraphError, Ids};
pub use coordinates::load_coordinates;
pub use dataset::{Dataset, DatasetAlgorithm, ReferenceValues};
pub use events::{EventList, Events, SignedEdge, TimedEdge, load_events};
pub use note::Note;
pub use problems::{Problems, load_problems};
use recognise::recognise;
use text::{Fault, line_number};
pub use vertices::{load_sources, load_vertices};
pub use weights::{ReadWeights, UnknownWeights};

/// How a file is read.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions<'a> {
    /// The format of the file; without it content and suffix decide.
    pub format: Option<Format>,
    /// Whether the ids of an edge list count from 1. The other formats fix
    /// where theirs start.
    pub one_based: bool,
    /// Whether the ends of an edge are of two sets of vertices, each numbered by itself: those
    /// on the right follow those on the left. Edge lists and Matrix Market have such graphs.
    pub bipartite: bool,
    /// The kind of ids in an edge list.
    pub numbering: Numbering<'a>,
    /// The weights that are read.
    pub weights: ReadWeights,
    /// Most bytes of text that are read, after decompression.
    pub largest_text: u64,
}

impl Default for ReadOptions<'_> {
    fn default() -> Self {
        Self {
            format: None,
            one_based: false,
            bipartite: false,
            numbering: Numbering::Consecutive,
            weights: ReadWeights::ByFile,
            largest_text: 32 << 30,
        }
    }
}

/// The kind of ids in an edge list. The other formats number vertices without gaps.
#[derive(Clone, Copy, Debug, Default)]
pub enum Numbering<'a> {
    /// Numbers without gaps.
    #[default]
    Consecutive,
    /// Any numbers of 64 bits: the vertices are those that occur, in ascending order.
    Compact,
    /// Ids of a graph that is there; any other is a fault.
    Known {
        /// Its ids.
        ids: &'a Ids,
        /// The number of its vertices.
        vertices: u32,
    },
}

/// A graph as read, and the notes about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The edges.
    pub edges: EdgeList,
    /// The format of the file.
    pub format: Format,
    /// The names of the vertices in the file.
    pub ids: Ids,
    /// Decisions of the reader, and parts of the file that it left out.
    pub notes: Vec<Note>,
}

/// The result of a format's reader.
struct Parsed {
    edges: EdgeList,
    notes: Vec<Note>,
}

/// Reads a graph file, plain or compressed. If both `NAME.e` and `NAME.v` are there, either name
/// reads both: the edges, and the vertices that they connect.
///
/// ```
/// use heapwood_graphs::{Format, ReadOptions, load};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("triangle.col");
/// std::fs::write(&file, "p edge 3 3\ne 1 2\ne 2 3\ne 3 1\n")?;
/// let loaded = load(&file, ReadOptions::default())?;
/// assert_eq!((loaded.format, loaded.ids.first()), (Format::Col, 1));
/// assert_eq!(loaded.edges.edges, [[0, 1], [1, 2], [2, 0]]);
/// assert!(!loaded.edges.directed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A [`GraphError`] that names the file and, for a fault in its text, the line.
pub fn load(path: impl AsRef<Path>, options: ReadOptions) -> Result<Loaded, GraphError> {
    let path = path.as_ref();
    if let Some(pair) = pair::Pair::of(path, &options)? {
        return pair.load(options);
    }
    let name = path.display().to_string();
    let bytes = heapwood_files::read_text(path, options.largest_text)
        .map_err(|error| GraphError::reading(&name, error))?;
    read_text(&name, path, &bytes, options)
}

/// The files that [`load`] reads for this one: itself, or those of the pair that it is of.
pub fn files_read(path: &Path, options: &ReadOptions) -> Vec<PathBuf> {
    match pair::Pair::of(path, options) {
        Ok(Some(pair)) => pair.files(),
        _ => vec![path.to_owned()],
    }
}

/// Reads a graph from memory, plain or compressed; `name` is what messages call it
/// and what a suffix is taken from.
///
/// # Errors
/// As [`load`], except that no file is opened.
pub fn read_graph(name: &str, bytes: Vec<u8>, options: ReadOptions) -> Result<Loaded, GraphError> {
    let bytes = heapwood_files::text(bytes, options.largest_text)
        .map_err(|error| GraphError::reading(name, error))?;
    read_text(name, Path::new(name), &bytes, options)
}

/// Reads a list that belongs to a graph, a text of its own, plain or compressed.
///
/// # Errors
/// A [`GraphError`] that names the file and, for a fault that `parse` finds, the line.
fn load_list<T>(
    path: &Path,
    parse: impl FnOnce(&[u8]) -> Result<T, Fault>,
) -> Result<T, GraphError> {
    let name = path.display().to_string();
    let bytes = heapwood_files::read_text(path, ReadOptions::default().largest_text);
    let bytes = bytes.map_err(|error| GraphError::reading(&name, error))?;
    let text = plain(&bytes);
    check_text(&text).map_err(|error| GraphError::reading(&name, error))?;
    parse(&text).map_err(located(&name, &text))
}

/// A text without the byte order mark that some programs begin it with, and with line feeds.
fn plain(bytes: &[u8]) -> Cow<'_, [u8]> {
    text::with_line_feeds(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}

/// Makes errors of faults in a text.
fn located(name: &str, text: &[u8]) -> impl Fn(Fault) -> GraphError {
    |fault| GraphError::Line {
        path: name.to_owned(),
        line: line_number(text, fault.at),
        problem: fault.problem,
    }
}

fn read_text(
    name: &str,
    path: &Path,
    bytes: &[u8],
    options: ReadOptions,
) -> Result<Loaded, GraphError> {
    let text = &plain(bytes)[..];
    if text.trim_ascii().is_empty() {
        let path = name.to_owned();
        return Err(GraphError::Empty { path });
    }
    check_text(text).map_err(|error| GraphError::reading(name, error))?;
    let located = located(name, text);
    let is_list = options.bipartite || !matches!(options.numbering, Numbering::Consecutive);
    let (format, parsed) = match options.format {
        Some(format) => (format, None),
        None => {
            let recognised = recognise(text, path).map_err(&located)?;
            match recognised.by_counts {
                true if is_list => (Format::EdgeList, None),
                true => by_counts(text, options)
                    .map(|(format, parsed)| (format, Some(parsed)))
                    .map_err(&located)?,
                false => (recognised.format, None),
            }
        }
    };
    refuse(name, format, options)?;
    let weights = options.weights;
    let from_1 = |parsed| (parsed, Ids::from(1));
    let parsed = match (parsed, format) {
        (Some(parsed), _) => Ok(parsed),
        (None, Format::Metis) => metis::read(text, weights).map(from_1),
        (None, Format::Gr) => dimacs::read_gr(text, weights).map(from_1),
        (None, Format::Col) => dimacs::read_col(text).map(from_1),
        (None, Format::MatrixMarket) => {
            matrix_market::read(text, options.bipartite, weights).map(from_1)
        }
        (None, Format::EdgeList) => edge_list::read(text, options),
    };
    let (Parsed { mut edges, notes }, ids) = parsed.map_err(located)?;
    if edges.vertices == 0 && format == Format::EdgeList {
        let path = name.to_owned();
        return Err(GraphError::Empty { path });
    }
    weights::require(options.weights, &mut edges, || name.to_owned())?;
    Ok(Loaded {
        edges,
        format,
        ids,
        notes,
    })
}

/// Reads a text for which nothing speaks but that its counts are those of METIS. If it cannot be
/// that, it may be an edge list.
fn by_counts(text: &[u8], options: ReadOptions) -> Result<(Format, (Parsed, Ids)), Fault> {
    let fault = match metis::read(text, options.weights) {
        Ok(parsed) => return Ok((Format::Metis, (parsed, Ids::from(1)))),
        Err(fault) => fault,
    };
    let Ok((mut parsed, ids)) = edge_list::read(text, options) else {
        return Err(fault);
    };
    parsed.notes.push(Note::NotMetis {
        line: line_number(text, fault.at),
        problem: fault.problem,
    });
    Ok((Format::EdgeList, (parsed, ids)))
}

/// Refuses what a format does not have.
fn refuse(name: &str, format: Format, options: ReadOptions) -> Result<(), GraphError> {
    let path = || name.to_owned();
    if format != Format::EdgeList && !matches!(options.numbering, Numbering::Consecutive) {
        return Err(GraphError::NoGaps {
            path: path(),
            format,
        });
    }
    if options.bipartite && !matches!(format, Format::EdgeList | Format::MatrixMarket) {
        return Err(GraphError::NoSides {
            path: path(),
            format,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
