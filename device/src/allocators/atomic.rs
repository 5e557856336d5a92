//! AtomicMalloc: one atomic addition (Vinkler and Havran 2014, section 4.1,
//! Algorithm 1). It cannot free, and is the lower bound in every table.
//!
//! The offset is 64 bits wide and counts 16-byte units. A 32-bit one would wrap
//! under repeated failing requests and hand memory out twice; this one would
//! need 2^32 failing requests of the largest size. The GPU adds up the lanes of
//! a warp in hardware for 32-bit words only, so the lanes that are together
//! make one request.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::circular::Group;
use super::{UNIT, no_parameters, units};
use crate::allocator::{Allocator, Handle, Heap, Request, SetupError};
use crate::warp::Warp;

/// Bytes before the first block, for the offset.
const HEADER: u64 = 256;
/// One atomic addition a request.
#[derive(Clone, Copy)]
pub struct AtomicMalloc {
    blocks: *mut u8,
    offset: *mut u8,
    units: u64,
}

impl AtomicMalloc {
    #[inline(always)]
    fn offset(&self) -> &AtomicU64 {
        // SAFETY: `setup` placed an aligned word there, inside the pool.
        unsafe { &*self.offset.cast() }
    }
}

impl Allocator for AtomicMalloc {
    type Handle = u32;

    const FREES: bool = false;
    const REUSES_ACROSS_SIZES: bool = false;
    const WALKABLE: bool = false;
    const EXACT_NULL: bool = true;
    const BOUNDED_REFUSAL: bool = true;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        no_parameters(request)?;
        let limit = HEADER + u64::from(u32::MAX - 1) * UNIT;
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
            units: heap.integers[0],
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
    fn malloc<W: Warp>(self, warp: W, bytes: u64) -> u32 {
        let wanted = units(bytes, UNIT);
        let group = Group::form(warp, wanted);
        let mut first = 0;
        if group.leads() {
            // Relaxed: the addition alone makes the ranges disjoint, and no
            // memory is ever handed from one owner to another.
            first = self.offset().fetch_add(group.total, Relaxed);
        }
        let unit = warp.shuffle64(group.mask, first, group.leader) + group.before;
        if unit + u64::from(wanted) <= self.units {
            unit as u32
        } else {
            u32::NULL
        }
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, _warp: W, _block: u32) {}

    #[inline(always)]
    fn address(self, block: u32) -> *mut u8 {
        self.blocks.wrapping_add(block as usize * UNIT as usize)
    }

    fn contains(self, block: u32) -> bool {
        u64::from(block) < self.units
    }

    fn granted(self, _block: u32, requested: u64) -> u64 {
        u64::from(units(requested, UNIT)) * UNIT
    }
}
