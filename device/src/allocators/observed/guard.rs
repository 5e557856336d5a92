//! Guards of blocks: a header before each and a canary behind it, and what they show when a block
//! is freed: double frees, foreign pointers, writes past the end.
//!
//! They cost 32 bytes and more a block and are for tests and for hunting faults.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::{AtomicU32, AtomicU64};

use super::Observed;
use crate::allocator::Allocator;
use crate::simt::Warp;

/// Bytes in front of a block: the state word, the seal, and the requested size.
pub(super) const HEADER: u64 = 16;
/// Bytes behind the last byte that was asked for, at least.
const CANARY_BYTES: u64 = 16;
/// Bytes of the inner allocator's block that are not the caller's.
pub(super) const OVERHEAD: u64 = HEADER + CANARY_BYTES;
/// A word of the canary.
const CANARY: u64 = 0xc5c5_c5c5_c5c5_c5c5;
/// State of a live block's header; of a freed one's, its complement.
const LIVE: u32 = 0x11fe_b10c;

/// The seal of the size `bytes`, beside it in a header that was not overwritten.
///
/// Where blocks may be overwritten it is not only the block's successor that
/// does so: a thread that is late with writes to its own dead block destroys the
/// headers of live ones. Such a size must not be followed.
#[inline(always)]
fn seal(bytes: u64) -> u32 {
    let folded = bytes as u32 ^ (bytes >> 32) as u32;
    !folded.wrapping_mul(0x9e37_79b9)
}

/// The words that hold the canary, the 16 bytes behind a block's last: the word
/// that begins with the caller's last bytes, if any; the one behind it; and the one
/// with the canary's last byte, which without such bytes is the second again.
/// No other block begins in the last word, as blocks are 16-byte aligned.
///
/// Words, because a loop over bytes is unrolled, and makes up a percent of a module.
///
/// # Safety
///
/// The block at `start` has `bytes` and [`OVERHEAD`] bytes.
#[inline(always)]
unsafe fn canary(start: *mut u8, bytes: u64) -> [*mut u64; 3] {
    let end = HEADER + bytes;
    let word = |byte: u64| {
        // SAFETY: the byte is the block's, so that the aligned word around it is.
        unsafe { start.add((byte & !7) as usize).cast() }
    };
    [word(end), word(end + 8), word(end + CANARY_BYTES - 1)]
}

/// Writes the guards of a block of `bytes`.
///
/// # Safety
///
/// The block at `start` has `bytes` and [`OVERHEAD`] bytes, and no other thread uses it yet.
#[inline(always)]
pub(super) unsafe fn enclose(start: *mut u8, bytes: u64) {
    // SAFETY: the caller's promise.
    unsafe {
        start.add(4).cast::<u32>().write(seal(bytes));
        start.add(8).cast::<u64>().write(bytes);
        // The caller has not yet written what shares the first word.
        let [first, second, last] = canary(start, bytes);
        first.write_volatile(CANARY);
        second.write_volatile(CANARY);
        last.write_volatile(CANARY);
        (*start.cast::<AtomicU32>()).store(LIVE, Relaxed);
    }
}

/// The sight of the guards of a block that is freed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// It is no live block.
    Dead,
    /// It is live, and was now given up.
    Live,
    /// The same, but the guards were written over.
    Overrun,
}

/// Looks at the guards of a block that is freed, out of line: kernels have many frees.
///
/// # Safety
///
/// `start` is that of a block of the pool that lives or did, or of what looks like one.
#[inline(never)]
unsafe fn outlined_disclose(start: *mut u8) -> Shown {
    // SAFETY: memory of the pool; the state word decides whether it is a live block, and of two frees
    // only one exchanges it.
    let state = unsafe { &*start.cast::<AtomicU32>() };
    let is_live = state.compare_exchange(LIVE, !LIVE, AcqRel) == LIVE;
    if !is_live {
        return Shown::Dead;
    }
    // SAFETY: the block is live and now ours alone. The size is followed only
    // if its seal shows that it is the one that `malloc` wrote.
    unsafe {
        let bytes = start.add(8).cast::<u64>().read_volatile();
        if start.add(4).cast::<u32>().read_volatile() != seal(bytes) {
            return Shown::Overrun;
        }
        let [first, second, last] = canary(start, bytes);
        // Bytes at lower addresses are the lower ones of a word.
        let callers = 8 * (bytes & 7);
        let changed = (first.read_volatile() ^ CANARY) >> callers
            | (second.read_volatile() ^ CANARY)
            | (last.read_volatile() ^ CANARY);
        match changed {
            0 => Shown::Live,
            _ => Shown::Overrun,
        }
    }
}

impl<A: Allocator> Observed<A> {
    /// Frees of what was no live block.
    #[inline(always)]
    pub(super) fn invalid_frees(&self) -> &AtomicU64 {
        // SAFETY: the first word of the state, which kernels access by atomic operations only.
        unsafe { &*self.state.base().cast::<AtomicU64>() }
    }

    /// Blocks that were written past their end.
    #[inline(always)]
    pub(super) fn overruns(&self) -> &AtomicU64 {
        // SAFETY: the second word, likewise.
        unsafe { &*self.state.base().cast::<AtomicU64>().wrapping_add(1) }
    }

    /// Whether what was read of a block before this call was the block's own.
    ///
    /// Where blocks may be overwritten, `free` of the inner allocator gives
    /// nothing back but checks for that, and counts it. Another thread's block that
    /// is counted meanwhile makes the answer no, which leaves a check out.
    ///
    /// # Safety
    ///
    /// `inner` contains `block`.
    #[inline(always)]
    unsafe fn is_whole<W: Warp>(self, warp: W, block: A::Handle) -> bool {
        if !A::MAY_OVERWRITE {
            return true;
        }
        let before = self.inner.faults().overwritten;
        // SAFETY: `inner` contains the handle, and nothing is given back.
        unsafe { self.inner.free(warp, block) };
        self.inner.faults().overwritten == before
    }

    /// Looks at the guards of a block that is freed, and counts what is wrong. Returns whether the
    /// block is live, and now the caller's to give back.
    ///
    /// # Safety
    ///
    /// `block` is not null.
    #[inline(always)]
    pub(super) unsafe fn disclose<W: Warp>(self, warp: W, block: A::Handle) -> bool {
        let mut shown = Shown::Dead;
        if self.inner.contains(block) {
            // SAFETY: the pool contains it.
            unsafe {
                if !self.is_whole(warp, block) {
                    return false;
                }
                shown = outlined_disclose(self.inner.address(block));
            }
        }
        if shown == Shown::Dead {
            self.invalid_frees().fetch_add(1, Relaxed);
            return false;
        }
        // SAFETY: the pool contains it.
        if shown == Shown::Overrun && unsafe { self.is_whole(warp, block) } {
            self.overruns().fetch_add(1, Relaxed);
        }
        true
    }
}
