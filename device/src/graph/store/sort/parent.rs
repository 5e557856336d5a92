//! A bin that is divided, by which bits, and the memory in which blocks do it.

use super::rest::Rest;
use super::{Bucket, KEY_BYTES, MAX_BINS, SPLIT_BITS};
use crate::simt::{Block, Warp};

/// Keys of a tile for each thread: a rest and a bin of 16 bits each.
pub(super) const ITEMS: usize = 8;
/// Keys of a tile of the blocks that a launch has.
pub const fn tile_of(shift: u32) -> u32 {
    let warps = if shift <= 32 { u32::WARPS } else { u64::WARPS };
    ITEMS as u32 * 32 * warps
}

/// Keys of a tile.
#[inline(always)]
pub(super) fn tile_size<W: Warp>(block: Block<W>) -> u32 {
    ITEMS as u32 * block.threads()
}

/// Tiles of so many keys, with the one that lists their bin's parts.
#[inline(always)]
pub(super) fn tiles_of(size: u32, keys: u32) -> u32 {
    // A tile has keys; the compiler does not know it.
    keys.div_ceil(size.max(1)) + 1
}

/// A bin that is divided; of the partition, all keys.
#[derive(Clone, Copy)]
pub(super) struct Parent {
    /// Its keys, and where they lie.
    pub keys: Bucket,
    /// The first slot of the next level for its large parts.
    pub slots: u32,
    /// A word for each part: its keys.
    pub totals: *mut u32,
    /// A word for each part: its keys that have been moved.
    pub moved: *mut u32,
    /// The bits by which it is divided.
    pub digit: Digit,
    /// Keys of a bucket, at the most.
    pub room: u32,
    /// Keys of parts that are listed together, half a bucket at the most; 1 for one by one.
    pub group: u32,
}

impl Parent {
    /// Whether a part with so many keys is to be split.
    #[inline(always)]
    pub fn is_large(&self, count: u32) -> bool {
        count > self.room && self.digit.low > 0
    }
}

/// Bits of a rest or a key.
#[derive(Clone, Copy)]
pub(super) struct Digit {
    /// The lowest.
    pub low: u32,
    /// Values that it may have.
    pub values: u32,
    /// The bits of a shifted word that belong to the digit.
    pub mask: u32,
}

impl Digit {
    /// The next one below bit `high`.
    #[inline(always)]
    pub fn below(high: u32) -> Self {
        let low = high.saturating_sub(SPLIT_BITS);
        let values = 1 << (high - low);
        Self {
            low,
            values,
            mask: values - 1,
        }
    }

    #[inline(always)]
    pub fn of(self, word: u64) -> u32 {
        (word >> self.low) as u32 & self.mask
    }
}

/// The shared memory of a block.
#[derive(Clone, Copy)]
pub(super) struct Shared {
    /// Rests of the tile, by bin; before these are there and afterwards words for other ends.
    pub rests: *mut u8,
    /// A word for each bin: its keys in the tile, then where they begin in it.
    pub counts: *mut u32,
    /// A word for each bin: where its keys go, less where they begin in the tile.
    pub targets: *mut u32,
}

impl Shared {
    #[inline(always)]
    pub fn of<W: Warp>(block: Block<W>) -> Self {
        let rests = block.shared();
        let counts: *mut u32 = rests.wrapping_add(KEY_BYTES).cast();
        Self {
            rests,
            counts,
            targets: counts.wrapping_add(MAX_BINS as usize),
        }
    }
}
