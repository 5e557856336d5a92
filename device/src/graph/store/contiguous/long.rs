//! Runs of hubs, which many warps relocate: a list of them, and their parts.
//!
//! The list has room for an entry for each key: each run has at least one.

use core::sync::atomic::Ordering::Relaxed;

use crate::graph::store::changes::{Change, Changes};
use crate::graph::store::update::word;

/// Vertices of as many neighbours or more are relocated by many warps, and each
/// takes a part of them; others are one warp's, which has up to as many such vertices as lanes.
pub const LONG: u32 = 512;
/// Neighbours of such a part.
pub const LONG_PART: u32 = 2048;

impl Changes {
    /// Lists the run that `first` begins as one that many warps relocate, of a vertex with
    /// `degree` neighbours.
    ///
    /// One addition yields the place in the list and the number of the run's first part, so
    /// that these numbers ascend in the list.
    ///
    /// # Safety
    ///
    /// A run is listed once.
    #[inline(always)]
    pub unsafe fn add_long(&self, first: Change, degree: u32) {
        let parts = degree.div_ceil(LONG_PART);
        // Relaxed: read by a later launch.
        let before = self
            .header::<{ word::LONG }>()
            .fetch_add(1 << u32::BITS | u64::from(parts), Relaxed);
        let entry = before << u32::BITS | u64::from(first.index());
        // SAFETY: there are no more runs than keys. All parts are at most 2^32 neighbours and a
        // part for each run: the runs have at most 2^31 keys.
        unsafe { self.long.add((before >> u32::BITS) as usize).write(entry) };
    }

    /// The parts of all runs that many warps relocate.
    #[inline(always)]
    pub fn long_parts(&self) -> u32 {
        // Relaxed: written by an earlier launch.
        self.header::<{ word::LONG }>().load(Relaxed) as u32
    }

    /// The first change of the run that part `part` belongs to, and which of its parts
    /// that is.
    ///
    /// # Safety
    ///
    /// `Prepare` has run in an earlier launch, and `part` is below the number of parts.
    #[inline(always)]
    pub unsafe fn long_part(&self, part: u32) -> (Change, u32) {
        // Relaxed: as above.
        let runs = (self.header::<{ word::LONG }>().load(Relaxed) >> u32::BITS) as u32;
        let (mut low, mut high) = (0, runs);
        // SAFETY: `add_long` has listed so many runs, by their first changes, and the first run
        // begins with part 0.
        unsafe {
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if (*self.long.add(middle as usize) >> u32::BITS) as u32 <= part {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let entry = *self.long.add(low as usize);
            (
                Change::new(entry as u32),
                part - (entry >> u32::BITS) as u32,
            )
        }
    }
}
