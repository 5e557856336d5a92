//! Lanes that make a request together.

use crate::simt::{Warp, leader, rank};

/// The lanes of a warp that were found together, and where each one's share
/// lies in the sum of what they want.
#[derive(Clone, Copy)]
pub struct Group {
    /// The lanes.
    pub mask: u32,
    /// The lane that acts for all.
    pub leader: u32,
    /// The units that the lanes below this one want.
    pub before: u64,
    /// The units that all lanes want.
    pub total: u64,
    lane: u32,
}

impl Group {
    /// Forms a group of the active lanes; each wants `wanted`.
    #[inline(always)]
    pub fn form<W: Warp>(warp: W, wanted: u32) -> Self {
        let mask = warp.converge();
        let lane = warp.lane();
        let leader = leader(mask);
        let first = warp.shuffle(mask, wanted, leader);
        if warp.ballot(mask, wanted == first) == mask {
            let before = u64::from(first) * u64::from(rank(mask, lane));
            let total = u64::from(first) * u64::from(mask.count_ones());
            return Self {
                mask,
                leader,
                before,
                total,
                lane,
            };
        }
        let (mut before, mut total, mut rest) = (0, 0, mask);
        while rest != 0 {
            let source = rest.trailing_zeros();
            let value = u64::from(warp.shuffle(mask, wanted, source));
            before += if source < lane { value } else { 0 };
            total += value;
            rest &= rest - 1;
        }
        Self {
            mask,
            leader,
            before,
            total,
            lane,
        }
    }

    /// Whether this lane acts for all.
    #[inline(always)]
    pub fn leads(&self) -> bool {
        self.lane == self.leader
    }

    /// Whether no lane of the group is above this one.
    #[inline(always)]
    pub fn is_last(&self) -> bool {
        (self.mask >> self.lane) == 1
    }
}
