//! Errors of graphs, as data.
//!
//! Every message is one line that names the place, the cause and, where it is
//! not plain, the way out.

mod weight;

use std::io;
use std::path::Path;

use heapwood_files::{ReadError, ReadHints};

use crate::{Format, MAX_VERTICES};
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

/// A fault of one line of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineProblem {
    /// A word that should be an id or a count is none.
    #[error("`{0}` is not a whole number")]
    NotWhole(String),
    /// A word that should be an id is none.
    #[error(
        "`{0}` is no vertex id: ids are whole numbers; number the vertices, and use the numbers"
    )]
    NotAnId(String),
    /// A word that should be a number is none.
    #[error("`{0}` is not a number")]
    NotANumber(String),
    /// An id or a count is below zero.
    #[error("`{0}` is negative: ids and counts are not")]
    Negative(String),
    /// An id or a count of vertices is too large.
    #[error("`{0}` does not fit in 32 bits")]
    Overflow(String),
    /// An id or a count does not fit in 64 bits.
    #[error("`{0}` does not fit in 64 bits")]
    Overflow64(String),
    /// An id of an edge list is too large to be a vertex's number.
    #[error(
        "vertex id {0}: ids without gaps are below {MAX_VERTICES}; compact ids take any of 64 bits, \
         and number those that occur"
    )]
    WideId(String),
    /// An id is none of those of the graph.
    #[error("vertex id {0} is not one of the graph's")]
    UnknownId(u64),
    /// An event is before the one before it.
    #[error("time {time} is before {before}, that of the event before: sort the events by time")]
    Earlier {
        /// Its time.
        time: u64,
        /// The time of the event before.
        before: u64,
    },
    /// A vertex is listed twice.
    #[error("vertex id {0} is listed twice: each vertex has one line")]
    Repeated(u64),
    /// The ends of an edge are of two sets, each numbered by itself.
    #[error("the graph is bipartite, so that an id names a vertex on either side")]
    Bipartite,
    /// Edges are added and deleted in turn.
    #[error("the network is dynamic, edges come and go: write its lines as `+ u v` and `- u v`")]
    Dynamic,
    /// A quote begins a field and is not closed.
    #[error("the quote of `{0}` is not closed in this line: leave out line breaks in fields")]
    OpenQuote(String),
    /// Edges of one list are directed and undirected.
    #[error(
        "the edge is of the type `{found}`, those before are `{before}`: a graph has one of the two"
    )]
    MixedTypes {
        /// The type in this line, shortened.
        found: String,
        /// That in the first line.
        before: &'static str,
    },
    /// An id is 0 where ids start at 1.
    #[error("vertex id 0: ids start at 1 here")]
    ZeroId,
    /// An id is beyond the number of vertices.
    #[error("vertex id {id} is out of range: the header declares {vertices} vertices")]
    IdRange {
        /// The id as written.
        id: u32,
        /// Vertices that the header declares.
        vertices: u32,
    },
    /// More vertices than this program handles.
    #[error("{count} vertices are more than {limit}: number the vertices without gaps")]
    TooManyVertices {
        /// How many there would be.
        count: u64,
        /// How many there may be.
        limit: u32,
    },
    /// A header is not what the format asks for.
    #[error("header `{text}`: {rule}")]
    Header {
        /// The line, shortened.
        text: String,
        /// The rule of the format.
        rule: &'static str,
    },
    /// A matrix has another number of rows than of columns, and one set of vertices was asked for.
    #[error("header `{text}`: a graph is a matrix of as many rows as columns")]
    NotSquare {
        /// The line, shortened.
        text: String,
    },
    /// A line holds too few or too many values.
    #[error("a line of {found} values: {rule}")]
    Values {
        /// How many there are.
        found: usize,
        /// The rule of the format.
        rule: &'static str,
    },
    /// A line starts with something that the format does not know.
    #[error("`{word}` starts no line of this format: {rule}")]
    Keyword {
        /// The line's first word, shortened.
        word: String,
        /// The rule of the format.
        rule: &'static str,
    },
    /// An edge stands without the weight that the header announces.
    #[error("the edge to {id} has no weight, but the header announces one for each edge")]
    NoEdgeWeight {
        /// The other end as written.
        id: u32,
    },
    /// A vertex stands without all weights that the header announces.
    #[error(
        "the line ends within the {expected} values that the header announces before the edges"
    )]
    NoVertexWeight {
        /// How many values the header announces.
        expected: u64,
    },
    /// There is a line for a vertex beyond the last.
    #[error("a line beyond the {vertices} vertices that the header declares")]
    ExtraLine {
        /// Vertices that the header declares.
        vertices: u32,
    },
    /// The file has fewer lines than vertices.
    #[error(
        "the text ends after {found} of {declared} vertices: it is cut off, or its header wrong"
    )]
    MissingLines {
        /// Vertices that the header declares.
        declared: u32,
        /// Lines for vertices.
        found: u64,
    },
    /// The number of edges differs from the header's.
    #[error("the header declares {declared} edges, but the text has {found}")]
    EdgeCount {
        /// Edges that the header declares.
        declared: u64,
        /// Edges in the text.
        found: u64,
    },
    /// The number of lines of a list differs from the header's.
    #[error("the header declares {declared} {what}, but the text has {found}")]
    Count {
        /// The name of a line's contents, in the plural.
        what: &'static str,
        /// The number in the header.
        declared: u64,
        /// The number in the text.
        found: u64,
    },
    /// The value of a key, or a part of it, breaks a rule.
    #[error("{key}: `{value}` {rule}")]
    Property {
        /// The key.
        key: String,
        /// The value, shortened.
        value: String,
        /// The rule, as the end of a sentence on the value.
        rule: &'static str,
    },
    /// The weight of an edge cannot be used.
    #[error("{0}: read the edges alone, without weights")]
    Weight(#[from] WeightProblem),
    /// An undirected edge is listed at one end only, or more often there.
    #[error(
        "vertex {from} lists {to}, but {to} does not list {from} back: the graph is undirected"
    )]
    Asymmetric {
        /// The vertex of this line, counted from 1.
        from: u32,
        /// The other end, counted from 1.
        to: u32,
    },
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
