//! The layout of a warp's scratch memory while it builds.
//!
//! The references of a small subtree stay there while the warp builds it. A reference
//! is named by its index among `SMALL_NODE`, so that a node of the subtree is a mask of
//! 64 bits.

use crate::kdtree::bins::HISTOGRAM_WORDS;
use crate::kdtree::bounds::Bounds;
use crate::kdtree::thresholds::SMALL_NODE;
use crate::simt::SCRATCH_BYTES;

/// Words between bounds of the same reference, odd so that lanes that look at
/// different axes use different banks.
pub const BOUNDS_STRIDE: u32 = SMALL_NODE + 1;

/// Nodes that the stack has room for. A node beyond them goes to the queue of tasks, so
/// that the stack does not limit depth.
pub const STACK_NODES: u32 = 16;

const ORDER: usize = 4 * SMALL_NODE as usize;
const BOUNDS: usize = 8 * SMALL_NODE as usize;
const STACK: usize = BOUNDS + 24 * BOUNDS_STRIDE as usize;
const _: () = assert!(SMALL_NODE == 64 && STACK.is_multiple_of(8));
const _: () = assert!(BOUNDS + 4 * HISTOGRAM_WORDS as usize <= SCRATCH_BYTES);
const _: () = assert!(STACK + size_of::<PendingNode>() * STACK_NODES as usize <= SCRATCH_BYTES);

/// A node of a small subtree that is still to be built.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct PendingNode {
    /// Its references among those of the subtree's root.
    pub mask: u64,
    /// Its box.
    pub bounds: Bounds,
    /// Its record.
    pub node: u32,
    /// Its depth.
    pub depth: u32,
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
    /// `SCRATCH_BYTES` bytes are there, 16-byte aligned, and while this value or a copy
    /// of it is in use, the lanes of one warp alone access them, through it.
    #[inline(always)]
    pub unsafe fn new(address: *mut u8) -> Self {
        Self(address)
    }

    /// The references of the small subtree: `SMALL_NODE` words.
    #[inline(always)]
    pub fn references(self) -> *mut u32 {
        self.0.cast()
    }

    /// Indices among `references` of the present node's references: `SMALL_NODE` words.
    #[inline(always)]
    pub fn order(self) -> *mut u32 {
        self.0.wrapping_add(ORDER).cast()
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

    /// Word `index` of the references' bounds: `BOUNDS_STRIDE` words for each of the
    /// smallest and largest x, y and z, in the order of minima, then maxima.
    #[inline(always)]
    pub fn bounds(self, index: u32) -> *mut f32 {
        self.0
            .wrapping_add(BOUNDS)
            .cast::<f32>()
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
