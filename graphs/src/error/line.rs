//! Faults of lines, as data.

use super::WeightProblem;
use crate::MAX_VERTICES;

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
    /// An entry of a vector has no place of its own.
    #[error("place {place} is listed twice or not one of the {places} that the header declares")]
    Place {
        /// The place, counted from 1.
        place: u64,
        /// The length of the vector.
        places: u64,
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
