//! What the builder keeps in its workspace, and the words of its header.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::geometry::{Aabb, Point, from_key};
use super::node::Node;
use super::sah::{BINS, Costs};
use crate::arguments;

/// References of a node up to which a warp searches splits exactly.
pub const SMALL: u32 = 64;
/// References of a node above which several warps share it.
pub const LARGE: u32 = 2048;
/// References of a large node that one warp treats at a time.
pub const CHUNK: u32 = 512;
/// References of a large node above which a bin next to the best plane is
/// searched again, in smaller bins: where whole buildings are divided, a plane
/// that just misses a wall makes a tree some percent worse.
pub const FOCUS: u32 = 16384;
/// The deepest tree that can be built.
pub const MAX_DEPTH: u32 = 47;
/// Greatest magnitude of a coordinate, so that areas stay finite.
pub const MAX_COORDINATE: f32 = 1e18;
/// No node.
pub const NONE: u32 = u32::MAX;

/// Words of a histogram that are sums, for each list and bin: starts, then
/// ends, then triangles whose start is their end.
pub const SUM_WORDS: u32 = 9 * BINS;
/// Words of a histogram. Behind the sums lie maxima: complements of the keys of
/// the least starts, then keys of the greatest ends.
pub const HISTOGRAM_WORDS: u32 = SUM_WORDS + 6 * BINS;
/// Bits of each of the three sums of a bin in a word of a chunk.
pub const CHUNK_BITS: u32 = 10;
const _: () = assert!(CHUNK < 1 << CHUNK_BITS && 3 * CHUNK_BITS <= u32::BITS);
/// Words of a chunk: the sums of its histograms, for each list and bin in one
/// word, those of the whole box and then of the bin in focus; behind them, where
/// its references go below and above.
pub const CHUNK_WORDS: u32 = 6 * BINS + 2;

/// `flags` bit: clip triangles to nodes, not only their bounds.
pub const CLIP: u32 = 1;
/// `flags` bit: allocate at every split, down to the leaves.
pub const PER_SPLIT: u32 = 2;
/// `flags` bit: keep statistics of allocations.
pub const COLLECT: u32 = 4;
/// `flags` bit: nodes have budgets of references, which bound duplication.
pub const BOUNDED: u32 = 8;

/// Which references go where, by the bins in which they start and end. All of
/// it in one word, as it stays in a register for long.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Partition(u32);

impl Partition {
    /// Nothing is divided, among bins with this focus.
    #[inline(always)]
    pub fn none(focus: u32) -> Self {
        Self(focus << 16)
    }

    /// Below go those that start in bins of `list` before `bin`, and above those
    /// that end in this bin or behind it. With `rest`, they have to end behind
    /// it, and what goes neither way, as it lies in the plane, goes below (true)
    /// or above (false).
    #[inline(always)]
    pub fn new(focus: u32, list: u32, bin: u32, rest: Option<bool>) -> Self {
        let rest = match rest {
            None => 0,
            Some(false) => 1,
            Some(true) => 3,
        };
        Self(focus << 16 | list << 12 | rest << 8 | bin)
    }

    /// The bins' focus.
    #[inline(always)]
    pub fn focus(self) -> u32 {
        self.0 >> 16
    }

    /// The list of bins.
    #[inline(always)]
    pub fn list(self) -> u32 {
        self.0 >> 12 & 3
    }

    /// The first bin in which nothing starts that goes below.
    #[inline(always)]
    pub fn bin(self) -> u32 {
        self.0 & 0xff
    }

    /// The first bin in which all that ends goes above.
    #[inline(always)]
    pub fn bin_above(self) -> u32 {
        self.bin() + (self.0 >> 8 & 1)
    }

    /// Whether the rest, if there is any, goes below.
    #[inline(always)]
    pub fn rest_below(self) -> bool {
        self.0 >> 9 & 1 == 1
    }

    /// Whether a reference goes below, and above.
    #[inline(always)]
    pub fn of(self, start: u32, end: u32) -> (bool, bool) {
        let (below, above) = (start < self.bin(), end >= self.bin_above());
        let rest = !below && !above;
        (
            below || (rest && self.rest_below()),
            above || (rest && !self.rest_below()),
        )
    }
}

/// Values of the header's state word above which the build has failed.
pub const RUNNING: u32 = 0;
/// The tree is complete.
pub const DONE: u32 = 1;
/// The allocator gave null; the detail word holds the bytes requested.
pub const OUT_OF_MEMORY: u32 = 2;
/// More nodes than `node_limit`.
pub const NODE_LIMIT: u32 = 3;
/// More leaf references than `reference_limit`.
pub const REFERENCE_LIMIT: u32 = 4;
/// More tasks, large nodes or chunks than there is room for.
pub const TASK_LIMIT: u32 = 5;
/// A block was handed out again while the builder used it.
pub const OVERWRITTEN: u32 = 6;
/// A coordinate is not a number or beyond `MAX_COORDINATE`.
pub const BAD_COORDINATE: u32 = 7;
/// More references than the bound on duplication allows; see `budget`.
pub const EXPLODES: u32 = 8;

arguments! {
    /// What the kernels of a build work on. Each pointer has the alignment of
    /// its type and as many elements as the limit says; `header` and `flags`
    /// are 0 before the first kernel.
    pub struct TreeArguments {
        pointers {
            /// Vertices of the triangles, 9 floats each.
            triangles: f32,
            /// `HEADER_BYTES`, 256-byte aligned.
            header: u32,
            /// Kind of each task, 0 until it is there: `task_limit`.
            kinds: u32,
            /// The tasks: `task_limit`.
            tasks: Task,
            /// Nodes in the order of their creation: `node_limit`.
            records: Record,
            /// Nodes that several warps share: `large_limit`.
            larges: Large,
            /// `CHUNK_WORDS` for each chunk of a large node: `chunk_limit`.
            chunks: u32,
            /// References of leaves as they are found: `reference_limit`.
            leaves: u32,
            /// The finished nodes: `node_limit`.
            nodes: Node,
            /// The finished references: `reference_limit`.
            references: u32,
        }
        integers {
            /// Number of triangles, at least 1.
            count: u32,
            /// Depth of the deepest leaf that may arise, at most `MAX_DEPTH`.
            max_depth: u32,
            /// `Costs::traversal`.
            traversal: f32,
            /// `Costs::intersection`.
            intersection: f32,
            /// `Costs::empty_bonus`.
            empty_bonus: f32,
            /// `CLIP`, `PER_SPLIT`, `COLLECT`, `BOUNDED`.
            flags: u32,
            /// Nodes that there is room for.
            node_limit: u32,
            /// Leaf references that there is room for.
            reference_limit: u32,
            /// Tasks that there is room for.
            task_limit: u32,
            /// Large nodes that there is room for.
            large_limit: u32,
            /// Chunks of large nodes that there is room for.
            chunk_limit: u32,
            /// References of the largest subtree that a warp finishes without
            /// allocation; 0 if every split allocates.
            finish: u32,
        }
    }
}

/// A node to be built, or (by its kind) a chunk of a large node, for which
/// `node` is the large node and `count` the chunk.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Task {
    /// The node's box.
    pub space: Aabb,
    /// Its references, ascending: the bits of their block's handle.
    pub block: u64,
    /// The number of references.
    pub count: u32,
    /// The node's record.
    pub node: u32,
    /// The node's depth.
    pub depth: u32,
    /// Keeps the size a multiple of 16.
    pub unused: u32,
}

/// A node as it is known while the tree grows.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Record {
    /// The parent's record, or `NONE`.
    pub parent: u32,
    /// Children whose subtrees are complete; atomic.
    pub arrived: u32,
    /// What a [`Node`] holds, but with the left child's record in place of the
    /// right child's index, and the place in `leaves` of a leaf's references.
    pub node: Node,
    /// Nodes of the complete subtree.
    pub nodes: u32,
    /// References of the complete subtree. Before, in a bounded build, those that
    /// its splits may add.
    pub references: u32,
    /// A leaf's block, if leaves keep theirs; else null.
    pub block: u64,
}

/// A large node and the state of its partition.
#[repr(C)]
pub struct Large {
    /// The node.
    pub task: Task,
    /// First of its chunks.
    pub chunk: u32,
    /// Focus of the bins that are counted.
    pub focus: u32,
    /// Rank of the cost of the split.
    pub cost: u32,
    /// Axis of the split.
    pub axis: u32,
    /// The partition.
    pub partition: Partition,
    /// The split plane.
    pub position: f32,
    /// References below.
    pub below: u32,
    /// References above.
    pub above: u32,
    /// Chunks whose histograms are added; atomic.
    pub counted: u32,
    /// Chunks that are divided; atomic.
    pub divided: u32,
    /// Block of the references below.
    pub block_below: u64,
    /// Block of the references above.
    pub block_above: u64,
    /// Sum of the chunks' histograms; atomic.
    pub histogram: [u32; HISTOGRAM_WORDS as usize],
}

/// Words between words of the header that are busy at the same time.
const LINE: usize = 32;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 13 * LINE * 4;

/// Where words of the header lie, in 4-byte words.
pub mod word {
    use super::LINE;

    /// `RUNNING`, `DONE` or an error.
    pub const STATE: usize = 0;
    /// The next task to be taken.
    pub const HEAD: usize = LINE;
    /// The next place for a task.
    pub const TAIL: usize = 2 * LINE;
    /// Tasks that wait or run.
    pub const OUTSTANDING: usize = 3 * LINE;
    /// Nodes so far.
    pub const NODES: usize = 4 * LINE;
    /// Leaf references so far.
    pub const REFERENCES: usize = 5 * LINE;
    /// Large nodes so far.
    pub const LARGES: usize = 6 * LINE;
    /// Chunks so far.
    pub const CHUNKS: usize = 7 * LINE;
    /// Keys of the scene's bounds: complements of the least, the greatest.
    pub const BOUNDS: usize = 8 * LINE;
    /// Warps that have ended the kernel before `Build`, and the one after.
    pub const BEFORE: usize = 9 * LINE;
    /// See `BEFORE`.
    pub const AFTER: usize = 9 * LINE + 1;
    /// Leaves.
    pub const LEAVES: usize = 10 * LINE;
    /// Depth of the deepest leaf.
    pub const DEPTH: usize = 10 * LINE + 1;
    /// Nodes that became leaves because their budget did not allow their split.
    pub const LIMITED: usize = 10 * LINE + 2;
    /// 8-byte words: see `Statistics` in `host`, and the request that failed.
    pub const STATISTICS: usize = 11 * LINE;
    /// References that splits have added.
    pub const ADDED: usize = 12 * LINE;
}

/// Places among the 8-byte words of `word::STATISTICS`.
pub mod statistic {
    /// Requests served.
    pub const ALLOCATIONS: usize = 0;
    /// Blocks freed.
    pub const FREES: usize = 1;
    /// Bytes requested.
    pub const BYTES: usize = 2;
    /// Squares of bytes requested.
    pub const SQUARES: usize = 3;
    /// Unused parts of blocks, in units of 2^-32.
    pub const WASTE: usize = 4;
    /// Bytes granted in live blocks.
    pub const LIVE: usize = 5;
    /// The most that `LIVE` was.
    pub const PEAK: usize = 6;
    /// Bytes of the request that failed.
    pub const FAILED: usize = 7;
}

impl TreeArguments {
    /// A 4-byte word of the header.
    #[inline(always)]
    pub fn header(&self, index: usize) -> &AtomicU32 {
        // SAFETY: the arguments' contract; callers pass places in `word`.
        unsafe { &*self.header.add(index).cast() }
    }

    /// An 8-byte word among the statistics.
    #[inline(always)]
    pub fn statistic(&self, index: usize) -> &AtomicU64 {
        // SAFETY: as above; the places in `statistic` are within the header.
        unsafe { &*self.header.add(word::STATISTICS + 2 * index).cast() }
    }

    /// Whether a flag is set.
    #[inline(always)]
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The constants of the heuristic.
    #[inline(always)]
    pub fn costs(&self) -> Costs {
        Costs {
            traversal: self.traversal,
            intersection: self.intersection,
            empty_bonus: self.empty_bonus,
        }
    }

    /// The scene's bounds, complete before `Build` starts.
    #[inline(always)]
    pub fn bounds(&self) -> Aabb {
        let key = |place: usize| self.header(word::BOUNDS + place).load(Relaxed);
        Aabb {
            lo: [0, 1, 2].map(|axis| from_key(!key(axis))),
            hi: [3, 4, 5].map(|place| from_key(key(place))),
        }
    }

    /// A triangle.
    ///
    /// # Safety
    ///
    /// `id` is below `count`.
    #[inline(always)]
    pub unsafe fn triangle(&self, id: u32) -> [Point; 3] {
        // SAFETY: the arguments' contract: 9 floats a triangle.
        unsafe {
            let at = self.triangles.add(id as usize * 9);
            let vertex = |from: usize| [*at.add(from), *at.add(from + 1), *at.add(from + 2)];
            [vertex(0), vertex(3), vertex(6)]
        }
    }

    /// Ends the build with an error, if none came first.
    #[inline(always)]
    pub fn fail(&self, error: u32, bytes: u64) {
        // Relaxed: the word alone tells the others to stop, and the host reads
        // the detail after the launch.
        let state = self.header(word::STATE);
        if state.compare_exchange(RUNNING, error, Relaxed) == RUNNING {
            self.statistic(statistic::FAILED).store(bytes, Relaxed);
        }
    }
}
