//! Requests and frees of lanes together: permits by one addition for all of a class or of a
//! slab, and bits by each for itself.

use core::sync::atomic::Ordering::Relaxed;

use super::Slabs;
use super::layout::chunks_in;
use super::level::Class;
use super::word::{Permits, Slab, Wanted, class_in};
use crate::simt::{Warp, leader, rank};

/// Where a chunk is.
#[derive(Clone, Copy)]
pub struct Place {
    slab: Slab,
    /// The class of its slab.
    pub class: Class,
    chunk: u32,
}

impl Slabs {
    /// A chunk of the class for each of the lanes that call this together;
    /// where it begins, in bytes, or `u64::MAX`.
    #[inline(always)]
    pub(super) fn chunk<W: Warp>(&self, warp: W, class: Class) -> u64 {
        let lane = warp.lane();
        let mask = warp.converge();
        let group = warp.match_any(mask, class.number());
        let mut rest = group;
        let mut offset = u64::MAX;
        loop {
            let first = if rest == 0 { lane } else { leader(rest) };
            let mut taken = Permits::NOTHING.to_bits();
            if rest != 0 && lane == first {
                taken = self.find(warp, class, Wanted::by(rest)).to_bits();
            }
            // All lanes take part until the last is done, whatever their groups: see
            // `Warp::converge`.
            let taken = Permits::from_bits(warp.shuffle64(mask, taken, first));
            // The leader acquired the slab, and with it the bits, for all of its lanes.
            warp.sync(mask);
            let place = rank(rest, lane);
            let is_ours = rest >> lane & 1 == 1;
            let served = (place < taken.count) & is_ours;
            if served {
                // SAFETY: the leader got a permit for each of these lanes.
                let chunk = unsafe { self.take_bit(warp, class, taken, place) };
                let start = u64::from(chunk) * self.layout.chunk_bytes(class.number());
                offset = (u64::from(taken.slab) << self.layout.slab_shift) + start;
            }
            // A thread that got none goes away: all that the leader found was nothing.
            let refused = (taken.count == 0) & is_ours;
            let done = warp.ballot(mask, served | refused) & group;
            rest = if done == 0 { 0 } else { rest & !done };
            if warp.ballot(mask, rest != 0) & mask == 0 {
                return offset;
            }
        }
    }

    /// The chunk that begins so many bytes behind the first slab.
    ///
    /// # Safety
    ///
    /// It is a live one.
    #[inline(always)]
    pub(super) unsafe fn place(&self, offset: u64) -> Place {
        let slab = (offset >> self.layout.slab_shift) as u32;
        // SAFETY: a live chunk is of a slab, which has a class.
        // Relaxed: as long as the chunk lives its slab has this class.
        let (slab, class) = unsafe {
            let slab = Slab::new(slab);
            (slab, Class::new(class_in(self.word(slab).load(Relaxed))))
        };
        let inside = offset & ((1 << self.layout.slab_shift) - 1);
        let units = (inside >> self.layout.unit_shift) as u32;
        Place {
            slab,
            class,
            chunk: chunks_in(units, class.number()),
        }
    }

    /// Frees the chunks of the lanes that call this together.
    ///
    /// # Safety
    ///
    /// A live chunk begins so many bytes behind the first slab, which the caller gives up.
    #[inline(always)]
    pub(super) unsafe fn free<W: Warp>(&self, warp: W, offset: u64) {
        let mask = warp.converge();
        // SAFETY: a live chunk begins there; the counts are those of the chunks that lanes give up.
        unsafe {
            let Place { slab, class, chunk } = self.place(offset);
            self.clear_bit(slab, class, chunk);
            let group = warp.match_any(mask, slab.number());
            // All bits are clear before one lane lowers the count for all of them.
            warp.sync(mask);
            if warp.lane() == leader(group) {
                self.release_permits(slab, group.count_ones());
            }
            // No lane returns before its chunk is counted free.
            warp.sync(mask);
        }
    }
}
