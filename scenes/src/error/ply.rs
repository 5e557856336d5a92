//! Faults of PLY files.

/// A fault of a PLY file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlyProblem {
    /// The file breaks a rule of the format.
    #[error("{message}; export the file again")]
    Format {
        /// The line, counted from 1, where it has lines.
        line: Option<usize>,
        /// The rule.
        message: String,
    },
    /// The file ends before its elements do.
    #[error("the file ends before the elements that its header promises: copy or export it again")]
    End {
        /// The last line, counted from 1, where it has lines.
        line: Option<usize>,
    },
    /// A word of a text is not the number that the header promises.
    #[error("`{word}` is not {kind}")]
    NotANumber {
        /// The line, counted from 1.
        line: usize,
        /// The word, shortened.
        word: String,
        /// `a number` or `a whole number`.
        kind: &'static str,
    },
    /// There cannot be so many of an element.
    #[error("{count} elements `{name}` in {bytes} bytes: the header is wrong or the file cut off")]
    Count {
        /// The element, shortened.
        name: String,
        /// How many the header promises.
        count: usize,
        /// Bytes of the file.
        bytes: usize,
    },
    /// There are no positions.
    #[error("no element `vertex` with numbers x, y and z: only meshes are read")]
    NoPositions,
    /// There are vertices and no faces.
    #[error(
        "no triangles: {vertices} vertices without faces are {kind}; only meshes are read: \
         reconstruct a surface from it"
    )]
    NoFaces {
        /// How many vertices there are.
        vertices: usize,
        /// The usual name of such data, with its article: `a point cloud`, for one.
        kind: &'static str,
    },
    /// A list cannot have such a count.
    #[error("a list of {count} numbers in element `{name}`: it must be 0 or more, within the file")]
    ListSize {
        /// The line, counted from 1, where it has lines.
        line: Option<usize>,
        /// The element, shortened.
        name: String,
        /// The count.
        count: f64,
    },
    /// A face uses a vertex that the file does not have.
    #[error(
        "vertex index {index} of {element} {number} is out of range: there are {count} vertices"
    )]
    IndexRange {
        /// The line, counted from 1, where it has lines.
        line: Option<usize>,
        /// `face` or `strip`.
        element: &'static str,
        /// Which of them, counted from 0.
        number: usize,
        /// The index.
        index: i64,
        /// Vertices in the file.
        count: usize,
    },
}

impl PlyProblem {
    /// The line that it is about, counted from 1, if that is known.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Format { line, .. }
            | Self::End { line }
            | Self::ListSize { line, .. }
            | Self::IndexRange { line, .. } => *line,
            Self::NotANumber { line, .. } => Some(*line),
            Self::Count { .. } | Self::NoPositions | Self::NoFaces { .. } => None,
        }
    }
}
