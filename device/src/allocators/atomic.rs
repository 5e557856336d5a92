//! AtomicMalloc: one atomic addition (Vinkler and Havran 2014, section 4.1,
//! Algorithm 1). It cannot free, and is the lower bound in every table.
//!
//! The offset counts units, of 16 bytes in pools of up to 64 GiB. The GPU adds up the lanes
//! of a warp in hardware for 32-bit words only, so the lanes that are together make one
//! request.
//!
//! A request that fits is one addition and nothing else. A request that does not fit has
//! moved the offset past the end, and moves it back, or that memory would be lost:
//!
//! - While the offset is past the end no request is served, so only failing
//!   additions reach it. Exactly one of them found it at the end or before; what
//!   that one found is where free memory begins, and it stores this.
//! - The others wait until the offset is back, and then check whether they fit. So
//!   null is evidence, and no memory is lost to requests that were refused.
//! - The thread that they wait for is between an addition and the store that follows it,
//!   and waits for no thread.
//!
//! The offset is 64 bits wide and cannot wrap: a lane that requests more than the
//! whole pool adds nothing, and each has at most one addition that is to be undone,
//! of less than 2^32 units.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::{AtomicU64, fence};

use super::circular::Group;
use super::common::{UNIT, VINKLER, units, with_unit_alone};
use crate::allocator::{Allocator, Handle, Heap, Request, SetupError};
use crate::description::{Described, Description};
use crate::simt::{Warp, leader};

/// Bytes before the first block, for the offset.
const HEADER: u64 = 256;

/// One atomic addition a request.
#[derive(Clone, Copy)]
pub struct AtomicMalloc {
    blocks: *mut u8,
    offset: *mut u8,
    units: u64,
    /// The logarithm of a unit's bytes.
    unit_shift: u32,
}

impl AtomicMalloc {
    /// Divides the memory of `request` into units of `1 << unit_shift` bytes.
    ///
    /// # Errors
    ///
    /// A pool without a unit, and one with more units than can be numbered.
    pub(super) fn divide(request: &Request, unit_shift: u32) -> Result<Heap, SetupError> {
        let limit = HEADER + (u64::from(u32::MAX - 1) << unit_shift);
        let needed = HEADER + (1 << unit_shift);
        if request.pool_bytes < needed {
            return Err(SetupError::PoolTooSmall { needed });
        }
        if request.pool_bytes > limit {
            return Err(SetupError::PoolTooLarge { limit });
        }
        let units = (request.pool_bytes - HEADER) >> unit_shift;
        Ok(Heap {
            pointers: [
                request.base.wrapping_add(HEADER as usize),
                request.base,
                core::ptr::null_mut(),
                core::ptr::null_mut(),
            ],
            integers: [units, u64::from(unit_shift), 0, 0, 0, 0, 0],
        })
    }

    #[inline(always)]
    fn offset(&self) -> &AtomicU64 {
        // SAFETY: `setup` placed an aligned word there, inside the pool.
        unsafe { &*self.offset.cast() }
    }

    /// The block of a lane that asked for `wanted` units, 0 for more than there are, after
    /// an addition that found `first` and led past the end. All lanes of the group
    /// call this.
    #[inline(always)]
    fn past_the_end<W: Warp>(self, warp: W, group: &Group, first: u64, wanted: u32) -> u32 {
        let end = group.before + u64::from(wanted);
        let fits = (wanted > 0) & (first + end <= self.units);
        // The lanes that are served come before the others, whose memory is put back.
        let served = warp.ballot(group.mask, fits);
        let refused = group.mask & !served;
        let mut taken = 0;
        if served != 0 {
            taken = warp.shuffle64(group.mask, end, 31 - served.leading_zeros());
        }
        if warp.lane() == leader(refused) && first <= self.units {
            // Relaxed: as for the addition. No other lane stores, as this addition
            // alone found the offset at the end or before.
            self.offset().store(first + taken, Relaxed);
        }
        // Lanes of this group do not wait for each other.
        warp.sync(group.mask);
        if served >> warp.lane() & 1 == 1 {
            return (first + group.before) as u32;
        }
        if wanted == 0 {
            return u32::NULL;
        }
        self.look_again(warp, u64::from(wanted))
    }

    /// A block of so many units for a lane that acts alone, or null if there are fewer. Not a
    /// collective, so that lanes may call it wherever they are.
    #[inline(always)]
    pub(super) fn request<W: Warp>(self, warp: W, wanted: u64) -> u32 {
        // Relaxed: as in `malloc`.
        let first = self.offset().fetch_add(wanted, Relaxed);
        if first + wanted <= self.units {
            return first as u32;
        }
        if first <= self.units {
            // AcqRel: the additions before this store are no longer in the word's release
            // sequence, and allocators above this one rely on their order.
            fence(AcqRel);
            // Relaxed: as in `past_the_end`.
            self.offset().store(first, Relaxed);
        }
        self.look_again(warp, wanted)
    }

    /// A block of so many units, or null if there are fewer. Never moves the offset
    /// past the end.
    #[inline(always)]
    fn look_again<W: Warp>(self, warp: W, wanted: u64) -> u32 {
        let mut offset = self.offset().load(Relaxed);
        loop {
            // Past the end the offset has no meaning; the lane that found it at the end or
            // before moves it back.
            if offset <= self.units {
                let end = offset + wanted;
                if end > self.units {
                    return u32::NULL;
                }
                // Relaxed: as for the addition.
                let held = self.offset().compare_exchange(offset, end, Relaxed);
                if held == offset {
                    return offset as u32;
                }
            }
            warp.back_off();
            offset = self.offset().load(Relaxed);
        }
    }
}

impl Described for AtomicMalloc {
    const DESCRIPTION: Description = Description {
        name: "atomicmalloc",
        what: "one atomic addition a request, nothing is ever freed: the lower bound",
        paper: VINKLER,
        parameters: &[UNIT],
    };
}

impl Allocator for AtomicMalloc {
    type Handle = u32;

    const FREES: bool = false;
    const REUSES_ACROSS_SIZES: bool = false;
    const WALKABLE: bool = false;
    const EXACT_NULL: bool = true;
    const BOUNDED_REFUSAL: bool = true;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        with_unit_alone(request, |unit_shift| Self::divide(request, unit_shift))
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            blocks: heap.pointers[0],
            offset: heap.pointers[1],
            units: heap.integers[0],
            unit_shift: heap.integers[1] as u32,
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        heap.integers[0] << heap.integers[1]
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        if warp.thread() == 0 {
            self.offset().store(0, Relaxed);
        }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let asked = units(bytes, self.unit_shift);
        // A size that no pool of this size has is refused without an addition. A product and
        // not a branch: lanes that had branched here would be told from the others
        // once more below, and rustc would thread that jump around the collectives.
        let wanted = asked * u32::from(u64::from(asked) <= self.units);
        let group = Group::form(warp, wanted);
        let mut first = 0;
        if group.leads() && group.total > 0 {
            // Relaxed: the addition alone makes the ranges disjoint, and no
            // memory ever passes from one owner to another.
            first = self.offset().fetch_add(group.total, Relaxed);
        }
        let first = warp.shuffle64(group.mask, first, group.leader);
        if first + group.total > self.units {
            return self.past_the_end(warp, &group, first, wanted);
        }
        if wanted == 0 {
            return u32::NULL;
        }
        (first + group.before) as u32
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, _warp: W, _block: u32) {}

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        self.blocks
            .wrapping_add((block as usize) << self.unit_shift)
    }

    fn contains(self, block: u32) -> bool {
        u64::from(block) < self.units
    }

    unsafe fn granted(self, _block: u32, requested: u64) -> u64 {
        u64::from(units(requested, self.unit_shift)) << self.unit_shift
    }
}
