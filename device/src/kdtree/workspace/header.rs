//! The header of a workspace: counters, the state of the build, and statistics.
//!
//! Constants of the types [`Word`] and [`Statistic`] name its words. No other value of
//! these types can be made, so that no index is beyond the header.

/// 4-byte words of a cache line, which words have to themselves that are busy at the
/// same time.
const CACHE_LINE: usize = 32;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 17 * CACHE_LINE * 4;

/// A 4-byte word of the header.
#[derive(Clone, Copy)]
pub struct Word(usize);

impl Word {
    /// Its index in the header, in 4-byte words.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0
    }
}

/// The 4-byte words of the header.
pub mod word {
    use super::{CACHE_LINE, Word};

    /// `RUNNING`, `DONE` or a [`Failure`](super::Failure).
    pub const STATE: Word = Word(0);
    /// The next ticket of whoever takes a task.
    pub const HEAD: Word = Word(CACHE_LINE);
    /// The next ticket of whoever puts in a task.
    pub const TAIL: Word = Word(2 * CACHE_LINE);
    /// Tasks that wait or run.
    pub const OUTSTANDING: Word = Word(3 * CACHE_LINE);
    /// `HEAD` of the queue of subtrees.
    pub const SUBTREE_HEAD: Word = Word(13 * CACHE_LINE);
    /// `TAIL` of the queue of subtrees.
    pub const SUBTREE_TAIL: Word = Word(14 * CACHE_LINE);
    /// `OUTSTANDING` of the queue of subtrees.
    pub const SUBTREE_OUTSTANDING: Word = Word(15 * CACHE_LINE);
    /// Tasks that were put into both queues.
    pub const TASKS: Word = Word(16 * CACHE_LINE);
    /// Nodes so far.
    pub const NODES: Word = Word(4 * CACHE_LINE);
    /// Leaf references so far.
    pub const REFERENCES: Word = Word(5 * CACHE_LINE);
    /// Large nodes so far.
    pub const LARGE_NODES: Word = Word(6 * CACHE_LINE);
    /// Chunks so far.
    pub const CHUNKS: Word = Word(7 * CACHE_LINE);
    /// Warps that have ended `Prepare`.
    pub const PREPARE_ENDED: Word = Word(9 * CACHE_LINE);
    /// Warps that have ended `Relayout`.
    pub const RELAYOUT_ENDED: Word = Word(9 * CACHE_LINE + 1);
    /// Leaves.
    pub const LEAVES: Word = Word(10 * CACHE_LINE);
    /// Depth of the deepest leaf.
    pub const DEPTH: Word = Word(10 * CACHE_LINE + 1);
    /// Nodes that became leaves because their budget did not allow their split.
    pub const LIMITED: Word = Word(10 * CACHE_LINE + 2);
    /// Nodes that became leaves because the limit of depth did not allow their split.
    pub const CUT_OFF: Word = Word(10 * CACHE_LINE + 3);
    /// References that splits have added.
    pub const ADDED: Word = Word(12 * CACHE_LINE);

    /// The scene's smallest coordinate on an axis (0 to 2): the complement of its key,
    /// so that the maximum of such words belongs to the smallest, and 0 is neutral.
    #[inline(always)]
    pub fn min_coordinate(axis: usize) -> Word {
        Word(8 * CACHE_LINE + if axis < 3 { axis } else { 2 })
    }

    /// The scene's largest coordinate on an axis (0 to 2): its key.
    #[inline(always)]
    pub fn max_coordinate(axis: usize) -> Word {
        Word(8 * CACHE_LINE + 3 + if axis < 3 { axis } else { 2 })
    }
}

/// An 8-byte word of the header.
#[derive(Clone, Copy)]
pub struct Statistic(usize);

impl Statistic {
    /// The index of its first half in the header, in 4-byte words; even.
    #[inline(always)]
    pub fn index(self) -> usize {
        11 * CACHE_LINE + 2 * self.0
    }
}

/// The 8-byte words of the header.
pub mod statistic {
    use super::Statistic;

    /// Requests served.
    pub const ALLOCATIONS: Statistic = Statistic(0);
    /// Blocks freed.
    pub const FREES: Statistic = Statistic(1);
    /// Bytes requested.
    pub const BYTES: Statistic = Statistic(2);
    /// Squares of bytes requested.
    pub const SQUARES: Statistic = Statistic(3);
    /// Unused parts of blocks, in units of 2^-32.
    pub const WASTE: Statistic = Statistic(4);
    /// Bytes granted in live blocks.
    pub const LIVE: Statistic = Statistic(5);
    /// The most that `LIVE` was.
    pub const PEAK: Statistic = Statistic(6);
    /// Bytes of the request that failed.
    pub const FAILED: Statistic = Statistic(7);
}

/// State of a build that goes on.
pub const RUNNING: u32 = 0;
/// State of a build whose tree is complete.
pub const DONE: u32 = 1;

/// Why a build has failed: the other values of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Failure {
    /// The allocator returned null; `statistic::FAILED` holds the bytes requested.
    OutOfMemory = 2,
    /// More nodes than `node_limit`.
    NodeLimit = 3,
    /// More leaf references than `reference_limit`.
    ReferenceLimit = 4,
    /// More tasks, large nodes or chunks than their limits.
    TaskLimit = 5,
    /// The allocator granted a block again while the builder used it.
    Overwritten = 6,
    /// A coordinate is not a number or beyond `MAX_COORDINATE`.
    BadCoordinate = 7,
    /// More references than the bound on duplication allows; see `budget`.
    Explodes = 8,
}

#[cfg(not(target_arch = "nvptx64"))]
impl Failure {
    /// The failure that a state tells of.
    pub fn of_state(state: u32) -> Option<Self> {
        [
            Self::OutOfMemory,
            Self::NodeLimit,
            Self::ReferenceLimit,
            Self::TaskLimit,
            Self::Overwritten,
            Self::BadCoordinate,
            Self::Explodes,
        ]
        .into_iter()
        .find(|&failure| failure as u32 == state)
    }
}
