//! The entries of a workspace's tables: tasks, records of nodes, large nodes.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use crate::kdtree::bins::{BINS, HISTOGRAM_WORDS};
use crate::kdtree::bounds::Bounds;
use crate::kdtree::node::{LIMIT, Node};
use crate::kdtree::partition::Partition;
use crate::kdtree::thresholds::CHUNK;

/// No node.
pub const NONE: u32 = u32::MAX;

/// A node to be built, or (by its kind) a chunk of a large node. For a chunk, `node` is
/// the large node and `count` the number of the chunk.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Task {
    /// The node's box.
    pub bounds: Bounds,
    /// The handle, as bits, of the block with the node's references, ascending.
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

/// A node while the tree grows.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct NodeRecord {
    /// The parent's record, or `NONE`.
    pub parent: u32,
    /// The node's budget, in a bounded build.
    pub budget: u32,
    /// As in the finished tree, with two differences: in place of the right child's
    /// index it has the left child's record, and a leaf's references are those in
    /// `leaves`.
    pub node: Node,
    /// The sizes of the subtree, as far as it is complete. Atomic while the tree grows.
    pub sizes: Sizes,
    /// A leaf's block, if leaves keep theirs; else null.
    pub block: u64,
}

impl NodeRecord {
    /// A node with only its parent and its budget known; `null` is the
    /// allocator's null handle.
    #[inline(always)]
    pub fn new(parent: u32, budget: u32, null: u64) -> Self {
        Self {
            parent,
            budget,
            node: Node::leaf(0, 0),
            sizes: Sizes::of_leaf(0),
            block: null,
        }
    }
}

/// The nodes and references of a subtree, and how many of its root's children are
/// complete, in one word: a child that adds its own sees those of its sibling in the same
/// step, and nothing else has to be ordered.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Sizes(u64);

const _: () = assert!(LIMIT as u64 <= Sizes::MASK);

impl Sizes {
    /// Bits of nodes, and of references.
    const BITS: u32 = 30;
    const MASK: u64 = (1 << Self::BITS) - 1;

    /// Of a leaf with so many references.
    #[inline(always)]
    pub fn of_leaf(references: u32) -> Self {
        Self(u64::from(references) << Self::BITS | 1)
    }

    /// Nodes, the root among them.
    #[inline(always)]
    pub fn nodes(self) -> u32 {
        (self.0 & Self::MASK) as u32
    }

    /// References.
    #[inline(always)]
    pub fn references(self) -> u32 {
        (self.0 >> Self::BITS & Self::MASK) as u32
    }

    /// The sizes that a child with this complete subtree adds to its parent.
    #[inline(always)]
    fn of_child(self) -> u64 {
        let complete = 1 << (2 * Self::BITS);
        self.0 & (complete - 1) | complete
    }

    /// These, and a child with its complete subtree.
    #[inline(always)]
    pub fn with(self, child: Self) -> Self {
        Self(self.0 + child.of_child())
    }

    /// Adds a child's complete subtree to `parent`. The sum if it is the second child; then
    /// the parent's subtree is complete.
    #[inline(always)]
    pub fn arrive(self, parent: &AtomicU64) -> Option<Self> {
        let own = self.of_child();
        // Relaxed: the word has all that the second child needs of the first.
        let before = parent.fetch_add(own, Relaxed);
        (before >> (2 * Self::BITS) != 0).then_some(Self(before + own))
    }
}

/// Bits of each of the three sums of a bin in a word of a chunk.
pub const CHUNK_BITS: u32 = 10;
const _: () = assert!(CHUNK < 1 << CHUNK_BITS && 3 * CHUNK_BITS <= u32::BITS);
/// Words of a chunk. First the sums of its histograms, one word for each list and bin:
/// of the bins of the whole box, then of the parts of the refined bin. Then the offsets
/// of its references in the arrays below and above.
pub const CHUNK_WORDS: u32 = 6 * BINS + 2;

/// A large node and the state of its split.
#[repr(C)]
pub struct LargeNode {
    /// The node.
    pub task: Task,
    /// First of its chunks.
    pub chunk: u32,
    /// The refined bin of the histogram, as in `Bins`.
    pub refined: u32,
    /// Rank of the split's cost.
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
    /// Chunks whose histograms are merged; atomic.
    pub binned: u32,
    /// Chunks whose references are partitioned; atomic.
    pub partitioned: u32,
    /// Block of the references below.
    pub block_below: u64,
    /// Block of the references above.
    pub block_above: u64,
    /// Sum of the chunks' histograms; atomic.
    pub histogram: [u32; HISTOGRAM_WORDS as usize],
}
