//! Allocators of large blocks, to which Halloc relays what is larger than its chunks, and how
//! the blocks of both are named.
//!
//! Such an allocator has no parameters, and one scalar of the heap for itself.

use super::layout::MIN_UNIT_SHIFT;
use super::runs::PageRuns;
use crate::allocator::{Allocator, Heap};
use crate::allocators::CudaMalloc;
use crate::simt::Warp;

/// The bit of the 32 of a handle that is set in those of large blocks.
const LARGE: u32 = 1 << 31;
/// The logarithm of the units in slabs that the other bits number.
const SMALL_BITS: u32 = 31;
/// The logarithm of the largest unit's bytes.
const MAX_UNIT_SHIFT: u32 = 12;

/// An allocator of large blocks.
pub trait Relay: Allocator {
    /// Name and parameters of Halloc over it.
    const PARAMETERS: &'static str = "slab=BYTES, a power of two from 8192 to 16777216, \
                                      share=PERCENT of the pool for slabs, 1 to 99";

    /// Percent of the pool that is divided into slabs.
    const SHARE: u64;

    /// Whether a request of so many bytes, for which there is no chunk, suits the allocator over
    /// the heap with this integer: not if most of the block would be left over.
    fn suits(integer: u64, bytes: u64) -> bool;

    /// The logarithm of the bytes of the units by which so many bytes of slabs are numbered.
    fn unit_shift(bytes: u64) -> u32;

    /// The heap with this first integer, set up at `base`; the others are 0.
    #[inline(always)]
    fn heap(base: *mut u8, integer: u64) -> Heap {
        let null = core::ptr::null_mut();
        Heap {
            pointers: [base, null, null, null],
            integers: [integer, 0, 0, 0, 0, 0, 0],
        }
    }

    /// The name of the chunk that begins so many bytes, a multiple of a unit, behind the first
    /// slab.
    fn name_chunk(slabs: *mut u8, offset: u64, unit_shift: u32) -> Self::Handle;

    /// Where the chunk with this name begins, in bytes behind the first of so many bytes of
    /// slabs; that or more for a large block.
    fn offset(slabs: *mut u8, bytes: u64, unit_shift: u32, block: Self::Handle) -> u64;

    /// The name of a large block that has this one among such blocks, and is not null.
    fn name_large(block: Self::Handle) -> Self::Handle;

    /// The name that a large block has among such blocks.
    fn large(block: Self::Handle) -> Self::Handle;

    /// A large block, or null, by the allocator over the heap with this integer at `base`.
    ///
    /// # Safety
    ///
    /// As for [`Allocator::new`], of that heap.
    #[inline(always)]
    unsafe fn relay_malloc<W: Warp>(
        warp: W,
        base: *mut u8,
        integer: u64,
        bytes: u64,
    ) -> Self::Handle {
        // SAFETY: the heap that lies there.
        unsafe { Self::new(Self::heap(base, integer)) }.malloc(warp, bytes)
    }

    /// Frees a large block of that heap.
    ///
    /// # Safety
    ///
    /// As for [`Self::relay_malloc`], and for [`Allocator::free`].
    #[inline(always)]
    unsafe fn relay_free<W: Warp>(warp: W, base: *mut u8, integer: u64, block: Self::Handle) {
        // SAFETY: a live block of the heap that lies there, which its owner gives up.
        unsafe { Self::new(Self::heap(base, integer)).free(warp, block) }
    }
}

/// A part of the pool: handles are numbers of units.
impl Relay for PageRuns {
    // Less than published, as nothing but the rest of the pool serves large blocks.
    const SHARE: u64 = 60;

    #[inline(always)]
    fn suits(integer: u64, bytes: u64) -> bool {
        4 * bytes >= Self::page_bytes(integer)
    }

    fn unit_shift(bytes: u64) -> u32 {
        let mut shift = MIN_UNIT_SHIFT;
        while shift < MAX_UNIT_SHIFT && bytes >> shift > 1 << SMALL_BITS {
            shift += 1;
        }
        shift
    }

    #[inline(always)]
    fn name_chunk(_slabs: *mut u8, offset: u64, unit_shift: u32) -> u32 {
        (offset >> unit_shift) as u32
    }

    #[inline(always)]
    fn offset(_slabs: *mut u8, _bytes: u64, unit_shift: u32, block: u32) -> u64 {
        if block & LARGE != 0 {
            return u64::MAX;
        }
        u64::from(block) << unit_shift
    }

    #[inline(always)]
    fn name_large(block: u32) -> u32 {
        // There are fewer pages than 2^31.
        block | LARGE
    }

    #[inline(always)]
    fn large(block: u32) -> u32 {
        block & !LARGE
    }

    #[inline(always)]
    unsafe fn relay_malloc<W: Warp>(warp: W, base: *mut u8, integer: u64, bytes: u64) -> u32 {
        // SAFETY: the heap that lies there.
        unsafe { outlined_malloc(warp, base, integer, bytes) }
    }

    #[inline(always)]
    unsafe fn relay_free<W: Warp>(warp: W, base: *mut u8, integer: u64, block: u32) {
        // SAFETY: a live block of the heap that lies there, which its owner gives up.
        unsafe { outlined_free(warp, base, integer, block) }
    }
}

/// The heap of the system, whose blocks are anywhere: handles are addresses.
impl Relay for CudaMalloc {
    // As published.
    const SHARE: u64 = 75;

    #[inline(always)]
    fn suits(_integer: u64, _bytes: u64) -> bool {
        true
    }

    fn unit_shift(_bytes: u64) -> u32 {
        MIN_UNIT_SHIFT
    }

    #[inline(always)]
    fn name_chunk(slabs: *mut u8, offset: u64, _unit_shift: u32) -> u64 {
        slabs.expose_provenance() as u64 + offset
    }

    #[inline(always)]
    fn offset(slabs: *mut u8, _bytes: u64, _unit_shift: u32, block: u64) -> u64 {
        // An address in front of the slabs is more than they have, too.
        block.wrapping_sub(slabs.addr() as u64)
    }

    #[inline(always)]
    fn name_large(block: u64) -> u64 {
        block
    }

    #[inline(always)]
    fn large(block: u64) -> u64 {
        block
    }
}

/// `malloc` of the runs of pages over the heap with this integer at `base`, out of line.
///
/// # Safety
///
/// As for [`Allocator::new`], of that heap.
#[inline(never)]
unsafe fn outlined_malloc<W: Warp>(warp: W, base: *mut u8, integer: u64, bytes: u64) -> u32 {
    // SAFETY: the heap that lies there.
    unsafe { PageRuns::new(PageRuns::heap(base, integer)) }.malloc(warp, bytes)
}

/// Its `free`.
///
/// # Safety
///
/// As for [`outlined_malloc`], and for [`Allocator::free`].
#[inline(never)]
unsafe fn outlined_free<W: Warp>(warp: W, base: *mut u8, integer: u64, block: u32) {
    // SAFETY: a live block of the heap that lies there, which its owner gives up.
    unsafe { PageRuns::new(PageRuns::heap(base, integer)).free(warp, block) }
}
