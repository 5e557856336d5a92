//! Faults of glTF files.

/// A fault of a glTF or GLB file. Places are paths in its JSON, such as `nodes[3]`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GltfProblem {
    /// The chunks of a GLB file do not fit together.
    #[error("{0}: the file is cut off or damaged; export it again")]
    Container(&'static str),
    /// The file is of a version that is not read.
    #[error("version {0} of glTF: only 2.0 is read; export it as glTF 2.0")]
    Version(String),
    /// The JSON breaks a rule of JSON or of the schema.
    #[error("{0}: its JSON is damaged or not that of glTF; export the file again")]
    Json(String),
    /// The file needs an extension that is not read.
    #[error("it requires the extension {0}, which is not read: export it without that")]
    Extension(String),
    /// An object refers to one that does not exist.
    #[error("{place} is used by {user} and does not exist")]
    Missing {
        /// The missing object.
        place: String,
        /// The object that refers to it.
        user: String,
    },
    /// A buffer cannot be had.
    #[error("buffers[{buffer}] cannot be read: {cause}")]
    Buffer {
        /// The buffer.
        buffer: usize,
        /// Why, and what to do.
        cause: String,
    },
    /// An object reaches beyond the end of the one that contains it.
    #[error("{place} ends at byte {end} of {what}, which has {bytes}: the file is damaged")]
    Range {
        /// The object that reaches beyond.
        place: String,
        /// The byte where it ends.
        end: u64,
        /// The object that contains it.
        what: String,
        /// The number of bytes of `what`.
        bytes: u64,
    },
    /// An object does not fit its use.
    #[error("{place} {fault}")]
    Unfit {
        /// The object.
        place: String,
        /// The fault, and the form that its use needs.
        fault: &'static str,
    },
    /// A node is below itself or has two parents.
    #[error("nodes[{0}] is reached twice: nodes must form trees, without cycles or second parents")]
    Twice(usize),
    /// A node's transform is no affine map with finite numbers.
    #[error("nodes[{node}] has {fault}: correct its transform")]
    Transform {
        /// The node.
        node: usize,
        /// The fault of the transform.
        fault: &'static str,
    },
    /// A coordinate is NaN, infinite or too large.
    #[error(
        "coordinate {value:e} of vertex {vertex} of {place} is refused: it must be finite and at \
         most 1e18 in magnitude"
    )]
    Coordinate {
        /// The accessor, or the node that moved it there.
        place: String,
        /// The vertex, counted from 0.
        vertex: usize,
        /// The value.
        value: f64,
    },
    /// A primitive uses a vertex that it does not have.
    #[error("index {index} of {place} is out of range: there are {count} vertices")]
    IndexRange {
        /// The primitive.
        place: String,
        /// The index.
        index: u32,
        /// Its vertices.
        count: usize,
    },
    /// There are no triangles, but points and lines.
    #[error("no triangles: {0} primitives are points or lines, and only meshes are read")]
    PointsAndLines(usize),
    /// The meshes that the nodes place take too many bytes.
    #[error("the meshes that its nodes place take more than {0} bytes: split it")]
    TooLarge(u64),
}

impl GltfProblem {
    /// The message of the JSON parser, in one line, since it quotes the file.
    pub(crate) fn json(text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let shown = words.join(" ");
        let kept = shown.chars().filter(|c| !c.is_control());
        Self::Json(kept.take(LONGEST).collect())
    }
}

/// Characters of a message of the parser that are passed on.
const LONGEST: usize = 200;
