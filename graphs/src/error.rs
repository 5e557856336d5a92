//! Errors of graphs, as data.
//!
//! Every message is one line that names the place, the cause and, where it is
//! not plain, the way out.

mod line;
mod weight;

use std::io;
use std::path::Path;

use heapwood_files::{ReadError, ReadHints};

use crate::Format;
pub use line::LineProblem;
pub use weight::WeightProblem;

/// Why a graph was refused, or could not be written or made.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// The file could not be read.
    #[error("{}", .source.message(path, &HINTS))]
    Read {
        /// The file.
        path: String,
        /// The cause.
        source: ReadError,
    },
    /// The file could not be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file.
        path: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file has no bytes, or nothing but white space and comments.
    #[error("{path} is empty: there is no graph in it")]
    Empty {
        /// The file.
        path: String,
    },
    /// The file has no events.
    #[error("{path} is empty: there are no events in it")]
    NoEvents {
        /// The file.
        path: String,
    },
    /// The file has no problems of shortest paths.
    #[error("{path} is empty: there are no problems in it")]
    NoProblems {
        /// The file.
        path: String,
    },
    /// The file has no sources.
    #[error("{path} is empty: there are no sources in it")]
    NoSources {
        /// The file.
        path: String,
    },
    /// A file of coordinates lacks a vertex.
    #[error("{path}: there are no coordinates of vertex {vertex}, which the graph has")]
    NoCoordinates {
        /// The file.
        path: String,
        /// The id of the vertex.
        vertex: u64,
    },
    /// A line breaks a rule of the format.
    #[error("{path}:{line}: {problem}")]
    Line {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: usize,
        /// The value and the rule that it breaks.
        problem: LineProblem,
    },
    /// The file's name does not say how it shall be written.
    #[error(
        "{path}: the suffix says no format: use {}, each also with .gz",
        Format::SUFFIXES
    )]
    NoFormat {
        /// The file.
        path: String,
    },
    /// The format cannot hold the graph.
    #[error("{path}: {format} holds undirected graphs only: use .gr, .mtx or .el")]
    Directed {
        /// The file.
        path: String,
        /// The format.
        format: Format,
    },
    /// Two sides were asked for, and the vertices are of one.
    #[error(
        "{path}: {format} has one set of vertices here: two are for edge lists without a .v, and for \
         Matrix Market"
    )]
    NoSides {
        /// The file.
        path: String,
        /// The format.
        format: Format,
    },
    /// A list of vertices stands without its edges.
    #[error("{path} lists vertices, and {edges} with their edges is not there")]
    NoEdges {
        /// The file of vertices.
        path: String,
        /// The file of edges.
        edges: String,
    },
    /// A file of properties lacks a key.
    #[error("{path}: there is no key {key}, which LDBC Graphalytics asks for")]
    NoProperty {
        /// The file.
        path: String,
        /// The key.
        key: String,
    },
    /// Reference output lacks a vertex.
    #[error("{path}: there is no line for vertex {vertex}: the output may be cut off")]
    NoValue {
        /// The file.
        path: String,
        /// The id of the vertex.
        vertex: u64,
    },
    /// Ids as they occur were asked for, and the format numbers vertices without gaps.
    #[error("{path}: {format} numbers vertices without gaps: compact ids are for edge lists")]
    NoGaps {
        /// The file.
        path: String,
        /// The format.
        format: Format,
    },
    /// Weights were asked for, and there are none.
    #[error("{path} has no weights of edges: read the edges alone, without weights")]
    NoWeights {
        /// The file.
        path: String,
    },
    /// The format cannot hold weights.
    #[error(
        "{path}: {format} holds no weights: use .graph, .gr, .mtx or .el, or write the edges alone, \
         without weights"
    )]
    HoldsNoWeights {
        /// The file.
        path: String,
        /// The format.
        format: Format,
    },
    /// The format cannot hold weights that are real numbers.
    #[error(
        "{path}: {format} holds integers as weights: use .mtx or .el, or write the edges alone, \
         without weights"
    )]
    HoldsIntegers {
        /// The file.
        path: String,
        /// The format.
        format: Format,
    },
    /// A generated graph would be too large.
    #[error("{name}: {count} {what} are more than {limit}: ask for fewer")]
    TooMany {
        /// The kind of graph.
        name: &'static str,
        /// `vertices` or `edges`.
        what: &'static str,
        /// How many were asked for.
        count: u64,
        /// How many there may be.
        limit: u64,
    },
    /// A generated graph would be too small for its kind.
    #[error("{name}: {count} vertices are too few: ask for at least {least}")]
    TooFew {
        /// The kind of graph.
        name: &'static str,
        /// How many were asked for.
        count: u64,
        /// How many there must be.
        least: u64,
    },
    /// Weights were to be drawn from a range that has no numbers.
    #[error("{name}: there are no weights from {min} to {max}: begin with the smaller number")]
    WeightRange {
        /// The kind of graph.
        name: &'static str,
        /// The smallest weight.
        min: u32,
        /// The largest weight.
        max: u32,
    },
    /// The edges of a generated graph have no lengths.
    #[error("{name}: edges have no lengths, only roads have them: draw weights from a range")]
    NoLengths {
        /// The kind of graph.
        name: &'static str,
    },
    /// Two sorts of weights were asked for.
    #[error("{name}: weights are lengths or drawn from a range: ask for one of both")]
    LengthsOfRange {
        /// The kind of graph.
        name: &'static str,
    },
}

/// The ways out of files that are not read.
const HINTS: ReadHints = ReadHints {
    directory: "a graph file",
    binary: "graphs are read from text, plain or compressed",
    archive: "unpack it, or pipe it to /dev/stdin",
    too_large: " of text: raise the limit if memory allows",
};

impl GraphError {
    /// The error of a file of this name that could not be read.
    pub(crate) fn reading(path: impl Into<String>, source: ReadError) -> Self {
        let path = path.into();
        Self::Read { path, source }
    }

    /// The error of a file that could not be written.
    pub(crate) fn writing(path: &Path, source: io::Error) -> Self {
        let path = path.display().to_string();
        Self::Write { path, source }
    }
}

/// `text`, made fit to stand in a one-line message: escaped and shortened.
pub(crate) fn excerpt(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    // Cut before decoding, which would take long for a line of gigabytes.
    let head = &text[..text.len().min(4 * LONGEST)];
    let head = String::from_utf8_lossy(head);
    let mut out: String = head.chars().take(LONGEST).collect();
    if out.len() < text.len() {
        out.push_str("...");
    }
    out.escape_debug().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_fit_in_a_line() {
        assert_eq!(excerpt(b"abc"), "abc");
        assert_eq!(excerpt(b"a\r\n\x1b"), "a\\r\\n\\u{1b}");
        let long = excerpt(&[0xff; 1000]);
        assert!(long.chars().count() < 50 && long.ends_with("..."), "{long}");
    }

    #[test]
    fn excerpts_are_as_long_in_every_script() {
        for letter in ["a", "\u{e9}", "\u{20ac}", "\u{1f332}"] {
            let expected = letter.repeat(40) + "...";
            assert_eq!(excerpt(letter.repeat(60).as_bytes()), expected);
        }
    }
}
