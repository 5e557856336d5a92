//! The map of the pages of large blocks: a bit for each, set while it is free.
//!
//! A run of pages is searched from some page on, and claimed a word at a time. *Who clears the
//! bits of pages owns them.* If another thread has claimed one of them first, what was claimed
//! is given back, and the search goes on at the page that was refused.
//!
//! | operation | order | why |
//! |---|---|---|
//! | bits cleared, `claim` | acquire | what the former owners did to the pages comes before what we do |
//! | bits set, `give` | release | our accesses to the pages come before their next owners' |
//! | words and rows read | relaxed | hints: the claim decides |
//! | length of a block | relaxed | only the owner of its first page writes or reads it |
//!
//! Words of the map change by read-modify-writes only, which continue each other's release
//! sequences, also those by which a claim is taken back.
//!
//! No thread waits: a claim fails since another one has succeeded. Words are claimed in ascending
//! order, so that of those that overlap the one furthest on fails at none of the others.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::{self, AtomicU32};

use crate::allocators::circular::runs::starts;
use crate::simt::Warp;

/// The page that is none.
pub const NONE: u32 = u32::MAX;
/// Passes over the map after which a request is refused.
const PASSES: u32 = 8;
/// Pages of a row of the map, and its bytes.
const ROW_PAGES: u32 = 512;
const ROW_BYTES: u64 = 64;
/// Bytes of the word by which searches begin at different pages.
const PLACE_BYTES: u64 = 64;

/// The map of the pages, and what is behind it.
#[derive(Clone, Copy)]
pub struct PageMap {
    /// The first row.
    pub tables: *mut u8,
    /// Pages, one at least.
    pub pages: u32,
}

/// Bytes of the tables of so many pages: the map, the place and a length for each.
pub fn table_bytes(pages: u64) -> u64 {
    pages.div_ceil(u64::from(ROW_PAGES)) * ROW_BYTES + PLACE_BYTES + 4 * pages
}

/// The bits of the word of the map from page `at` on that stand for those from `first` to `end`,
/// at least one.
#[inline(always)]
fn mask(at: u32, first: u32, end: u32) -> u32 {
    let low = first.saturating_sub(at);
    let high = if end - at < 32 { end - at } else { 32 };
    u32::MAX << low & u32::MAX >> (32 - high)
}

impl PageMap {
    /// The word of the map with the bit of a page.
    ///
    /// # Safety
    ///
    /// `page` is below `pages`.
    #[inline(always)]
    pub(super) unsafe fn word(&self, page: u32) -> &AtomicU32 {
        // SAFETY: the tables begin with rows for all pages, of words that are always atomic.
        unsafe { &*self.tables.add((page / 32 * 4) as usize).cast() }
    }

    /// The row of the map that begins with a page.
    ///
    /// # Safety
    ///
    /// `page` is below `pages`, and the first of a row.
    #[inline(always)]
    unsafe fn row(&self, page: u32) -> &[AtomicU32; 16] {
        // SAFETY: as in `word`: rows are whole, and aligned.
        unsafe { &*self.tables.add((page / 32 * 4) as usize).cast() }
    }

    /// The word behind the map.
    #[inline(always)]
    fn place(&self) -> &AtomicU32 {
        let offset = u64::from(self.pages.div_ceil(ROW_PAGES)) * ROW_BYTES;
        // SAFETY: there is one, which is always atomic.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// The pages of the block that begins with a page.
    ///
    /// # Safety
    ///
    /// `page` is below `pages`.
    #[inline(always)]
    pub(super) unsafe fn length(&self, page: u32) -> &AtomicU32 {
        let offset = u64::from(self.pages.div_ceil(ROW_PAGES)) * ROW_BYTES + PLACE_BYTES;
        let offset = offset + 4 * u64::from(page);
        // SAFETY: there is a word for each page, which is always atomic.
        unsafe { &*self.tables.add(offset as usize).cast() }
    }

    /// Makes all pages free: the part of this thread.
    ///
    /// # Safety
    ///
    /// No thread uses the heap, and all threads of a launch call this.
    pub(super) unsafe fn reset<W: Warp>(&self, warp: W) {
        // Relaxed, both: the heap is used by later launches only.
        if warp.thread() == 0 {
            self.place().store(0, Relaxed);
        }
        // Also the words that a row has beyond the pages: they have no bit.
        let words = self.pages.div_ceil(ROW_PAGES) * (ROW_PAGES / 32);
        let mut word = warp.thread();
        while word < words {
            let left = self.pages.saturating_sub(32 * word);
            let bits = if left < 32 { (1 << left) - 1 } else { u32::MAX };
            // SAFETY: a word of the rows.
            unsafe { self.word(32 * word).store(bits, Relaxed) };
            word += warp.threads();
        }
    }

    /// A run of `length` pages, which is not 0: its first page, or [`NONE`].
    ///
    /// While nobody else is in a call the bits are exact, and the second pass, over all of them,
    /// decides. A pass in which others were faster may have missed pages that they claimed in vain,
    /// and is followed by another, [`PASSES`] in all.
    #[inline(always)]
    pub(super) fn find_run<W: Warp>(&self, warp: W, length: u32) -> u32 {
        if length > self.pages {
            return NONE;
        }
        // Relaxed: a hint, by which requests at the same time do not meet.
        let place = self.place().fetch_add(length, Relaxed);
        let mut from = place.checked_rem(self.pages).unwrap_or(0);
        let mut is_whole = from == 0;
        let (mut passes, mut is_refused) = (1, false);
        loop {
            let first = self.scan(from, length);
            if first == NONE {
                if is_whole && (!is_refused || passes == PASSES) {
                    return NONE;
                }
                passes += 1;
                (from, is_whole, is_refused) = (0, true, false);
                continue;
            }
            // SAFETY: bits of pages were set.
            let refused = unsafe { self.claim_run(first, first + length) };
            if refused == NONE {
                // SAFETY: a page of the heap.
                // Relaxed: the block is ours until it is freed, by a thread that got it from us
                // by synchronisation.
                unsafe { self.length(first).store(length, Relaxed) };
                return first;
            }
            // Another thread was faster; its success bounds how often.
            (from, is_refused) = (refused, true);
            warp.back_off();
        }
    }

    /// The first page of `length` free ones in a row from `from` on, or [`NONE`].
    #[inline(always)]
    fn scan(&self, from: u32, length: u32) -> u32 {
        let (mut at, mut run) = (from, 0);
        while at < self.pages {
            if at.is_multiple_of(ROW_PAGES) {
                // SAFETY: a page of the heap, the first of a row.
                // Relaxed: a hint, as all that follows.
                let [a, b, c, d] = atomic::load_row(unsafe { self.row(at) });
                let any = |four: [u32; 4]| four[0] | four[1] | four[2] | four[3];
                if any(a) | any(b) | any(c) | any(d) == 0 {
                    (at, run) = (at + ROW_PAGES, 0);
                    continue;
                }
            }
            // In front of `from` nothing counts; later `at` is the first page of a word.
            let low = at % 32;
            // SAFETY: a page of the heap. Those that are not there have no bits.
            let word = unsafe { self.word(at).load(Relaxed) } >> low << low;
            at -= low;
            let ones = word.trailing_ones();
            if run + ones >= length {
                return at - run;
            }
            if ones == 32 {
                run += ones;
            } else {
                if length <= 32 {
                    let inside = starts(word, length);
                    if inside != 0 {
                        return at + inside.trailing_zeros();
                    }
                }
                run = word.leading_ones();
            }
            at += 32;
        }
        NONE
    }

    /// Claims the pages from `first` to `end`: [`NONE`], or one that another thread has claimed.
    ///
    /// # Safety
    ///
    /// `first` is below `end`, which is at most `pages`.
    #[inline(always)]
    unsafe fn claim_run(&self, first: u32, end: u32) -> u32 {
        let mut at = first / 32 * 32;
        while at < end {
            let wanted = mask(at, first, end);
            // SAFETY: pages of the map; what is given back was claimed here.
            unsafe {
                // Acquire: what the former owners did to the pages comes before what we do.
                let got = self.word(at).fetch_and(!wanted, Acquire) & wanted;
                if got != wanted {
                    let refused = at + (wanted & !got).trailing_zeros();
                    if got != 0 {
                        self.give(at, got);
                    }
                    self.give_run(first, at);
                    return refused;
                }
            }
            at += 32;
        }
        NONE
    }

    /// Sets bits of the word that begins with page `at`.
    ///
    /// # Safety
    ///
    /// `at` is below `pages`; the caller owns the pages of these bits, and gives them up.
    #[inline(always)]
    unsafe fn give(&self, at: u32, bits: u32) {
        // SAFETY: a page of the map.
        // Release: our accesses to the pages come before their next owners'.
        unsafe { self.word(at).fetch_or(bits, Release) };
    }

    /// Gives the pages from `first` to `end` back, if any.
    ///
    /// # Safety
    ///
    /// The caller owns these pages, and gives them up.
    #[inline(always)]
    pub(super) unsafe fn give_run(&self, first: u32, end: u32) {
        let mut at = first / 32 * 32;
        while at < end {
            // SAFETY: pages that are ours.
            unsafe { self.give(at, mask(at, first, end)) };
            at += 32;
        }
    }
}
