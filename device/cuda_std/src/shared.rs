//! A block's shared memory. GPU only.

use core::arch::asm;

/// Bytes of shared memory that a kernel which uses it has: 8 warps of 4 KiB,
/// below the 48 KiB that every GPU grants without being asked.
pub const BYTES: usize = 32 * 1024;

/// The generic address of the block's shared memory, 16-byte aligned.
///
/// Rust has no address spaces, so the memory is declared inside the assembly;
/// `inline(never)` keeps that to one instance a module.
#[inline(never)]
pub fn base() -> *mut u8 {
    let address: *mut u8;
    // SAFETY: takes an address and touches no memory.
    unsafe {
        asm!(
            "{{ .shared .align 16 .b8 shared_memory[32768]; .reg .b64 %s; mov.u64 %s, shared_memory; cvta.shared.u64 {}, %s; }}",
            out(reg64) address,
            options(nomem, nostack, preserves_flags)
        )
    };
    address
}
