//! Blocks of more than half a page: runs of pages.
//!
//! A request searches the map of unused pages for as many set bits in a row, and claims
//! them, a word at a time. If another thread claims one of them first, it gives back what it
//! has and goes on behind. There is no lock: the published code has one for all requests of a
//! page or more, which makes their time quadratic in their number.
//!
//! Runs of up to a region are scattered as chunks are. Each longer one begins where the one
//! before it would end, from the front of the pool on, where no others are as long as there
//! is room: so requests at the same time do not meet.
//!
//! The first page's word and bitmap name the run. They are written by its owner only.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic;

use super::ScatterAlloc;
use super::layout::{LONG_PLACE, Layout, REGION_PAGES, SUPER_PAGES};
use super::pages::{RUN, UNUSED};
use crate::allocators::bits::pick;
use crate::allocators::circular::runs::starts;
use crate::simt::Warp;

/// No page.
pub const NONE: u32 = u32::MAX;

/// The bits of the word of the map from page `at` on that stand for pages from `first` to
/// `end`, at least one.
#[inline(always)]
fn mask(at: u32, first: u32, end: u32) -> u32 {
    let low = first.saturating_sub(at);
    let high = if end - at < REGION_PAGES {
        end - at
    } else {
        REGION_PAGES
    };
    u32::MAX << low & u32::MAX >> (REGION_PAGES - high)
}

/// A scan over the map, word by word, for a run.
struct Scan {
    wanted: u32,
    /// In front of this page nothing counts.
    from: u32,
    /// Which of the runs in a word is taken.
    chance: u32,
    /// Length of the run that the words so far end with.
    run: u32,
    /// The first page of a run that is long enough, or [`NONE`].
    found: u32,
}

impl Scan {
    /// Scans the word of the pages from `at` on.
    #[inline(always)]
    fn add(&mut self, word: u32, at: u32) {
        if at < self.from || self.found != NONE {
            return;
        }
        let ones = word.trailing_ones();
        if self.run + ones >= self.wanted {
            self.found = at - self.run;
        } else if ones == REGION_PAGES {
            self.run += ones;
        } else {
            if self.wanted <= REGION_PAGES {
                let found = starts(word, self.wanted);
                if found != 0 {
                    // Runs of one length lie side by side, at multiples of it.
                    let bit = pick(found, self.chance.wrapping_mul(self.wanted));
                    self.found = at + bit;
                }
            }
            self.run = word.leading_ones();
        }
    }
}

impl ScatterAlloc {
    /// A run of `length` pages: its first page, or [`NONE`].
    #[inline(always)]
    pub(super) fn find_run<W: Warp>(&self, warp: W, length: u32) -> u32 {
        if length > self.layout.pages || length == 0 {
            return NONE;
        }
        // SAFETY: places are of the heap, and hold pages; so does the run, which is ours.
        unsafe {
            let first;
            // Relaxed, all: places are hints, and the run is ours until it is freed, by a
            // thread that got it from us by synchronisation.
            if length > REGION_PAGES {
                let turn = self.place(LONG_PLACE).fetch_add(length, Relaxed);
                let from = turn.checked_rem(self.layout.pages).unwrap_or(0);
                first = self.search_run(warp, length, from, 0);
            } else {
                let start = self.start(warp, 1);
                first = self.search_run(warp, length, start.page, start.hash);
                if first != NONE && first.wrapping_sub(start.page) >= SUPER_PAGES {
                    self.note(start, first);
                }
            }
            if first != NONE {
                self.bitmap(first).store(length, Relaxed);
                self.word(first).store(RUN, Relaxed);
            }
            first
        }
    }

    /// A run of `length` pages from page `from` on, or elsewhere: [`outlined`].
    ///
    /// # Safety
    ///
    /// `from` is below `layout.pages`, and `length` is not 0.
    #[inline(always)]
    unsafe fn search_run<W: Warp>(&self, warp: W, length: u32, from: u32, hash: u32) -> u32 {
        let bits = self.layout.to_bits();
        // SAFETY: the parts of this heap, and the caller's promise.
        unsafe { outlined(warp, self.blocks, self.tables, bits, length, from, hash) }
    }

    /// Frees a run.
    ///
    /// # Safety
    ///
    /// `first` is the first page of a run that the caller owns, and gives up.
    #[inline(always)]
    pub(super) unsafe fn free_run(&self, first: u32) {
        // SAFETY: the caller's promise: the run's pages are of the heap, and the caller's.
        unsafe {
            // Relaxed: the run is ours; the bits release the word.
            let length = self.bitmap(first).load(Relaxed);
            self.word(first).store(UNUSED, Relaxed);
            self.give_pages(first, first + length);
        }
    }

    /// Gives the pages from `first` to `end` back, if any.
    ///
    /// # Safety
    ///
    /// The caller owns these pages, and gives them up.
    #[inline(always)]
    unsafe fn give_pages(&self, first: u32, end: u32) {
        let mut at = first / REGION_PAGES * REGION_PAGES;
        while at < end {
            // SAFETY: the caller's promise: pages of the heap.
            unsafe { self.give_back(at, mask(at, first, end)) };
            at += REGION_PAGES;
        }
    }

    /// Claims the pages from `first` to `end`: [`NONE`], or a page that another has claimed.
    ///
    /// # Safety
    ///
    /// `first` is below `end`, which is at most `layout.pages`.
    #[inline(always)]
    unsafe fn claim_pages(&self, first: u32, end: u32) -> u32 {
        let mut at = first / REGION_PAGES * REGION_PAGES;
        while at < end {
            let wanted = mask(at, first, end);
            // SAFETY: the caller's promise; what is given back was claimed here.
            unsafe {
                let got = self.claim(at, wanted);
                if got != wanted {
                    if got != 0 {
                        self.give_back(at, got);
                    }
                    if at > first {
                        self.give_pages(first, at);
                    }
                    return at + (wanted & !got).trailing_zeros();
                }
            }
            at += REGION_PAGES;
        }
        NONE
    }

    /// Takes a run of `length` pages between the region of `from` and page `to`.
    ///
    /// # Safety
    ///
    /// `from` is below `layout.pages`, `to` a multiple of [`SUPER_PAGES`] or behind all pages,
    /// and `length` is not 0.
    #[inline(always)]
    unsafe fn take_run<W: Warp>(
        &self,
        warp: W,
        from: u32,
        to: u32,
        length: u32,
        mut chance: u32,
    ) -> u32 {
        let mut from = from / REGION_PAGES * REGION_PAGES;
        loop {
            let first = self.scan(from, to, length, chance);
            if first == NONE {
                return NONE;
            }
            // SAFETY: bits of pages of the heap were set.
            let refused = unsafe { self.claim_pages(first, first + length) };
            if refused == NONE {
                return first;
            }
            // Another thread was faster. From the region of its page on we look again; its
            // success bounds how often.
            from = refused / REGION_PAGES * REGION_PAGES;
            chance = chance.wrapping_add(1);
            warp.back_off();
        }
    }

    /// The first page of a run of `length` unused pages in the map between pages `from`, the
    /// first of a region, and `to`, as for [`Self::take_run`], or [`NONE`].
    #[inline(always)]
    fn scan(&self, from: u32, to: u32, length: u32, chance: u32) -> u32 {
        let mut scan = Scan {
            wanted: length,
            from,
            chance,
            run: 0,
            found: NONE,
        };
        // A row of the map is a super block's.
        let mut at = from / SUPER_PAGES * SUPER_PAGES;
        while at < to && at < self.layout.pages && scan.found == NONE {
            // SAFETY: `at` is a page of the heap, and its super block has a row. Pages that
            // are not there have no bits, so that a run ends in front of them.
            let row = unsafe { atomic::load_row(self.map_row(at / SUPER_PAGES)) };
            let [mut a, mut b, mut c, d] = row;
            let mut four = 0;
            while four < 4 {
                scan.add(a[0], at);
                scan.add(a[1], at + REGION_PAGES);
                scan.add(a[2], at + 2 * REGION_PAGES);
                scan.add(a[3], at + 3 * REGION_PAGES);
                (a, b, c) = (b, c, d);
                at += 4 * REGION_PAGES;
                four += 1;
            }
        }
        scan.found
    }
}

/// The search of [`ScatterAlloc::find_run`], out of line, as it is long: for a run of up to a
/// region in a super block of each part of the pool, from `page` on; then from there to the
/// end, and at last from the front on.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap, `length` is not 0, and `page`
/// is below `layout.pages`.
#[inline(never)]
unsafe fn outlined<W: Warp>(
    warp: W,
    blocks: *mut u8,
    tables: *mut u8,
    layout: u64,
    length: u32,
    page: u32,
    hash: u32,
) -> u32 {
    let heap = ScatterAlloc {
        blocks,
        tables,
        layout: Layout::from_bits(layout),
    };
    let parts = heap.layout.parts();
    let mut turn = if length > REGION_PAGES { parts } else { 0 };
    let mut near = page;
    loop {
        let (mut from, mut to) = (near, u32::MAX);
        if turn < parts {
            to = (near / SUPER_PAGES + 1) * SUPER_PAGES;
        } else if turn == parts {
            from = page;
        } else {
            from = 0;
        }
        // SAFETY: the caller's promise; `part_before` returns pages.
        let first = unsafe { heap.take_run(warp, from, to, length, hash) };
        if first != NONE || turn > parts {
            return first;
        }
        near = heap.layout.part_before(near);
        turn += 1;
    }
}
