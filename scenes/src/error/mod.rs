//! Errors of scenes, as data.
//!
//! Every message is one line that names the place, the cause and, where it is
//! not plain, the way out. Errors refuse the scene; [`Warning`](crate::Warning)s accompany it.

mod gltf;
mod ply;

pub use gltf::GltfProblem;
pub use ply::PlyProblem;

use heapwood_files::{ReadError, ReadHints};
use std::io;
use std::path::Path;

/// Why a scene was refused.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
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
    /// The file has no bytes, or nothing but white space.
    #[error(
        "{path} is empty: an OBJ file with `v` and `f` lines, or a PLY or glTF file, is needed"
    )]
    Empty {
        /// The file.
        path: String,
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
    /// A PLY file breaks a rule.
    #[error("{path}{}: {problem}", .problem.line().map_or(String::new(), |line| format!(":{line}")))]
    Ply {
        /// The file.
        path: String,
        /// The fault of the file.
        problem: PlyProblem,
    },
    /// A glTF file breaks a rule.
    #[error("{path}: {problem}")]
    Gltf {
        /// The file.
        path: String,
        /// The fault of the file.
        problem: GltfProblem,
    },
    /// The OBJ parser refused text that our checks let through.
    #[error("{path}: the OBJ parser reports: {source}")]
    Parser {
        /// The file.
        path: String,
        /// The error of the parser.
        source: tobj::LoadError,
    },
    /// There is nothing to render.
    #[error(
        "{name} has no triangles: no face was found; only Wavefront OBJ, PLY and glTF files are read"
    )]
    NoTriangles {
        /// The file or scene.
        name: String,
    },
    /// An OBJ file has vertices and no faces.
    #[error(
        "{path} has no triangles: {vertices} vertices and {without_area} points, lines and curves \
         make no face; only meshes are read"
    )]
    NoFaces {
        /// The file.
        path: String,
        /// How many vertices there are.
        vertices: usize,
        /// How many elements there are that have no area.
        without_area: usize,
    },
    /// The file is of another format, which is not read.
    #[error(
        "{path} is {format}: only OBJ, PLY and glTF files are read; convert it to one of these"
    )]
    Foreign {
        /// The file.
        path: String,
        /// The format of the file, with its article.
        format: &'static str,
    },
    /// There were triangles, but none survived cleaning.
    #[error(
        "{name}: all {count} triangles are degenerate (no area or no finite position){}",
        underflow(*.underflowed)
    )]
    AllDegenerate {
        /// The file or scene.
        name: String,
        /// How many triangles there were.
        count: usize,
        /// How many of them have an area that underflows.
        underflowed: usize,
    },
    /// None survived cleaning, since 32-bit floats are too coarse for their coordinates.
    #[error(
        "{name}: all {count} triangles vanish: 32-bit floats have steps of {step} this far from \
         its middle; divide the scene"
    )]
    Collapsed {
        /// The file.
        name: String,
        /// How many triangles there were.
        count: usize,
        /// The step between 32-bit floats at the largest coordinate, in the file's unit.
        step: f64,
    },
    /// The parts of a scene do not fit together.
    #[error("{name}: triangle {triangle} has {what} {index}, of which there are {count}")]
    Inconsistent {
        /// The scene.
        name: String,
        /// The triangle, counted from 0.
        triangle: usize,
        /// `vertex` or `material`.
        what: &'static str,
        /// The offending index, counted from 0.
        index: u32,
        /// How many there are.
        count: usize,
    },
    /// There is not exactly one material index per triangle.
    #[error("{name}: {indices} material indices for {triangles} triangles: one each is needed")]
    MaterialCount {
        /// The scene.
        name: String,
        /// How many triangles there are.
        triangles: usize,
        /// How many material indices there are.
        indices: usize,
    },
    /// The textures of a scene do not fit together.
    #[error("{name}: {problem}")]
    Textures {
        /// The scene.
        name: String,
        /// The fault of the textures.
        problem: &'static str,
    },
    /// The normals of a scene do not fit its triangles.
    #[error("{name}: {problem}")]
    Normals {
        /// The scene.
        name: String,
        /// The fault of the normals.
        problem: &'static str,
    },
    /// The colours of a scene do not fit its triangles.
    #[error("{name}: {problem}")]
    Colours {
        /// The scene.
        name: String,
        /// The fault of the colours.
        problem: &'static str,
    },
    /// A generated scene would be too large to index.
    #[error("{name}: {count} triangles are more than {limit}: ask for fewer")]
    TooMany {
        /// The scene.
        name: String,
        /// How many triangles were asked for.
        count: u64,
        /// How many there may be.
        limit: u64,
    },
}

/// The part of a message that counts triangles whose area underflows; empty if there are none.
fn underflow(count: usize) -> String {
    match count {
        0 => String::new(),
        _ => format!(
            "; {count} are so small that 32-bit floats hold no area of them: scale the scene up"
        ),
    }
}

/// The ways out of files that are not read.
const HINTS: ReadHints = ReadHints {
    directory: "a scene",
    binary: "only OBJ, PLY and glTF files, plain or compressed, are read",
    archive: "unpack it first",
    too_large: ": split it",
};

impl SceneError {
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
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LineProblem {
    /// A word that should be a number is none.
    #[error("`{0}` is not a number")]
    NotANumber(String),
    /// A coordinate is NaN, infinite or too large.
    #[error("coordinate `{0}` is refused: it must be finite and at most 1e18 in magnitude")]
    Coordinate(String),
    /// A vertex has too few or too many values.
    #[error("a vertex of {0} values: `v` takes x y z, then nothing, a weight or a colour")]
    VertexSize(usize),
    /// A vertex has a weight that cannot divide its coordinates.
    #[error("vertex weight `{0}` is refused: it must be finite, and x/w y/w z/w at most 1e18")]
    Weight(String),
    /// A face has fewer than three corners.
    #[error("a face of {0} corners: `f` takes at least 3")]
    FaceSize(usize),
    /// A face corner is not of the form `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    #[error("face corner `{0}` is not v, v/vt, v//vn or v/vt/vn with integers")]
    Corner(String),
    /// A face uses index 0.
    #[error("vertex index 0: indices start at 1, or at -1 from the end")]
    IndexZero,
    /// A face uses a vertex that the file does not have.
    #[error("vertex index {index} is out of range: there are {count} vertices")]
    IndexRange {
        /// The index as written.
        index: i64,
        /// Vertices in the file or, for a negative index, above this line.
        count: usize,
    },
}

/// `text`, made fit to stand in a one-line message: escaped and shortened.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    cut(text, LONGEST)
}

/// A message of another crate, made fit in the same way.
pub(crate) fn shortened(text: &str) -> String {
    const LONGEST: usize = 120;
    cut(text, LONGEST)
}

fn cut(text: &str, longest: usize) -> String {
    let mut out: String = text.chars().take(longest).collect();
    if out.len() < text.len() {
        out.push_str("...");
    }
    out.escape_debug().collect()
}
