//! Barriers to optimisation.

/// Returns `bits`, opaque to the compiler.
///
/// A conversion of the result stays in its loop. The compiler would hoist one of `bits` and keep a
/// wider copy in registers.
#[inline(always)]
pub fn opaque(bits: u32) -> u32 {
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

/// [`opaque`] for a word of 64 bits.
#[inline(always)]
pub fn opaque64(bits: u64) -> u64 {
    #[cfg(target_arch = "nvptx64")]
    {
        let same;
        // SAFETY: a copy from register to register.
        unsafe {
            core::arch::asm!(
                "mov.b64 {}, {};",
                out(reg64) same,
                in(reg64) bits,
                options(nomem, nostack, preserves_flags)
            );
        }
        same
    }
    #[cfg(not(target_arch = "nvptx64"))]
    bits
}
