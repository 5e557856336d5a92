//! A kernel of your own over an allocator of heapwood's, inlined into it.

#![no_std]
#![feature(abi_ptx)]

use heapwood_device::allocator::{Allocator, Handle, Heap};
use heapwood_device::allocators::ScatterAlloc;
use heapwood_device::simt::{Simt, Warp};

/// Makes a heap empty.
///
/// # Safety
///
/// `heap` is what `ScatterAlloc::setup` has returned for memory of the device; one-dimensional
/// launches of blocks of whole warps only, at most 256 threads each.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn init(heap: *const Heap) {
    // SAFETY: the caller's promise.
    unsafe { ScatterAlloc::new(heap.read()).init(Simt) }
}

/// Requests a block in each thread, notes which, writes to it, and gives it back.
///
/// # Safety
///
/// As for `init`, which has run in an earlier launch; `blocks` has a word for each thread.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn request(heap: *const Heap, bytes: u64, blocks: *mut u32) {
    // SAFETY: the caller's promise.
    unsafe {
        let heap = ScatterAlloc::new(heap.read());
        let block = heap.malloc(Simt, bytes);
        if !block.is_null() {
            heap.address(block).cast::<u32>().write(1);
        }
        blocks.add(Simt.thread() as usize).write(block);
        heap.free(Simt, block);
    }
}
