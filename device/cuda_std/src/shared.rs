//! A block's shared memory. GPU only.

/// Bytes of shared memory that a kernel which uses it has, as `shared.ll` declares it: 8 warps of
/// 4 KiB.
pub const BYTES: usize = 32 * 1024;

unsafe extern "C" {
    /// The generic address of `shared_memory` in `shared.ll`, which is linked with the kernels.
    safe fn heapwood_shared_memory() -> *mut u8;
    /// The generic address of `block_memory` there.
    safe fn heapwood_block_memory() -> *mut u8;
}

/// The generic address of the block's shared memory, 16-byte aligned.
#[inline(always)]
pub fn base() -> *mut u8 {
    heapwood_shared_memory()
}

/// The generic address of the memory that a launch asks for a block, 16-byte aligned.
#[inline(always)]
pub fn of_block() -> *mut u8 {
    heapwood_block_memory()
}
