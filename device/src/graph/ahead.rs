//! Fetching memory before it is needed.
//!
//! The lanes of a GPU wait for memory while other warps work. A lane alone waits
//! with the whole processor, which follows a stretch of memory by itself, but not
//! records that point to blocks: it is told of a block some records early.

/// Records between one that is worked on and the one whose block is fetched: time
/// enough for memory, and few enough blocks for the cache.
pub const AHEAD: u32 = 16;

/// Asks for the memory at an address, which need not be valid: nothing is read.
#[inline(always)]
pub fn fetch(address: u64) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let place = core::ptr::without_provenance::<i8>(address as usize);
        // SAFETY: every x86-64 processor has the instruction, which changes
        // nothing but the caches and ignores what it cannot reach.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place) };
    }
    // Elsewhere nobody is told.
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
