//! Software prefetch for warps of one lane.
//!
//! The lanes of a GPU hide the latency of memory behind other warps. A CPU's hardware
//! prefetcher follows ascending addresses, but not records that point to blocks: those
//! blocks are prefetched some records early.

/// Records between the one that is worked on and the one whose block is prefetched: long
/// enough for memory to answer, and few enough blocks for the first-level cache.
pub const PREFETCH_DISTANCE: u32 = 16;

/// Prefetches the cache line of an address, which need not be valid: nothing is read. Does
/// nothing on other machines than x86-64.
#[inline(always)]
pub fn prefetch(address: u64) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let line = core::ptr::without_provenance::<i8>(address as usize);
        // SAFETY: every x86-64 processor has the instruction, which changes
        // nothing but the caches and ignores what it cannot reach.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
