//! Bits of a word, each set while something has an owner: a chunk of a page.

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use cuda_std::atomic::AtomicU32;

/// A bit that was taken.
#[derive(Clone, Copy)]
pub struct TakenBit {
    /// Its number.
    pub bit: u32,
    /// Whether it was the last clear one of the mask.
    pub is_last: bool,
}

/// The lowest `count` bits, at most 32.
#[inline(always)]
pub fn lowest(count: u32) -> u32 {
    if count >= 32 {
        u32::MAX
    } else {
        (1 << count) - 1
    }
}

/// A set bit of `bits`, which has one: the first from bit `from` on, around the end.
#[inline(always)]
pub fn pick(bits: u32, from: u32) -> u32 {
    (bits.rotate_right(from % 32).trailing_zeros() + from) % 32
}

/// Sets a clear bit of a mask, the first from bit `from` on, if there is one.
#[inline(always)]
pub fn take_bit(word: &AtomicU32, mask: u32, from: u32) -> Option<TakenBit> {
    // Relaxed: a hint; `fetch_or` decides.
    let mut seen = word.load(Relaxed);
    loop {
        let free = !seen & mask;
        if free == 0 {
            return None;
        }
        let bit = pick(free, from);
        // Acquire: the former owner's accesses, before it cleared the bit, come before ours.
        // Others have changed other bits by read-modify-writes.
        seen = word.fetch_or(1 << bit, Acquire);
        if seen >> bit & 1 == 0 {
            let is_last = (seen | 1 << bit) & mask == mask;
            return Some(TakenBit { bit, is_last });
        }
    }
}
