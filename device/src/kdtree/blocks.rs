//! Blocks of references: requests to the allocator, with statistics on request.

use core::sync::atomic::Ordering::Relaxed;

use super::workspace::Workspace;
use super::workspace::arguments::COLLECT;
use super::workspace::header::{Failure, Statistic, statistic};
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::simt::Warp;

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

    /// Frees a block of `count` references; ignores null. One lane calls this.
    ///
    /// # Safety
    ///
    /// As for [`DeviceHeap::free`].
    #[inline(always)]
    pub unsafe fn free<W: Warp, A: DeviceHeap<W> + ?Sized>(
        &self,
        warp: W,
        heap: &A,
        block: A::Handle,
        count: u32,
    ) {
        if block.is_null() {
            return;
        }
        if self.has(COLLECT) {
            // SAFETY: the caller's promise: the block lives, and `allocate` requested it.
            let granted = unsafe { heap.granted(block, u64::from(count) * 4) };
            // Relaxed: as above.
            self.statistic(statistic::FREES).fetch_add(1, Relaxed);
            self.statistic(statistic::LIVE)
                .fetch_add(granted.wrapping_neg(), Relaxed);
        }
        // SAFETY: the caller's promise.
        unsafe { heap.free(warp, block) }
    }
}
