//! Vertices of so many neighbours that warps share them.
//!
//! They are listed before the first iteration, in parts of bounded size. A warp sums a part
//! and adds it to the hub's sum, an integer, so that the order does not matter; the warp
//! that comes last settles the vertex.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::Ranks;
use crate::simt::reduce::{from_fixed, to_fixed};

/// Contiguous vertices of more neighbours are hubs: fewer lanes than a warp's take longer for them
/// than for the others.
pub const HUB: u32 = 255;
/// Neighbours that are summed by one warp in contiguous layout, as a power of two.
pub const PART_BITS: u32 = 10;
/// The same as a number.
pub const PART: u32 = 1 << PART_BITS;

/// A vertex that is divided among warps.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Hub {
    /// The sum of its parts, as an integer.
    pub sum: u64,
    /// Parts that are summed.
    pub done: u32,
    /// Parts.
    pub parts: u32,
}

/// A part of a hub.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The vertex.
    pub vertex: u32,
    /// Number of the hub.
    pub hub: u32,
    /// Number of the part among those of the hub.
    pub number: u32,
}

impl Ranks {
    /// The parts of a hub of so many neighbours.
    #[inline(always)]
    pub(super) fn parts_of(&self, degree: u32) -> u32 {
        ((degree - 1) >> self.part_bits) + 1
    }

    /// A count: 0 of hubs, 1 of parts.
    #[inline(always)]
    pub(super) fn count<const INDEX: usize>(&self) -> &AtomicU32 {
        const { assert!(INDEX < 2) };
        // SAFETY: there are two words, accessed as atomic ones while they may change.
        unsafe { &*self.counts.add(INDEX).cast::<AtomicU32>() }
    }

    /// Lists a hub of so many neighbours.
    ///
    /// # Safety
    ///
    /// The vertex exists, is listed once, and has that many, which make it a hub.
    #[inline(always)]
    pub(super) unsafe fn list(&self, vertex: u32, degree: u32) {
        let parts = self.parts_of(degree);
        // Relaxed: read by later launches.
        let hub = self.count::<0>().fetch_add(1, Relaxed);
        let position = self.count::<1>().fetch_add(parts, Relaxed);
        // SAFETY: the host made room for all vertices that can have so many neighbours, and for
        // their parts.
        unsafe {
            self.hubs.add(hub as usize).write(Hub {
                sum: 0,
                done: 0,
                parts,
            });
            let mut part = 0;
            while part < parts {
                self.parts.add((position + part) as usize).write(Part {
                    vertex,
                    hub,
                    number: part,
                });
                part += 1;
            }
        }
    }

    /// Adds the sum of a part to that of its hub; returns the hub's if it was the last.
    ///
    /// # Safety
    ///
    /// `part` was listed by an earlier launch, and one lane calls this for it in each iteration.
    #[inline(always)]
    pub(super) unsafe fn end_part(&self, part: Part, sum: f64) -> Option<f64> {
        // SAFETY: a hub that was listed, whose words are accessed as atomic ones in iterations.
        unsafe {
            let hub = self.hubs.add(part.hub as usize);
            let total = &*(&raw const (*hub).sum).cast::<AtomicU64>();
            let done = &*(&raw const (*hub).done).cast::<AtomicU32>();
            if (*hub).parts == 1 {
                return Some(sum);
            }
            // Relaxed: ordered by the counter. AcqRel: whoever comes last sees
            // all sums.
            total.fetch_add(to_fixed(sum), Relaxed);
            if done.fetch_add(1, AcqRel) + 1 < (*hub).parts {
                return None;
            }
            // Relaxed, twice: for the next launch; no other thread comes.
            done.store(0, Relaxed);
            Some(from_fixed(total.swap(0, Relaxed)))
        }
    }
}
