//! The bitmap of a tier, a bit for each page, set except while the page is free in this tier; and its
//! summary, a bit for each word of the bitmap, set if it may have a clear bit.
//!
//! | operation | order | why |
//! |---|---|---|
//! | bits set, `take` and `take_all` | acquire | what the former owners did to the pages comes before what we do |
//! | bits cleared, `give` | release | our accesses to the pages come before their next owners' |
//! | a word listed in the summary | release | a thread that removes it from there sees the bit that was cleared |
//! | a word removed from the summary | acquire | pairs with that, for the read behind it |
//! | words and rows read | relaxed | hints, and the read behind a removal |
//!
//! Words change by read-modify-writes only, which continue each other's release sequences.
//!
//! A word is listed by the thread that cleared a bit of a full word, after that, and removed by a
//! thread that read it full; this one reads it again, and lists it if it is not full any more. Let
//! a word be full until a thread clears a bit. Of the listing and a removal one comes first in the
//! summary's word. If it is the removal, the word is listed in the end. If it is the listing, the
//! removal acquires it, the read behind the removal sees the bit clear or a later state of the
//! word, and a later full state ends in another listing. So no word with a clear bit remains
//! unlisted.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU32;

use super::Tiers;
use super::layout::{Length, ROW_BITS, Tier, between, words_of};
use crate::simt::{Warp, low_bits};

/// A word without a free page.
pub const FULL: u32 = u32::MAX;

impl Tiers {
    /// A word of a tier's bitmap.
    ///
    /// # Safety
    ///
    /// `index` is below `layout.words(tier)`.
    #[inline(always)]
    pub(super) unsafe fn word(&self, tier: Tier, index: u32) -> &AtomicU32 {
        let offset = self.layout.bitmap(tier) + 4 * u64::from(index);
        // SAFETY: the table begins with rows for all pages, of words that are always atomic.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// A word of a tier's summary.
    ///
    /// # Safety
    ///
    /// `index` is below 16 times `layout.summary_rows(tier)`.
    #[inline(always)]
    pub(super) unsafe fn summary_word(&self, tier: Tier, index: u32) -> &AtomicU32 {
        let offset = self.layout.summary(tier) + 4 * u64::from(index);
        // SAFETY: there are as many, which are always atomic.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// A row of a tier's summary.
    ///
    /// # Safety
    ///
    /// `row` is below `layout.summary_rows(tier)`.
    #[inline(always)]
    pub(super) unsafe fn summary_row(&self, tier: Tier, row: u32) -> &[AtomicU32; 16] {
        let offset = self.layout.summary(tier) + 64 * u64::from(row);
        // SAFETY: as in `summary_word`: rows are whole, and aligned.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// Sets bits of a word: those that were clear, which are the caller's pages now.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`].
    #[inline(always)]
    pub(super) unsafe fn take(&self, tier: Tier, index: u32, wanted: u32) -> u32 {
        // SAFETY: the caller's promise.
        // Acquire: what the former owners did to the pages comes before what we do.
        let before = unsafe { self.word(tier, index) }.fetch_or(wanted, Acquire);
        wanted & !before
    }

    /// Sets all bits of a word, as [`Self::take`] does.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`].
    #[inline(always)]
    pub(super) unsafe fn take_all(&self, tier: Tier, index: u32) -> u32 {
        // SAFETY: the caller's promise.
        // Acquire: as in `take`.
        !unsafe { self.word(tier, index) }.swap(FULL, Acquire)
    }

    /// Clears bits of a word.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`]. The caller owns the pages of these bits, and gives them up.
    #[inline(always)]
    pub(super) unsafe fn give(&self, tier: Tier, index: u32, bits: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            // Release: our accesses to the pages come before their next owners'.
            let before = self.word(tier, index).fetch_and(!bits, Release);
            if before == FULL {
                self.list(tier, index);
            }
        }
    }

    /// Lists a word in the summary.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`].
    #[inline(always)]
    unsafe fn list(&self, tier: Tier, index: u32) {
        // SAFETY: a word of the summary for each 32 of the bitmap.
        let summary = unsafe { self.summary_word(tier, index / 32) };
        // Release: the bit that was cleared, or was read so, is seen by the thread that removes the
        // word.
        summary.fetch_or(1 << (index % 32), Release);
    }

    /// Removes a word from the summary, in which it has no business while it is full.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`].
    #[inline(always)]
    pub(super) unsafe fn remove(&self, tier: Tier, index: u32) {
        // SAFETY: as in `list`.
        unsafe {
            let summary = self.summary_word(tier, index / 32);
            // Acquire: a thread that listed the word before has cleared a bit before.
            summary.fetch_and(!(1 << (index % 32)), Acquire);
            // Relaxed: the removal has acquired what there is to see.
            if self.word(tier, index).load(Relaxed) != FULL {
                self.list(tier, index);
            }
        }
    }

    /// Makes all pages free, each in the tier whose home it is in: the part of this thread.
    ///
    /// # Safety
    ///
    /// No thread uses the heap, and all threads of a launch call this.
    pub(super) unsafe fn init<W: Warp>(&self, warp: W) {
        let mut number = 0;
        while number < self.layout.tiers {
            // SAFETY: below the tiers, and words of its rows.
            // Relaxed, both: the heap is used by later launches only.
            unsafe {
                let tier = Tier::new(number);
                let (first, end) = self.layout.home(tier);
                let mut index = warp.thread();
                while index < self.layout.words(tier) {
                    let free = between(32 * index, first, end);
                    self.word(tier, index).store(!free, Relaxed);
                    index += warp.threads();
                }
                let (first, words) = words_of((first, end));
                let mut index = warp.thread();
                while index < self.layout.summary_rows(tier) * (ROW_BITS / 32) {
                    let listed = between(32 * index, first, first + words);
                    self.summary_word(tier, index).store(listed, Relaxed);
                    index += warp.threads();
                }
            }
            number += 1;
        }
    }
}

/// The bits of the first run of so many set bits; 0 if there is none.
#[inline(always)]
pub fn first_run(bits: u32, length: Length) -> u32 {
    let starts = crate::allocators::circular::runs::starts(bits, length.number());
    if starts == 0 {
        return 0;
    }
    low_bits(length.number()) << starts.trailing_zeros()
}
