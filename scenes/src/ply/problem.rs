//! What can be wrong with a PLY file.

use ply_rs_bw::parser::ParseError;

/// Characters of a message of the parser that are passed on.
const LONGEST: usize = 120;

/// What is wrong with a PLY file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlyProblem {
    /// The file breaks a rule of the format.
    #[error("{message}; export the file again")]
    Format {
        /// The line, counted from 1, where it has lines.
        line: Option<usize>,
        /// What the parser says.
        message: String,
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
    /// A coordinate is NaN, infinite or too large.
    #[error(
        "coordinate {value:e} of vertex {vertex} is refused: it must be finite and at most 1e18 in \
         magnitude"
    )]
    Coordinate {
        /// The vertex, counted from 0.
        vertex: usize,
        /// The value.
        value: f64,
    },
    /// A face has fewer than three corners.
    #[error("face {face} has {corners} corners: at least 3 are needed")]
    FaceSize {
        /// The face, counted from 0.
        face: usize,
        /// Its corners.
        corners: usize,
    },
    /// A face uses a vertex that the file does not have.
    #[error(
        "vertex index {index} of {element} {number} is out of range: there are {count} vertices"
    )]
    IndexRange {
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
            Self::Format { line, .. } => *line,
            _ => None,
        }
    }
}

impl From<ParseError> for PlyProblem {
    fn from(error: ParseError) -> Self {
        let line = error.line();
        let text = error.to_string();
        let text = line
            .and_then(|line| text.strip_prefix(&format!("Line {line}: ")))
            .unwrap_or(&text);
        // The parser's own error in a header is a dump of its state, behind the line that it is about.
        let text = text.split("Error: ParseError {").next().unwrap_or(text);
        // One line, of what quotes the file.
        let words: Vec<&str> = text.split_whitespace().collect();
        let shown = words.join(" ");
        let shown = shown.trim_end_matches('.');
        let message = shown.chars().filter(|c| !c.is_control()).take(LONGEST);
        Self::Format {
            line,
            message: message.collect(),
        }
    }
}
