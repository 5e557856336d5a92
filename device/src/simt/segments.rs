//! Load-balancing search: segments of different lengths, processed by a warp as one
//! sequence.
//!
//! Each lane contributes a segment. The items of all segments are numbered one after the
//! other, and the lanes take the items in turn, so that a long segment is shared and
//! neighbouring lanes read neighbouring memory.

use crate::simt::{Warp, low_bits};

/// As many segments as a warp has lanes, one after the other.
#[derive(Clone, Copy)]
pub struct Segments {
    /// The number of this lane's first item.
    pub start: u32,
    /// The number after this lane's last item.
    pub end: u32,
    /// Items of all segments.
    pub total: u32,
}

impl Segments {
    /// The segments of all lanes, this lane's being `length` items long. The sum must fit
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

    /// Of the lanes that take the items from `base` on, those whose items are of this lane's
    /// segment.
    #[inline(always)]
    pub fn own_lanes<W: Warp>(&self, base: u32) -> u32 {
        let bound = |at: u32| {
            let lane = at.saturating_sub(base);
            if lane < W::LANES { lane } else { W::LANES }
        };
        low_bits(bound(self.end)) & !low_bits(bound(self.start))
    }

    /// The lane whose segment contains `item`, and the item's index in that segment; for
    /// items beyond the last, some lane and some index. All lanes call this, each with an
    /// item of its own.
    #[inline(always)]
    pub fn locate<W: Warp>(&self, warp: W, item: u32) -> (u32, u32) {
        // Binary search for the number of segments that end at the item or before.
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
