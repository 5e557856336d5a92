//! How a warp divides its scratch memory while it builds.
//!
//! The references of a small subtree stay there as long as it grows, named by
//! their place among `SMALL`, and a node of the subtree is a mask of 64 bits.

use super::geometry::Aabb;
use super::tables::{HISTOGRAM_WORDS, MAX_DEPTH, SMALL};
use crate::simt::SCRATCH_BYTES;

/// Words between bounds of the same reference, odd so that lanes that look at
/// different axes use different banks.
pub const KEPT_STRIDE: u32 = SMALL + 1;

const ORDER: usize = 4 * SMALL as usize;
const KEPT: usize = 8 * SMALL as usize;
const STACK: usize = KEPT + 24 * KEPT_STRIDE as usize;
const _: () = assert!(SMALL == 64 && STACK.is_multiple_of(8));
const _: () = assert!(KEPT + 4 * HISTOGRAM_WORDS as usize <= SCRATCH_BYTES);
const _: () = assert!(STACK + size_of::<Pending>() * (MAX_DEPTH as usize + 1) <= SCRATCH_BYTES);

/// A node of a small subtree that is still to be built.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Pending {
    /// Its references among those of the subtree's root.
    pub members: u64,
    /// Its box.
    pub space: Aabb,
    /// Its record.
    pub node: u32,
    /// Its depth.
    pub depth: u32,
}

/// A warp's scratch memory.
#[derive(Clone, Copy)]
pub struct Scratch(pub *mut u8);

impl Scratch {
    /// The references of the small subtree: `SMALL` words.
    #[inline(always)]
    pub fn ids(self) -> *mut u32 {
        self.0.cast()
    }

    /// Places in `ids` of the present node's references: `SMALL` words.
    #[inline(always)]
    pub fn order(self) -> *mut u32 {
        self.0.wrapping_add(ORDER).cast()
    }

    /// Word `index` of the histogram, which shares its place with the bounds and
    /// the stack: no small subtree is under way while bounds are counted.
    #[inline(always)]
    pub fn histogram(self, index: u32) -> *mut u32 {
        self.0
            .wrapping_add(KEPT)
            .cast::<u32>()
            .wrapping_add(index as usize)
    }

    /// Word `index` of the kept bounds: `KEPT_STRIDE` words for each of least
    /// and greatest x, y and z, in the order lx ly lz gx gy gz.
    #[inline(always)]
    pub fn kept(self, index: u32) -> *mut f32 {
        self.0
            .wrapping_add(KEPT)
            .cast::<f32>()
            .wrapping_add(index as usize)
    }

    /// Entry `index` of the stack. One node a level waits at most, so that
    /// `MAX_DEPTH + 1` entries suffice.
    #[inline(always)]
    pub fn stack(self, index: u32) -> *mut Pending {
        self.0
            .wrapping_add(STACK)
            .cast::<Pending>()
            .wrapping_add(index as usize)
    }
}
