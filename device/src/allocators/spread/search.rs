//! The last resort: a lane that would be refused looks at the pool, at all slabs and at all rests.

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use cuda_std::atomic::fence;

use super::SpreadMalloc;
use crate::allocator::Handle;
use crate::simt::Warp;

/// Units that are left of the rest in a word, which is `end << 32 | next`.
#[inline(always)]
fn left(rest: u64) -> u64 {
    (rest >> 32) - (rest & u64::from(u32::MAX))
}

impl SpreadMalloc {
    /// A block of so many units for a lane that acts alone, from wherever there is one, or null.
    #[inline(always)]
    pub(super) fn search<W: Warp>(self, warp: W, wanted: u64) -> u32 {
        // Relaxed: a size that was refused once is refused for ever.
        if wanted >= u64::from(self.refused().load(Relaxed)) {
            return u32::NULL;
        }
        let first = self.pool.request(warp, wanted);
        if !first.is_null() {
            return first;
        }
        // Acquire: words from which slabs left the pool are seen closed, or as they were later.
        fence(Acquire);
        if wanted <= self.slab_units() {
            let mut index = self.own(warp);
            for _ in 0..self.processors {
                // SAFETY: the index is below `processors`.
                let first = unsafe { self.cut_slab(warp, index, wanted) };
                if !first.is_null() {
                    return first;
                }
                index += 1;
                if index == self.processors {
                    index = 0;
                }
            }
            for index in 0..self.rests {
                // SAFETY: the index is below `rests`.
                let first = unsafe { self.cut_rest(warp, index, wanted) };
                if !first.is_null() {
                    return first;
                }
            }
        }
        // Relaxed: as for the load.
        self.refused().fetch_min(wanted as u32, Relaxed);
        u32::NULL
    }

    /// The first of so many units of the slab in a word, or null.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`].
    #[inline(always)]
    unsafe fn cut_slab<W: Warp>(&self, warp: W, index: u32, wanted: u64) -> u32 {
        // SAFETY: the caller's promise.
        let word = unsafe { self.word(index) };
        loop {
            // Acquire: the rests of earlier slabs were recorded before.
            let seen = word.load(Acquire);
            let (slab, used) = (seen >> 32, seen & u64::from(u32::MAX));
            if used <= self.slab_units() {
                if used + wanted > self.slab_units() {
                    return u32::NULL;
                }
                // Relaxed: as for the addition. No slab comes twice, so that a word that is as it
                // was leads to the same units.
                if word.compare_exchange(seen, seen + wanted, Relaxed) == seen {
                    return (slab + used) as u32;
                }
            }
            warp.back_off();
        }
    }

    /// The first of so many units of a rest, or null.
    ///
    /// # Safety
    ///
    /// As for [`Self::rest`].
    #[inline(always)]
    unsafe fn cut_rest<W: Warp>(&self, warp: W, index: u32, wanted: u64) -> u32 {
        // SAFETY: the caller's promise.
        let rest = unsafe { self.rest(index) };
        // Relaxed, here and below: as for the addition. A slab has one rest, which only shrinks.
        let mut seen = rest.load(Relaxed);
        while left(seen) >= wanted {
            let held = rest.compare_exchange(seen, seen + wanted, Relaxed);
            if held == seen {
                return seen as u32;
            }
            seen = held;
            warp.back_off();
        }
        u32::NULL
    }
}
