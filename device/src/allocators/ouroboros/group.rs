//! Lanes of a warp that want the same.

use crate::simt::{Warp, leader, rank};

/// Lanes with the same key, among lanes that run together.
#[derive(Clone, Copy)]
pub struct Group {
    /// The lanes.
    pub mask: u32,
    /// The lane that acts for all.
    pub leader: u32,
    /// Lanes of the group below this one.
    pub rank: u32,
    /// Lanes of the group.
    pub size: u32,
    lane: u32,
}

impl Group {
    /// The group of this lane among the lanes of `mask`, which all call this.
    #[inline(always)]
    pub fn by_key<W: Warp>(warp: W, mask: u32, key: u32) -> Self {
        Self::of(warp.lane(), warp.match_any(mask, key))
    }

    /// The group of the lanes of `mask`, the caller among them.
    #[inline(always)]
    pub fn of_lanes<W: Warp>(warp: W, mask: u32) -> Self {
        Self::of(warp.lane(), mask)
    }

    /// This lane alone.
    #[inline(always)]
    pub fn alone<W: Warp>(warp: W) -> Self {
        let lane = warp.lane();
        Self {
            mask: 1 << lane,
            leader: lane,
            rank: 0,
            size: 1,
            lane,
        }
    }

    /// The lanes of this group, the caller among them, that are not in `served`.
    #[inline(always)]
    pub fn without(&self, served: u32) -> Self {
        Self::of(self.lane, self.mask & !served)
    }

    /// The union of the bits of this group's lanes, in the lane that leads. The lanes of
    /// `all`, in groups, call this together.
    #[inline(always)]
    pub fn union<W: Warp>(&self, warp: W, all: u32, mut bits: u32) -> u32 {
        let above = self.mask & !(u32::MAX >> (31 - self.lane));
        let mut next = self.lane;
        if above != 0 {
            next = above.trailing_zeros();
        }
        // After each turn a lane has the bits of twice as many lanes from itself on.
        let mut reach = 1;
        while reach < all.count_ones() {
            bits |= warp.shuffle(all, bits, next);
            next = warp.shuffle(all, next, next);
            reach *= 2;
        }
        bits
    }

    #[inline(always)]
    fn of(lane: u32, mask: u32) -> Self {
        Self {
            mask,
            leader: leader(mask),
            rank: rank(mask, lane),
            size: mask.count_ones(),
            lane,
        }
    }

    /// Whether this lane acts for all.
    #[inline(always)]
    pub fn leads(&self) -> bool {
        self.lane == self.leader
    }
}
