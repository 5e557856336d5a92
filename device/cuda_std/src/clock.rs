//! Time as a thread sees it.

#[cfg(not(target_arch = "nvptx64"))]
fn since_start() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// A count of clock cycles that only grows while a thread stays on its processor: cycles of the
/// multiprocessor on a GPU, nanoseconds elsewhere. It is not moved over calls that touch memory.
#[inline(always)]
pub fn cycles() -> u64 {
    #[cfg(target_arch = "nvptx64")]
    {
        let count;
        // SAFETY: reads a special register. Without `nomem`, accesses to memory stay where they are.
        unsafe { core::arch::asm!("mov.u64 {}, %clock64;", out(reg64) count, options(nostack)) };
        count
    }
    #[cfg(not(target_arch = "nvptx64"))]
    since_start()
}

/// Nanoseconds of a clock that all threads share, in steps of 32 on an H200. It is not moved over
/// calls that touch memory.
///
/// The cycles of two multiprocessors differ by up to milliseconds, and these do not.
#[inline(always)]
pub fn nanoseconds() -> u64 {
    #[cfg(target_arch = "nvptx64")]
    {
        let time;
        // SAFETY: as above.
        unsafe { core::arch::asm!("mov.u64 {}, %globaltimer;", out(reg64) time, options(nostack)) };
        time
    }
    #[cfg(not(target_arch = "nvptx64"))]
    since_start()
}
