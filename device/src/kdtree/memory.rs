//! Blocks of references: requests to the allocator, with statistics if asked.

use core::sync::atomic::Ordering::Relaxed;

use super::tables::{COLLECT, OUT_OF_MEMORY, TreeArguments, statistic};
use crate::allocator::{Allocator, Handle};
use crate::simt::Warp;

impl TreeArguments {
    /// A block for `count` references, or null, which ends the build. No block
    /// is requested for none. One lane calls this.
    #[inline(always)]
    pub fn allocate<W: Warp, A: Allocator>(&self, warp: W, heap: A, count: u32) -> A::Handle {
        if count == 0 {
            return A::Handle::NULL;
        }
        let bytes = u64::from(count) * 4;
        let block = heap.malloc(warp, bytes);
        if block.is_null() {
            self.fail(OUT_OF_MEMORY, bytes);
        } else if self.has(COLLECT) {
            let granted = heap.granted(block, bytes);
            // Relaxed: sums that the host reads after the launch.
            let add = |index: usize, value: u64| self.statistic(index).fetch_add(value, Relaxed);
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

    /// Frees a block for `count` references; null is ignored. One lane calls
    /// this.
    ///
    /// # Safety
    ///
    /// As for [`Allocator::free`].
    #[inline(always)]
    pub unsafe fn free<W: Warp, A: Allocator>(
        &self,
        warp: W,
        heap: A,
        block: A::Handle,
        count: u32,
    ) {
        if block.is_null() {
            return;
        }
        if self.has(COLLECT) {
            let granted = heap.granted(block, u64::from(count) * 4);
            // Relaxed: as above.
            self.statistic(statistic::FREES).fetch_add(1, Relaxed);
            self.statistic(statistic::LIVE)
                .fetch_add(granted.wrapping_neg(), Relaxed);
        }
        // SAFETY: the caller's promise.
        unsafe { heap.free(warp, block) }
    }
}
