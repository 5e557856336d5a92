//! Notes about a graph that was read.

use std::fmt;

use crate::LineProblem;

/// A note about a graph that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Weights of edges are checked and left out.
    Weights,
    /// Weights of vertices are checked and left out.
    VertexWeights,
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
    /// Properties tell another number of vertices or edges.
    DeclaredCount {
        /// `vertices` or `edges`.
        what: &'static str,
        /// The number that the properties tell.
        declared: u64,
        /// The number in the text.
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
        /// The name of the column of sources.
        source: String,
        /// The name of the column of targets.
        target: String,
    },
    /// The vertices of the right side follow those of the left side.
    Sides {
        /// Vertices on the left.
        left: u32,
        /// The id of the first one on the right.
        first_right: u64,
    },
    /// All ids count from 1, where they may count from 0.
    NoZero,
    /// A text without a telling name is an edge list, although its counts are those of METIS.
    NotMetis {
        /// The line that METIS could not have.
        line: usize,
        /// The fault that a METIS file with this line would have.
        problem: LineProblem,
    },
    /// No file of properties tells whether edges are directed.
    NoProperties {
        /// The file that would.
        path: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Weights => write!(f, "weights are not used"),
            Self::VertexWeights => write!(f, "weights of vertices are not used"),
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
            Self::DeclaredCount {
                what,
                declared,
                found,
            } => write!(
                f,
                "the properties tell {declared} {what}, but the files have {found}: they may be cut off"
            ),
            Self::CommentedVertices { declared, found } => write!(
                f,
                "a comment tells {declared} vertices, but {found} ids occur: these are the vertices"
            ),
            Self::Columns { source, target } => write!(
                f,
                "the first line names columns: edges lead from `{source}` to `{target}`"
            ),
            Self::Sides { left, first_right } => write!(
                f,
                "the graph is bipartite: {left} vertices are on the left, and those on the right \
                 are numbered from {first_right}"
            ),
            Self::NoZero => write!(f, "no edge has vertex 0, which is isolated"),
            Self::NotMetis { line, problem } => write!(
                f,
                "read as an edge list: as METIS, line {line} is wrong: {problem}"
            ),
            Self::NoProperties { path } => write!(
                f,
                "{path} is not there to tell whether edges are directed: they are taken so"
            ),
        }
    }
}
