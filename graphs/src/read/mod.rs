//! Graphs from files: found out what they are, decompressed, read in parallel.

mod dimacs;
mod edge_list;
mod events;
mod matrix_market;
mod metis;
mod text;
mod vertices;

use std::fmt;
use std::path::Path;

use heapwood_files::{check_text, decompress};

use crate::error::excerpt;
use crate::format::suffix;
use crate::{EdgeList, Format, GraphError, Ids, LineProblem};
pub use events::{Events, SignedEdge, TimedEdge, load_events};
use text::{Fault, line_number};
pub use vertices::load_vertices;

/// How a file is read.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions<'a> {
    /// What the file is; without it content and suffix decide.
    pub format: Option<Format>,
    /// Whether the ids of an edge list count from 1. The other formats fix
    /// where theirs start.
    pub one_based: bool,
    /// What the ids of an edge list are.
    pub numbering: Numbering<'a>,
    /// Most bytes of text that are read, after decompression.
    pub largest_text: u64,
}

impl Default for ReadOptions<'_> {
    fn default() -> Self {
        Self {
            format: None,
            one_based: false,
            numbering: Numbering::Consecutive,
            largest_text: 32 << 30,
        }
    }
}

/// What the ids of an edge list are. The other formats number vertices without gaps.
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

/// A graph as read, and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The edges.
    pub edges: EdgeList,
    /// What the file is.
    pub format: Format,
    /// What the file calls the vertices.
    pub ids: Ids,
    /// What was decided or left out.
    pub notes: Vec<Note>,
}

/// Something worth knowing about a graph that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Weights are checked and left out.
    Weights,
    /// `fmt` has three digits, and each line starts with a vertex size.
    VertexSizes,
    /// `fmt` has three digits, and there are no vertex sizes.
    MultiEdges,
    /// A comment tells another number of edges.
    CommentedCount {
        /// Edges that the comment tells.
        declared: u64,
        /// Edges in the text.
        found: u64,
    },
    /// A comment tells another number of vertices than that of ids that occur.
    CommentedVertices {
        /// Vertices that the comment tells.
        declared: u64,
        /// Ids in the text.
        found: u64,
    },
    /// The first line holds names of columns.
    Columns {
        /// That of the first.
        source: String,
        /// That of the second.
        target: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Weights => write!(f, "weights are not used"),
            Self::VertexSizes => write!(
                f,
                "fmt is read as in METIS 5: each line starts with a vertex size, which is not used"
            ),
            Self::MultiEdges => write!(
                f,
                "fmt is read as in DIMACS-10: the graph may have loops and multiple edges"
            ),
            Self::CommentedCount { declared, found } => write!(
                f,
                "a comment tells {declared} edges, but the text has {found}: it may be cut off"
            ),
            Self::CommentedVertices { declared, found } => write!(
                f,
                "a comment tells {declared} vertices, but {found} ids occur: these are the vertices"
            ),
            Self::Columns { source, target } => write!(
                f,
                "the first line names columns: edges lead from `{source}` to `{target}`, the first \
                 two"
            ),
        }
    }
}

/// What a format's reader returns.
struct Parsed {
    edges: EdgeList,
    notes: Vec<Note>,
}

/// Reads a graph file, plain or gzipped.
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
    let name = path.display().to_string();
    let bytes = heapwood_files::read_text(path, options.largest_text)
        .map_err(|error| GraphError::reading(&name, error))?;
    read_text(&name, path, &bytes, options)
}

/// Reads a graph from memory, plain or gzipped; `name` is what messages call it
/// and what a suffix is taken from.
///
/// # Errors
/// As [`load`], except that no file is opened.
pub fn read_graph(name: &str, bytes: Vec<u8>, options: ReadOptions) -> Result<Loaded, GraphError> {
    let bytes = decompress(bytes, options.largest_text)
        .map_err(|error| GraphError::reading(name, error))?;
    read_text(name, Path::new(name), &bytes, options)
}

/// Reads a list that belongs to a graph, a text of its own, plain or gzipped.
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
    let text = without_mark(&bytes);
    check_text(text).map_err(|error| GraphError::reading(&name, error))?;
    parse(text).map_err(|fault| GraphError::Line {
        path: name,
        line: line_number(text, fault.at),
        problem: fault.problem,
    })
}

/// A text without the byte order mark that some programs begin it with.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

fn read_text(
    name: &str,
    path: &Path,
    bytes: &[u8],
    options: ReadOptions,
) -> Result<Loaded, GraphError> {
    let text = without_mark(bytes);
    if text.trim_ascii().is_empty() {
        let path = name.to_owned();
        return Err(GraphError::Empty { path });
    }
    check_text(text).map_err(|error| GraphError::reading(name, error))?;
    let located = |fault: Fault| GraphError::Line {
        path: name.to_owned(),
        line: line_number(text, fault.at),
        problem: fault.problem,
    };
    let format = match options.format {
        Some(format) => format,
        None => recognise(text, path).map_err(located)?,
    };
    if format != Format::EdgeList && !matches!(options.numbering, Numbering::Consecutive) {
        let path = name.to_owned();
        return Err(GraphError::NoGaps { path, format });
    }
    let from_1 = |parsed| (parsed, Ids::from(1));
    let parsed = match format {
        Format::Metis => metis::read(text).map(from_1),
        Format::Gr => dimacs::read_gr(text).map(from_1),
        Format::Col => dimacs::read_col(text).map(from_1),
        Format::MatrixMarket => matrix_market::read(text).map(from_1),
        Format::EdgeList => edge_list::read(text, options),
    };
    let (Parsed { edges, notes }, ids) = parsed.map_err(located)?;
    if edges.vertices == 0 && format == Format::EdgeList {
        let path = name.to_owned();
        return Err(GraphError::Empty { path });
    }
    Ok(Loaded {
        edges,
        format,
        ids,
        notes,
    })
}

/// What `text` is: by its first lines where they tell, else by its suffix. A
/// text of numbers without a telling suffix is METIS if its lines and words are
/// as many as its first line announces.
fn recognise(text: &[u8], path: &Path) -> Result<Format, Fault> {
    let banner = matrix_market::BANNER;
    let start = text.get(..banner.len()).unwrap_or_default();
    if start.eq_ignore_ascii_case(banner) {
        return Ok(Format::MatrixMarket);
    }
    // Ends in `.txt` are given to anything.
    let by_suffix = Format::by_suffix(path).filter(|_| suffix(path).as_deref() != Some("txt"));
    let is_comment = |word: &[u8]| word == b"c" || word.starts_with(b"#") || word.starts_with(b"%");
    let mut first_words = text::lines(text, 0..text.len()).filter_map(|line| {
        let word = line.words().word()?;
        (!is_comment(word)).then_some((line, word))
    });
    let Some((line, word)) = first_words.next() else {
        return Ok(by_suffix.unwrap_or(Format::EdgeList));
    };
    let mut words = line.words();
    words.word();
    match word {
        b"p" if words.word() == Some(b"sp") => return Ok(Format::Gr),
        b"p" => return Ok(by_suffix.unwrap_or(Format::Col)),
        b"a" => return Ok(Format::Gr),
        b"e" | b"n" => return Ok(Format::Col),
        _ => {}
    }
    if let Some(format) = by_suffix {
        return Ok(format);
    }
    // No other format has commas.
    if line.bytes.contains(&b',') {
        return Ok(Format::EdgeList);
    }
    if !word[0].is_ascii_digit() && word[0] != b'-' {
        let problem = LineProblem::Keyword {
            word: excerpt(word),
            rule: "DIMACS, METIS, Matrix Market and edge lists are read",
        };
        return Err(Fault::new(line.at, problem));
    }
    Ok(if metis::fits(text) {
        Format::Metis
    } else {
        Format::EdgeList
    })
}

#[cfg(test)]
mod tests;
