//! Slices: the units that they are, the bit that each has, and how they are freed.
//!
//! A bit is set for each slice that was freed; all of a block are cleared when it is opened. A
//! free is one `fetch_or`. Only what fills a word, or is its first, has more to do:
//! [`super::blocks`].
//!
//! | operation | order | why |
//! |---|---|---|
//! | bits set | acq_rel | our accesses come before the next owners'; who fills a word has all |

use core::sync::atomic::Ordering::AcqRel;

use cuda_std::atomic::AtomicU32;

use super::Gallatin;
use super::counts::Claim;
use super::retry_budget::RetryBudget;
use super::tables::Block;

/// Slices that a request got, side by side, or that it is to be made again.
#[derive(Clone, Copy)]
pub struct Taken {
    /// The first unit, or the bits of a budget.
    unit: u32,
    /// How many: at most 32, or [`WAITS`].
    count: u32,
}

/// In place of a count: the request is to be made again.
const WAITS: u32 = u32::MAX;

impl Taken {
    /// None.
    pub const NONE: Self = Self { unit: 0, count: 0 };

    /// None yet: the request is to be made again in a while, with this budget.
    #[inline(always)]
    pub fn later(budget: RetryBudget) -> Self {
        Self {
            unit: budget.bits(),
            count: WAITS,
        }
    }

    /// The budget with which the request is to be made again, if it is.
    #[inline(always)]
    pub fn budget(self) -> Option<RetryBudget> {
        (self.count == WAITS).then(|| RetryBudget::from_bits(self.unit))
    }

    /// The slices.
    #[inline(always)]
    pub fn count(self) -> u32 {
        if self.count == WAITS { 0 } else { self.count }
    }

    /// The first unit of slice `place`, of `class`.
    #[inline(always)]
    pub fn slice(self, place: u32, class: u32) -> u32 {
        self.unit + (place << class)
    }

    /// The slices in a word, for a shuffle.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        u64::from(self.count) << 32 | u64::from(self.unit)
    }

    /// The slices of these bits.
    #[inline(always)]
    pub fn from_bits(bits: u64) -> Self {
        Self {
            unit: bits as u32,
            count: (bits >> 32) as u32,
        }
    }
}

impl Gallatin {
    /// Slices of a block of `class` from number `slice` on.
    #[inline(always)]
    pub(super) fn taken(&self, block: Block, class: u32, slice: u32, count: u32) -> Taken {
        Taken {
            unit: self.first_unit(block) + (slice << class),
            count,
        }
    }

    /// A word of the bits of a block's slices.
    ///
    /// # Safety
    ///
    /// `word` is one of the block's words.
    #[inline(always)]
    pub(super) unsafe fn bits_word(&self, block: Block, word: u32) -> &AtomicU32 {
        // SAFETY: a word of the block: it is aligned, and always atomic.
        unsafe { &*self.bits(block, word) }
    }

    /// Frees a slice.
    ///
    /// # Safety
    ///
    /// The slice is a live one of the block, which is of `class`, and the caller gives it up.
    #[inline(always)]
    pub(super) unsafe fn free_slice(&self, block: Block, class: u32, slice: u32) {
        let bit = 1 << (slice % 32);
        // SAFETY: the slice is one of the block's, which is live as long as we have it.
        unsafe {
            // Release: our accesses come before those of the slice's next owner. Acquire: if we
            // fill the word, those of its other slices do, too, by what `fill` releases.
            let before = self.bits_word(block, slice / 32).fetch_or(bit, AcqRel);
            let filled = before | bit == self.layout.full_word(class);
            if !filled && before != 0 {
                return;
            }
            let state = self.fill(block, u32::from(filled));
            if self.is_event(state) {
                self.outlined_freed(block, state, u32::from(filled));
            }
        }
    }

    /// Frees slices side by side.
    ///
    /// # Safety
    ///
    /// The slices are of the block and its class. The caller owns them, and gives them up.
    #[inline(always)]
    pub(super) unsafe fn free_range(&self, block: Block, range: Claim) {
        let (id, bits) = (self.id(block), self.layout.to_bits());
        let what = u64::from(range.class << 24 | range.count) << 32 | u64::from(range.first);
        // SAFETY: the parts of this heap, and slices of the block that are ours.
        unsafe { outlined_range(self.tables, self.records, bits, id, what) }
    }

    /// [`Self::free_range`], in line.
    ///
    /// # Safety
    ///
    /// As for that.
    #[inline(always)]
    unsafe fn free_all(&self, block: Block, range: Claim) {
        let full = self.layout.full_word(range.class);
        let mut at = range.first;
        let end = at + range.count;
        let mut filled = 0;
        while at < end {
            let (from, left) = (at % 32, end - at);
            let room = 32 - from;
            let count = if left < room { left } else { room };
            let mask = (u32::MAX >> (32 - count)) << from;
            // SAFETY: the slices are ours, and the block is live until the last of them is free.
            // Acquire and release: as in `free_slice`.
            let before = unsafe { self.bits_word(block, at / 32).fetch_or(mask, AcqRel) };
            filled += u32::from(before | mask == full);
            at += count;
        }
        // SAFETY: these words were just filled.
        let state = unsafe { self.fill(block, filled) };
        self.freed(block, state, filled);
    }
}

/// [`Gallatin::free_range`], out of line as it is rare. `what` is the class, in the low 24 bits of
/// the high half the count, and in the low half the first slice.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap; otherwise as for that.
#[inline(never)]
unsafe fn outlined_range(tables: *mut u8, records: *mut u8, layout: u64, id: u32, what: u64) {
    // SAFETY: the parts of a heap.
    let heap = unsafe { Gallatin::of_tables(tables, records, layout) };
    let range = Claim {
        class: (what >> 56) as u32,
        first: what as u32,
        count: (what >> 32) as u32 & 0xff_ffff,
    };
    // SAFETY: one of the blocks of the heap, and slices in it that are ours.
    unsafe { heap.free_all(heap.block(id), range) }
}
