//! The tables: words of pages, fill levels of regions, and the map of unused pages.
//!
//! A page's word is 0 (unused, or inside a run), [`RUN`] (the first page of a run), or the
//! number of its chunks and, in the low half, of those that are free. Its bit in the map is
//! set from when it is given back to when it is claimed.
//!
//! | operation | order | why |
//! |---|---|---|
//! | `claim` of bits | acquire | pairs with `give_back`: what was done to the page comes before |
//! | `give_back` | release | what we, and all whose frees we acquired, did comes before |
//! | word of a divided page, stored | release | its bits are initialised before a chunk is taken |
//! | count lowered | acquire | pairs with that store, and with counts that were raised: their bits are clear |
//! | count raised | release | our bit is clear, and our accesses are done, before the count says so |
//! | word exchanged for 0 | acquire | all whose chunks were freed are done with the page |
//! | fill levels, places | relaxed | hints |
//!
//! Counts change by read-modify-writes only, which continue each other's release sequences:
//! whoever acquires one acquires all before it.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU32;

use super::ScatterAlloc;
use super::layout::{PLACES_BYTES, REGION_PAGES, SUPER_BYTES, SUPER_PAGES};
use crate::simt::Warp;

/// The word of a page that is not divided and begins no run.
pub const UNUSED: u32 = 0;
/// The word of the first page of a run.
pub const RUN: u32 = 1 << 31;
/// Bits of a word for the free chunks.
const FREE_MASK: u32 = 0xffff;
const CAPACITY_SHIFT: u32 = 16;
/// Exchanges that a request loses at a page before it tries another.
const TRIES: u32 = 32;

/// The chunks of the page with this word: 0 if it is not divided.
#[inline(always)]
pub fn capacity_of(word: u32) -> u32 {
    (word & !RUN) >> CAPACITY_SHIFT
}

/// Those of them that are free.
#[inline(always)]
pub fn free_of(word: u32) -> u32 {
    word & FREE_MASK
}

/// Sizes of chunks, by how many a page has: at most `most`, so that they are large enough,
/// and at least `least`, so that they are not much too large.
#[derive(Clone, Copy)]
pub struct Fit {
    /// The least number.
    pub least: u32,
    /// The most, and that of pages that are divided for the request.
    pub most: u32,
}

impl Fit {
    /// Whether a page with this word has a free chunk of such a size.
    #[inline(always)]
    pub fn serves(&self, word: u32) -> bool {
        let capacity = capacity_of(word);
        (free_of(word) != 0) & (self.least <= capacity) & (capacity <= self.most)
    }
}

/// Chunks of a page that a request may take.
#[derive(Clone, Copy)]
pub struct Taken {
    /// The page.
    pub page: u32,
    /// How many: 0 if there was none, at most 32.
    pub count: u32,
    /// The chunks that the page is divided into.
    pub capacity: u32,
    /// Whether the request has divided the page, and owns the first `count` chunks. If not,
    /// it has permits for as many, and takes a bit for each.
    pub is_fresh: bool,
}

impl Taken {
    /// None.
    pub const NONE: Self = Self {
        page: 0,
        count: 0,
        capacity: 0,
        is_fresh: false,
    };

    /// The chunks in a word, for a shuffle.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        let high = self.capacity << 8 | u32::from(self.is_fresh) << 7 | self.count;
        u64::from(high) << 32 | u64::from(self.page)
    }

    /// The chunks of these bits.
    #[inline(always)]
    pub fn from_bits(bits: u64) -> Self {
        let high = (bits >> 32) as u32;
        Self {
            page: bits as u32,
            count: high & 0x7f,
            capacity: high >> 8,
            is_fresh: high >> 7 & 1 == 1,
        }
    }
}

/// Tables of a super block, in words from its first.
const BITMAPS: u32 = SUPER_PAGES;
const LEVELS: u32 = 2 * SUPER_PAGES;
const MAP: u32 = LEVELS + SUPER_PAGES / REGION_PAGES;

impl ScatterAlloc {
    /// A word of the tables of a super block.
    ///
    /// # Safety
    ///
    /// `super_block` is below `layout.super_blocks()`, and `word` one of its tables.
    #[inline(always)]
    unsafe fn table(&self, super_block: u32, word: u32) -> *const AtomicU32 {
        let offset = PLACES_BYTES + u64::from(super_block) * SUPER_BYTES + 4 * u64::from(word);
        // SAFETY: `plan` placed the tables of all super blocks there.
        unsafe { self.tables.add(offset as usize).cast() }
    }

    /// The word of a page.
    ///
    /// # Safety
    ///
    /// `page` is below `layout.pages`, or of the last super block.
    #[inline(always)]
    pub(super) unsafe fn word(&self, page: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise; an aligned word that is always atomic.
        unsafe { &*self.table(page / SUPER_PAGES, page % SUPER_PAGES) }
    }

    /// The bitmap of a page: of at most 32 chunks a bit each; of more a bit for each 32 of
    /// them that were seen full. Of a run its pages.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`].
    #[inline(always)]
    pub(super) unsafe fn bitmap(&self, page: u32) -> &AtomicU32 {
        // SAFETY: as for `word`.
        unsafe { &*self.table(page / SUPER_PAGES, BITMAPS + page % SUPER_PAGES) }
    }

    /// The fill level of a region: how many of its pages are divided and have a free chunk.
    /// A search skips regions with none.
    ///
    /// # Safety
    ///
    /// `page` is as for [`Self::word`]; it may be any of the region's.
    #[inline(always)]
    pub(super) unsafe fn level(&self, page: u32) -> &AtomicU32 {
        let region = page % SUPER_PAGES / REGION_PAGES;
        // SAFETY: as for `word`.
        unsafe { &*self.table(page / SUPER_PAGES, LEVELS + region) }
    }

    /// The word of the map with the bit of a page.
    ///
    /// # Safety
    ///
    /// As for [`Self::level`].
    #[inline(always)]
    pub(super) unsafe fn map(&self, page: u32) -> &AtomicU32 {
        let region = page % SUPER_PAGES / REGION_PAGES;
        // SAFETY: as for `word`.
        unsafe { &*self.table(page / SUPER_PAGES, MAP + region) }
    }

    /// The fill levels of a super block.
    ///
    /// # Safety
    ///
    /// `super_block` is below `layout.super_blocks()`.
    #[inline(always)]
    pub(super) unsafe fn levels(&self, super_block: u32) -> &[AtomicU32; 16] {
        // SAFETY: the caller's promise; tables are multiples of 64 bytes.
        unsafe { &*self.table(super_block, LEVELS).cast() }
    }

    /// The map of a super block.
    ///
    /// # Safety
    ///
    /// As for [`Self::levels`].
    #[inline(always)]
    pub(super) unsafe fn map_row(&self, super_block: u32) -> &[AtomicU32; 16] {
        // SAFETY: as for `levels`.
        unsafe { &*self.table(super_block, MAP).cast() }
    }

    /// The words of 16 pages from `page` on, which is a multiple of 16.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`], of a multiple of 16.
    #[inline(always)]
    pub(super) unsafe fn words(&self, page: u32) -> &[AtomicU32; 16] {
        // SAFETY: as for `word`; a super block has a multiple of 16 pages.
        unsafe { &*self.table(page / SUPER_PAGES, page % SUPER_PAGES).cast() }
    }

    /// A word that says where requests begin: [`super::search`].
    ///
    /// # Safety
    ///
    /// `place` is at most [`LONG_PLACE`](super::layout::LONG_PLACE).
    #[inline(always)]
    pub(super) unsafe fn place(&self, place: u32) -> &AtomicU32 {
        // SAFETY: `plan` placed these words at the start of the tables.
        unsafe { &*self.tables.cast::<AtomicU32>().add(place as usize) }
    }

    /// Claims the pages of `bits` in the word of the map that has the bit of `page`; the
    /// bits of those that were claimed.
    ///
    /// # Safety
    ///
    /// As for [`Self::level`].
    #[inline(always)]
    pub(super) unsafe fn claim(&self, page: u32, bits: u32) -> u32 {
        // SAFETY: the caller's promise.
        // Acquire: what was done to a page before it was given back comes before what we do
        // to it. Others may have changed other bits since, by read-modify-writes, which pass
        // that release on.
        unsafe { self.map(page).fetch_and(!bits, Acquire) & bits }
    }

    /// Gives the pages of `bits` back, in the word of the map that has the bit of `page`.
    ///
    /// # Safety
    ///
    /// As for [`Self::level`]; the caller owns the pages and gives them up.
    #[inline(always)]
    pub(super) unsafe fn give_back(&self, page: u32, bits: u32) {
        // SAFETY: the caller's promise.
        // Release: what we did to the pages, and those whose frees we have acquired, comes
        // before what the next owner does.
        unsafe { self.map(page).fetch_or(bits, Release) };
    }

    /// Up to `wanted` chunks of a page, if it is unused or has free ones that fit.
    ///
    /// # Safety
    ///
    /// `page` is below `layout.pages`, `wanted` from 1 to 32, and `fit.most` a number that
    /// `layout.capacity` returned.
    #[inline(always)]
    pub(super) unsafe fn try_page<W: Warp>(
        &self,
        warp: W,
        page: u32,
        fit: Fit,
        wanted: u32,
    ) -> Taken {
        // SAFETY: the caller's promise; a page that was claimed is the caller's.
        unsafe {
            // Relaxed: a hint; the exchanges decide.
            let mut seen = self.word(page).load(Relaxed);
            if seen == UNUSED {
                let bit = 1 << (page % REGION_PAGES);
                if self.claim(page, bit) == 0 {
                    // Inside a run, or another's by now.
                    return Taken::NONE;
                }
                return self.divide(page, fit.most, wanted);
            }
            // Each turn that fails was another thread's success. A thread that loses 32 times goes
            // elsewhere, so that the time is bounded.
            for _ in 0..TRIES {
                if !fit.serves(seen) {
                    break;
                }
                let free = free_of(seen);
                let count = if free < wanted { free } else { wanted };
                // Acquire: the page's bits are initialised, and as many are clear as chunks
                // are free, since each was cleared before it was counted.
                let held = self
                    .word(page)
                    .compare_exchange(seen, seen - count, Acquire);
                if held == seen {
                    if count == free {
                        // Relaxed: a hint. It follows the exchange, so that it is too high
                        // meanwhile and not too low.
                        self.level(page).fetch_add(u32::MAX, Relaxed);
                    }
                    return Taken {
                        page,
                        count,
                        capacity: capacity_of(seen),
                        is_fresh: false,
                    };
                }
                seen = held;
                warp.back_off();
            }
            Taken::NONE
        }
    }

    /// Divides a page into chunks; the caller takes the first, up to `wanted`.
    ///
    /// # Safety
    ///
    /// As for [`Self::try_page`], with `capacity` for `fit.most`; the caller owns the page,
    /// which it gives up.
    #[inline(always)]
    unsafe fn divide(&self, page: u32, capacity: u32, wanted: u32) -> Taken {
        let count = if wanted < capacity { wanted } else { capacity };
        // SAFETY: the caller's promise.
        unsafe {
            self.init_bits(page, capacity, count);
            if count < capacity {
                // Relaxed: as above. It comes before the page is seen.
                self.level(page).fetch_add(1, Relaxed);
            }
            // Release: whoever lowers the count finds the bits initialised.
            let word = capacity << CAPACITY_SHIFT | (capacity - count);
            self.word(page).store(word, Release);
        }
        Taken {
            page,
            count,
            capacity,
            is_fresh: true,
        }
    }

    /// Frees chunk `chunk` of a page with this word.
    ///
    /// # Safety
    ///
    /// The chunk is a live one that the caller gives up, and `word` was read while it lived.
    #[inline(always)]
    pub(super) unsafe fn free_chunk(&self, page: u32, word: u32, chunk: u32) {
        let capacity = capacity_of(word);
        // SAFETY: the caller's promise: the page is divided as the word says until the chunk
        // is counted free, and whoever exchanges its word for `UNUSED` owns it.
        unsafe {
            // The last chunk of a page need not be counted. Its bit stays as it is: whoever
            // divides the page initialises all.
            if free_of(word) + 1 == capacity && self.retire(page, word) {
                return;
            }
            self.clear_bit(page, capacity, chunk);
            // Release: our accesses to the chunk, and the clear bit, come before.
            let before = self.word(page).fetch_add(1, Release);
            if free_of(before) == 0 {
                // Relaxed: a hint.
                self.level(page).fetch_add(1, Relaxed);
            }
            if free_of(before) + 1 == capacity {
                // If it fails, another thread has taken a chunk, or was faster here.
                self.retire(page, before + 1);
            }
        }
    }

    /// Makes a page unused if its word is still `word`, which says that all chunks are free
    /// but those of the caller.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`]; the caller gives its chunk up if the answer is yes.
    #[inline(always)]
    unsafe fn retire(&self, page: u32, word: u32) -> bool {
        // SAFETY: the caller's promise; after the exchange the page is ours.
        unsafe {
            // Acquire: all that was done to chunks that were counted free comes before what
            // the page's next owner does, to whom `give_back` releases it.
            if self.word(page).compare_exchange(word, UNUSED, Acquire) != word {
                return false;
            }
            // Relaxed: a hint. The page had a free chunk, as it has two at least.
            self.level(page).fetch_add(u32::MAX, Relaxed);
            self.give_back(page, 1 << (page % REGION_PAGES));
            true
        }
    }
}
