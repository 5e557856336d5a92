//! What the compiler is told about values.

/// The same bits, of which nothing is computed ahead of this call.
///
/// A conversion of them in a loop stays there, where otherwise the compiler would convert once
/// and keep a wider copy in registers.
#[inline(always)]
pub fn here(bits: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let same;
        // SAFETY: a copy from register to register.
        unsafe {
            core::arch::asm!(
                "mov.b32 {}, {};",
                out(reg32) same,
                in(reg32) bits,
                options(nomem, nostack, preserves_flags)
            );
        }
        same
    }
    #[cfg(not(target_arch = "nvptx64"))]
    bits
}
