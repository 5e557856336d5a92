//! AtomicMalloc: one atomic addition (Vinkler and Havran 2014, section 4.1,
//! Algorithm 1). It cannot free, and is the lower bound in every table.
//!
//! The offset is a 32-bit count of 16-byte units: the GPU adds up the requests
//! of a warp to such a word in hardware, which it does not for 64 bits. It must
//! not wrap under repeated failing requests, which would hand memory out twice.
//! So a request adds only while the pool is not used up, and one that is large
//! exchanges instead: all threads together can overshoot by 2^31 at most.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;

use super::{UNIT, no_parameters, units};
use crate::allocator::{Allocator, Handle, Heap, Request, SetupError};
use crate::warp::Warp;

/// Bytes before the first block, for the offset.
const HEADER: u64 = 256;
/// The most units in a pool.
const LIMIT: u64 = 1 << 31;
/// The most units of a request that adds: 2^19 threads, more than any GPU
/// keeps resident, overshoot by less than `LIMIT`.
const ADDED_UNITS: u32 = 1 << 12;

/// One atomic addition a request.
#[derive(Clone, Copy)]
pub struct AtomicMalloc {
    blocks: *mut u8,
    offset: *mut u8,
    units: u32,
}

impl AtomicMalloc {
    #[inline(always)]
    fn offset(&self) -> &AtomicU32 {
        // SAFETY: `setup` placed an aligned word there, inside the pool.
        unsafe { &*self.offset.cast() }
    }

    /// The first of `wanted` units, or null.
    #[inline(always)]
    fn request(&self, wanted: u32) -> u32 {
        // Relaxed throughout: the addition alone makes the ranges disjoint, and
        // no memory is ever handed from one owner to another.
        let mut unit = self.offset().load(Relaxed);
        if wanted <= ADDED_UNITS {
            if unit >= self.units {
                return u32::NULL;
            }
            unit = self.offset().fetch_add(wanted, Relaxed);
            return if unit < self.units && wanted <= self.units - unit {
                unit
            } else {
                u32::NULL
            };
        }
        // Lock-free: a failed exchange means that another request succeeded.
        while unit < self.units && wanted <= self.units - unit {
            let held = self.offset().compare_exchange(unit, unit + wanted, Relaxed);
            if held == unit {
                return unit;
            }
            unit = held;
        }
        u32::NULL
    }
}

impl Allocator for AtomicMalloc {
    type Handle = u32;

    const FREES: bool = false;
    const REUSES_ACROSS_SIZES: bool = false;
    const WALKABLE: bool = false;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        no_parameters(request)?;
        let limit = HEADER + LIMIT * UNIT;
        if request.pool_bytes < HEADER + UNIT {
            return Err(SetupError::PoolTooSmall {
                needed: HEADER + UNIT,
            });
        }
        if request.pool_bytes > limit {
            return Err(SetupError::PoolTooLarge { limit });
        }
        Ok(Heap {
            pointers: [
                request.base.wrapping_add(HEADER as usize),
                request.base,
                core::ptr::null_mut(),
                core::ptr::null_mut(),
            ],
            integers: [(request.pool_bytes - HEADER) / UNIT, 0, 0, 0, 0, 0, 0],
        })
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            blocks: heap.pointers[0],
            offset: heap.pointers[1],
            units: heap.integers[0] as u32,
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        heap.integers[0] * UNIT
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        if warp.thread() == 0 {
            self.offset().store(0, Relaxed);
        }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, _warp: W, bytes: u64) -> u32 {
        self.request(units(bytes, UNIT))
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, _warp: W, _block: u32) {}

    #[inline(always)]
    fn malloc_coalesced<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let wanted = units(bytes, UNIT);
        let group = super::circular::Group::form(warp, wanted);
        if group.total > u64::from(ADDED_UNITS) {
            return self.request(wanted);
        }
        let mut first = u32::NULL;
        if group.leads() {
            first = self.request(group.total as u32);
        }
        first = warp.shuffle(group.mask, first, group.leader);
        if first.is_null() {
            self.request(wanted)
        } else {
            first + group.before as u32
        }
    }

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        self.blocks.wrapping_add(block as usize * UNIT as usize)
    }

    fn contains(self, block: u32) -> bool {
        block < self.units
    }

    fn granted(self, _block: u32, requested: u64) -> u64 {
        u64::from(units(requested, UNIT)) * UNIT
    }
}
