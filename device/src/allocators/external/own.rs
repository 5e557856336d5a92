//! An allocator of the user's whose blocks lie in memory that it gets for itself, by a library
//! of the host: `external:pool=own`. Of the pool there is only the begin, with its state.
//!
//! A handle is a block's address. Where the allocator has memory is not known, so that nothing but
//! the alignment of a block can be wrong.

use core::sync::atomic::Ordering::Relaxed;

use super::{FREE, Linked, NAME, UNIT_SHIFT, check};
use crate::allocator::{Allocator, EXTERNAL_STATE, Faults, Handle, Heap, Request, SetupError};
use crate::description::{Described, Description, Parameter};
use crate::registers::RegisterLimits;
use crate::simt::Warp;

/// The maximum number of bytes that it may be asked to have: more than any device has.
const MAX_POOL: u64 = 1 << 48;

/// Functions of the user's, whose blocks lie in memory of their own.
#[derive(Clone, Copy)]
pub struct ExternalOwn {
    linked: Linked,
    /// Bytes that its library was asked for.
    bytes: u64,
}

impl Described for ExternalOwn {
    const DESCRIPTION: Description = Description {
        name: "external:pool=own",
        what: "the same in memory that a library of its own gets on the host",
        paper: "whoever wrote it",
        parameters: &[
            FREE,
            NAME,
            Parameter {
                name: "pool",
                values: "own",
                default: "own",
                what: "handles are addresses, of 64 bits",
            },
        ],
    };
    const REGISTERS: RegisterLimits = RegisterLimits::NONE;
}

impl Allocator for ExternalOwn {
    type Handle = u64;

    // With `free=no` the host says that it does not; no kernel asks.
    const FREES: bool = true;
    // Nothing is known of it.
    const REUSES_ACROSS_SIZES: bool = false;
    const WALKABLE: bool = false;
    const EXACT_NULL: bool = false;
    const BOUNDED_REFUSAL: bool = false;
    const EXTERNAL: bool = true;
    const OWN_MEMORY: bool = true;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        check(request.parameters)?;
        let needed = EXTERNAL_STATE + (1 << UNIT_SHIFT);
        if request.pool_bytes < needed {
            return Err(SetupError::PoolTooSmall { needed });
        }
        if request.pool_bytes > MAX_POOL {
            return Err(SetupError::PoolTooLarge { limit: MAX_POOL });
        }
        let null = core::ptr::null_mut();
        Ok(Heap {
            pointers: [request.base, null, null, null],
            integers: [request.pool_bytes - EXTERNAL_STATE, 0, 0, 0, 0, 0, 0],
        })
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            // SAFETY: the heap that `setup` described, with the state in front.
            linked: unsafe { Linked::new(&heap) },
            bytes: heap.integers[0],
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        heap.integers[0]
    }

    /// All but the state.
    fn elsewhere(heap: &Heap) -> u64 {
        heap.integers[0]
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        // SAFETY: nothing else uses the heap meanwhile; a null says that there is no pool.
        unsafe { self.linked.init(warp, core::ptr::null_mut(), self.bytes) }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, _warp: W, bytes: u64) -> u64 {
        let bytes = if bytes == 0 { 1 } else { bytes };
        let block = self.linked.malloc(bytes);
        if block.is_null() {
            return u64::NULL;
        }
        let address = block.expose_provenance() as u64;
        if address & ((1 << UNIT_SHIFT) - 1) != 0 {
            // Relaxed: the host reads the sum after the launch.
            self.linked.misaligned().fetch_add(1, Relaxed);
            return u64::NULL;
        }
        address
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, _warp: W, block: u64) {
        if block.is_null() {
            return;
        }
        // SAFETY: a live block, which its owner gives up.
        unsafe { self.linked.free(self.address(block)) }
    }

    #[inline(always)]
    fn address(self, block: u64) -> *mut u8 {
        core::ptr::with_exposed_provenance_mut(block as usize)
    }

    /// Any address may be one of its blocks.
    fn contains(self, block: u64) -> bool {
        block != 0 && !block.is_null()
    }

    unsafe fn granted(self, block: u64, requested: u64) -> u64 {
        // SAFETY: a live block.
        unsafe {
            self.linked
                .granted(self.address(block), requested, u64::MAX)
        }
    }

    fn faults(self) -> Faults {
        self.linked.faults()
    }
}
