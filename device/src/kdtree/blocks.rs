//! Blocks of references: requests to the allocator, with statistics on request.

use core::sync::atomic::Ordering::Relaxed;

use super::workspace::Workspace;
use super::workspace::arguments::COLLECT;
use super::workspace::header::{Failure, Statistic, statistic};
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::simt::Warp;

/// A block of references that no thread uses any more. Null is none.
pub struct Retired {
    block: u64,
    count: u32,
}

impl Retired {
    /// None; `null` is the allocator's null handle.
    #[inline(always)]
    pub fn none(null: u64) -> Self {
        Self {
            block: null,
            count: 0,
        }
    }

    /// The block with these bits of a handle, of `count` references.
    ///
    /// # Safety
    ///
    /// The block is null, or [`Workspace::allocate`] returned it for so many references, and it
    /// lives. No thread uses it but those that make this value, and these no more after they give it
    /// to [`Workspace::free`], with the heap that the block is of. One of them does so.
    #[inline(always)]
    pub unsafe fn new(block: u64, count: u32) -> Self {
        Self { block, count }
    }

    /// The block, as bits of its handle.
    #[inline(always)]
    pub fn block(&self) -> u64 {
        self.block
    }
}

/// Copies words, each by one lane. Collective.
///
/// # Safety
///
/// Both arrays have `count` words. The warp alone uses those behind `to`, and no thread writes to
/// those behind `from`.
#[inline(always)]
pub unsafe fn copy_words<W: Warp>(warp: W, from: *const u32, to: *mut u32, count: u32) {
    let mut index = warp.lane();
    while index < count {
        // SAFETY: the index is below `count`, and of the lanes it is this one's alone.
        unsafe { to.add(index as usize).write(*from.add(index as usize)) };
        index += W::LANES;
    }
}

impl Workspace {
    /// Allocates a block for `count` references; none for 0. If the allocator returns
    /// null, so does this, and the build ends. One lane calls this.
    #[inline(always)]
    pub fn allocate<W: Warp, A: DeviceHeap<W> + ?Sized>(
        &self,
        warp: W,
        heap: &A,
        count: u32,
    ) -> A::Handle {
        if count == 0 {
            return A::Handle::NULL;
        }
        let bytes = u64::from(count) * 4;
        let block = heap.malloc(warp, bytes);
        if block.is_null() {
            self.fail(Failure::OutOfMemory, bytes);
        } else if self.has(COLLECT) {
            // SAFETY: the block was just requested.
            let granted = unsafe { heap.granted(block, bytes) };
            // Relaxed: sums that the host reads after the launch.
            let add = |sum: Statistic, value: u64| self.statistic(sum).fetch_add(value, Relaxed);
            add(statistic::ALLOCATIONS, 1);
            add(statistic::BYTES, bytes);
            add(statistic::SQUARES, bytes * bytes);
            // In fixed point, so that the sum does not depend on the order.
            let wasted = (granted - bytes) as f32 / granted as f32;
            add(statistic::WASTE, (wasted * 4_294_967_296.0) as u64);
            let live = add(statistic::LIVE, granted) + granted;
            self.statistic(statistic::PEAK).fetch_max(live, Relaxed);
        }
        block
    }

    /// Frees a block; ignores null. One lane calls this.
    #[inline(always)]
    pub fn free<W: Warp, A: DeviceHeap<W> + ?Sized>(&self, warp: W, heap: &A, retired: Retired) {
        let block = A::Handle::from_bits(retired.block);
        if block.is_null() {
            return;
        }
        if self.has(COLLECT) {
            // SAFETY: the contract of `Retired::new`: the block lives, and `allocate` requested it.
            let granted = unsafe { heap.granted(block, u64::from(retired.count) * 4) };
            // Relaxed: as above.
            self.statistic(statistic::FREES).fetch_add(1, Relaxed);
            self.statistic(statistic::LIVE)
                .fetch_add(granted.wrapping_neg(), Relaxed);
        }
        // SAFETY: the contract of `Retired::new`, a value that is given up here.
        unsafe { heap.free(warp, block) }
    }
}
