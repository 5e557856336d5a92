//! The layout of a warp's scratch memory while it builds.
//!
//! The references of a small subtree stay there while the warp builds it. A reference
//! is named by its index among `SMALL_NODE`, so that a node of the subtree is a mask of
//! 64 bits. The warp treats a batch of these nodes at a time; each reference of each of them
//! is an item of the batch.

use crate::kdtree::bins::HISTOGRAM_WORDS;
use crate::kdtree::bounds::Bounds;
use crate::kdtree::thresholds::SMALL_NODE;
use crate::simt::SCRATCH_BYTES;

/// Words between bounds of the same reference, odd so that lanes that look at
/// different axes use different banks.
pub const BOUNDS_STRIDE: u32 = SMALL_NODE + 1;

/// Nodes on the stack at most. If it is full, nodes go to the queue of tasks, so that the stack
/// does not limit depth.
pub const STACK_NODES: u32 = 36;
/// References of a batch of several nodes, at most.
pub const BATCH: u32 = SMALL_NODE;

const ITEMS: usize = 4 * SMALL_NODE as usize;
const BOUNDS: usize = 8 * SMALL_NODE as usize;
const CANDIDATES: usize = BOUNDS + 24 * BOUNDS_STRIDE as usize;
const STACK: usize = CANDIDATES + 8 * SMALL_NODE as usize;
const _: () = assert!(SMALL_NODE == 64 && CANDIDATES.is_multiple_of(8));
const _: () = assert!(ITEMS.is_multiple_of(8) && BOUNDS - ITEMS >= 8 * SMALL_NODE as usize / 2);
const _: () = assert!(BOUNDS + 4 * HISTOGRAM_WORDS as usize <= SCRATCH_BYTES);
const _: () = assert!(BOUNDS + 4 * (8 * BOUNDS_STRIDE as usize) <= SCRATCH_BYTES);
const _: () = assert!(STACK + size_of::<PendingNode>() * STACK_NODES as usize <= SCRATCH_BYTES);

/// The word of an item: a reference of one of the batch's nodes, and how the best plane at its
/// bounds divides that node.
pub mod item_word {
    /// The word of reference `index` of the subtree, in node `number` of the batch.
    #[inline(always)]
    pub fn new(number: u32, index: u32) -> u32 {
        index << 8 | number
    }

    /// The number of the node in the batch.
    #[inline(always)]
    pub fn number(item: u32) -> u32 {
        item & 0xff
    }

    /// The index of the reference among those of the subtree.
    #[inline(always)]
    pub fn index(item: u32) -> u32 {
        item >> 8 & 0x3f
    }

    /// The part of the word that says how many of the node's references go below and above,
    /// and whether those in the plane go below.
    #[inline(always)]
    pub fn sides(below: u32, above: u32, planar_below: bool) -> u32 {
        above << 24 | below << 16 | u32::from(planar_below) << 14
    }

    /// References below.
    #[inline(always)]
    pub fn below(item: u32) -> u32 {
        item >> 16 & 0xff
    }

    /// References above.
    #[inline(always)]
    pub fn above(item: u32) -> u32 {
        item >> 24
    }

    /// Whether references in the plane go below.
    #[inline(always)]
    pub fn planar_below(item: u32) -> bool {
        item >> 14 & 1 == 1
    }
}

/// A node of a small subtree that is still to be built.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct PendingNode {
    /// Its references among those of the subtree's root: the low and the high half of a mask.
    pub mask: [u32; 2],
    /// Its box.
    pub bounds: Bounds,
    /// Its record.
    pub node: u32,
    /// Its depth.
    pub depth: u32,
}

impl PendingNode {
    /// Its references, as a mask of those of the subtree's root.
    #[inline(always)]
    pub fn references(&self) -> u64 {
        u64::from(self.mask[1]) << 32 | u64::from(self.mask[0])
    }
}

/// A warp's scratch memory, `SCRATCH_BYTES` that the warp alone uses.
///
/// Its methods give raw pointers: the lanes of the warp share what they lead to.
#[derive(Clone, Copy)]
pub struct Scratch(*mut u8);

impl Scratch {
    /// The scratch memory at an address.
    ///
    /// # Safety
    ///
    /// `SCRATCH_BYTES` bytes of any value are there, 16-byte aligned, and while this value or a
    /// copy of it is in use, the lanes of one warp alone access them, through it.
    #[inline(always)]
    pub unsafe fn new(address: *mut u8) -> Self {
        Self(address)
    }

    /// The references of the small subtree: `SMALL_NODE` words.
    #[inline(always)]
    pub fn references(self) -> *mut u32 {
        self.0.cast()
    }

    /// Item `index` of the batch, below `SMALL_NODE`, as in [`item_word`].
    #[inline(always)]
    pub fn item(self, index: u32) -> *mut u32 {
        self.0
            .wrapping_add(ITEMS)
            .cast::<u32>()
            .wrapping_add(index as usize)
    }

    /// The best candidate at the bounds of item `index`.
    #[inline(always)]
    pub fn candidate(self, index: u32) -> *mut u64 {
        self.0
            .wrapping_add(CANDIDATES)
            .cast::<u64>()
            .wrapping_add(index as usize)
    }

    /// Word `index` of the histogram, which overlaps the bounds and the stack: the warp
    /// has no small subtree while it counts into bins.
    #[inline(always)]
    pub fn histogram(self, index: u32) -> *mut u32 {
        self.0
            .wrapping_add(BOUNDS)
            .cast::<u32>()
            .wrapping_add(index as usize)
    }

    /// Word `index` of the items' bounds: `BOUNDS_STRIDE` words for each of the
    /// smallest and largest x, y and z, in the order of minima, then maxima.
    #[inline(always)]
    pub fn bounds(self, index: u32) -> *mut f32 {
        self.0
            .wrapping_add(BOUNDS)
            .cast::<f32>()
            .wrapping_add(index as usize)
    }

    /// The handle of block `index`, as bits, below `SMALL_NODE / 2`, while blocks are allocated:
    /// in place of the items, which have gone to the children by then. Not where the histogram
    /// is: other lanes may still read that when the first one allocates.
    #[inline(always)]
    pub fn handle(self, index: u32) -> *mut u64 {
        self.0
            .wrapping_add(ITEMS)
            .cast::<u64>()
            .wrapping_add(index as usize)
    }

    /// Entry `index` of the stack, below `STACK_NODES`.
    #[inline(always)]
    pub fn stack(self, index: u32) -> *mut PendingNode {
        self.0
            .wrapping_add(STACK)
            .cast::<PendingNode>()
            .wrapping_add(index as usize)
    }
}
