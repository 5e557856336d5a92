//! The parts of calls that are rare and long, out of line: they would make up most of every
//! kernel. None of them is collective: one lane calls it for itself, or for others that wait.

use super::Slabs;
use super::heads::Wish;
use super::layout::Layout;
use super::relay::Relay;
use super::runs::PageRuns;
use super::sets::{Level, Set};
use crate::allocator::Allocator;
use crate::simt::Warp;

/// The slabs whose tables and layout these are.
fn slabs(tables: *mut u8, layout: u64) -> Slabs {
    Slabs {
        // No task touches blocks.
        blocks: core::ptr::null_mut(),
        tables,
        layout: Layout::from_bits(layout),
    }
}

/// [`Slabs::refill`], with the bits of a [`Wish`]; those of what was taken.
///
/// # Safety
///
/// The tables and the bits of the layout are those of a heap; otherwise as for that.
#[inline(never)]
pub unsafe fn refill<W: Warp>(warp: W, tables: *mut u8, layout: u64, wish: u32, slab: u32) -> u64 {
    // SAFETY: the caller's promise.
    let taken = unsafe { slabs(tables, layout).refill(warp, Wish::from_bits(wish), slab) };
    taken.to_bits()
}

/// [`Slabs::take_another`].
///
/// # Safety
///
/// As for [`refill`] and that.
#[inline(never)]
pub unsafe fn another<W: Warp>(
    warp: W,
    tables: *mut u8,
    layout: u64,
    slab: u32,
    class: u32,
    chunk: u32,
    seen: u32,
) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { slabs(tables, layout).take_another(warp, slab, class, chunk, seen) }
}

/// `malloc` of the runs of pages over the heap with this integer at `base`.
///
/// # Safety
///
/// As for [`Allocator::new`], of that heap.
#[inline(never)]
pub unsafe fn large_malloc<W: Warp>(warp: W, base: *mut u8, integer: u64, bytes: u64) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { PageRuns::new(PageRuns::heap(base, integer)) }.malloc(warp, bytes)
}

/// Its `free`.
///
/// # Safety
///
/// As for [`large_malloc`], and for [`Allocator::free`].
#[inline(never)]
pub unsafe fn large_free<W: Warp>(warp: W, base: *mut u8, integer: u64, block: u32) {
    // SAFETY: the caller's promise.
    unsafe { PageRuns::new(PageRuns::heap(base, integer)).free(warp, block) }
}

/// [`Slabs::forget`].
///
/// # Safety
///
/// As for [`refill`] and that.
#[inline(never)]
pub unsafe fn forget(tables: *mut u8, layout: u64, set: Set, slab: u32) {
    // SAFETY: the caller's promise.
    unsafe { slabs(tables, layout).take_out(set, slab) }
}

/// [`Slabs::next_member`].
///
/// # Safety
///
/// As for [`refill`] and that.
#[inline(never)]
pub unsafe fn next_member(tables: *mut u8, layout: u64, set: Set, from: u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { slabs(tables, layout).find_member(set, from) }
}

/// [`Slabs::put_in`].
///
/// # Safety
///
/// As for [`refill`] and that.
#[inline(never)]
pub unsafe fn list(tables: *mut u8, layout: u64, slab: u32, word: u64) {
    // SAFETY: the caller's promise.
    unsafe { slabs(tables, layout).put_in(slab, word) }
}

/// [`Slabs::claim`].
///
/// # Safety
///
/// As for [`refill`] and that.
#[inline(never)]
pub unsafe fn claim(tables: *mut u8, layout: u64, from: u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { slabs(tables, layout).claim_free(from) }
}

/// [`Slabs::promoted`]; the bits of what was taken.
///
/// # Safety
///
/// As for [`refill`] and that.
#[inline(never)]
pub unsafe fn promoted(tables: *mut u8, layout: u64, class: u32, level: Level, wanted: u32) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        slabs(tables, layout)
            .promote_member(class, level, wanted)
            .to_bits()
    }
}

/// [`Slabs::try_slab`]; the bits of what was taken.
///
/// # Safety
///
/// As for [`refill`] and that.
#[inline(never)]
pub unsafe fn try_slab(tables: *mut u8, layout: u64, slab: u32, class: u32, wanted: u32) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        slabs(tables, layout)
            .take_if_free(slab, class, wanted)
            .to_bits()
    }
}
