//! Guards of blocks: a header before each and a canary behind it, and what they show when a block
//! is freed: double frees, foreign pointers, writes past the end.
//!
//! They cost 32 bytes and more a block and are for tests and for hunting faults.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::AtomicU32;

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
pub(super) enum Shown {
    /// It is no live block.
    Dead,
    /// It is live, and was now given up.
    Live,
    /// The same, but the guards were written over.
    Overrun,
}

/// Looks at the guards of a block that is freed.
///
/// # Safety
///
/// `start` is that of a block of the pool that lives or did, or of what looks like one.
#[inline(always)]
pub(super) unsafe fn disclose(start: *mut u8) -> Shown {
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
