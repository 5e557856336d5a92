//! Many runs of different lengths, walked by a warp as one sequence.
//!
//! Each lane contributes a run; the items of all runs are numbered one after
//! the other, and the lanes take the items in turn, so that a long run is shared
//! and neighbouring lanes read neighbouring memory.

use crate::simt::Warp;

/// As many runs as a warp has lanes, one after the other.
#[derive(Clone, Copy)]
pub struct Flat {
    /// The number of this lane's first item.
    pub start: u32,
    /// The number after this lane's last item.
    pub end: u32,
    /// Items of all runs.
    pub total: u32,
}

impl Flat {
    /// The runs of all lanes, this lane's being `length` long. The sum must fit
    /// 32 bits. All lanes call this.
    #[inline(always)]
    pub fn new<W: Warp>(warp: W, length: u32) -> Self {
        let end = warp.all_inclusive_sum(length);
        Self {
            start: end.wrapping_sub(length),
            end,
            total: warp.shuffle(W::FULL, end, W::LANES - 1),
        }
    }

    /// The lane whose run has item `item`, and the item's place in that run;
    /// something in range of the lanes for items beyond the last. All lanes
    /// call this, each with its own item.
    #[inline(always)]
    pub fn locate<W: Warp>(&self, warp: W, item: u32) -> (u32, u32) {
        // The number of runs that end at the item or before.
        let mut lane = 0;
        let mut step = W::LANES / 2;
        while step > 0 {
            let end = warp.shuffle(W::FULL, self.end, lane + step - 1);
            lane += if end <= item { step } else { 0 };
            step /= 2;
        }
        let start = warp.shuffle(W::FULL, self.start, lane);
        (lane, item.wrapping_sub(start))
    }
}
