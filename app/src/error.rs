//! The errors of the program, sorted by exit code.

use std::path::PathBuf;

use heapwood_graphs::GraphError;
use heapwood_page::PageError;
use heapwood_scenes::{CameraError, PanoramaError, SceneError, ViewError};
use heapwood_traces::TraceError;
use thiserror::Error;

use crate::allocators::SpecError;
use crate::backend::BackendError;
use crate::diff::DiffError;
use crate::encode::EncodeError;
use crate::heap::HeapError;
use crate::link::LinkError;
use crate::store_error::StoreError;
use crate::tree::{TreeError, TreeFileError};

/// Ranks that a check cannot tell from others: their residual bounds the distance from the fixed
/// point, and with a damping near 1 no two ranks are farther apart.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("ranks that are off by {off:.1e} in all would pass, where {max} is the most")]
pub struct UndecidedRanks {
    /// The bound.
    pub off: f64,
    /// The maximum distance of any two ranks.
    pub max: f64,
}

/// An option that does not fit the graph, its source or the other options. Each displays as one line
/// that begins with the option's name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OptionError {
    /// Distances are saved, and no search is made.
    #[error("{option} has to name the vertex from which saved distances count")]
    NoSource {
        /// The option of the search.
        option: &'static str,
    },
    /// Answers are saved, and no problems are solved.
    #[error("problems has to name the file whose answers are saved")]
    NoProblems,
    /// Two sets of vertices in a graph that is made, not read.
    #[error("bipartite is for files, not for {0}")]
    Bipartite(String),
    /// Ids as they occur in a graph that is made, not read.
    #[error("compact-ids is for edge lists, not for {0}")]
    CompactIds(String),
    /// Vertices that are inserted would have no ids.
    #[error("insert-vertices: there are no 64-bit ids left after the largest")]
    NoIds,
    /// Events without times in batches by time.
    #[error("batch-time is for timed events: signed ones have no time")]
    UntimedBatches,
    /// Events without times behind a window.
    #[error("window is for timed events: signed ones have no time")]
    UntimedWindow,
}

/// Why a command did not do what it was asked. Each displays as one line.
#[derive(Debug, Error)]
pub enum Error {
    /// Arguments that make no sense.
    #[error("{0}")]
    Usage(String),
    /// An option that does not fit the graph or the other options.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A choice of an allocator that cannot be made.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A scene that cannot be used.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A graph that cannot be used.
    #[error(transparent)]
    Graph(GraphError),
    /// A camera that gives no image.
    #[error(transparent)]
    Camera(#[from] CameraError),
    /// A view that cannot be used.
    #[error(transparent)]
    View(#[from] ViewError),
    /// An image around a scene that cannot be used.
    #[error(transparent)]
    Panorama(#[from] PanoramaError),
    /// A file with a tree that cannot be used.
    #[error(transparent)]
    TreeFile(#[from] TreeFileError),
    /// Images that cannot be compared.
    #[error(transparent)]
    Diff(#[from] DiffError),
    /// A trace, or a log of another tool, that cannot be used.
    #[error("{}: {error}", path.display())]
    Trace {
        /// The file.
        path: PathBuf,
        /// The error in it.
        error: TraceError,
    },
    /// A file without results that can be shown.
    #[error(transparent)]
    Page(#[from] PageError),
    /// A file that cannot be written.
    #[error("{}: cannot write: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        cause: std::io::Error,
    },
    /// Results that a comparison cannot go on from.
    #[error("{0}")]
    Resume(String),
    /// The device, or its memory.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The allocator cannot be set up.
    #[error(transparent)]
    Heap(#[from] HeapError),
    /// A tree that cannot be built over its allocator.
    #[error(transparent)]
    Tree(TreeError),
    /// A graph that cannot be kept or changed over its allocator.
    #[error(transparent)]
    Store(StoreError),
    /// A part of an update that did not fit into the pool.
    #[error("{part}: {error}; the graph is as before {before}")]
    Update {
        /// The part.
        part: String,
        /// The error.
        error: StoreError,
        /// The name of the part for the state of the graph.
        before: &'static str,
    },
    /// The work was done and its result is wrong.
    #[error("{0}")]
    Verification(String),
    /// The work was done, and a check cannot tell whether its result is right.
    #[error(
        "verification: {0}: use the method power, which is compared iteration by iteration, or a \
         lower damping or tolerance"
    )]
    Undecided(#[from] UndecidedRanks),
    /// A round of updates.
    #[error("round {number}: {error}")]
    Round {
        /// Its number; 0 is the graph as loaded.
        number: u32,
        /// The error of the round.
        error: Box<Error>,
    },
    /// A trial of a kernel.
    #[error("{kernel}, trial {number}: {error}")]
    Trial {
        /// The name of the kernel.
        kernel: &'static str,
        /// The number of the trial, from 1.
        number: u32,
        /// The error of the trial.
        error: Box<Error>,
    },
    /// The message of a child process that failed.
    #[error("{message}")]
    Relayed {
        /// Its exit code.
        code: u8,
        /// Its message.
        message: String,
    },
    /// Cases of a benchmark or a comparison that crashed, hung or went wrong, beside others that
    /// succeeded.
    #[error("{0}")]
    Cases(String),
    /// Anything else that went wrong while running.
    #[error("{0}")]
    Failed(String),
    /// Someone interrupted.
    #[error("interrupted {0}")]
    Interrupted(String),
    /// A frame of a moving scene.
    #[error("frame {number} ({name}): {error}")]
    Frame {
        /// Its number, from 1.
        number: usize,
        /// Its scene, as on the command line.
        name: String,
        /// The error of the frame.
        error: Box<Error>,
    },
    /// An image that cannot be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The reader of the output has closed it: no error to the user.
    #[error("the output was closed")]
    Closed,
}

impl Error {
    /// The exit code: 1 run failed, 2 usage, 3 input or output file, 4 device or
    /// out of memory, 5 verification failed, 6 some cases failed, 130 interrupted.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::Failed(_) | Self::Encode(_) => 1,
            // The device is there and the work did not succeed.
            Self::Backend(error) | Self::Heap(HeapError::Backend(error))
                if error.is_fault() || error.is_timeout() =>
            {
                1
            }
            Self::Backend(BackendError::Link(error))
            | Self::Heap(HeapError::Backend(BackendError::Link(error))) => match error {
                LinkError::Nothing => 2,
                // The file is as it should be.
                LinkError::Create { .. } => 1,
                _ => 3,
            },
            Self::Scene(SceneError::TooMany { .. })
            | Self::Usage(_)
            | Self::Option(_)
            | Self::Spec(_)
            | Self::Camera(_)
            | Self::Backend(BackendError::TooManyThreads { .. })
            | Self::Heap(HeapError::Parameter { .. }) => 2,
            Self::Scene(_)
            | Self::View(_)
            | Self::Panorama(_)
            | Self::TreeFile(_)
            | Self::Graph(_)
            | Self::Diff(_)
            | Self::Page(_)
            | Self::Trace { .. }
            | Self::Write { .. }
            | Self::Resume(_) => 3,
            Self::Verification(_)
            | Self::Undecided(_)
            | Self::Heap(HeapError::Misuse { .. } | HeapError::InvalidGrants { .. }) => 5,
            Self::Tree(TreeError::CannotFree(_))
            | Self::Store(StoreError::Batch { .. } | StoreError::Directed) => 2,
            Self::Backend(_)
            | Self::Heap(_)
            | Self::Tree(_)
            | Self::Store(_)
            | Self::Update { .. } => 4,
            Self::Cases(_) => 6,
            // 128 and the number of the signal, as shells say it.
            Self::Interrupted(_) => 130,
            Self::Relayed { code, .. } => *code,
            Self::Frame { error, .. } | Self::Round { error, .. } | Self::Trial { error, .. } => {
                error.exit_code()
            }
        }
    }
}

impl From<TreeError> for Error {
    fn from(error: TreeError) -> Self {
        match error {
            TreeError::Heap(error) => error.into(),
            TreeError::Plan(error) => Self::Usage(error.to_string()),
            TreeError::Build(error) => Self::Failed(error.to_string()),
            TreeError::Frame {
                number,
                name,
                error,
            } => Self::Frame {
                number,
                name,
                error: Box::new((*error).into()),
            },
            TreeError::File(error) => error.into(),
            TreeError::Pool { .. } | TreeError::Full { .. } | TreeError::CannotFree(_) => {
                Self::Tree(error)
            }
            TreeError::Wrong(_) => Self::Verification(error.to_string()),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Heap(error) => error.into(),
            StoreError::Pool { .. }
            | StoreError::Overwriting { .. }
            | StoreError::Full { .. }
            | StoreError::Batch { .. }
            | StoreError::Directed
            | StoreError::Unweighted => Self::Store(error),
            StoreError::Rows => Self::Verification(error.to_string()),
            StoreError::TooMany { .. }
            | StoreError::Vertex { .. }
            | StoreError::Columns { .. }
            | StoreError::OtherColumns { .. }
            | StoreError::Weights { .. }
            | StoreError::Weight { .. }
            | StoreError::Ranks { .. } => Self::Usage(error.to_string()),
        }
    }
}

impl From<GraphError> for Error {
    fn from(error: GraphError) -> Self {
        match error {
            GraphError::Write { path, source } => Self::Write {
                path: path.into(),
                cause: source,
            },
            other => Self::Graph(other),
        }
    }
}
