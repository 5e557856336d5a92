//! CudaMalloc: the heap that comes with the machine, CUDA's device heap on the GPU and the C
//! library's on the CPU. It is what every paper compares itself with.
//!
//! Nothing of it is ours but the names of blocks, so little is declared: how CUDA finds
//! memory, when it refuses, and whether memory of one size serves another, is not documented.
//! That a `free` happens before what the next owner of the memory does is what C says of the
//! two functions (C17, 7.22.3), and is assumed of CUDA's.
//!
//! A handle is a block's address: the heap is anywhere. So its checked form believes every
//! handle, and looks for the header of a block that is freed twice, or that never was one, in
//! memory that may not be there any more: that ends the process, or the kernel.

use cuda_std::system_heap::SystemHeap;

use crate::allocator::{Allocator, Handle, Heap, Request, SYSTEM_HEAP_STATE, SetupError};
use crate::description::{Described, Description};
use crate::registers::RegisterLimits;
use crate::simt::Warp;

/// Bytes for the count of [`SystemHeap`].
const STATE: u64 = SYSTEM_HEAP_STATE / 2;
/// The maximum number of bytes of a heap: more than any device has, and few enough to calculate
/// with.
const MAX_POOL: u64 = 1 << 48;

/// The `malloc` and `free` of the machine.
#[derive(Clone, Copy)]
pub struct CudaMalloc {
    heap: SystemHeap,
}

impl Described for CudaMalloc {
    const DESCRIPTION: Description = Description {
        name: "cudamalloc",
        what: "CUDA's own device heap on the GPU, one in a process; the C library's on the CPU",
        paper: "NVIDIA, CUDA C++ Programming Guide, dynamic global memory allocation",
        parameters: &[],
    };
    const REGISTERS: RegisterLimits = RegisterLimits::NONE;
}

impl Allocator for CudaMalloc {
    type Handle = u64;

    const FREES: bool = true;
    const SYSTEM_HEAP: bool = true;
    // The C library's heap does, CUDA's promises nothing.
    const REUSES_ACROSS_SIZES: bool = false;
    const WALKABLE: bool = false;
    const EXACT_NULL: bool = false;
    const BOUNDED_REFUSAL: bool = false;

    fn setup(request: &Request) -> Result<Heap, SetupError> {
        if !request.parameters.is_empty() {
            return Err(SetupError::BadParameter { expected: "" });
        }
        let needed = STATE + SystemHeap::MIN_LIMIT;
        if request.pool_bytes < needed {
            return Err(SetupError::PoolTooSmall { needed });
        }
        if request.pool_bytes > MAX_POOL {
            return Err(SetupError::PoolTooLarge { limit: MAX_POOL });
        }
        let null = core::ptr::null_mut();
        let limit = request.pool_bytes - STATE;
        Ok(Heap {
            pointers: [request.base, null, null, null],
            integers: [limit, 0, 0, 0, 0, 0, 0],
        })
    }

    #[inline(always)]
    unsafe fn new(heap: Heap) -> Self {
        Self {
            // SAFETY: the word is the first of the bytes that the host has set aside, and
            // `setup` has checked the limit.
            heap: unsafe { SystemHeap::new(heap.pointers[0], heap.integers[0]) },
        }
    }

    fn max_block(heap: &Heap) -> u64 {
        SystemHeap::max_block(heap.integers[0])
    }

    fn elsewhere(heap: &Heap) -> u64 {
        heap.integers[0]
    }

    unsafe fn init<W: Warp>(self, warp: W) {
        if warp.thread() == 0 {
            self.heap.clear();
        }
    }

    #[inline(always)]
    fn malloc<W: Warp>(self, _warp: W, bytes: u64) -> u64 {
        let block = self.heap.malloc(bytes);
        if block.is_null() {
            return u64::NULL;
        }
        block.expose_provenance() as u64
    }

    #[inline(always)]
    unsafe fn free<W: Warp>(self, _warp: W, block: u64) {
        if block.is_null() {
            return;
        }
        // SAFETY: a live block of the heap, which its owner gives up.
        unsafe { self.heap.free(self.address(block)) }
    }

    #[inline(always)]
    fn address(self, block: u64) -> *mut u8 {
        core::ptr::with_exposed_provenance_mut(block as usize)
    }

    /// Any address may be one of the heap's.
    fn contains(self, block: u64) -> bool {
        block != 0 && !block.is_null()
    }

    /// Neither heap tells.
    unsafe fn granted(self, _block: u64, requested: u64) -> u64 {
        if requested == 0 { 1 } else { requested }
    }
}
